/* chain.c - see chain.h. */
#include "oracle/chain.h"

float ordo_chain(const float *term, size_t n)
{
    float sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += term[i];
    return sum;
}
