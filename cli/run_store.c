/* run_store.c - a run on a card as a row of the results database; see run.h. */
#include "cli/run.h"

#include "cli/store_plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether a run behind the first gave other bits of it. */
static bool unstable(const struct ordo_rig *run, int output)
{
    for (int i = 0; i < ORDO_DSA_TENSORS; i++)
        if (strcmp(ordo_dsa_tensor[i].name, ordo_output_name[output]) == 0)
            return run->repeats.differ[i] > 0;
    return false;
}

static const char *verdict_of(const struct ordo_rig *run, int output)
{
    const struct ordo_rig_bits *b = &run->bits[output];

    if (b->compared && b->differ)
        return "differs";
    return unstable(run, output) ? "unstable" : b->compared ? "same" : "not-compared";
}

/* Results that were read; what has no order would be a flip in every run. */
static size_t fill_results(const struct ordo_rig *run, const struct ordo_store_result *like,
                           struct ordo_store_result result[ORDO_OUTPUTS])
{
    size_t n = 0;

    for (int i = 0; i < ORDO_OUTPUTS; i++) {
        if (!run->bits[i].read || !run->bits[i].promised)
            continue;
        result[n] = *like;
        result[n].output = ordo_output_name[i];
        result[n].digest = run->bits[i].digest;
        result[n++].verdict = verdict_of(run, i);
    }
    return n;
}

/* Words of promised outputs that were other ones in a run behind the first, over all runs. */
static double words_differ(const struct ordo_rig *run)
{
    double n = 0;

    for (int i = 0; i < ORDO_DSA_TENSORS; i++)
        if (ordo_rig_promised(&run->plan, i))
            n += (double)run->repeats.differ[i];
    return n;
}

enum ordo_status ordo_rig_store(const struct ordo_rig *run, const struct ordo_rig_request *q, const char *db,
                                const char *line, const char *file, int64_t *id, struct ordo_err *err)
{
    const struct ordo_card_name *name = &run->name;
    char *text = ordo_store_plan_text(&run->plan), how[96], toolkit[64], arch[16], finding[96];
    struct ordo_digest digest = ordo_problem_digest(&run->problem);
    struct ordo_store_problem problem = ordo_store_problem_of(&run->problem, &digest, &run->scan);
    struct ordo_store_plan plan = ordo_store_plan_of(&run->plan, text);
    struct ordo_store_build build = {name->cubin, &name->cubin, toolkit, NULL};
    struct ordo_store_device device = {name->device, arch, NULL, name->driver};
    struct ordo_store_input input = {ordo_twin_run_input(&run->twin), how};
    struct ordo_store_result like = {&problem, &plan, &build, &device, &input, NULL, {{0}}, NULL, (double)NAN};
    struct ordo_store_result result[ORDO_OUTPUTS];
    const struct ordo_store_sample sample[] = {{"run_repeats", 0, run->repeats.n},
                                               {"run_words_differ", 0, words_differ(run)},
                                               {"run_mask_residue", 0, (double)run->residue}};
    struct ordo_store_run row = {
        .started_us = run->started_us,
        .finished_us = ordo_store_now_us(),
        .verb = "run",
        .argv = line,
        .version = PACKAGE_VERSION,
        .input = file,
        .verdict = ordo_rig_verdict_name[run->verdict],
        .finding = ordo_rig_clean(run) ? NULL : finding,
        .problem = &problem,
        .plan = &plan,
        .n_result = fill_results(run, &like, result),
        .result = result,
        .n_sample = run->on.hung ? 1 : sizeof sample / sizeof sample[0],
        .sample = sample,
    };
    enum ordo_status status;

    (void)snprintf(toolkit, sizeof toolkit, "CUDA %s", name->toolkit);
    (void)snprintf(arch, sizeof arch, "sm_%d", name->sm);
    (void)snprintf(finding, sizeof finding, "the card's outputs: %s", ordo_rig_verdict_name[run->verdict]);
    if (q->inputs)
        (void)snprintf(how, sizeof how, "from a file");
    else
        (void)snprintf(how, sizeof how, "%s%s seed %" PRIu64 " sink %s", ordo_input_class_name[q->values.kind],
                       q->values.tiny ? " tiny" : "", q->values.seed, ordo_sink_kind_name[q->values.sink]);
    status = ordo_store_keep(db, &row, id, err);
    free(text);
    return status;
}
