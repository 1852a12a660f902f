/* unary.c - see unary.h.
 *
 * One loop for each function, compiled twice: for any CPU, where a fused multiply-add may be a call of the library,
 * and for those with AVX2 and FMA.  It is exact either way, so the bits are the same; only the time is not. */
#include "ref/unary.h"

#include "base/ex2_sm90.h"
#include "base/exp2.h"
#include "base/fnv.h"
#include "base/log2.h"
#include "ref/fp.h"

#include <stdbool.h>

const char *const ordo_unary_name[ORDO_UNARIES] = {"ex2.approx.ftz", "exp2.5", "exp2.6", "log2", "cvt.rn.bf16",
                                                   "cvt.rn.f16"};

enum { STRIP = 16 }; /* inputs of the inner loop, a constant that compilers vectorise */

/* The value of op at x; op is a constant wherever this is expanded. */
#define INLINE static inline __attribute__((always_inline))
INLINE uint32_t value(enum ordo_unary op, uint32_t x)
{
    switch (op) {
    case ORDO_EX2_SM90:
        return ordo_ex2_sm90(x);
    case ORDO_EXP2_5:
        return ordo_exp2_bits(ordo_float_of(x), 5);
    case ORDO_EXP2_6:
        return ordo_exp2_bits(ordo_float_of(x), 6);
    case ORDO_LOG2:
        return ordo_log2_bits(x);
    case ORDO_CVT_BF16:
        return ordo_bf16_round(x);
    default:
        return ordo_fp16_round(x);
    }
}

INLINE void run(enum ordo_unary op, uint32_t first, uint32_t step, size_t n, uint32_t *out)
{
    size_t whole = n - n % STRIP;

    for (size_t i = 0; i < whole; i += STRIP)
        for (uint32_t j = 0; j < STRIP; j++)
            out[i + j] = value(op, first + ((uint32_t)i + j) * step);
    for (size_t i = whole; i < n; i++)
        out[i] = value(op, first + (uint32_t)i * step);
}

INLINE void run_each(enum ordo_unary op, uint32_t first, uint32_t step, size_t n, uint32_t *out)
{
    switch (op) {
    case ORDO_EX2_SM90:
        run(ORDO_EX2_SM90, first, step, n, out);
        break;
    case ORDO_EXP2_5:
        run(ORDO_EXP2_5, first, step, n, out);
        break;
    case ORDO_EXP2_6:
        run(ORDO_EXP2_6, first, step, n, out);
        break;
    case ORDO_LOG2:
        run(ORDO_LOG2, first, step, n, out);
        break;
    case ORDO_CVT_BF16:
        run(ORDO_CVT_BF16, first, step, n, out);
        break;
    default:
        run(ORDO_CVT_FP16, first, step, n, out);
    }
}

void ordo_unary_plain(enum ordo_unary op, uint32_t first, uint32_t step, size_t n, uint32_t *out)
{
    run_each(op, first, step, n, out);
}

#if defined __x86_64__ && defined __GNUC__ && !defined ORDO_NO_SIMD
__attribute__((target("avx2,fma"))) static void run_fma(enum ordo_unary op, uint32_t first, uint32_t step, size_t n,
                                                        uint32_t *out)
{
    run_each(op, first, step, n, out);
}

static bool has_fma(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
static void run_fma(enum ordo_unary op, uint32_t first, uint32_t step, size_t n, uint32_t *out)
{
    run_each(op, first, step, n, out);
}

static bool has_fma(void)
{
    return false;
}
#endif

void ordo_unary(enum ordo_unary op, uint32_t first, uint32_t step, size_t n, uint32_t *out)
{
    (has_fma() ? run_fma : ordo_unary_plain)(op, first, step, n, out);
}

/* --- digests ---------------------------------------------------------------------------------------------------- */

enum { SIDE = 4, PIECE = 1024 }; /* digests side by side, since each waits for its own multiplications */

void ordo_unary_digests(enum ordo_unary op, uint32_t block, size_t n, uint64_t *digest)
{
    uint32_t word[SIDE][PIECE];

    for (size_t i = 0; i < n; i += SIDE) {
        uint32_t first = (block + (uint32_t)i) * ORDO_FNV_BLOCK;
        uint64_t h[SIDE] = {ORDO_FNV_START, ORDO_FNV_START, ORDO_FNV_START, ORDO_FNV_START};

        for (uint32_t at = 0; at < ORDO_FNV_BLOCK; at += PIECE) {
            for (uint32_t s = 0; s < SIDE; s++) /* past the last block too, where results are not kept */
                ordo_unary(op, first + s * ORDO_FNV_BLOCK + at, 1, PIECE, word[s]);
            for (uint32_t j = 0; j < PIECE; j++)
                for (uint32_t s = 0; s < SIDE; s++)
                    h[s] = ordo_fnv_word(h[s], word[s][j]);
        }
        for (size_t s = 0; s < SIDE && i + s < n; s++)
            digest[i + s] = h[s];
    }
}
