/* cmd_prove.c - `ordo prove`: is every addition order fixed, and does nobody deadlock, on this tensor under this
 * plan? */
#include "cli/cert_write.h"
#include "cli/dense.h"
#include "cli/group.h"
#include "cli/input.h"
#include "cli/line.h"
#include "cli/out.h"
#include "cli/protocol.h"
#include "cli/prove_dense.h"
#include "cli/report.h"
#include "cli/verb.h"
#include "sim/design.h"
#include "sim/run_op.h"

#include <inttypes.h>
#include <stdlib.h>

static void op_text(const struct ordo_run_op *op, bool there, char *out, size_t size)
{
    if (there)
        (void)snprintf(out, size, "%" PRId32 " %" PRId32 " %" PRId32 " %" PRId32 " %s %" PRId32, op->wave,
                       op->head_block, op->plane, op->rank, ordo_run_op_name[op->kind], op->row);
    else
        (void)snprintf(out, size, "the end");
}

static void print_replay(const struct ordo_args *args)
{
    char *line = ordo_need(ordo_args_line(args));

    printf("replay   %s\n", line);
    free(line);
}

static void say(const struct ordo_args *args, const struct ordo_plan *plan, const struct ordo_proof *proof,
                const struct ordo_run_difference *d)
{
    char expected[96], found[96];

    op_text(&d->expected, d->has_expected, expected, sizeof expected);
    op_text(&d->found, d->has_found, found, sizeof found);
    if (!args->json) {
        ordo_report_plan(plan);
        ordo_report_proof(proof);
        if (d->line)
            printf("         %s, line %" PRIu64 ": the plan's run has `%s`, the file `%s`\n",
                   ordo_opt_string(args, "run"), d->line, expected, found);
        if (proof->verdict != ORDO_PROVED)
            print_replay(args);
        return;
    }
    json_t *o = ordo_json_new("ordo.prove/1");

    ordo_json_text(o, "file", args->operand[0]);
    ordo_report_proof_json(o, proof);
    if (d->line) {
        json_t *difference = ordo_need(json_object());

        ordo_json_u64(difference, "line", d->line);
        ordo_json_text(difference, "expected", expected);
        ordo_json_text(difference, "found", found);
        ordo_json_set(o, "difference", difference);
    }
    ordo_json_text(o, "design", plan->design->name);
    ordo_json_int(o, "cluster", plan->cluster);
    ordo_json_int(o, "planes", plan->planes);
    ordo_json_digest(o, "plan_digest", &plan->digest);
    ordo_out_json(o);
}

static enum ordo_status prove(const struct ordo_args *args, const struct ordo_problem *p,
                              const struct ordo_plan *plan, struct ordo_proof *proof,
                              struct ordo_run_difference *difference, struct ordo_err *err)
{
    const char *run = ordo_opt_string(args, "run"), *emit = ordo_opt_string(args, "emit-run");
    const char *cert = ordo_opt_string(args, "cert");
    struct ordo_run_list list = {NULL, 0};
    enum ordo_status status;

    if (!run) {
        status = ordo_prove(plan, p, proof, err);
    } else {
        status = ordo_run_read(run, &list, err);
        if (status == ORDO_OK)
            status = ordo_run_prove(&list, plan, p, proof, difference, err);
        free(list.op);
    }
    if (status == ORDO_OK && emit && proof->verdict != ORDO_REFUSED)
        status = ordo_run_write(emit, plan, p, err);
    if (status == ORDO_OK && cert && proof->verdict == ORDO_PROVED)
        status = ordo_cert_write_tensor(cert, ordo_opt_string(args, "schedule"), p, plan, proof, err);
    return status;
}

/* Either a file with --kv, or --protocol, or --dense. */
static enum ordo_status ask_for_tensor(const struct ordo_args *args, struct ordo_err *err)
{
    bool protocol = ordo_opt_flag(args, "protocol"), dense = ordo_opt_flag(args, "dense");

    if (dense && (protocol || args->n_operand))
        return ordo_fail(err, ORDO_USAGE, NULL, "--dense", "goes with neither a file nor --protocol");
    if (dense)
        return ORDO_OK;
    if (protocol && args->n_operand)
        return ordo_fail(err, ORDO_USAGE, NULL, "--protocol", "does not go with a file");
    if (!protocol && !args->n_operand)
        return ordo_fail(err, ORDO_USAGE, NULL, "FILE", "an index file is needed, or --protocol, or --dense");
    if (!protocol && !ordo_opt_given(args, "kv"))
        return ordo_fail(err, ORDO_USAGE, NULL, "--kv", "is needed");
    if (ordo_opt_given(args, "cert") && ordo_opt_given(args, "run"))
        return ordo_fail(err, ORDO_USAGE, NULL, "--cert", "certifies the plan's run, so it does not go with --run");
    if (ordo_opt_given(args, "cert") && ordo_opt_given(args, "variant"))
        return ordo_fail(err, ORDO_USAGE, NULL, "--cert", "certifies what ships, so it does not go with --variant");
    if (ordo_opt_given(args, "schedule") && !ordo_opt_given(args, "cert"))
        return ordo_fail(err, ORDO_USAGE, NULL, "--schedule", "is of the --cert of a tensor");
    return ORDO_OK;
}

