/* unary.h - functions of one fp32 number, in bulk: what the twin computes wherever a kernel calls them.
 *
 * Bits in, bits out.  The functions themselves stand in base/ (the same text under nvcc) and in fp.h; here they run
 * over ranges of inputs, and over all 2^32 for digests that a GPU can make too. */
#ifndef ORDO_REF_UNARY_H
#define ORDO_REF_UNARY_H

#include <stddef.h>
#include <stdint.h>

enum ordo_unary {
    ORDO_EX2_SM90, /* ex2.approx.ftz.f32 of SM 9.0 */
    ORDO_EXP2_5,   /* fused multiply-adds, degree 5 */
    ORDO_EXP2_6,   /* degree 6 */
    ORDO_LOG2,     /* fused multiply-adds */
    ORDO_CVT_BF16, /* cvt.rn.bf16.f32, in the low half of the word */
    ORDO_CVT_FP16, /* cvt.rn.f16.f32, likewise */
    ORDO_UNARIES
};
/* Their names in golden files. */
extern const char *const ordo_unary_name[ORDO_UNARIES];

/* out[i] = op(first + i * step), i < n; inputs wrap modulo 2^32.  The same bits whatever the CPU offers. */
void ordo_unary(enum ordo_unary op, uint32_t first, uint32_t step, size_t n, uint32_t *out);
/* The same without the vector unit, as the baseline of a test. */
void ordo_unary_plain(enum ordo_unary op, uint32_t first, uint32_t step, size_t n, uint32_t *out);

/* digest[i]: that of the results for inputs 65536 (block + i) + 0 .. 65535 (base/fnv.h), i < n. */
void ordo_unary_digests(enum ordo_unary op, uint32_t block, size_t n, uint64_t *digest);

#endif
