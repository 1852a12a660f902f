/* run_golden.c - golden outputs of the kernels: recorded on a card, measured on one again, predicted without one. */
#include "cli/run_golden.h"

#include "base/parallel.h"
#include "base/progress.h"
#include "cli/golden_dsa.h"
#include "cli/out.h"
#include "cli/run.h"
#include "cli/verb.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 4, WATCHDOG = 20 };

struct golden {
    const struct ordo_args *args;
    struct ordo_golden_dsa file;
    struct ordo_card *card; /* NULL: to predict */
    uint64_t n_case, n_output, n_sample, n_bad, n_left;
    int n_thread;
    bool hung;
};

/* --- outputs of one case ---------------------------------------------------------------------------------------- */

/* By the card: a few poisoned runs that must agree. */
static enum ordo_status measure(struct golden *g, struct ordo_rig *run, const struct ordo_golden_dsa_case *item,
                                struct ordo_err *err)
{
    struct ordo_rig_request request = {.repeats = REPEATS,
                                       .watchdog = WATCHDOG,
                                       .n_thread = 1,
                                       .no_twin = true,
                                       .values = ordo_golden_dsa_values(item)};
    enum ordo_status status;

    run->card = g->card;
    status = ordo_rig_all(run, &request, err);
    g->hung = run->on.hung;
    if (status == ORDO_OK && !ordo_rig_clean(run))
        return ordo_fail(err, ORDO_FINDING, NULL, item->name, "the card's outputs: %s",
                         ordo_rig_verdict_name[run->verdict]);
    return status;
}

/* By the twin. */
static enum ordo_status predict(struct golden *g, struct ordo_rig *run, const struct ordo_golden_dsa_case *item,
                                struct ordo_err *err)
{
    struct ordo_values values = ordo_golden_dsa_values(item);
    enum ordo_status status = ordo_twin_run_seed(&run->twin, &run->plan, &run->problem, &values, err);

    if (status == ORDO_OK)
        status = ordo_twin_run(&run->twin, g->n_thread, item->output[ORDO_OUTPUT_PLANES].there, err);
    return status;
}

/* Fills *got with what card or twin give for the case. */
static enum ordo_status make(struct golden *g, const struct ordo_golden_dsa_case *item,
                             struct ordo_golden_dsa_case *got, struct ordo_err *err)
{
    struct ordo_rig run = {.residue = 0};
    enum ordo_status status = ordo_golden_dsa_problem(&g->file, item, &run.problem, &run.plan, err);

    *got = *item;
    if (status == ORDO_OK)
        status = g->card ? measure(g, &run, item, err) : predict(g, &run, item, err);
    if (status == ORDO_OK)
        ordo_golden_dsa_fill(got, &run.plan, g->card ? &run.got : &run.twin.out);
    if (!g->hung)
        ordo_rig_free(&run);
    return status;
}

/* --- comparing -------------------------------------------------------------------------------------------------- */

static void say_difference(const struct golden *g, const char *name, int output,
                           const struct ordo_golden_dsa_output *want, const struct ordo_golden_dsa_output *got)
{
    uint32_t first = 0;

    if (g->args->json) {
        json_t *o = ordo_json_new("ordo.run-golden-difference/1");

        ordo_json_text(o, "case", name);
        ordo_json_text(o, "output", ordo_output_name[output]);
        ordo_json_text(o, "golden", want->digest);
        ordo_json_text(o, "got", got->there ? got->digest : NULL);
        ordo_out_json(o);
        return;
    }
    printf("case %s: %s differs: digest %.16s..., golden %.16s...\n", name, ordo_output_name[output],
           got->there ? got->digest : "none", want->digest);
    while (first < want->n && want->word[first] == got->word[first])
        first++;
    if (first < want->n)
        printf("         element %" PRIu64 ": 0x%08" PRIx32 ", golden 0x%08" PRIx32 "\n", first * want->step,
               got->word[first], want->word[first]);
}

static void compare(struct golden *g, const struct ordo_golden_dsa_case *want, const struct ordo_golden_dsa_case *got)
{
    bool bad = false;

    for (int i = 0; i < ORDO_OUTPUTS; i++) {
        const struct ordo_golden_dsa_output *x = &want->output[i], *y = &got->output[i];

        if (!x->there)
            continue;
        g->n_output++;
        g->n_sample += x->n;
        if (!y->there || strcmp(x->digest, y->digest) != 0 ||
            (x->n && (x->n != y->n || x->step != y->step ||
                      memcmp(x->word, y->word, x->n * sizeof x->word[0]) != 0))) {
            say_difference(g, want->name, i, x, y);
            bad = true;
        }
    }
    g->n_bad += bad;
}

/* Multiplications of a case, forward and backward, in millions. */
static double cost(const struct ordo_golden_dsa *file, const struct ordo_golden_dsa_case *item)
{
    struct ordo_problem p = {0};
    struct ordo_plan plan;
    double n = 0;

    if (ordo_golden_dsa_problem(file, item, &p, &plan, NULL) == ORDO_OK)
        n = (double)p.n_query * p.topk * item->heads * (4.0 * item->dqk + 3.0 * 512);
    ordo_problem_free(&p);
    return n * 1e-6;
}

static bool has_outputs(const struct ordo_golden_dsa_case *item)
{
    for (int i = 0; i < ORDO_OUTPUTS; i++)
        if (item->output[i].there)
            return true;
    return false;
}

/* --- the three forms -------------------------------------------------------------------------------------------- */

