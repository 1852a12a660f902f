/* dsa_launch.c - see dsa_launch.h. */
#include "kernels/dsa_launch.h"

#include "base/fp32op.h"
#include "base/size.h"
#include "kernels/dsa_forward.h"
#include "protocol/index.h"
#include "sim/design.h"

#include <string.h>

enum { CTAS = 2112 }; /* of kernels that stride over a grid: sixteen an SM of the H200, whatever the card */

#define LOG2E 1.44269502162933349609375f

#define BACKWARD_SHARED 232448 /* bytes a CTA of sm_90 may have: CUDA C++ Programming Guide, compute capabilities */

enum { CLEAR, MASK_BUILD, PREPROCESS, DSINK, FOLD, FORWARD, BACKWARD = FORWARD + 2 };

const struct ordo_dsa_kernel ordo_dsa_kernel[] = {
    [CLEAR] = {"ordo_dsa_clear", "dsa_small", 256, 0, 1, 0},
    [MASK_BUILD] = {"ordo_dsa_mask_build", "dsa_small", 256, 0, 1, 0},
    [PREPROCESS] = {"ordo_dsa_preprocess", "dsa_small", 256, 0, 1, 0},
    [DSINK] = {"ordo_dsa_dsink", "dsa_small", 32, 0, 1, 0},
    [FOLD] = {"ordo_dsa_fold", "dsa_small", 256, 0, 1, 0},
    [FORWARD] = {"ordo_dsa_forward_576_512", "dsa_small", 256, ORDO_DSA_FORWARD_SHARED(576), 1, 576},
    [FORWARD + 1] = {"ordo_dsa_forward_512_512", "dsa_small", 256, ORDO_DSA_FORWARD_SHARED(512), 1, 512},
    [BACKWARD] = {"ordo_dsa_atomic_576", "dsa_atomic", 384, BACKWARD_SHARED, 1, 576}, /* pairs of Dqk = 576 and 512 */
    {"ordo_dsa_atomic_512", "dsa_atomic", 384, BACKWARD_SHARED, 1, 512},
    {"ordo_dsa_shards_576", "dsa_shards", 384, BACKWARD_SHARED, 1, 576},
    {"ordo_dsa_shards_512", "dsa_shards", 384, BACKWARD_SHARED, 1, 512},
    {"ordo_dsa_relay4_576", "dsa_relay", 384, BACKWARD_SHARED, 4, 576},
    {"ordo_dsa_relay4_512", "dsa_relay", 384, BACKWARD_SHARED, 4, 512},
    {"ordo_dsa_relay8_576", "dsa_relay", 384, BACKWARD_SHARED, 8, 576},
    {"ordo_dsa_relay8_512", "dsa_relay", 384, BACKWARD_SHARED, 8, 512},
    {"ordo_dsa_relay16_576", "dsa_relay", 384, BACKWARD_SHARED, 16, 576},
    {"ordo_dsa_relay16_512", "dsa_relay", 384, BACKWARD_SHARED, 16, 512},
};
const int ordo_dsa_kernels = sizeof ordo_dsa_kernel / sizeof ordo_dsa_kernel[0];

/* --- arguments -------------------------------------------------------------------------------------------------- */

static void divide_workspace(const struct ordo_plan *plan, void *workspace, struct ordo_dsa_args *a)
{
    uint64_t kv8 = 0, d8 = 0, q8 = 0, planes = 0, own = 0;

    ORDO_BUG_ON(!ordo_round_up((uint64_t)a->n_kv, 8, &kv8) || !ordo_round_up((uint64_t)a->d_qk, 8, &d8) ||
                !ordo_round_up((uint64_t)a->n_query, 8, &q8)); /* 31 bits */
    a->d8 = (int32_t)d8;
    a->q8 = (int32_t)q8;
    a->plane_rows = (int64_t)(kv8 + plan->mask_rows);
    a->mask_words = plan->mask_rows ? ordo_mask_words((int64_t)kv8, plan->cluster) : 0;
    a->planes = workspace;
    a->masks = workspace;
    ORDO_BUG_ON(!ordo_round_up((uint64_t)a->n_plane * (uint64_t)a->plane_rows * d8 * 4, 128, &planes));
    a->delta = (float *)(void *)((char *)workspace + planes);
    a->folded = a->delta + (int64_t)a->n_head * a->q8;
    ORDO_BUG_ON(!ordo_round_up(plan->workspace_bytes, 128, &own)); /* checked: it is in memory */
    a->weights = (uint16_t *)(void *)((char *)workspace + own);
}

struct ordo_dsa_args ordo_dsa_arguments(const struct ordo_plan *plan, const struct ordo_kernels_tensors *t)
{
    const struct ordo_request *r = &plan->request;
    struct ordo_dsa_args a = {
        .q = t->q.data,
        .kv = t->kv.data,
        .dout = t->dout.data,
        .o = t->o.data,
        .lse = t->lse.data,
        .sink = t->sink.data,
        .idx = t->idx.data,
        .length = t->length.data,
        .dq = t->dq.data,
        .dkv = t->dkv.data,
        .dkv_fp32 = t->dkv_fp32.data,
        .dsink = t->dsink.data,
        .n_query = r->n_query,
        .n_kv = r->n_kv,
        .topk = r->topk,
        .n_head = r->n_head,
        .d_qk = r->d_qk,
        .d_v = r->d_v,
        .wave_width = plan->wave,
        .cluster = plan->cluster,
        .n_plane = plan->planes,
        .n_wave = plan->waves,
        .n_head_block = plan->head_blocks,
        .scale = t->scale,
        .scale_log2 = ORDO_MUL(t->scale, LOG2E),
    };

