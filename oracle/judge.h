/* judge.h - is a row's fp32 sum what its tree may give: the exact sum, the bound, and MPFR as the referee of both.
 *
 * Takes the terms and the sum as plain numbers; knows the tree from the row's list.  Policy: every column is judged
 * by exact.h and bound.h; MPFR repeats the exact sum for every row whose index is a multiple of the sample period and
 * for every column that fails.  What is sampled depends on indices only, so runs repeat. */
#ifndef ORDO_ORACLE_JUDGE_H
#define ORDO_ORACLE_JUDGE_H

#include "base/status.h"
#include "sim/rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ORDO_ORACLE_SAMPLE = 64 }; /* a good period: MPFR then costs about as much as the exact sums */

/* One row and column. */
struct ordo_judgement {
    uint32_t tree;       /* the bits under judgement */
    uint32_t exact_fp32; /* the exact sum, rounded once */
    uint16_t exact_bf16; /* the exact sum, rounded once: not the rounding of exact_fp32 */
    bool equals_exact;   /* tree is exact_fp32, bit for bit: what the exact class promises, luck for the rough one */
    double error;        /* |tree - exact sum|, rounded up; NaN if one of them is Inf or NaN */
    double bound;        /* rounded up */
    bool inside;         /* error <= bound; false for NaN */
    bool mpfr_checked, mpfr_agrees; /* agrees: both formats, every bit */
};

/* Totals over judged columns.  A clean one: no outside_bound, no not_exact, no mpfr_disagreements. */
struct ordo_oracle_summary {
    uint64_t rows, columns, terms; /* columns: judgements; terms: over all of them */
    uint64_t sampled;              /* judgements that MPFR repeated */
    uint64_t outside_bound, mpfr_disagreements;
    uint64_t not_exact;            /* exact class only */
    uint64_t correctly_rounded;    /* tree equals the rounded exact sum */
    double worst_ratio;            /* largest error / bound; infinite once a column is outside with NaN or bound 0 */
    int32_t worst_row, worst_column; /* where, -1 if all errors were 0; the lowest such (row, column) */
    bool failed;                   /* whether the next three say anything: the lowest failing (row, column) */
    int32_t failed_row, failed_column;
    struct ordo_judgement failed_judgement;
};

struct ordo_truth;

/* Judges rows of one plan and input class.  The summary is the caller's to read at any time. */
struct ordo_oracle {
    struct ordo_oracle_summary summary;
    bool must_be_exact;
    uint32_t planes, period;
    struct ordo_truth *truth;
    uint32_t *height; /* of the current row's leaves */
    uint32_t capacity;
};

/* must_be_exact: the terms are such that no addition rounds.  period: MPFR for each row whose index it divides, 0 for
 * failures only.  On success the caller frees with ordo_oracle_free; on failure nothing is held. */
enum ordo_status ordo_oracle_init(struct ordo_oracle *o, bool must_be_exact, uint32_t planes, uint32_t period,
                                  struct ordo_err *err);
void ordo_oracle_free(struct ordo_oracle *o);
/* The same oracle for other terms or another plan: an empty summary, its memory kept. */
void ordo_oracle_restart(struct ordo_oracle *o, bool must_be_exact, uint32_t planes);

/* Judges all columns of a row and adds them to the summary.  index: the row's place in the list of live rows.
 * term: row->n_add lines of width floats; tree: width floats.  judgement: width of them, or NULL. */
enum ordo_status ordo_judge_row(struct ordo_oracle *o, const struct ordo_row *row, uint64_t index, const float *term,
                                int32_t width, const float *tree, struct ordo_judgement *judgement,
                                struct ordo_err *err);

bool ordo_oracle_clean(const struct ordo_oracle_summary *s);

/* A summary of nothing, and the sum of two: the same whichever way rows were divided among threads. */
struct ordo_oracle_summary ordo_oracle_summary_none(void);
void ordo_oracle_summary_merge(struct ordo_oracle_summary *into, const struct ordo_oracle_summary *from);

#endif
