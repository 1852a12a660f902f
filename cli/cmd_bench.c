/* cmd_bench.c - `ordo bench`: speeds and memory, as ratios within one run.  Never part of a test. */
#include "base/clock.h"
#include "cli/bench.h"
#include "cli/bench_attention.h"
#include "cli/bench_dsa.h"
#include "cli/bench_explore.h"
#include "cli/group.h"
#include "cli/input.h"
#include "cli/out.h"
#include "cli/verb.h"
#include "corpus/gen.h"
#include "oracle/bench_oracle.h"
#include "sim/design.h"
#include "sim/prove.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum { BENCH_ROUNDS = 3 };

static uint64_t peak_bytes(void)
{
    struct rusage usage;

    (void)getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_maxrss * 1024;
}

enum ordo_status ordo_bench_problem(const struct ordo_args *args, struct ordo_problem *p, struct ordo_err *err)
{
    struct ordo_gen_params params = ordo_gen_defaults;

    params.n_query = ordo_opt_int(args, "q");
    params.n_kv = ordo_opt_int(args, "kv");
    params.topk = ordo_opt_int(args, "topk");
    params.seed = ordo_opt_u64(args, "seed");
    return ordo_gen(ordo_preset_find(ordo_opt_string(args, "pattern")), &params, p, err);
}

/* --- prove ------------------------------------------------------------------------------------------------------ */

struct proof_cost {
    struct ordo_plan plan;
    struct ordo_proof proof; /* its order is freed */
    double seconds;          /* the fastest of the rounds: whole proof, duplicate check and digest included */
    uint64_t bytes;          /* peak of the process above what it had before, the tensor included in the latter */
};

static enum ordo_status time_proof(const struct ordo_problem *p, struct proof_cost *cost, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;

    for (int i = 0; i < BENCH_ROUNDS && status == ORDO_OK; i++) {
        double start = ordo_seconds(), taken;

        status = ordo_prove(&cost->plan, p, &cost->proof, err);
        taken = ordo_seconds() - start;
        if (i == 0 || taken < cost->seconds)
            cost->seconds = taken;
        ordo_proof_free(&cost->proof);
    }
    return status;
}

static void say_proof(const struct ordo_args *args, const struct proof_cost *c)
{
    double rate = (double)c->proof.updates / c->seconds;
    json_t *o;

    if (!args->json) {
        printf("%-14s C=%-2" PRId32 " %s  %" PRIu64 " updates  %.2f s  %.1f M updates/s  %" PRIu64
               " MiB beside the tensor\n",
               c->plan.design->name, c->plan.cluster, ordo_verdict_name[c->proof.verdict], c->proof.updates,
               c->seconds, rate / 1e6, c->bytes >> 20);
        return;
    }
    o = ordo_json_new("ordo.bench/1");
    ordo_json_text(o, "bench", "prove");
    ordo_json_text(o, "design", c->plan.design->name);
    ordo_json_int(o, "cluster", c->plan.cluster);
    ordo_json_text(o, "verdict", ordo_verdict_name[c->proof.verdict]);
    ordo_json_u64(o, "updates", c->proof.updates);
    ordo_json_real(o, "seconds", c->seconds);
    ordo_json_real(o, "updates_per_second", rate);
    ordo_json_u64(o, "bytes_beside_tensor", c->bytes);
    ordo_json_digest(o, "order_digest", &c->proof.order_digest);
    ordo_out_json(o);
}

static enum ordo_status bench_prove(const struct ordo_args *args, struct ordo_err *err)
{
    struct ordo_problem p = {0};
    static const int32_t clusters[] = {4, 8, 16};
    enum ordo_status status = ordo_bench_problem(args, &p, err);
    uint64_t before = peak_bytes();