    if (t->workspace)
        divide_workspace(plan, t->workspace, &a);
    return a;
}

/* --- launches --------------------------------------------------------------------------------------------------- */

struct schedule {
    const struct ordo_plan *plan;
    struct ordo_dsa_args args;
    ordo_dsa_launch_fn *launch;
    void *ctx;
    struct ordo_err *err;
};

static enum ordo_status put(const struct schedule *s, int kernel, uint32_t x, uint32_t y)
{
    struct ordo_dsa_launch launch = {kernel, {x, y}, s->args};
    int32_t d_qk = ordo_dsa_kernel[kernel].d_qk;

    ORDO_BUG_ON(d_qk && d_qk != s->args.d_qk);
    ORDO_BUG_ON(kernel >= BACKWARD && d_qk != s->args.d8); /* chunks count in DQK, rows of a plane lie d8 apart */
    return s->launch(s->ctx, &launch, s->err);
}

/* CTAs for n elements, 256 a CTA and step. */
static uint32_t ctas(uint64_t n)
{
    uint64_t want = ordo_div_up(n, 256);

    return want < CTAS ? (uint32_t)want : CTAS;
}

static int backward_kernel(const struct ordo_plan *plan)
{
    static const int32_t cluster[] = {4, 8, 16};
    int kernel = BACKWARD + (plan->request.d_qk == 512);

    if (plan->design->sync == ORDO_SYNC_ATOMIC)
        return kernel;
    for (int i = 0; i < 3; i++)
        if (plan->design->sync == ORDO_SYNC_RELAY && plan->cluster == cluster[i])
            return kernel + 4 + 2 * i;
    ORDO_BUG_ON(plan->design->sync != ORDO_SYNC_NONE);
    return kernel + 2;
}

/* Waves first to end - 1 of one head block. */
static enum ordo_status put_backward(struct schedule *s, int32_t first, int32_t end, int32_t head_block)
{
    const struct ordo_plan *plan = s->plan;
    int32_t lanes = plan->wave, rest = plan->request.n_query - first * plan->wave;
    enum ordo_status status;

    if (plan->design->sync == ORDO_SYNC_ATOMIC)
        lanes = plan->request.n_query;
    else if (rest < lanes) /* a tail wave alone: whole clusters */
        lanes = (rest + plan->cluster - 1) / plan->cluster * plan->cluster;
    s->args.first_wave = first;
    s->args.end_wave = end;
    s->args.head_block = head_block;
    status = put(s, backward_kernel(plan), (uint32_t)lanes, 1);
    s->args.first_wave = s->args.end_wave = s->args.head_block = 0;
    return status;
}

/* ORDER: waves ascending, in a wave head blocks ascending. */
static enum ordo_status put_backwards(struct schedule *s)
{
    bool whole = s->plan->head_blocks == 1 || s->plan->design->sync == ORDO_SYNC_ATOMIC;
    int32_t step = whole ? s->plan->waves : 1;
    enum ordo_status status = ORDO_OK;

    for (int32_t wave = 0; wave < s->plan->waves; wave += step)
        for (int32_t block = 0; block < s->plan->head_blocks && status == ORDO_OK; block++)
            status = put_backward(s, wave, wave + step, block);
    return status;
}

static enum ordo_status put_pass(struct schedule *s)
{
    const struct ordo_dsa_args *a = &s->args;
    uint64_t words = (uint64_t)a->n_plane * (uint64_t)a->plane_rows * (uint64_t)a->d8;
    enum ordo_status status = put(s, CLEAR, ctas(words / 4), 1);

    if (status == ORDO_OK && s->plan->design->sync == ORDO_SYNC_RELAY)
        status = put(s, MASK_BUILD, (uint32_t)a->n_query, (uint32_t)a->n_head_block);
    if (status == ORDO_OK)
        status = put(s, PREPROCESS, (uint32_t)a->n_query, 1);
    if (status == ORDO_OK)
        status = put_backwards(s);
    if (status == ORDO_OK && a->dsink)
        status = put(s, DSINK, (uint32_t)a->n_head, 1);
    return status == ORDO_OK ? put(s, FOLD, ctas((uint64_t)a->n_kv * (uint64_t)a->d8 / 4), 1) : status;
}

enum ordo_status ordo_dsa_launches(const struct ordo_plan *plan, const struct ordo_kernels_tensors *tensors,
                                   enum ordo_pass pass, ordo_dsa_launch_fn *launch, void *ctx, struct ordo_err *err)
{
    struct schedule s = {plan, ordo_dsa_arguments(plan, tensors), launch, ctx, err};

    if (pass == ORDO_FORWARD)
        return put(&s, FORWARD + (plan->request.d_qk == 512), (uint32_t)s.args.n_query,
                   (uint32_t)s.args.n_head_block);
    return put_pass(&s);
}
