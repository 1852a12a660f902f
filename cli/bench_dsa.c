/* bench_dsa.c - see bench_dsa.h: the backward of every design over the published shapes, beside its floor.
 *
 * A time is that of a whole backward pass, clear and fold included, the median and the least of some rounds behind
 * one that is not counted.  Its floor is what the same pass cannot do without:
 *
 *   the larger of   arithmetic   2 Q H T (3 Dqk + 2 Dv) at ARITHMETIC
 *             and   bytes        each contribution's row read and written, Q T D8 x 8, at the rate that filling
 *                                memory has in this very run;
 *   and then clear and fold, planes x KV8 x D8 x 8 bytes, at that rate. */
#include "cli/bench_dsa.h"

#include "base/rng.h"
#include "cli/out.h"
#include "cli/run_card.h"
#include "corpus/gen.h"
#include "sim/census.h"
#include "sim/design.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARITHMETIC 790e12 /* FLOP/s: a BF16 product of 8192^3 on an H200, measured for this project */

enum { ROUNDS = 7, BLOCK = 1 << 24, HEADS = 64, DQK = 576, DV = 512 };

/* One line of the table. */
struct timing {
    struct ordo_plan plan;
    const char *pattern;
    double waits;                /* share of updates that wait for a lower rank; NaN where nobody waits */
    double median, least, floor; /* milliseconds */
};

struct bench {
    const struct ordo_args *args;
    struct ordo_card *card;
    uint16_t *block; /* values that tensors are filled with, again and again */
    double bytes_per_ms;
    double atomic; /* the median of the design without an order at this shape; NaN: not run */
};

/* --- tensors ---------------------------------------------------------------------------------------------------- */

/* Any sign and fraction, magnitudes from 1/16 to below 1. */
static void make_block(uint16_t *block)
{
    struct ordo_rng rng = {1};

    for (int i = 0; i < BLOCK / 2; i++) {
        uint64_t x = ordo_rng_next(&rng);

        block[i] = (uint16_t)((x & 0x807f) | (0x7b + (x >> 16 & 3)) << 7);
    }
}

static enum ordo_status fill(struct bench *b, void *to, uint64_t bytes, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;

    for (uint64_t at = 0; at < bytes && status == ORDO_OK; at += BLOCK)
        status = ordo_card_write(b->card, (char *)to + at, b->block, bytes - at < BLOCK ? bytes - at : BLOCK, err);
    return status;
}

/* Inputs, then O and LSE by the forward. */
static enum ordo_status prepare(struct bench *b, struct ordo_rig_card *r, const struct ordo_problem *p,
                                struct ordo_err *err)
{
    static const enum ordo_dsa_tensor_id bf16[] = {ORDO_DSA_Q, ORDO_DSA_KV, ORDO_DSA_DOUT};
    struct ordo_attention_inputs none = {.scale = (float)(1 / sqrt(DQK))};
    enum ordo_status status = ordo_rig_reserve(r, err);

    if (status == ORDO_OK)
        status = ordo_rig_upload(r, p, &none, err);
    for (int i = 0; i < 3 && status == ORDO_OK; i++)
        status = fill(b, r->room[bf16[i]], ordo_dsa_bytes(r->plan, (int)bf16[i]), err);
    if (status == ORDO_OK)
        status = ordo_kernels_execute(ordo_card_kernels(b->card), r->plan, &r->tensors, ORDO_FORWARD,
                                      ordo_card_stream(b->card), err);
    return status == ORDO_OK ? ordo_rig_wait(r, err) : status;
}

/* --- time ------------------------------------------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static enum ordo_status time_one(struct bench *b, struct ordo_rig_card *r, float *ms, struct ordo_err *err)
{
    enum ordo_status status = ordo_card_mark(b->card, 0, err);

    if (status == ORDO_OK)
        status = ordo_kernels_execute(ordo_card_kernels(b->card), r->plan, &r->tensors, ORDO_BACKWARD,
                                      ordo_card_stream(b->card), err);
    if (status == ORDO_OK)
        status = ordo_card_mark(b->card, 1, err);
    if (status == ORDO_OK)
        status = ordo_rig_wait(r, err);
    if (status == ORDO_OK && r->hung)
        status = ordo_fail(err, ORDO_INTERNAL, NULL, r->plan->design->name, "hangs");
    return status == ORDO_OK ? ordo_card_time(b->card, ms, err) : status;
}

static enum ordo_status time_rounds(struct bench *b, struct ordo_rig_card *r, struct timing *t, struct ordo_err *err)
{
    float ms[ROUNDS + 1];
    enum ordo_status status = ORDO_OK;

    for (int i = 0; i <= ROUNDS && status == ORDO_OK; i++)
        status = time_one(b, r, &ms[i], err);
    if (status != ORDO_OK)
        return status;
    qsort(ms + 1, ROUNDS, sizeof *ms, ascending); /* without the first */
    t->median = (double)ms[1 + ROUNDS / 2];
    t->least = (double)ms[1];
    return ORDO_OK;
}

/* --- floors ----------------------------------------------------------------------------------------------------- */

