/* run_store.c - a run on a card as a row of the results database; see run.h. */
#include "cli/run.h"

#include "cli/out.h"
#include "ref/fp.h"
#include "sim/design.h"
#include "store/store.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static struct ordo_store_problem problem_of(const struct ordo_rig *run)
{
    return (struct ordo_store_problem){
        .digest = ordo_problem_digest(&run->problem),
        .n_query = run->problem.n_query,
        .topk = run->problem.topk,
        .n_kv = run->problem.n_kv,
        .live = run->scan.live,
        .dead_queries = run->scan.dead_queries,
        .duplicates = run->scan.n_duplicate,
        .duplicate_queries = run->scan.duplicate_queries,
    };
}

static struct ordo_store_plan plan_of(const struct ordo_plan *p, const char *text)
{
    return (struct ordo_store_plan){
        .digest = p->digest,
        .text = text,
        .design = p->design->name,
        .target = ordo_target_name[p->request.target],
        .wave = p->wave,
        .cluster = p->cluster,
        .planes = p->planes,
        .head_blocks = p->head_blocks,
        .waves = p->waves,
        .workspace_bytes = p->workspace_bytes,
        .private_workspace_bytes = p->private_workspace_bytes,
    };
}

static char *plan_text(const struct ordo_plan *plan)
{
    char *text = NULL;
    size_t n;
    FILE *out = ordo_need(open_memstream(&text, &n));

    ordo_plan_print(plan, out);
    (void)fclose(out);
    return ordo_need(text);
}

/* Inputs by content: tensors, and the scale. */
static struct ordo_digest input_digest(const struct ordo_rig *run)
{
    struct ordo_digest tensors = ordo_tensors_digest(&run->plan.request, &run->twin.tensors);
    struct ordo_hasher h;

    ordo_hasher_init(&h);
    ordo_hasher_text(&h, "ordo-run-input/1\n");
    ordo_hasher_bytes(&h, tensors.byte, sizeof tensors.byte);
    ordo_hasher_u32(&h, ordo_fp32_bits(run->twin.a.in.scale));
    if (run->twin.o)
        for (uint64_t i = 0; i < ordo_output_count(&run->plan, ORDO_OUTPUT_O); i++)
            ordo_hasher_u32(&h, run->twin.o[i]);
    if (run->twin.lse)
        for (uint64_t i = 0; i < ordo_output_count(&run->plan, ORDO_OUTPUT_LSE); i++)
            ordo_hasher_u32(&h, ordo_fp32_bits(run->twin.lse[i]));
    return ordo_hasher_done(&h);
}

static const char *verdict_of(const struct ordo_rig_bits *b)
{
    if (!b->promised)
        return "no-order";
    return !b->compared ? "not-compared" : b->differ ? "differs" : "same";
}

/* Results that were read. */
static size_t fill_results(const struct ordo_rig *run, const struct ordo_store_result *like,
                           struct ordo_store_result result[ORDO_OUTPUTS])
{
    size_t n = 0;

    for (int i = 0; i < ORDO_OUTPUTS; i++) {
        if (!run->bits[i].read || !run->bits[i].promised) /* what has no order would be a flip in every run */
            continue;
        result[n] = *like;
        result[n].output = ordo_output_name[i];
        result[n].digest = run->bits[i].digest;
        result[n++].verdict = verdict_of(&run->bits[i]);
    }
    return n;
}

enum ordo_status ordo_rig_store(const struct ordo_rig *run, const struct ordo_rig_request *q, const char *db,
                                const char *line, const char *file, int64_t *id, struct ordo_err *err)
{
    const struct ordo_card_name *name = &run->name;
    char *text = plan_text(&run->plan), how[96], toolkit[64], arch[16], finding[96];
    struct ordo_store_problem problem = problem_of(run);
    struct ordo_store_plan plan = plan_of(&run->plan, text);
    struct ordo_store_build build = {name->cubin, &name->cubin, toolkit, NULL};
    struct ordo_store_device device = {name->device, arch, NULL, name->driver};
    struct ordo_store_input input = {input_digest(run), how};
    struct ordo_store_result like = {&problem, &plan, &build, &device, &input, NULL, {{0}}, NULL, (double)NAN};
    struct ordo_store_result result[ORDO_OUTPUTS];
    struct ordo_store_sample sample = {"run_repeats", 0, run->repeats.n};
    struct ordo_store_run row = {
        .started_us = run->started_us,
        .finished_us = ordo_store_now_us(),
        .verb = "run",
        .argv = line,
        .version = PACKAGE_VERSION,
        .input = file,
        .verdict = ordo_rig_verdict_name[run->verdict],
        .finding = run->verdict == ORDO_RIG_PASS ? NULL : finding,
        .problem = &problem,
        .plan = &plan,
        .n_result = fill_results(run, &like, result),
        .result = result,
        .n_sample = 1,
        .sample = &sample,
    };
    struct ordo_store *store = NULL;
    enum ordo_status status;

    (void)snprintf(toolkit, sizeof toolkit, "CUDA %s", name->toolkit);
    (void)snprintf(arch, sizeof arch, "sm_%d", name->sm);
    (void)snprintf(finding, sizeof finding, "the card's outputs: %s", ordo_rig_verdict_name[run->verdict]);
    if (q->inputs)
        (void)snprintf(how, sizeof how, "from a file");
    else
        (void)snprintf(how, sizeof how, "%s seed %" PRIu64 " sink %s", ordo_input_class_name[q->values.kind],
                       q->values.seed, ordo_sink_kind_name[q->values.sink]);
    status = ordo_store_open(db, ORDO_STORE_WRITE, &store, err);
    if (status == ORDO_OK)
        status = ordo_store_add_run(store, &row, id, err);
    ordo_store_close(store);
    free(text);
    return status;
}
