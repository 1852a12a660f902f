/* attention.h - sparse attention forward and backward, every bit: the twin of the kernels.
 *
 * Takes the plan (order, contract) and the index tensor, and tensors whose elements are the kernels' own: BF16 as
 * uint16_t, fp32 as float.  All of them are contiguous, row-major, and the caller's.
 *
 *     s      = Q KV^T                                  tensor core, fp32
 *     p      = exp2(s (scale log2 e) - F)              F: log2 of the denominator, sink included; p = 0 on dead slots
 *     LSE    = ln sum_j exp(scale s_j)                 natural, without the sink
 *     O      = P V                                     V is the first Dv columns of a KV row
 *     delta  = sum_d O dO                              of the BF16 O
 *     dS     = bf16(scale p (dO V^T - delta))
 *     dQ     = dS KV
 *     dKV    = dO^T P (first Dv columns), then Q^T dS  one tile contribution a CTA, added to its plane, planes folded
 *     dSink  = - sum_q exp2(sink log2 e - F) delta
 *
 * What is summed in which order, and what rounds where, is the plan's contract (sim/contract.h).
 *
 * Conventions.  A slot is live as protocol/live.h says; dead ones are never dereferenced.  A row is inert, and adds
 * nothing anywhere, if it has no live slot, if its LSE is +Inf or -Inf (kernels write either for a dead row), or if
 * its denominator leaves fp32 (sink +Inf, or finite and so large that sink log2 e overflows): dQ = +0, delta = +0.
 * The forward writes LSE = -Inf and O = +0 for a row without a live slot, and for one whose every live score is -Inf:
 * a score of -Inf adds nothing.  A NaN score makes the row NaN.  Two live slots with one id count twice.
 * An inert row with live slots has p = dS = 0, and 0 times an Inf or NaN in its q or dO is NaN, as on the tensor
 * core: it then stands in the dKV of the rows that its live slots name. */
#ifndef ORDO_REF_ATTENTION_H
#define ORDO_REF_ATTENTION_H

#include "base/status.h"
#include "corpus/problem.h"
#include "sim/plan.h"
#include "sim/rows.h"

#include <stdbool.h>
#include <stdint.h>

/* Extents are the plan's request: Q queries, KV rows, K = Top-K slots, H heads, Dqk, Dv <= Dqk.  idx [Q][K] and
 * length [Q] (or none) are the problem's. */
struct ordo_attention_inputs {
    const uint16_t *q;    /* BF16 [Q][H][Dqk] */
    const uint16_t *kv;   /* BF16 [KV][Dqk]; the first Dv columns are V */
    const uint16_t *dout; /* BF16 [Q][H][Dv] */
    const float *sink;    /* fp32 [H], natural logarithm; -Inf is no sink, and NULL none for any head */
    const uint16_t *o;    /* BF16 [Q][H][Dv] and fp32 [Q][H], as the forward saved them; */
    const float *lse;     /* both NULL: the twin's own forward makes them */
    float scale;          /* > 0; customary 1 / sqrt(Dqk) */
};

/* What is NULL is not made.  NaNs are 0x7fffffff and BF16 0x7fff. */
struct ordo_attention_outputs {
    uint16_t *o;     /* BF16 [Q][H][Dv]: the input's, or the forward's */
    float *lse;      /* fp32 [Q][H]: the same, and -Inf where no slot is live */
    float *delta;    /* fp32 [Q][H] */
    uint16_t *dq;    /* BF16 [Q][H][Dqk] */
    uint16_t *dkv;   /* BF16 [KV][Dqk] */
    float *dkv_fp32; /* fp32 [KV][Dqk]: the fold before it rounds */
    float *dsink;    /* fp32 [H] */
    float *planes;   /* fp32 [planes][KV][Dqk]: what the fold adds */
};

/* The sums of a run by stage.  PV: O's, one tile onto the rescaled row; DKV: either product of a contribution. */
enum ordo_stage {
    ORDO_STAGE_S, ORDO_STAGE_DP, ORDO_STAGE_PV, ORDO_STAGE_DQ, ORDO_STAGE_DKV, ORDO_STAGE_DELTA, ORDO_STAGE_DSINK,
    ORDO_STAGES
};

/* Who is shown each sum: its own rounded inputs, and what came out.  Either function may be NULL; both may be called
 * by several threads.  What they return other than ORDO_OK ends the run. */
struct ordo_product;
struct ordo_attention_probe {
    void *ctx;
    /* A product that is done, with the running bound of each element (ref/mma.h); before: its accumulators as they
     * were, c_row elements a row as in *p. */
    enum ordo_status (*product)(void *ctx, enum ordo_stage stage, const struct ordo_product *p,
                                const uint32_t *before, struct ordo_err *err);
    /* sum of a[i] b[i], i < n, by fused multiply-adds and additions; a term passes at most `roundings` of them. */
    enum ordo_status (*sum)(void *ctx, enum ordo_stage stage, const float *a, const float *b, int64_t n,
                            int32_t roundings, float result, struct ordo_err *err);
};

struct ordo_attention {
    const struct ordo_plan *plan;
    const struct ordo_problem *problem;
    struct ordo_attention_inputs in;
    bool scalar; /* without vector units: the same bits, slowly */
    const struct ordo_attention_probe *probe; /* NULL: nobody looks */
};

/* The tensor core of the plan's target: which one, and whether its bits were measured (ref/mma.h). */
struct ordo_mma_model;
enum ordo_status ordo_attention_model(const struct ordo_plan *plan, const struct ordo_mma_model **model,
                                      struct ordo_err *err);

/* Computes what out asks for, with n_thread threads (at least 1) over outputs that do not depend on each other, so
 * that their number never changes a bit.  ORDO_BAD_INPUT where problem and plan disagree on an extent or scale is not
 * a positive number; ORDO_ENVIRONMENT without memory. */
enum ordo_status ordo_attention(const struct ordo_attention *a, int n_thread,
                                const struct ordo_attention_outputs *out, struct ordo_err *err);

/* The contributions of one KV row along its proved order: row->n_add lines of Dqk floats, which ordo_ref_sum
 * (ref/ordered.h) adds to what dkv_fp32 has there under the add kind ieee.  With a->in.o each costs a slot, else a
 * forward of its query.  No query may name the row twice.  Errors as above. */
enum ordo_status ordo_attention_terms(const struct ordo_attention *a, const struct ordo_row *row, float *term,
                                      struct ordo_err *err);

#endif