static double flop(const struct ordo_request *r)
{
    return 2.0 * r->n_query * r->n_head * r->topk * (3.0 * r->d_qk + 2.0 * r->d_v);
}

static double floor_of(const struct bench *b, const struct ordo_plan *plan)
{
    const struct ordo_request *r = &plan->request;
    double arithmetic = flop(r) / ARITHMETIC * 1e3, bytes = 8.0 * r->n_query * r->topk * r->d_qk / b->bytes_per_ms;
    double ends = 8.0 * plan->planes * r->n_kv * r->d_qk / b->bytes_per_ms;

    return (arithmetic > bytes ? arithmetic : bytes) + ends;
}

/* How fast memory is filled: 4 GiB, the least of three times. */
static enum ordo_status measure_fill(struct bench *b, struct ordo_err *err)
{
    const uint64_t bytes = UINT64_C(1) << 32;
    void *room = NULL;
    bool hung = false;
    float ms = 0, least = 0;
    enum ordo_status status = ordo_card_alloc(b->card, bytes, &room, err);

    for (int i = 0; i < 4 && status == ORDO_OK; i++) {
        status = ordo_card_mark(b->card, 0, err);
        if (status == ORDO_OK)
            status = ordo_card_fill(b->card, room, 0, bytes, err);
        if (status == ORDO_OK)
            status = ordo_card_mark(b->card, 1, err);
        if (status == ORDO_OK)
            status = ordo_card_wait(b->card, 20, &hung, err);
        if (status == ORDO_OK)
            status = ordo_card_time(b->card, &ms, err);
        least = i < 2 || ms < least ? ms : least;
    }
    (void)ordo_card_free(b->card, room, NULL);
    b->bytes_per_ms = (double)bytes / (double)least;
    return status;
}

/* --- a line ----------------------------------------------------------------------------------------------------- */

static void say(const struct bench *b, const struct timing *t)
{
    const struct ordo_request *r = &t->plan.request;
    double rate = flop(r) / t->median * 1e-9;
    char waits[16] = "-", ratio[16] = "-";
    json_t *o;

    if (!isnan(t->waits))
        (void)snprintf(waits, sizeof waits, "%.1f %%", 100 * t->waits);
    if (!isnan(b->atomic))
        (void)snprintf(ratio, sizeof ratio, "%.2f", t->median / b->atomic);
    if (!b->args->json) {
        printf("%6" PRId32 " %8" PRId32 " %-8s %-14s %3" PRId32 " %4" PRId32 " %4" PRId32
               " %9.3f %9.3f %7.1f %9.3f %6.2f %7s %6s\n",
               r->n_query, r->n_kv, t->pattern, t->plan.design->name, t->plan.cluster, t->plan.wave, t->plan.planes,
               t->median, t->least, rate, t->floor, t->median / t->floor, waits, ratio);
        return;
    }
    o = ordo_json_new("ordo.bench/1");
    ordo_json_text(o, "bench", "dsa");
    ordo_json_int(o, "q", r->n_query);
    ordo_json_int(o, "kv", r->n_kv);
    ordo_json_int(o, "topk", r->topk);
    ordo_json_text(o, "pattern", t->pattern);
    ordo_json_text(o, "design", t->plan.design->name);
    ordo_json_int(o, "cluster", t->plan.cluster);
    ordo_json_int(o, "wave", t->plan.wave);
    ordo_json_int(o, "planes", t->plan.planes);
    ordo_json_real(o, "median_ms", t->median);
    ordo_json_real(o, "least_ms", t->least);
    ordo_json_real(o, "tflops", rate);
    ordo_json_real(o, "floor_ms", t->floor);
    ordo_json_real(o, "wait_share", t->waits);
    ordo_json_real(o, "over_atomic", t->median / b->atomic);
    ordo_out_json(o);
}

/* The share of updates that wait in clusters of that size, by the census (waves of 128 lanes). */
static double waits_of(const struct ordo_census *census, const struct ordo_plan *plan)
{
    for (int i = 0; i < ORDO_N_CLUSTER_SIZES; i++)
        if (plan->design->sync == ORDO_SYNC_RELAY && census->by_cluster[i].cluster == plan->cluster)
            return (double)census->by_cluster[i].waits / (double)census->by_cluster[i].updates;
    return (double)NAN;
}

/* One design on a problem; one whose workspace the card has no room for is said so and passed over. */
static enum ordo_status bench_design(struct bench *b, const struct ordo_problem *p, const struct ordo_census *census,
                                     const struct timing *like, struct ordo_err *err)
{
    struct timing t = *like;
    struct ordo_rig_card r = {.card = b->card, .plan = &t.plan, .limit = 60};
    enum ordo_status status = prepare(b, &r, p, err);

    if (status == ORDO_ENVIRONMENT && !r.hung && strcmp(err->field, "memory") == 0) {
        if (!b->args->json)
            printf("%6" PRId32 " %8" PRId32 " %-8s %-14s %3" PRId32 " %4" PRId32 " %4" PRId32
                   " does not fit: %" PRIu64 " bytes\n",
                   p->n_query, p->n_kv, t.pattern, t.plan.design->name, t.plan.cluster, t.plan.wave, t.plan.planes,
                   ordo_kernels_workspace(&t.plan, ORDO_BACKWARD));
        ordo_rig_release(&r);
        return ORDO_OK;
    }
    if (status == ORDO_OK)
        status = time_rounds(b, &r, &t, err);
    if (status == ORDO_OK) {
        t.floor = floor_of(b, &t.plan);
        t.waits = waits_of(census, &t.plan);
        if (t.plan.design->sync == ORDO_SYNC_ATOMIC)
            b->atomic = t.median;
        say(b, &t);
        (void)fflush(stdout);
    }
    ordo_rig_release(&r);
    return status;
}

