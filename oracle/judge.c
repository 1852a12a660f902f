/* judge.c - see judge.h. */
#include "oracle/judge.h"

#include "base/size.h"
#include "oracle/bound.h"
#include "oracle/brief.h"
#include "oracle/exact.h"
#include "oracle/truth_mpfr.h"
#include "ref/fp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum ordo_status ordo_oracle_init(struct ordo_oracle *o, bool must_be_exact, uint32_t planes, uint32_t period,
                                  struct ordo_err *err)
{
    memset(o, 0, sizeof *o);
    ordo_oracle_restart(o, must_be_exact, planes);
    o->period = period;
    o->truth = ordo_truth_new();
    if (!o->truth)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "oracle", "no memory for the MPFR referee");
    return ORDO_OK;
}

void ordo_oracle_restart(struct ordo_oracle *o, bool must_be_exact, uint32_t planes)
{
    o->summary = ordo_oracle_summary_none();
    o->must_be_exact = must_be_exact;
    o->planes = planes;
}

void ordo_oracle_free(struct ordo_oracle *o)
{
    ordo_truth_free(o->truth);
    free(o->height);
    o->truth = NULL;
    o->height = NULL;
    o->capacity = 0;
}

static enum ordo_status reserve(struct ordo_oracle *o, uint32_t n_add, struct ordo_err *err)
{
    uint64_t capacity = (uint64_t)n_add + n_add / 2 + 64;

    if (n_add <= o->capacity)
        return ORDO_OK;
    capacity = capacity < UINT32_MAX ? capacity : UINT32_MAX;
    free(o->height);
    o->height = ordo_alloc(capacity, sizeof *o->height);
    o->capacity = o->height ? (uint32_t)capacity : 0;
    if (!o->height)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "oracle", "no memory for the heights of %u additions", n_add);
    return ORDO_OK;
}

/* --- one column ------------------------------------------------------------------------------------------------- */

static void judge(const uint32_t *height, const float *term, size_t n, size_t stride, uint32_t tree,
                  struct ordo_judgement *j)
{
    struct ordo_brief brief;
    struct ordo_exact sum;

    if (ordo_brief(term, n, stride, tree, &brief)) {
        j->exact_fp32 = brief.fp32;
        j->exact_bf16 = brief.bf16;
        j->error = brief.error;
    } else {
        ordo_exact_init(&sum);
        ordo_exact_add(&sum, term, n, stride);
        ordo_exact_round(&sum, &j->exact_fp32, &j->exact_bf16);
        j->error = ordo_exact_error(&sum, tree);
    }
    j->tree = tree;
    j->equals_exact = tree == j->exact_fp32;
    j->bound = ordo_bound(height, term, n, stride);
    j->inside = ordo_bound_holds(j->error, j->bound);
    j->mpfr_checked = j->mpfr_agrees = false;
}

static bool fails(const struct ordo_oracle *o, const struct ordo_judgement *j)
{
    return !j->inside || (o->must_be_exact && !j->equals_exact) || (j->mpfr_checked && !j->mpfr_agrees);
}

static enum ordo_status referee(struct ordo_oracle *o, const float *term, size_t n, size_t stride,
                                struct ordo_judgement *j, struct ordo_err *err)
{
    struct ordo_truth_bits truth;
    enum ordo_status status = ordo_truth_sum(o->truth, term, n, stride, &truth, err);

    if (status)
        return status;
    j->mpfr_checked = true;
    j->mpfr_agrees = truth.fp32 == j->exact_fp32 && truth.bf16 == j->exact_bf16;
    return ORDO_OK;
}

/* --- totals ----------------------------------------------------------------------------------------------------- */

struct ordo_oracle_summary ordo_oracle_summary_none(void)
{
    return (struct ordo_oracle_summary){.worst_row = -1, .worst_column = -1, .failed_row = -1, .failed_column = -1};
}

bool ordo_oracle_clean(const struct ordo_oracle_summary *s)
{
    return !s->failed && !s->outside_bound && !s->not_exact && !s->mpfr_disagreements;
}

static double ratio_of(const struct ordo_judgement *j)
{
    if (j->inside)
        return j->error > 0 ? j->error / j->bound : 0;
    return isnan(j->error) || !(j->bound > 0) ? (double)INFINITY : j->error / j->bound;
}

static bool before(int32_t row_a, int32_t column_a, int32_t row_b, int32_t column_b)
{
    return row_a < row_b || (row_a == row_b && column_a < column_b);
}

/* The larger ratio wins; among equals the lower place, so that the order of rows does not matter. */
static void take_worst(struct ordo_oracle_summary *s, double ratio, int32_t row, int32_t column)
{
    if (!(ratio > 0) || ratio < s->worst_ratio)
        return;
    if (!(ratio > s->worst_ratio) && !before(row, column, s->worst_row, s->worst_column))
        return;
    s->worst_ratio = ratio;
    s->worst_row = row;
    s->worst_column = column;
}

static void take_failure(struct ordo_oracle_summary *s, const struct ordo_judgement *j, int32_t row, int32_t column)
{
    if (s->failed && !before(row, column, s->failed_row, s->failed_column))
        return;
    s->failed = true;
    s->failed_row = row;
    s->failed_column = column;
    s->failed_judgement = *j;
}

static void account(struct ordo_oracle *o, const struct ordo_judgement *j, int32_t row, int32_t column)
{
    struct ordo_oracle_summary *s = &o->summary;

    s->columns++;
    s->sampled += j->mpfr_checked;
    s->outside_bound += !j->inside;
    s->not_exact += o->must_be_exact && !j->equals_exact;
    s->mpfr_disagreements += j->mpfr_checked && !j->mpfr_agrees;
    s->correctly_rounded += j->equals_exact;
    take_worst(s, ratio_of(j), row, column);
    if (fails(o, j))
        take_failure(s, j, row, column);
}

void ordo_oracle_summary_merge(struct ordo_oracle_summary *into, const struct ordo_oracle_summary *from)
{
    into->rows += from->rows;
    into->columns += from->columns;
    into->terms += from->terms;
    into->sampled += from->sampled;
    into->outside_bound += from->outside_bound;
    into->not_exact += from->not_exact;
    into->mpfr_disagreements += from->mpfr_disagreements;
    into->correctly_rounded += from->correctly_rounded;
    take_worst(into, from->worst_ratio, from->worst_row, from->worst_column);
    if (from->failed)
        take_failure(into, &from->failed_judgement, from->failed_row, from->failed_column);
}

/* --- one row ---------------------------------------------------------------------------------------------------- */

enum ordo_status ordo_judge_row(struct ordo_oracle *o, const struct ordo_row *row, uint64_t index, const float *term,
                                int32_t width, const float *tree, struct ordo_judgement *judgement,
                                struct ordo_err *err)
{
    bool sampled = o->period && index % o->period == 0;
    enum ordo_status status = reserve(o, row->n_add, err);

    if (status)
        return status;
    ordo_bound_heights(row, o->planes, o->height);
    for (int32_t c = 0; c < width; c++) {
        struct ordo_judgement j;

        judge(o->height, term + c, row->n_add, (size_t)width, ordo_fp32_bits(tree[c]), &j);
        if (sampled || fails(o, &j))
            status = referee(o, term + c, row->n_add, (size_t)width, &j, err);
        if (status)
            return status;
        account(o, &j, row->row, c);
        if (judgement)
            judgement[c] = j;
    }
    o->summary.rows++;
    o->summary.terms += (uint64_t)row->n_add * (uint64_t)width;
    return ORDO_OK;
}
