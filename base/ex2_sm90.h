/* ex2_sm90.h - ex2.approx.ftz.f32 of the H200, bit for bit, in integers.
 *
 * The unit interpolates 2^x on [1, 2) by 64 quadratic pieces with a truncated squarer, the datapath of Oberman and
 * Siu (ARITH-17, 2005).  The constants were measured on an H200; FNV-1a-64 over the result words of x = 1 + j 2^-23,
 * j < 2^23, is c4d16eed541febed.  Nothing is known about other chips: for SM 9.0 only. */
#ifndef ORDO_BASE_EX2_SM90_H
#define ORDO_BASE_EX2_SM90_H

#include "base/fp32op.h"

/* The piece's constants: value, slope, curvature. */
ORDO_BOTH const int32_t *ordo_ex2_piece(uint32_t i)
{
#ifdef __CUDA_ARCH__
    static __constant__
#else
    static
#endif
    const int32_t piece[64][3] = {
        {3, 22713, 494}, {365386, 22960, 501}, {734750, 23210, 506}, {1108133, 23463, 511},
        {1485586, 23718, 518}, {1867145, 23977, 521}, {2252860, 24238, 527}, {2642777, 24502, 532},
        {3036940, 24768, 541}, {3435393, 25038, 546}, {3838184, 25311, 551}, {4245365, 25586, 559},
        {4656977, 25865, 564}, {5073072, 26147, 568}, {5493699, 26431, 577}, {5918905, 26719, 583},
        {6348741, 27010, 589}, {6783258, 27304, 596}, {7222505, 27602, 600}, {7666538, 27902, 609},
        {8115404, 28206, 615}, {8569160, 28513, 622}, {9027854, 28824, 627}, {9491545, 29138, 633},
        {9960285, 29455, 641}, {10434129, 29776, 647}, {10913133, 30100, 655}, {11397354, 30428, 661},
        {11886846, 30759, 670}, {12381669, 31094, 677}, {12881882, 31432, 686}, {13387539, 31775, 691},
        {13898703, 32121, 699}, {14415435, 32471, 705}, {14937793, 32824, 715}, {15465837, 33182, 721},
        {15999633, 33543, 730}, {16539242, 33908, 739}, {17084727, 34277, 748}, {17636150, 34651, 753},
        {18193579, 35028, 763}, {18757078, 35409, 773}, {19326714, 35795, 779}, {19902551, 36185, 787},
        {20484659, 36579, 796}, {21073106, 36977, 806}, {21667961, 37380, 813}, {22269293, 37787, 822},
        {22877175, 38198, 833}, {23491674, 38614, 842}, {24112865, 39035, 849}, {24740822, 39460, 858},
        {25375616, 39889, 870}, {26017322, 40324, 877}, {26666015, 40763, 887}, {27321773, 41207, 896},
        {27984672, 41655, 909}, {28654788, 42109, 917}, {29332202, 42568, 925}, {30016992, 43031, 938},
        {30709240, 43500, 946}, {31409026, 43973, 959}, {32116431, 44452, 969}, {32831540, 44936, 980},
    };

    return piece[i];
}

/* t^2 / 2^19 as the squarer makes it, t < 2^17: squares of bits a at 2^(2 a) and products of bits a < b at
 * 2^(a + b + 1), those below 2^19 left out. */
ORDO_BOTH uint32_t ordo_ex2_square(uint32_t t)
{
    uint32_t sum = 0;

    for (uint32_t a = 1; a < 17; a++) {
        uint32_t first = a + 1 > 18 - a ? a + 1 : 18 - a; /* the smallest b that is kept */
        uint32_t row = (t >> first << (first + a + 1 - 19)) + (a >= 10 ? 1u << (2 * a - 19) : 0u);

        sum += (0u - (t >> a & 1u)) & row;
    }
    return sum;
}

/* |x| in units of 2^-23, cut; |x| < 256. */
ORDO_BOTH uint32_t ordo_ex2_fixed(uint32_t magnitude)
{
    uint32_t e = magnitude >> 23, significand = (magnitude & 0x7fffffu) | 0x800000u;

    return e >= 127 ? significand << (e - 127) : e > 102 ? significand >> (127 - e) : 0u;
}

/* Bits of 2^x for the x with bits x: 0 below 2^-126, Inf from 128 on, NaN gives 0x7fffffff. */
ORDO_BOTH uint32_t ordo_ex2_sm90(uint32_t x)
{
    uint32_t magnitude = x & 0x7fffffffu, negative = x >> 31, fixed, fraction, t, v;
    const int32_t *c;
    int32_t q, n;

    if (magnitude >= 0x43000000u) /* 128 */
        return magnitude > ORDO_INF_BITS ? ORDO_NAN_BITS : negative ? 0u : ORDO_INF_BITS;
    fixed = ordo_ex2_fixed(magnitude);
    fraction = fixed & 0x7fffffu;
    q = !negative ? (int32_t)fixed : fraction ? -(int32_t)fixed - 1 : -(int32_t)fixed; /* one's complement */
    n = (q - (int32_t)((uint32_t)q & 0x7fffffu)) / 0x800000;
    c = ordo_ex2_piece((uint32_t)q >> 17 & 63u);
    t = (uint32_t)q & 0x1ffffu;
    v = (uint32_t)((8192 * (int64_t)c[0] + (int64_t)c[1] * (int64_t)t + (int64_t)c[2] * (int64_t)ordo_ex2_square(t) +
                    6114) >> 15);
    return n < -126 ? 0u : ((uint32_t)(n + 127) << 23) + v;
}

#endif