    for (size_t i = 0; i < 3 && status == ORDO_OK; i++) {
        struct ordo_request request = {p.n_query, p.n_kv, p.topk, 64, 576, 512, ORDO_TARGET_SM100, NULL,
                                       clusters[i], 0};
        struct proof_cost cost = {.seconds = 0};

        status = ordo_plan_make(&request, &cost.plan, err);
        if (status == ORDO_OK)
            status = time_proof(&p, &cost, err);
        cost.bytes = peak_bytes() - before;
        if (status == ORDO_OK)
            say_proof(args, &cost);
    }
    ordo_problem_free(&p);
    return status;
}

/* --- oracle ----------------------------------------------------------------------------------------------------- */

static void say_range(const struct ordo_args *args, const struct ordo_bench_range *r)
{
    json_t *o;

    if (!args->json) {
        printf("%3d binades  fp32 chain %.2f ns/term  exact %.2f ns/term (%.2f x chain)  MPFR %.1f ns/term with its "
               "conversions and roundings (%.1f x exact)  %" PRIu32 " rows disagree\n",
               r->binades, r->chain, r->exact, r->exact / r->chain, r->mpfr, r->mpfr / r->exact, r->disagreements);
        return;
    }
    o = ordo_json_new("ordo.bench/1");
    ordo_json_text(o, "bench", "oracle");
    ordo_json_int(o, "binades", r->binades);
    ordo_json_int(o, "terms", ORDO_BENCH_TERMS);
    ordo_json_real(o, "chain_ns", r->chain);
    ordo_json_real(o, "exact_ns", r->exact);
    ordo_json_real(o, "mpfr_sum_ns", r->mpfr);
    ordo_json_real(o, "exact_over_chain", r->exact / r->chain);
    ordo_json_real(o, "mpfr_over_exact", r->mpfr / r->exact);
    ordo_json_int(o, "disagreements", r->disagreements);
    ordo_out_json(o);
}

static enum ordo_status bench_oracle(const struct ordo_args *args, struct ordo_err *err)
{
    struct ordo_bench_oracle bench;
    enum ordo_status status = ordo_bench_oracle(&bench, err);

    for (int i = 0; i < ORDO_BENCH_RANGES && status == ORDO_OK; i++)
        say_range(args, &bench.range[i]);
    return status;
}

/* --- the verb --------------------------------------------------------------------------------------------------- */

#define A_TENSOR "q", "kv", "topk", "seed"

/* What each reads beside --json. */
static const struct bench {
    const char *name;
    enum ordo_status (*run)(const struct ordo_args *args, struct ordo_err *err);
    const char *option[6]; /* ended by NULL */
} benches[] = {
    {"prove", bench_prove, {A_TENSOR, "pattern"}},
    {"cert", ordo_bench_cert, {A_TENSOR, "pattern"}},
    {"oracle", bench_oracle, {NULL}},
    {"explore", ordo_bench_explore, {NULL}},
    {"fuzz", ordo_bench_fuzz, {"seed"}},
    {"store", ordo_bench_store, {"results"}},
    {"mma", ordo_bench_twin_mma, {NULL}},
    {"exp2", ordo_bench_twin_exp2, {"step"}},
    {"attention", ordo_bench_attention, {"index", "kv", "dense", "seed"}},
    {"dsa", ordo_bench_dsa, {A_TENSOR}},
    {"sim", ordo_bench_sim, {"seed"}},
};

enum { N_BENCHES = sizeof benches / sizeof benches[0] };

static bool reads(const struct bench *b, const char *option)
{
    for (int i = 0; b->option[i]; i++)
        if (strcmp(b->option[i], option) == 0)
            return true;
    return strcmp(option, "json") == 0;
}

/* What a benchmark does not read would be passed over in silence. */
static enum ordo_status check_options(const struct ordo_args *args, const struct bench *b, struct ordo_err *err)
{
    const struct ordo_option *o = args->verb->option;
    char name[32], list[160];
    size_t n = 0;

    while (o->name && (!ordo_opt_given(args, o->name) || reads(b, o->name)))
        o++;
    if (!o->name)
        return ORDO_OK;
    for (int i = 0; i < N_BENCHES; i++)
        if (reads(&benches[i], o->name))
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n ? " or " : "", benches[i].name);
    ORDO_BUG_ON(n == 0 || n >= sizeof list);
    (void)snprintf(name, sizeof name, "--%s", o->name);
    return ordo_fail(err, ORDO_USAGE, NULL, name, "goes with %s, not with %s", list, b->name);
}

