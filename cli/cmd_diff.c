/* cmd_diff.c - `ordo diff`: anybody's gradients, from any framework, against the twin, the exact sums and the truth.
 */
#include "base/parallel.h"
#include "cli/diff.h"
#include "cli/form.h"
#include "cli/group.h"
#include "cli/out.h"
#include "cli/truth.h"
#include "cli/verb.h"

static bool any_bad(const struct ordo_diff_work *w, int tier)
{
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++)
        if (w->has[i] && !w->tier[tier][i].not_run && w->tier[tier][i].n_bad)
            return true;
    return false;
}

static bool all_ran(const struct ordo_diff_work *w, int tier)
{
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++)
        if (w->has[i] && w->tier[tier][i].not_run)
            return false;
    return true;
}

/* A claim that nothing breaks, but that was not tried on something of every output. */
static const char *undecided(const struct ordo_diff_work *w, enum ordo_claim claim)
{
    if (w->finding)
        return NULL;
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++)
        if (w->has[i] && w->units[0][i].n == 0 && w->units[0][i].n_dead < w->units[0][i].all)
            return "the budget pays for no part of an output; see the lines of T2, and --budget";
    if (claim == ORDO_CLAIM_BITS && !all_ran(w, ORDO_DIFF_BITS))
        return "bits are claimed, and T0 was not run on all outputs";
    if (claim == ORDO_CLAIM_CONTRACT && !all_ran(w, ORDO_DIFF_DECLARED))
        return "the contract is claimed, and T1 was not run";
    if (claim == ORDO_CLAIM_CONTRACT && any_bad(w, ORDO_DIFF_DECLARED))
        return "T1 fails from the twin's o and lse; with those of your forward it would decide";
    return NULL;
}

/* The strongest that can be said, from the worst down; a finding is what breaks the claim.  T1 from the twin's O and
 * LSE breaks nothing: another forward's may differ, and be right. */
enum ordo_status ordo_diff_triage(int n_thread, struct ordo_diff_work *w, struct ordo_err *err)
{
    enum ordo_claim claim = w->claim;
    bool race = any_bad(w, ORDO_DIFF_REPEAT) || (w->rig && w->rig->repeats.first >= 0);
    bool rounds = any_bad(w, ORDO_DIFF_CONVERT);
    bool outside = any_bad(w, ORDO_DIFF_REAL) || any_bad(w, ORDO_DIFF_TRUTH);
    bool declared = any_bad(w, ORDO_DIFF_DECLARED) && !w->guessed, bits = any_bad(w, ORDO_DIFF_BITS);
    bool others = w->rig && ordo_rig_differs(w->rig); /* of all that the card gave, O, LSE and planes too */
    enum ordo_status status = ORDO_OK;

    w->finding = race || rounds || outside || (declared && claim >= ORDO_CLAIM_CONTRACT) ||
                 ((bits || others) && claim == ORDO_CLAIM_BITS) || (w->rig && w->rig->residue);
    w->undecided = undecided(w, claim);
    if (outside)
        status = ordo_diff_convention(w, err);
    if (race)
        w->triage = ORDO_TRIAGE_RACE;
    else if (outside)
        w->triage = ORDO_TRIAGE_NUMERIC;
    else if (rounds)
        w->triage = ORDO_TRIAGE_ROUNDING;
    else if (declared)
        w->triage = claim >= ORDO_CLAIM_CONTRACT ? ORDO_TRIAGE_NUMERIC : ORDO_TRIAGE_ROUNDING;
    else if (bits)
        status = (w->dense ? ordo_diff_dense_order : ordo_diff_order)(n_thread, w, err);
    else if (others)
        w->triage = ORDO_TRIAGE_OPEN;
    if (any_bad(w, ORDO_DIFF_DECLARED) && (w->triage == ORDO_TRIAGE_CLEAN || w->triage == ORDO_TRIAGE_OPEN))
        w->triage = ORDO_TRIAGE_ROUNDING;
    return status;
}

static enum ordo_status take(const struct ordo_args *args, struct ordo_diff_work *w, struct ordo_err *err)
{
    bool kernel = ordo_opt_given(args, "kernel");
    enum ordo_status status = ordo_diff_kernel_options(args, err);