static int run_verb(struct ordo_args *args)
{
    struct ordo_problem p = {0};
    struct ordo_plan plan;
    struct ordo_proof proof = {0};
    struct ordo_run_difference difference = {0};
    struct ordo_err err = {0};
    int code;
    enum ordo_status status = ask_for_tensor(args, &err);

    if (status == ORDO_OK && ordo_opt_flag(args, "dense"))
        return (ordo_opt_flag(args, "optimal") ? ordo_prove_optimal : ordo_prove_dense)(args);
    if (status == ORDO_OK && ordo_opt_flag(args, "protocol"))
        return ordo_prove_protocol(args);
    if (status == ORDO_OK)
        status = ordo_input_read(args, args->operand[0], &p, &err);

    if (status == ORDO_OK) {
        struct ordo_request request = ordo_input_request(args, &p);

        status = ordo_plan_make(&request, &plan, &err);
    }
    if (status == ORDO_OK)
        status = prove(args, &p, &plan, &proof, &difference, &err);
    if (status == ORDO_OK)
        say(args, &plan, &proof, &difference);
    code = status != ORDO_OK                ? ordo_report_error(args, status, &err)
           : proof.verdict == ORDO_PROVED ? ORDO_OK
                                            : ORDO_FINDING;
    ordo_proof_free(&proof);
    ordo_problem_free(&p);
    return code;
}

static const struct ordo_option options[] = {
    ORDO_OPTIONS_INPUT_KV(false),
    ORDO_OPTIONS_PLAN,
    {.name = "protocol", .kind = ORDO_OPT_FLAG, .help = "prove the shipped role headers instead of a tensor"},
    {.name = "emit-run", .form = ORDO_FORM_FILE, .kind = ORDO_OPT_STRING, .metavar = "FILE",
     .help = "write the run of a small instance: every set, wait, add and clear"},
    {.name = "run", .form = ORDO_FORM_FILE, .kind = ORDO_OPT_STRING, .metavar = "FILE",
     .help = "prove that run file instead of the plan's"},
    {.name = "rows", .form = ORDO_FORM_PROTOCOL, .kind = ORDO_OPT_INT, .metavar = "N", .min = 1, .max = 7,
     .preset = "2", .help = "rows of the explored instances"},
    {.name = "scheduler", .form = ORDO_FORM_PROTOCOL, .kind = ORDO_OPT_STRING, .metavar = "S",
     .help = "unfair, obe=S, window=S, cluster=S, grid or fair (else the cluster whole)"},
    {.name = "variant", .form = ORDO_FORM_DENSE | ORDO_FORM_PROTOCOL, .kind = ORDO_OPT_STRING, .metavar = "ID",
     .help = "decide one broken variant or control, R01 to D19, and show its schedule; of dense schedules "
             "rank-is-kv, odd-tiles, sm-count, short-index, early-exit"},
    {.name = "trail", .form = ORDO_FORM_PROTOCOL, .kind = ORDO_OPT_STRING, .metavar = "FILE",
     .help = "write the schedule of the first violation for `ordo replay`"},
    {.name = "cert", .form = ORDO_FORM_FILE | ORDO_FORM_PROTOCOL, .kind = ORDO_OPT_STRING, .metavar = "FILE",
     .help = "write a certificate of what was proved, for `ordo cert verify`"},
    {.name = "schedule", .form = ORDO_FORM_FILE, .kind = ORDO_OPT_STRING, .metavar = "rank-major|seed=N",
     .help = "of the certificate: rank after rank (default), or a random one, event by event"},
    ORDO_OPTIONS_DENSE,
    {.name = "optimal", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_FLAG,
     .help = "search all schedules of --kv-tiles 2 to 5 tiles a side"},
    ORDO_OPTION_SEED_OF(ORDO_FORM_DENSE),
    ORDO_OPTION_JSON,
    ORDO_OPTION_END,
};

const struct ordo_verb ordo_verb_prove = {
    .name = "prove",
    .summary = "prove on the real tensor that the order is fixed and nobody deadlocks",
    .operands = "FILE --kv N | --protocol | --dense --order NAME",
    .min_operands = 0,
    .max_operands = 1,
    .option = options,
    .run = run_verb,
};
