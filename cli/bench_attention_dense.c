/* bench_attention_dense.c - `ordo bench attention --dense`: one head of the dense twin. */
#include "base/clock.h"
#include "cli/bench_attention.h"
#include "cli/dense_twin.h"
#include "cli/out.h"

#include <inttypes.h>
#include <math.h>

enum { LENGTH = 4096, D = 128 };

struct cost {
    double seconds, cpu; /* of the clock; of the processor, which is what it costs on a busy machine */
};

/* S, dP, dV, dK and dQ of the pairs of tiles that are seen, masked elements of the diagonal among them. */
static double macs(const struct ordo_dense_case *c)
{
    return 5.0 * (double)c->mask.pairs * c->problem.tile_q * c->problem.tile_kv * c->problem.d;
}

static enum ordo_status time_it(struct ordo_dense_case *c, struct cost *cost, struct ordo_err *err)
{
    struct cost start = {ordo_seconds(), ordo_cpu_seconds()};
    enum ordo_status status = ordo_dense_case_run(c, 1, false, err);

    *cost = (struct cost){ordo_seconds() - start.seconds, ordo_cpu_seconds() - start.cpu};
    return status;
}

static void say(const struct ordo_args *args, const struct ordo_dense_case *c, const struct cost *cost)
{
    const struct ordo_dense_problem *p = &c->problem;
    json_t *o;

    if (!args->json) {
        printf("dense twin: %" PRId32 " x %" PRId32 " causal, %" PRId32 " head of %" PRId32 ", tiles %" PRId32
               " x %" PRId32
               ", %s, threads 1: forward and backward %.3f s (%.3f of processor; %.2f GMAC of the backward's five "
               "products a second of it)\n",
               p->q_len, p->kv_len, p->q_heads, p->d, p->tile_q, p->tile_kv, c->schedule.schedule->name,
               cost->seconds, cost->cpu, macs(c) / cost->cpu * 1e-9);
        return;
    }
    o = ordo_json_new("ordo.bench/1");
    ordo_json_text(o, "bench", "attention");
    ordo_json_text(o, "what", "dense");
    ordo_json_int(o, "q", p->q_len);
    ordo_json_int(o, "kv", p->kv_len);
    ordo_json_int(o, "heads", p->q_heads);
    ordo_json_int(o, "head_dim", p->d);
    ordo_json_int(o, "threads", 1);
    ordo_json_real(o, "seconds", cost->seconds);
    ordo_json_real(o, "cpu_seconds", cost->cpu);
    ordo_json_real(o, "gmac_per_second", macs(c) / cost->cpu * 1e-9);
    ordo_out_json(o);
}

enum ordo_status ordo_bench_attention_dense(const struct ordo_args *args, struct ordo_err *err)
{
    struct ordo_dense_case c = {
        .problem = {.batch = 1, .q_len = LENGTH, .kv_len = LENGTH, .q_heads = 1, .kv_heads = 1, .d = D, .tile_q = 64,
                    .tile_kv = 128, .causal = true},
        .values = {.seed = ordo_opt_u64(args, "seed"), .kind = ORDO_ROUGH},
        .scale = (float)(1 / sqrt((double)D)),
    };
    struct cost cost;
    enum ordo_status status = ordo_dense_case_order(&c, "ascending", 132, 0, err);

    if (status == ORDO_OK)
        status = ordo_dense_case_seed(&c, err);
    if (status == ORDO_OK)
        status = time_it(&c, &cost, err);
    if (status == ORDO_OK)
        say(args, &c, &cost);
    ordo_dense_case_free(&c);
    return status;
}
