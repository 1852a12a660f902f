/* fpu.c - see fpu.h.  Operations whose result each wrong mode changes; volatile, so that no compiler knows it. */
#include "ref/fpu.h"

#include "ref/fp.h"

#include <stddef.h>

/* a * b + c */
static const struct {
    float a, b, c, want;
    const char *wrong;
} probe[] = {
    {0x1p-149f, 0x1p100f, 0, 0x1p-49f, "subnormal operands count as zero"},
    {0x1p-100f, 0x1p-49f, 0, 0x1p-149f, "subnormal results become zero"},
    {1, 0x1.8p-126f, -0x1p-126f, 0x1p-127f, "subnormal results become zero"},
    {1, 1, 0x1p-24f, 1, "sums are not rounded to nearest even"},
    {1, 1, 0x1.8p-24f, 0x1.000002p0f, "sums are not rounded to nearest even"},
    {-1, 1, -0x1p-24f, -1, "sums are not rounded to nearest even"},
    {0x1.001p0f, 0x1.001p0f, -0x1.002p0f, 0, "products are fused with sums, or kept in a wider format"},
};

enum ordo_status ordo_fpu_check(struct ordo_err *err)
{
    for (size_t i = 0; i < sizeof probe / sizeof probe[0]; i++) {
        volatile float a = probe[i].a, b = probe[i].b, c = probe[i].c;
        float product = a * b, sum = product + c;

        if (ordo_fp32_bits(sum) != ordo_fp32_bits(probe[i].want))
            return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "floating point",
                             "%s on this machine or in this process, so no bits can be predicted", probe[i].wrong);
    }
    return ORDO_OK;
}
