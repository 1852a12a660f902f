/* probe.h - inputs of the backward pass that make one of its sums add what a caller puts on its terms.
 *
 * Everything goes through the public inputs (q, kv, do, sink, o, lse, the index tensor), so any program that computes
 * the backward can be asked.  Scale is a power of two, which the terms make up for (here: 1), Q = 0 where KV is
 * not, LSE = 0 and no sink, so that S = 0 and P = 1 exactly; O = 0, so that delta = 0.  What is left of each sum is
 * linear in its terms:
 *
 *   dkv       KV[row] = (1, 0, ...) and dO[.., 0] = 1 make dS = 1; dO[.., d] is a v term and Q[.., d] a k term of
 * column d
 *   dkv-tail  the same, Q alone, in the columns beyond V
 *   dq        KV[slot, 0] = 1, dO[query, head, 0] = 1: dS = 1; KV[slot, d] is the slot's term of column d
 *   dsink     sink = 0, LSE = -2^14: the sink's share is 1; O[q, h, 0] = 1, -dO[q, h, 0] the query's term
 *   delta     the same for one query: O = 1 everywhere, -dO[d] the column's term; dSink has that one delta to add
 *   dp        KV[slot] = 1 everywhere; dO[d] the column's term; dS = BF16(dP), and dQ has that one dS to add
 *
 * A column of dKV or dQ is a probe of its own (a lane); so is each head of the others, if heads are taken to add
 * alike. Not reached: S, whose counts come out as their exp2, and O and LSE, which the backward takes as they are. */
#ifndef ORDO_REF_PROBE_H
#define ORDO_REF_PROBE_H

#include "ref/inputs.h"
#include "sim/sum.h"

/* What a program returned, of the plan's shapes: what the sum's output is (ordo_probe_output), as fp32 or as BF16,
 * the other NULL. */
struct ordo_probe_output {
    const float *fp32;
    const uint16_t *bf16;
};
enum ordo_probe_from { ORDO_FROM_DKV, ORDO_FROM_DQ, ORDO_FROM_DSINK };
enum ordo_probe_from ordo_probe_from(enum ordo_sum_kind kind);

struct ordo_probe {
    const struct ordo_plan *plan;
    const struct ordo_sum *sum;
    uint32_t n_lane;
    struct ordo_problem problem; /* the caller's, slots that the sum does not need dead unless they were kept */
    struct ordo_tensors tensors;
    uint16_t *o;
    float *lse;
    int32_t scale_log2;
    float scale;
};

/* log2 of scales that are taken. */
enum { ORDO_PROBE_SCALE = 30 };

/* whole: keeps every slot alive.  A row's terms then stand among all that the problem does, at its price.  The
 * scale is 2^scale_log2, which is at most ORDO_PROBE_SCALE away from 0.  ORDO_ENVIRONMENT without memory.  Free
 * with ordo_probe_free, also after a failure. */
enum ordo_status ordo_probe_make(const struct ordo_plan *plan, const struct ordo_problem *problem,
                                 const struct ordo_sum *sum, bool whole, int32_t scale_log2, struct ordo_probe *p,
                                 struct ordo_err *err);
void ordo_probe_free(struct ordo_probe *p);

/* Puts value[n_lane][n_term] (BF16) on the terms of the first n lanes, 0 on those of the others. */
void ordo_probe_set(struct ordo_probe *p, const uint16_t *value, uint32_t n);
/* What lane of the output has. */
float ordo_probe_read(const struct ordo_probe *p, const struct ordo_probe_output *out, uint32_t lane);
/* Counts up to this come back exactly. */
uint32_t ordo_probe_exact(const struct ordo_probe *p, const struct ordo_probe_output *out);

#endif
