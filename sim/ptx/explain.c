/* explain.c - an execution as text. */
#include "sim/ptx/engine.h"

void ordo_ptx_explain(const struct ordo_ptx_program *p, const struct ordo_ptx_witness *w, FILE *out)
{
    (void)p;
    (void)w;
    (void)out;
}
void ordo_ptx_picture(const struct ordo_ptx_program *p, const struct ordo_ptx_witness *w, FILE *out)
{
    ordo_ptx_explain(p, w, out);
}
