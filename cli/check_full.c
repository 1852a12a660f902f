/* check_full.c - see check_full.h. */
#include "cli/check_full.h"

#include "base/log2.h"
#include "base/progress.h"
#include "base/size.h"
#include "ref/fp.h"
#include "ref/ordered.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 16 };

/* Contractions and bytes that a check may cost: a few minutes of two cores, and what such a machine has. */
static const double most_macs = 4e11;
static const uint64_t most_bytes = UINT64_C(8) << 30;

const char *const ordo_full_extent_name[4] = {"not asked", "not run", "sampled", "whole"};

/* Forward and backward over so many live slots. */
static double macs(const struct ordo_request *r, double slots)
{
    return slots * r->n_head * (3.0 * r->d_qk + 3.0 * r->d_v);
}

static void choose(const struct ordo_plan *plan, const struct ordo_proof *proof, int n_thread, struct ordo_full *full)
{
    uint64_t tensors = ordo_twin_run_tensor_bytes(plan), outputs = ordo_twin_run_bytes(plan, n_thread, false);

    full->extent = ORDO_FULL_WHOLE;
    if (tensors > most_bytes) {
        full->extent = ORDO_FULL_NOT_RUN;
        full->why = "the tensors alone pass 8 GiB";
        full->too_large = true;
    } else if (outputs > most_bytes - tensors) {
        full->extent = ORDO_FULL_SAMPLED;
        full->why = "all outputs and planes pass 8 GiB";
    } else if (macs(&plan->request, (double)proof->scan.live) > most_macs) {
        full->extent = ORDO_FULL_SAMPLED;
        full->why = "the whole passes 4e11 multiplications";
    }
}

/* --- rows ------------------------------------------------------------------------------------------------------- */

static void compare(const struct ordo_twin_run *run, int32_t row, const float *by_proof, struct ordo_full *full)
{
    int32_t width = run->a.plan->request.d_qk;
    const float *by_walk = run->out.dkv_fp32 + (int64_t)row * width;

    for (int32_t d = 0; d < width; d++) {
        uint32_t x = ordo_fp32_bits(by_walk[d]), y = ordo_fp32_bits(by_proof[d]);

        if (x == y || full->different++ > 0)
            continue;
        full->row = row;
        full->column = d;
        full->by_walk = x;
        full->by_proof = y;
    }
}

static enum ordo_status check_row(const struct ordo_twin_run *run, const struct ordo_row *row,
                                  struct ordo_oracle *oracle, struct ordo_full *full, struct ordo_err *err)
{
    const struct ordo_plan *plan = run->a.plan;
    uint64_t width = (uint64_t)plan->request.d_qk;
    float *term = ordo_alloc((row->n_add + 1) * width, sizeof *term), *sum;
    enum ordo_status status;

    if (!term)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for a row's contributions");
    sum = term + row->n_add * width;
    status = ordo_attention_terms(&run->a, row, term, err);
    if (status == ORDO_OK) {
        ordo_ref_sum(row, (uint32_t)plan->planes, term, (int32_t)width, sum);
        if (full->extent == ORDO_FULL_WHOLE)
            compare(run, row->row, sum, full);
        status = ordo_judge_row(oracle, row, full->rows++, term, (int32_t)width, sum, NULL, err);
    }
    free(term);
    return status;
}

/* Evenly spaced rows. */
static enum ordo_status check_rows(const struct ordo_twin_run *run, const struct ordo_proof *proof,
                                   struct ordo_full *full, struct ordo_err *err)
{
    uint32_t n = ordo_rows_count(proof->order), step = n / ROWS + 1;
    struct ordo_oracle oracle;
    enum ordo_status status = ordo_oracle_init(&oracle, false, (uint32_t)run->a.plan->planes, ROWS, err);

    if (status != ORDO_OK)
        return status;
    full->all_rows = n;
    for (uint32_t i = 0; i < n && status == ORDO_OK; i += step) {
        struct ordo_row row = ordo_rows_get(proof->order, i);

        ordo_progress("check: row", i, n);
        status = check_row(run, &row, &oracle, full, err);
    }
    ordo_progress_end();
    full->oracle = oracle.summary;
    ordo_oracle_free(&oracle);
    return status;
}

/* Of a sample the forward is given, not computed: dO for O, and for LSE what logits of 0 would have.  Each addition
 * to a row then costs one slot and not a whole query, so that even a row that all queries name is within reach. */
static enum ordo_status give_forward(struct ordo_twin_run *run, struct ordo_err *err)
{
    const struct ordo_request *r = &run->a.plan->request;
    uint64_t n = (uint64_t)r->n_query * (uint64_t)r->n_head;
    float lse = ordo_log2((float)r->topk) * 0.693147182464599609375f;

    run->lse = ordo_alloc(n, sizeof *run->lse);
    if (!run->lse)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for LSE");
    for (uint64_t i = 0; i < n; i++)
        run->lse[i] = lse;
    run->a.in.o = run->tensors.dout;
    run->a.in.lse = run->lse;
    return ORDO_OK;
}

enum ordo_status ordo_check_full(const struct ordo_plan *plan, const struct ordo_problem *problem,
                                 const struct ordo_proof *proof, uint64_t seed, int n_thread, struct ordo_full *full,
                                 struct ordo_err *err)
{
    struct ordo_values values = {.seed = seed, .kind = ORDO_ROUGH};
    struct ordo_twin_run run = {0};
    enum ordo_status status = ORDO_OK;

    *full = (struct ordo_full){.extent = ORDO_FULL_NOT_RUN, .seed = seed, .oracle = ordo_oracle_summary_none()};
    if (proof->scan.live == 0) {
        full->why = "no slot is live";
        return ORDO_OK;
    }
    choose(plan, proof, n_thread, full);
    if (full->extent == ORDO_FULL_NOT_RUN)
        return ORDO_OK;
    status = ordo_twin_run_seed(&run, plan, problem, &values, err);
    if (status == ORDO_OK) {
        full->values = ordo_tensors_digest(&plan->request, &run.tensors);
        full->input = ordo_twin_run_input(&run);
    }
    if (status == ORDO_OK && full->extent == ORDO_FULL_WHOLE) {
        status = ordo_twin_run(&run, n_thread, false, err);
        memcpy(full->digest, run.digest, sizeof full->digest);
        run.a.in.o = run.out.o;
        run.a.in.lse = run.out.lse;
    } else if (status == ORDO_OK) {
        status = give_forward(&run, err);
    }
    if (status == ORDO_OK)
        status = check_rows(&run, proof, full, err);
    if (status == ORDO_OK)
        status = ordo_check_stages(&run, &full->stages, err);
    ordo_twin_run_free(&run);
    return status;
}
