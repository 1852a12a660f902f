/* bench_attention.c - see bench_attention.h. */
#include "cli/bench_attention.h"

#include "base/clock.h"
#include "base/parallel.h"
#include "cli/out.h"
#include "cli/tensors.h"
#include "corpus/gen.h"
#include "corpus/reader.h"

#include <inttypes.h>
#include <stdio.h>

enum { ROUNDS = 3 };

/* Seconds of the clock, and those that processors worked: on a busy machine the second is what it costs. */
struct cost {
    double seconds, cpu;
};

/* The cheapest of some rounds, or of one: forward and backward, then the backward alone. */
static enum ordo_status time_run(struct ordo_twin_run *run, int n_thread, int rounds, struct cost cost[2],
                                 struct ordo_err *err)
{
    enum ordo_status status = ordo_twin_run(run, n_thread, false, err);

    for (int i = 0; i < 2 * rounds && status == ORDO_OK; i++) {
        struct ordo_attention a = run->a;
        struct ordo_attention_outputs out = run->out;
        struct cost start = {ordo_seconds(), ordo_cpu_seconds()}, taken;

        if (i % 2) {
            a.in.o = out.o;
            a.in.lse = out.lse;
            out.o = NULL;
            out.lse = NULL;
        }
        status = ordo_attention(&a, n_thread, &out, err);
        taken = (struct cost){ordo_seconds() - start.seconds, ordo_cpu_seconds() - start.cpu};
        if (i < 2 || taken.cpu < cost[i % 2].cpu)
            cost[i % 2] = taken;
    }
    return status;
}

/* Contractions of the backward: S, dP, dQ, and dKV's two. */
static double macs(const struct ordo_problem *p, const struct ordo_request *r)
{
    return (double)p->n_query * p->topk * r->n_head * (3.0 * r->d_qk + 2.0 * r->d_v);
}

static void say(const struct ordo_args *args, const char *what, const struct ordo_plan *plan,
                const struct ordo_problem *p, int n_thread, const struct cost cost[2])
{
    json_t *o;

    if (!args->json) {
        printf("%s: %" PRId32 " queries x Top-K %" PRId32 ", H %" PRId32 ", %" PRId32 "/%" PRId32 ", threads %d: "
               "forward and backward %.3f s (%.3f of processor), backward %.3f s (%.3f; %.2f GMAC a second of it)\n",
               what, p->n_query, p->topk, plan->request.n_head, plan->request.d_qk, plan->request.d_v, n_thread,
               cost[0].seconds, cost[0].cpu, cost[1].seconds, cost[1].cpu,
               macs(p, &plan->request) / cost[1].cpu * 1e-9);
        return;
    }
    o = ordo_json_new("ordo.bench/1");
    ordo_json_text(o, "bench", "attention");
    ordo_json_text(o, "what", what);
    ordo_json_int(o, "q", p->n_query);
    ordo_json_int(o, "topk", p->topk);
    ordo_json_int(o, "heads", plan->request.n_head);
    ordo_json_int(o, "threads", n_thread);
    ordo_json_real(o, "seconds", cost[0].seconds);
    ordo_json_real(o, "cpu_seconds", cost[0].cpu);
    ordo_json_real(o, "backward_seconds", cost[1].seconds);
    ordo_json_real(o, "backward_cpu_seconds", cost[1].cpu);
    ordo_out_json(o);
}

static enum ordo_status bench(const struct ordo_args *args, const char *what, const struct ordo_problem *p,
                              int32_t heads, int n_thread, int rounds, struct ordo_err *err)
{
    struct ordo_request r = {p->n_query, p->n_kv, p->topk, heads, 576, 512, ORDO_TARGET_SM90, NULL, 0, 0};
    struct ordo_values values = {.seed = ordo_opt_u64(args, "seed"), .kind = ORDO_ROUGH};
    struct ordo_twin_run run = {0};
    struct ordo_plan plan;
    struct cost cost[2];
    enum ordo_status status = ordo_plan_make(&r, &plan, err);

    if (status == ORDO_OK)
        status = ordo_twin_run_seed(&run, &plan, p, &values, err);
    if (status == ORDO_OK)
        status = time_run(&run, n_thread, rounds, cost, err);
    if (status == ORDO_OK)
        say(args, what, &plan, p, n_thread, cost);
    ordo_twin_run_free(&run);
    return status;
}

static enum ordo_status bench_file(const struct ordo_args *args, const char *path, struct ordo_err *err)
{
    struct ordo_source source = {.path = path};
    struct ordo_problem p = {0};
    enum ordo_status status = ordo_read_problem(&source, &p, err);

    p.n_kv = ordo_opt_int(args, "kv");
    if (status == ORDO_OK)
        status = bench(args, path, &p, 16, ordo_processors(), 1, err);
    ordo_problem_free(&p);
    return status;
}

enum ordo_status ordo_bench_attention(const struct ordo_args *args, struct ordo_err *err)
{
    struct ordo_gen_params params = ordo_gen_defaults;
    const char *file = ordo_opt_string(args, "index");
    struct ordo_problem p = {0};
    enum ordo_status status;

    if (ordo_opt_given(args, "kv") && !file)
        return ordo_fail(err, ORDO_USAGE, NULL, "--kv", "goes with --index");
    if (file && ordo_opt_flag(args, "dense"))
        return ordo_fail(err, ORDO_USAGE, NULL, "--dense", "does not go with --index");
    if (ordo_opt_flag(args, "dense"))
        return ordo_bench_attention_dense(args, err);
    params.n_query = 1;
    params.n_kv = 4096;
    params.topk = 2048;
    params.seed = 1;
    status = ordo_gen(ordo_preset_find("uniform"), &params, &p, err);
    if (status == ORDO_OK)
        status = bench(args, "one query", &p, 64, 1, ROUNDS, err);
    ordo_problem_free(&p);
    return status == ORDO_OK && file ? bench_file(args, file, err) : status;
}
