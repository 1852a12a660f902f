/* check_store.c - a check as a row of the results database; see check.h. */
#include "cli/check.h"

#include "cli/line.h"
#include "cli/out.h"
#include "cli/store_plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct ordo_store_proof proof_of(const struct ordo_proof *p)
{
    return (struct ordo_store_proof){
        .verdict = ordo_verdict_name[p->verdict],
        .ordering = ordo_proof_ordering(p),
        .deadlock = ordo_proof_deadlock(p),
        .race = ordo_proof_race(p),
        .assumption = p->assumption[0] ? p->assumption : NULL,
        .engines = ordo_proof_engines(p),
        .updates = p->updates,
        .row_count = p->rows,
        .accumulators = p->accumulators,
        .order = p->verdict == ORDO_PROVED ? &p->order_digest : NULL,
    };
}

static struct ordo_store_bits bits_of(const struct ordo_evaluation *e)
{
    return (struct ordo_store_bits){ordo_input_class_name[e->inputs.kind], e->inputs.seed, e->inputs.width,
                                    e->bits_digest};
}

static struct ordo_store_oracle oracle_of(const char *input_class, const struct ordo_oracle_summary *s)
{
    return (struct ordo_store_oracle){
        .input_class = input_class,
        .rows = s->rows,
        .columns = s->columns,
        .terms = s->terms,
        .sampled = s->sampled,
        .outside_bound = s->outside_bound,
        .not_exact = s->not_exact,
        .mpfr_disagreements = s->mpfr_disagreements,
        .worst_ratio = s->worst_ratio,
    };
}

/* All sampled elements of all classes; *n of them.  The caller frees. */
static struct ordo_store_value *values_of(const struct ordo_check *c, size_t *n)
{
    struct ordo_store_value *v;

    *n = 0;
    for (int i = 0; i < c->n_evaluation; i++)
        *n += c->evaluation[i].n_sampled;
    v = ordo_need(malloc((*n + 1) * sizeof *v));
    *n = 0;
    for (int i = 0; i < c->n_evaluation; i++)
        for (uint32_t j = 0; j < c->evaluation[i].n_sampled; j++) {
            const struct ordo_sampled_value *s = &c->evaluation[i].sampled[j];

            v[(*n)++] = (struct ordo_store_value){ordo_input_class_name[c->evaluation[i].inputs.kind], s->row,
                                                  s->column, s->bits};
        }
    return v;
}

/* --- the attention twin's outputs ------------------------------------------------------------------------------- */

/* Outputs as a kernel's are stored, so that `db compare` sets the two side by side.  Threads, vectors and machine
 * never move a bit: all machines are one device, a version of the program is one build, and a flip is a fault of
 * ours. */
struct twin {
    struct ordo_store_build build;
    struct ordo_store_device device;
    struct ordo_store_input input;
    char text[64];
    struct ordo_store_result output[ORDO_OUTPUT_PLANES];
};

static struct ordo_digest twin_build(void)
{
    struct ordo_hasher h;

    ordo_hasher_init(&h);
    ordo_hasher_text(&h, "ordo-twin/1\n" PACKAGE_VERSION "\n");
    return ordo_hasher_done(&h);
}

/* Fills *t; returns the number of outputs, 0 where the twin did not run whole. */
static size_t twin_of(const struct ordo_check *c, const struct ordo_store_problem *problem,
                      const struct ordo_store_plan *plan, struct twin *t)
{
    if (c->full.extent != ORDO_FULL_WHOLE)
        return 0;
    t->build = (struct ordo_store_build){.digest = twin_build(), .toolkit = "ordo " PACKAGE_VERSION};
    t->device = (struct ordo_store_device){.name = "cpu twin"};
    (void)snprintf(t->text, sizeof t->text, "%s seed %" PRIu64, ordo_input_class_name[ORDO_ROUGH], c->full.seed);
    t->input = (struct ordo_store_input){c->full.input, t->text};
    for (int i = 0; i < ORDO_OUTPUT_PLANES; i++)
        t->output[i] = (struct ordo_store_result){problem, plan, &t->build, &t->device, &t->input,
                                                  ordo_output_name[i], c->full.digest[i],
                                                  ordo_check_verdict_name[c->verdict], nan("")};
    return ORDO_OUTPUT_PLANES;
}

enum ordo_status ordo_check_store(struct ordo_check *c, const struct ordo_args *args, struct ordo_err *err)
{
    char *line = ordo_need(ordo_args_line(args)), *text = ordo_store_plan_text(&c->plan);
    struct ordo_store_problem problem = ordo_store_problem_of(&c->problem, &c->problem_digest, &c->census.scan);
    struct ordo_store_plan plan = ordo_store_plan_of(&c->plan, text);
    struct ordo_store_proof proof = proof_of(&c->proof);
    struct ordo_store_bits bits[ORDO_N_CLASSES];
    struct ordo_store_oracle oracle[ORDO_N_CLASSES + 1];
    struct twin twin;
    struct ordo_store_run run = {
        .started_us = c->started_us,
        .finished_us = c->finished_us,
        .verb = "check",
        .argv = line,
        .version = PACKAGE_VERSION,
        .input = c->file,
        .verdict = ordo_check_verdict_name[c->verdict],
        .finding = c->finding[0] ? c->finding : NULL,
        .problem = &problem,
        .plan = &plan,
        .proof = &proof,
        .n_bits = (size_t)c->n_evaluation,
        .n_oracle = (size_t)c->n_evaluation,
        .bits = bits,
        .oracle = oracle,
    };
    struct ordo_store_value *value = values_of(c, &run.n_value);
    enum ordo_status status;

    for (int i = 0; i < c->n_evaluation; i++) {
        bits[i] = bits_of(&c->evaluation[i]);
        oracle[i] = oracle_of(ordo_input_class_name[c->evaluation[i].inputs.kind], &c->evaluation[i].oracle);
    }
    if (c->full.extent >= ORDO_FULL_SAMPLED)
        oracle[run.n_oracle++] = oracle_of("attention", &c->full.oracle);
    run.n_result = twin_of(c, &problem, &plan, &twin);
    run.result = twin.output;
    run.value = value;
    status = ordo_store_keep(c->db, &run, &c->run_id, err);
    free(value);
    free(text);
    free(line);
    return status;
}