/* --- the table -------------------------------------------------------------------------------------------------- */

static enum ordo_status bench_problem(struct bench *b, const struct ordo_problem *p, const char *pattern,
                                      struct ordo_err *err)
{
    static const struct {
        const struct ordo_design *design;
        int32_t cluster, wave;
    } designs[] = {{&ordo_design_atomic, 0, 0},         {&ordo_design_private_shards, 0, 0},
                   {&ordo_design_cluster_relay, 4, 0},  {&ordo_design_cluster_relay, 8, 0},
                   {&ordo_design_cluster_relay, 16, 0}, {&ordo_design_cluster_relay, 4, 128},
                   {&ordo_design_cluster_relay, 8, 128}};
    struct ordo_census census = {.dead = 0};
    enum ordo_status status = ordo_census_make(p, &census, err);

    b->atomic = (double)NAN;
    for (size_t i = 0; i < sizeof designs / sizeof designs[0] && status == ORDO_OK; i++) {
        struct timing like = {.pattern = pattern};
        struct ordo_request r = {
            p->n_query,         p->n_kv,        p->topk, HEADS, DQK, DV, ORDO_TARGET_SM90, designs[i].design,
            designs[i].cluster, designs[i].wave};

        status = ordo_plan_make(&r, &like.plan, err);
        if (status == ORDO_OK)
            status = bench_design(b, p, &census, &like, err);
    }
    ordo_census_free(&census);
    return status;
}

static enum ordo_status bench_shape(struct bench *b, int32_t q, int32_t kv, const char *pattern, struct ordo_err *err)
{
    struct ordo_gen_params params = ordo_gen_defaults;
    struct ordo_problem p = {0};
    enum ordo_status status;

    params.n_query = q;
    params.n_kv = kv;
    params.topk = ordo_opt_int(b->args, "topk");
    params.seed = ordo_opt_u64(b->args, "seed");
    status = ordo_gen(ordo_preset_find(pattern), &params, &p, err);
    if (status == ORDO_OK)
        status = bench_problem(b, &p, pattern, err);
    ordo_problem_free(&p);
    return status;
}

static enum ordo_status bench_all(struct bench *b, struct ordo_err *err)
{
    static const int32_t shape[][2] = {{4096, 8192},   {4096, 65536},   {257, 65537},
                                       {4096, 278528}, {16384, 131072}, {16384, 1048576}};
    static const char *const pattern[] = {"uniform", "keep"};
    bool one = ordo_opt_given(b->args, "q") || ordo_opt_given(b->args, "kv");
    enum ordo_status status = ORDO_OK;

    for (size_t i = 0; i < (one ? 1 : sizeof shape / sizeof shape[0]); i++)
        for (int k = 0; k < 2 && status == ORDO_OK; k++)
            status = bench_shape(b, one ? ordo_opt_int(b->args, "q") : shape[i][0],
                                 one ? ordo_opt_int(b->args, "kv") : shape[i][1], pattern[k], err);
    return status;
}

static void say_head(const struct bench *b)
{
    const struct ordo_card_name *name = ordo_card_name(b->card);
    char hex[ORDO_DIGEST_HEX];

    if (b->args->json)
        return;
    printf("%s, driver %s, toolkit %s, cubin %.16s...; H %d, %d/%d, Top-K %" PRId32
           "; memory fills at %.2f TB/s; %d rounds\n",
           name->device, name->driver, name->toolkit, ordo_digest_hex(&name->cubin, hex), HEADS, DQK, DV,
           ordo_opt_int(b->args, "topk"), b->bytes_per_ms * 1e-9, ROUNDS);
    printf("     Q       KV pattern  design           C wave plane median ms  least ms TFLOP/s  floor ms xfloor    "
           "wait xatomic\n");
}

enum ordo_status ordo_bench_dsa(const struct ordo_args *args, struct ordo_err *err)
{
    struct bench b = {.args = args};
    struct ordo_err why = {0};
    enum ordo_status status = ordo_card_open(&b.card, NULL, &why);

    if (status != ORDO_OK)
        return ordo_fail(err, status, why.file, why.field, "not run: %s", why.reason);
    b.block = ordo_need(malloc(BLOCK));
    make_block(b.block);
    status = measure_fill(&b, err);
    if (status == ORDO_OK) {
        say_head(&b);
        status = bench_all(&b, err);
    }
    free(b.block);
    ordo_card_close(b.card);
    return status;
}
