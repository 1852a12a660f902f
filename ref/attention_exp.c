/* attention_exp.c - exp2 over a row of scores: one text, compiled for any CPU and for those with FMA, which moves no
 * bit (unary.c says why). */
#include "ref/attention_impl.h"

#include "ref/attention_scalar.h"

ORDO_ALWAYS void run(enum ordo_exp_kind kind, const uint32_t *s, const int32_t *row, int32_t n, float factor,
                     float folded, uint32_t *p)
{
    for (int32_t j = 0; j < n; j++) {
        float x = ORDO_FMA(ordo_float_of(s[j]), factor, -folded);

        p[j] = row[j] >= 0 ? ordo_bits_of(ordo_exp_by(kind, x)) : 0; /* dead: before any product */
    }
}

ORDO_ALWAYS void run_each(enum ordo_exp_kind kind, const uint32_t *s, const int32_t *row, int32_t n, float factor,
                          float folded, uint32_t *p)
{
    if (kind == ORDO_EXP_6)
        run(ORDO_EXP_6, s, row, n, factor, folded, p);
    else if (kind == ORDO_EXP_5)
        run(ORDO_EXP_5, s, row, n, factor, folded, p);
    else
        run(ORDO_EXP_EX2, s, row, n, factor, folded, p);
}

static void run_plain(enum ordo_exp_kind kind, const uint32_t *s, const int32_t *row, int32_t n, float factor,
                      float folded, uint32_t *p)
{
    run_each(kind, s, row, n, factor, folded, p);
}

#if defined __x86_64__ && defined __GNUC__ && !defined ORDO_NO_SIMD
__attribute__((target("avx2,fma"))) static void run_fma(enum ordo_exp_kind kind, const uint32_t *s,
                                                        const int32_t *row, int32_t n, float factor, float folded,
                                                        uint32_t *p)
{
    run_each(kind, s, row, n, factor, folded, p);
}

static bool has_fma(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
#define run_fma run_plain

static bool has_fma(void)
{
    return false;
}
#endif

void ordo_attention_exp(enum ordo_exp_kind kind, const uint32_t *s, const int32_t *row, int32_t n, float factor,
                        float folded, uint32_t *p)
{
    (has_fma() ? run_fma : run_plain)(kind, s, row, n, factor, folded, p);
}