    if (status != ORDO_OK)
        return status;
    w->claim = (enum ordo_claim)ordo_opt_choice(args, "claim");
    if (!w->dense) {
        status = ordo_form_has_file(args, err);
        return status == ORDO_OK ? ordo_case_run_read(args, kernel ? ORDO_CASE_KERNEL : ORDO_CASE_PLAN, &w->c, err)
                                 : status;
    }
    status = ordo_dense_case_take(args, ordo_opt_string(args, "order"), w->dense, err);
    if (status == ORDO_OK)
        status = ordo_dense_oracle_fits(w->dense, err);
    w->dense_attend = ordo_dense_attend_of(w->dense);
    return status;
}

static int run(struct ordo_args *args)
{
    int n_thread = ordo_opt_given(args, "jobs") ? ordo_opt_int(args, "jobs") : ordo_processors(), code = ORDO_OK;
    bool dense = ordo_opt_flag(args, "dense");
    struct ordo_dense_case dense_case = {.scale = 0};
    struct ordo_diff_work w = {.name = dense ? ordo_dense_gradient_name : ordo_real_name,
                               .unit_name = dense ? ordo_dense_unit_name : ordo_unit_name,
                               .dense = dense ? &dense_case : NULL};
    struct ordo_err err = {0};
    enum ordo_status status = take(args, &w, &err);

    if (status == ORDO_OK && ordo_opt_given(args, "kernel"))
        status = ordo_diff_kernel(args, n_thread, &w, &err);
    else if (status == ORDO_OK)
        status = ordo_diff_read(args, &w, &err);
    if (status == ORDO_OK)
        status = (dense ? ordo_diff_dense_judge : ordo_diff_judge)(args, n_thread, &w, &err);
    if (status == ORDO_OK)
        status = ordo_diff_triage(n_thread, &w, &err);
    if (status == ORDO_OK)
        (args->json ? ordo_diff_json : ordo_diff_say)(args, &w);
    if (status == ORDO_OK)
        code = w.finding ? ORDO_FINDING : w.undecided ? ORDO_BUDGET : ORDO_OK;
    else
        code = ordo_report_error(args, status, &err);
    code = ordo_rig_leave(w.rig && w.rig->on.hung, code);
    ordo_diff_kernel_free(&w);
    ordo_diff_free(&w);
    ordo_dense_case_free(&dense_case);
    return code;
}

static const struct ordo_option options[] = {
    ORDO_OPTIONS_INPUT_KV(false),
    ORDO_OPTIONS_PLAN,
    ORDO_OPTIONS_DENSE_TWIN,
    ORDO_OPTIONS_VALUES,
    {.name = "actual", .kind = ORDO_OPT_STRING, .metavar = "FILE",
     .help = ".npz with any of dq, dkv (or dkv_fp32), dsink; --dense: dq, dk, dv, or these _fp32"},
    {.name = "again", .kind = ORDO_OPT_STRING, .metavar = "FILE",
     .help = "the same of a second run: any other bit is a race"},
    {.name = "kernel", .form = ORDO_FORM_FILE, .kind = ORDO_OPT_CHOICE,
     .metavar = "auto|private-shards|cluster-relay|atomic",
     .help = "instead of --actual and --design: what that design's kernels give on this machine's card"},
    ORDO_OPTIONS_CARD,
    {.name = "claim", .kind = ORDO_OPT_CHOICE, .metavar = "real|contract|bits", .preset = "real",
     .help = "what must hold: near the real gradient; by the contract's roundings; every bit"},
    ORDO_OPTION_BUDGET,
    {.name = "jobs", .kind = ORDO_OPT_INT, .letter = 'j', .metavar = "N", .min = 1, .max = ORDO_MAX_THREADS,
     .help = "threads (else one a processor); never changes a result"},
    ORDO_OPTION_JSON,
    ORDO_OPTION_END,
};

const struct ordo_verb ordo_verb_diff = {
    .name = "diff",
    .summary = "anybody's gradients, sparse or dense, against the twin's bits, exact sums and the real gradient",
    .operands = "[FILE]",
    .min_operands = 0,
    .max_operands = 1,
    .option = options,
    .detail = "float32, float16, or BF16 as uint16; float32 that holds only BF16 numbers counts as BF16.\n"
              "T0 is every bit of the twin, T1 the contract's roundings with any order of sums, T2 the real\n"
              "gradient with the declared roundings as a bound; none can fail on a correct kernel that claims it.\n"
              "What fails T2 is held against wrong conventions (LSE in base 2, scale twice, ...), by name.\n"
              "--dense: T0 is the twin under --order with those tiles; other schedules that give them are named.\n"
              "--kernel: as `ordo run`, T0 of all outputs and planes and T4 too; without --claim it claims what the\n"
              "design promises: bits, or of atomic the contract.  Without a card: not run, exit code 4.\n",
    .run = run,
};
