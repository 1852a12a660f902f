/* outputs.h - a case through the attention twin: its tensors, every output, and what must hold of them.
 *
 * Of every case: a row's sum by the proved order is the walk's, bit for bit, and inside the bound of its exact sum;
 * dKV is its rounding; delta is the fp32 sum of fp32 products of O and dO; a KV row that no live slot names, and O,
 * dQ and delta of a query without a live slot, are +0, and such a query's LSE is -Inf.
 *
 * Beyond that the case claims, in its line `outputs`, words with one blank between two:
 *
 *     finite          no output is Inf or NaN, but for the LSE -Inf of queries without a live slot
 *     dq=0            every element has the bits of +0; so of o, lse, delta, dkv, dkv_fp32, dsink
 *     lse=0.5         every element has the bits of that number
 *     dsink!=0        some element has not
 *     dkv[3]=1.5      so has each element of its KV row 3, first Dv columns; `!=`: some has not */
#ifndef ORDO_FUZZ_OUTPUTS_H
#define ORDO_FUZZ_OUTPUTS_H

#include "corpus/case.h"
#include "ref/attention.h"
#include "ref/inputs.h"
#include "sim/rows.h"

/* A run of the twin.  A fresh one is all zero; ordo_outputs_free frees what it has. */
struct ordo_outputs {
    struct ordo_tensors tensors;
    uint16_t *o; /* where the case fills them */
    float *lse;
    struct ordo_attention a;
    struct ordo_attention_outputs out; /* all but planes */
};

/* Makes the tensors and runs the twin; plan and case stay the caller's.  ORDO_BAD_INPUT for more than a case may
 * have: 2^34 contractions, or 2^28 elements of a tensor. */
enum ordo_status ordo_outputs_make(const struct ordo_case *c, const struct ordo_plan *plan, struct ordo_outputs *x,
                                   struct ordo_err *err);
void ordo_outputs_free(struct ordo_outputs *x);

/* What does not hold: a rule of a word or two, of a claim the claim itself, and a sentence. */
struct ordo_wrong {
    char rule[48], text[200];
};

/* Fills *wrong with the first thing that does not hold, or leaves its rule empty.  ORDO_BAD_INPUT for a claim that is
 * none. */
enum ordo_status ordo_outputs_judge(const struct ordo_case *c, const struct ordo_rows *order, struct ordo_outputs *x,
                                    struct ordo_wrong *wrong, struct ordo_err *err);

/* claims.c: the line `outputs` alone. */
enum ordo_status ordo_outputs_claims(const struct ordo_case *c, const struct ordo_outputs *x,
                                     struct ordo_wrong *wrong, struct ordo_err *err);

/* Says it, unless something is wrong already. */
void ordo_wrong_say(struct ordo_wrong *wrong, const char *rule, const char *text, ...)
    __attribute__((format(printf, 3, 4), cold));

#endif