static enum ordo_status record(struct golden *g, struct ordo_err *err)
{
    const struct ordo_card_name *name = ordo_card_name(g->card);
    struct ordo_golden_dsa head = {.sm = name->sm};
    enum ordo_status status = ORDO_OK;

    memcpy(head.device, name->device, sizeof head.device);
    memcpy(head.driver, name->driver, sizeof head.driver);
    memcpy(head.toolkit, name->toolkit, sizeof head.toolkit);
    (void)ordo_digest_hex(&name->cubin, head.cubin);
    ordo_golden_dsa_print_head(stdout, &head);
    for (size_t i = 0; i < g->file.n && status == ORDO_OK; i++) {
        struct ordo_golden_dsa_case *got = ordo_need(malloc(sizeof *got));

        status = make(g, &g->file.item[i], got, err);
        if (status == ORDO_OK)
            ordo_golden_dsa_print(stdout, got);
        free(got);
    }
    return status;
}

static enum ordo_status verify(struct golden *g, struct ordo_err *err)
{
    double most = ordo_opt_given(g->args, "cost") ? ordo_opt_int(g->args, "cost") : 1e30;
    enum ordo_status status = ORDO_OK;

    for (size_t i = 0; i < g->file.n && status == ORDO_OK; i++) {
        const struct ordo_golden_dsa_case *item = &g->file.item[i];
        struct ordo_golden_dsa_case *got;

        if (!has_outputs(item))
            return ordo_fail(err, ORDO_BAD_INPUT, NULL, item->name, "has no outputs: a list to record");
        if (cost(&g->file, item) > most) {
            g->n_left++;
            continue;
        }
        got = ordo_need(malloc(sizeof *got));
        status = make(g, item, got, err);
        if (status == ORDO_OK)
            compare(g, item, got);
        free(got);
        g->n_case++;
        ordo_progress("golden: case", i, g->file.n);
    }
    ordo_progress_end();
    return status;
}

static void say(const struct golden *g, const char *what)
{
    json_t *o;

    if (!g->args->json) {
        printf("%s  %" PRIu64 " cases, %" PRIu64 " outputs, %" PRIu64 " raw elements: %" PRIu64
               " cases differ, %" PRIu64 " left out\n",
               what, g->n_case, g->n_output, g->n_sample, g->n_bad, g->n_left);
        return;
    }
    o = ordo_json_new("ordo.run-golden/1");
    ordo_json_text(o, "what", what);
    ordo_json_u64(o, "cases", g->n_case);
    ordo_json_u64(o, "outputs", g->n_output);
    ordo_json_u64(o, "raw_elements", g->n_sample);
    ordo_json_u64(o, "differ", g->n_bad);
    ordo_json_u64(o, "left_out", g->n_left);
    ordo_out_json(o);
}

/* --- the command line ------------------------------------------------------------------------------------------- */

static const struct form {
    const char *option, *said;
    bool card;
    enum ordo_status (*run)(struct golden *g, struct ordo_err *err);
} forms[] = {
    {"record", NULL, true, record}, {"verify", "measured", true, verify}, {"predict", "predicted", false, verify}};

static const struct form *form_of(const struct ordo_args *args, int *n)
{
    const struct form *form = NULL;

    *n = 0;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (ordo_opt_given(args, forms[i].option)) {
            form = &forms[i];
            ++*n;
        }
    return form;
}

/* What these forms take; what else is given would be passed over in silence. */
static enum ordo_status check_options(const struct ordo_args *args, const struct form *form, struct ordo_err *err)
{
    static const char *const own[] = {"record", "verify", "predict", "cubins", "cost", "jobs", "json"};
    const struct ordo_option *o = args->verb->option;
    char name[32];

    for (int i = 0; o[i].name; i++) {
        bool takes = !args->value[i].given;

        for (size_t k = 0; k < sizeof own / sizeof own[0] && !takes; k++)
            takes = strcmp(o[i].name, own[k]) == 0;
        if (takes)
            continue;
        (void)snprintf(name, sizeof name, "--%s", form->option);
        return ordo_fail(err, ORDO_USAGE, NULL, name, "does not go with --%s", o[i].name);
    }
    return ORDO_OK;
}

bool ordo_rig_golden_asked(const struct ordo_args *args)
{
    int n;

    return form_of(args, &n) != NULL;
}

int ordo_rig_golden(struct ordo_args *args)
{
    int n, code;
    const struct form *form = form_of(args, &n);
    struct golden g = {.args = args,
                       .n_thread = ordo_opt_given(args, "jobs") ? ordo_opt_int(args, "jobs") : ordo_processors()};
    struct ordo_err err = {0};
    enum ordo_status status = ORDO_OK;

    if (n != 1 || args->n_operand)
        status = ordo_fail(&err, ORDO_USAGE, NULL, "--record",
                           "one of --record, --verify and --predict, and no FILE beside it");
    if (status == ORDO_OK)
        status = check_options(args, form, &err);
    if (status == ORDO_OK)
        status = ordo_golden_dsa_read(&g.file, ordo_opt_string(args, form->option), &err);
    if (status == ORDO_OK && form->card)
        status = ordo_rig_open(&g.card, ordo_opt_string(args, "cubins"), &err);
    if (status == ORDO_OK)
        status = form->run(&g, &err);
    if (status == ORDO_OK && form->said)
        say(&g, form->said);
    code = status != ORDO_OK ? ordo_report_error(args, status, &err) : g.n_bad ? ORDO_FINDING : ORDO_OK;
    code = ordo_rig_leave(g.hung, code);
    ordo_golden_dsa_free(&g.file);
    ordo_card_close(g.card);
    return code;
}
