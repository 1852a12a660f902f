/* evaluate.c - see evaluate.h. */
#include "cli/evaluate.h"

#include "base/progress.h"
#include "base/size.h"
#include "ref/fp.h"
#include "ref/ordered.h"

#include <stdlib.h>

struct buffers {
    float *term, *sum;
};

static uint32_t longest_row(const struct ordo_rows *rows)
{
    uint32_t longest = 0;

    for (uint32_t i = 0; i < ordo_rows_count(rows); i++) {
        uint32_t n = ordo_rows_get(rows, i).n_add;

        longest = n > longest ? n : longest;
    }
    return longest;
}

static void sample(struct ordo_evaluation *e, int32_t row, const float *sum)
{
    for (int32_t c = 0; c < e->inputs.width; c++)
        e->sampled[e->n_sampled++] = (struct ordo_sampled_value){row, c, ordo_fp32_bits(sum[c])};
}

static enum ordo_status evaluate_rows(const struct ordo_plan *plan, const struct ordo_rows *rows, struct buffers *b,
                                      struct ordo_oracle *oracle, struct ordo_evaluation *e, struct ordo_err *err)
{
    uint32_t n = ordo_rows_count(rows), step = n / ORDO_SAMPLED_ROWS + 1;
    enum ordo_status status = ORDO_OK;
    struct ordo_hasher h;

    ordo_hasher_init(&h);
    for (uint32_t i = 0; i < n && status == ORDO_OK; i++) {
        struct ordo_row row = ordo_rows_get(rows, i);

        ordo_ref_terms(&e->inputs, &row, b->term);
        ordo_ref_sum(&row, (uint32_t)plan->planes, b->term, e->inputs.width, b->sum);
        ordo_hasher_u32(&h, (uint32_t)row.row);
        for (int32_t c = 0; c < e->inputs.width; c++)
            ordo_hasher_u32(&h, ordo_fp32_bits(b->sum[c]));
        status = ordo_judge_row(oracle, &row, i, b->term, e->inputs.width, b->sum, NULL, err);
        if (i % step == 0)
            sample(e, row.row, b->sum);
        if (i % 4096 == 0)
            ordo_progress("evaluate: row", i, n);
    }
    ordo_progress_end();
    e->bits_digest = ordo_hasher_done(&h);
    return status;
}

enum ordo_status ordo_evaluate(const struct ordo_plan *plan, const struct ordo_proof *proof,
                               const struct ordo_inputs *inputs, struct ordo_evaluation *e, struct ordo_err *err)
{
    uint32_t longest = longest_row(proof->order);
    uint64_t width = (uint64_t)inputs->width;
    struct buffers b = {ordo_alloc(longest * width, sizeof(float)), ordo_alloc(width, sizeof(float))};
    struct ordo_oracle oracle;
    enum ordo_status status = ORDO_OK;

    *e = (struct ordo_evaluation){
        .inputs = *inputs,
        .must_be_exact = inputs->kind == ORDO_EXACT && ordo_exact_holds(longest),
        .sampled = ordo_alloc(ORDO_SAMPLED_ROWS * width, sizeof *e->sampled),
    };
    if (!b.term || !b.sum || !e->sampled)
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "width", "no memory for a row's terms");
    if (status == ORDO_OK)
        status = ordo_oracle_init(&oracle, e->must_be_exact, (uint32_t)plan->planes, ORDO_ORACLE_SAMPLE, err);
    if (status == ORDO_OK) {
        status = evaluate_rows(plan, proof->order, &b, &oracle, e, err);
        e->oracle = oracle.summary;
        ordo_oracle_free(&oracle);
    }
    free(b.term);
    free(b.sum);
    return status;
}

void ordo_evaluation_free(struct ordo_evaluation *e)
{
    free(e->sampled);
    e->sampled = NULL;
}