static int run(struct ordo_args *args)
{
    struct ordo_err err = {0};
    enum ordo_status status;

    for (int i = 0; i < N_BENCHES; i++)
        if (strcmp(benches[i].name, args->operand[0]) == 0) {
            status = check_options(args, &benches[i], &err);
            if (status == ORDO_OK)
                status = benches[i].run(args, &err);
            return status == ORDO_OK ? ORDO_OK : ordo_report_error(args, status, &err);
        }
    (void)ordo_fail(&err, ORDO_USAGE, NULL, "WHAT",
                    "there is no benchmark '%s'; prove, cert, oracle, explore, fuzz, store, mma, exp2, attention, "
                    "dsa and sim are",
                    args->operand[0]);
    return ordo_report_error(args, ORDO_USAGE, &err);
}

static const struct ordo_word words[] = {
    {"prove", "", "updates a second of the whole proof, and its memory"},
    {"cert", "", "a certificate of the whole proof checked again"},
    {"oracle", "", "judgements a second, by class of input"},
    {"explore", "", "states and edges a second of the explorer, beside Spin if ORDO_SPIN_MODEL names its model"},
    {"fuzz", "", "tiny cases a second through every judge"},
    {"store", "", "results a second into a fresh database, and the time of flips over them"},
    {"mma", "", "the twin's tensor core, beside a loop of fmaf"},
    {"exp2", "", "errors of exp2, log2 and the BF16 conversion, counted"},
    {"attention", "", "one query of the attention twin, and a whole tensor with --index; --dense: a dense head"},
    {"sim", "", "dense schedules: tasks a second, and random block masks against the bound"},
    {"dsa", "", "the attention kernels on this card, every design, beside its floor; --q and --kv: that shape only"},
    {NULL, NULL, NULL},
};

static const struct ordo_option options[] = {
    {.name = "q", .kind = ORDO_OPT_INT, .metavar = "N", .min = 1, .max = INT32_MAX, .preset = "16384",
     .help = "prove, cert, dsa: queries"},
    {.name = "kv", .kind = ORDO_OPT_INT, .metavar = "N", .min = 1, .max = INT32_MAX, .preset = "1048576",
     .help = "prove, cert, dsa, attention --index: KV rows"},
    {.name = "topk", .kind = ORDO_OPT_INT, .metavar = "N", .min = 1, .max = INT32_MAX, .preset = "2048",
     .help = "prove, cert, dsa: Top-K width"},
    {.name = "pattern", .kind = ORDO_OPT_CHOICE, .metavar = "keep|uniform|window", .preset = "keep",
     .help = "prove, cert: index pattern"},
    {.name = "results", .kind = ORDO_OPT_INT, .metavar = "N", .min = 2, .max = INT32_MAX, .preset = "1000000",
     .help = "store: results to store"},
    {.name = "step", .kind = ORDO_OPT_INT, .metavar = "N", .min = 1, .max = 65536, .preset = "997",
     .help = "exp2: every Nth input; 1 takes minutes"},
    {.name = "index", .kind = ORDO_OPT_STRING, .metavar = "FILE",
     .help = "attention: this index tensor too, with 16 heads on all processors"},
    {.name = "dense", .kind = ORDO_OPT_FLAG,
     .help = "attention: one head of the dense twin instead, 4,096 causal rows of 128 features on one thread"},
    ORDO_OPTION_SEED,
    ORDO_OPTION_JSON,
    ORDO_OPTION_END,
};

const struct ordo_verb ordo_verb_bench = {
    .name = "bench",
    .summary = "speeds and memory, as ratios within one run",
    .operands = "WHAT",
    .min_operands = 1,
    .max_operands = 1,
    .option = options,
    .word = words,
    .run = run,
};
