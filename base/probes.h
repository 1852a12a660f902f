/* probes.h - single tensor-core steps whose result tells models apart, with what an H200 returned.
 *
 * Operands of one step of 16 products, BF16; those not listed are +0.  The results are those of mma.sync m16n8k16 and
 * of wgmma m64n8k16 alike (H200, driver 580, CUDA 13.0). */
#ifndef ORDO_BASE_PROBES_H
#define ORDO_BASE_PROBES_H

#include "base/both.h"

#include <stdint.h>

struct ordo_probe_run {
    uint16_t a, b;
    int32_t count; /* consecutive k with these operands */
};

struct ordo_probe {
    struct ordo_probe_run run[3];
    uint32_t c, want; /* fp32 */
};

enum { ORDO_PROBES = 33 };

#define ORDO_B2(e) ((127 + (e)) << 7)            /* 2^e, normal */
#define ORDO_BM2(e) (0x8000 | (127 + (e)) << 7)  /* -2^e */
static const struct ordo_probe ordo_probe[ORDO_PROBES] = {
    /* 25 fraction bits below the largest term, cut: 24 would lose the first, 26 or rounding keep the second */
    {{{ORDO_B2(0), ORDO_B2(0), 1}, {ORDO_B2(-25), ORDO_B2(0), 1}}, 0xbf800000u, 0x33000000u},
    {{{ORDO_B2(0), ORDO_B2(0), 1}, {ORDO_B2(-26), ORDO_B2(0), 1}}, 0xbf800000u, 0x00000000u},
    {{{ORDO_BM2(0), ORDO_B2(0), 1}, {ORDO_B2(-25), ORDO_B2(0), 15}}, 0x3f800000u, 0x34f00000u},
    {{{ORDO_BM2(0), ORDO_B2(0), 1}, {ORDO_B2(-26), ORDO_B2(0), 15}}, 0x3f800000u, 0x00000000u},
    {{{ORDO_B2(0), ORDO_B2(0), 1}, {0xbfc0, ORDO_B2(-25), 1}}, 0xbf800000u, 0xb3000000u}, /* toward zero */
    /* a product in [2, 4) counts with the sum of the exponents */
    {{{0x3fc0, 0x3fc0, 1}, {0xbfc0, 0x3fc0, 1}}, 0x33000000u, 0x33000000u},
    {{{0x3fc0, 0x3fc0, 1}, {0xbfc0, 0x3fc0, 1}}, 0x32800000u, 0x00000000u},
    /* the result is rounded toward zero, carries are kept */
    {{{ORDO_B2(0), ORDO_B2(0), 1}, {ORDO_B2(-24), ORDO_B2(0), 1}, {ORDO_B2(-25), ORDO_B2(0), 1}}, 0, 0x3f800000u},
    {{{ORDO_BM2(0), ORDO_B2(0), 1}, {ORDO_BM2(-24), ORDO_B2(0), 1}, {ORDO_BM2(-25), ORDO_B2(0), 1}}, 0, 0xbf800000u},
    {{{0x3ffe, 0x3ffe, 16}}, 0x3fffffffu, 0x428201ffu},
    /* zero is +0 */
    {{{0, 0, 1}}, 0x80000000u, 0x00000000u},
    {{{0x8000, ORDO_B2(0), 16}}, 0x80000000u, 0x00000000u},
    {{{ORDO_BM2(-75), ORDO_B2(-75), 1}}, 0, 0x00000000u},
    /* gradual underflow; the alignment ends at 2^-133 */
    {{{ORDO_B2(-75), ORDO_B2(-74), 1}}, 0, 0x00000001u},
    {{{ORDO_B2(-76), ORDO_B2(-76), 16}}, 0, 0x00000002u},
    {{{ORDO_B2(-74), ORDO_B2(-74), 1}, {ORDO_BM2(-79), ORDO_B2(-79), 1}}, 0, 0x00000001u},
    {{{ORDO_B2(-74), ORDO_B2(-74), 1}, {ORDO_BM2(-80), ORDO_B2(-79), 1}}, 0, 0x00000002u},
    /* a zero product takes no part */
    {{{0, ORDO_B2(127), 1}, {ORDO_B2(-15), ORDO_B2(-15), 1}}, 0, 0x30800000u},
    /* a subnormal operand has exponent -126 and no hidden bit */
    {{{1, ORDO_B2(20), 1}, {0x8001, ORDO_B2(20), 1}, {ORDO_B2(-66), ORDO_B2(-65), 1}}, 0, 0x00040000u},
    {{{1, ORDO_B2(20), 1}, {0x8001, ORDO_B2(20), 1}, {ORDO_B2(-66), ORDO_B2(-66), 1}}, 0, 0x00000000u},
    {{{1, ORDO_B2(0), 1}}, 0, 0x00010000u},
    {{{0, 0, 1}}, 0x00000001u, 0x00000001u},
    /* overflow is Inf; a product may exceed the range of fp32 */
    {{{ORDO_B2(127), ORDO_B2(0), 1}}, 0x7f7fffffu, 0x7f800000u},
    {{{ORDO_B2(0), ORDO_B2(0), 1}}, 0x7f7fffffu, 0x7f7fffffu},
    {{{ORDO_B2(100), ORDO_B2(100), 1}, {ORDO_BM2(100), ORDO_B2(100), 1}, {ORDO_B2(0), ORDO_B2(0), 1}}, 0, 0},
    /* Inf and NaN */
    {{{0x7f80, ORDO_B2(0), 1}, {0xff80, ORDO_B2(0), 1}}, 0, 0x7fffffffu},
    {{{0x7f80, 0, 1}}, 0x3f800000u, 0x7fffffffu},
    {{{0xff81, ORDO_B2(0), 1}}, 0x3f800000u, 0x7fffffffu},
    {{{0, 0x7fff, 1}}, 0x7f800000u, 0x7fffffffu},
    {{{ORDO_B2(0), ORDO_B2(0), 1}}, 0xff812345u, 0x7fffffffu},
    {{{0x7f80, ORDO_B2(0), 1}}, 0xff800000u, 0x7fffffffu},
    {{{0x7f80, ORDO_BM2(0), 2}}, 0x7f7fffffu, 0xff800000u},
    {{{ORDO_B2(127), ORDO_B2(127), 16}}, 0xff800000u, 0xff800000u},
};

/* The operands of a probe: a[16], b[16]. */
ORDO_BOTH void ordo_probe_operands(const struct ordo_probe *probe, uint16_t *a, uint16_t *b)
{
    int32_t k = 0;

    for (int32_t r = 0; r < 3; r++)
        for (int32_t i = 0; i < probe->run[r].count; i++, k++) {
            a[k] = probe->run[r].a;
            b[k] = probe->run[r].b;
        }
    for (; k < 16; k++)
        a[k] = b[k] = 0;
}

#endif
