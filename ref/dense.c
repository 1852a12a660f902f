/* dense.c - the dense twin's entry: what is refused, and the passes over heads and tiles. */
#include "ref/dense.h"

#include "base/parallel.h"
#include "base/progress.h"
#include "base/size.h"
#include "ref/attention_scalar.h"
#include "ref/dense_impl.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* --- what is refused -------------------------------------------------------------------------------------------- */

enum ordo_status ordo_dense_problem_check(const struct ordo_dense_problem *p, struct ordo_err *err)
{
    const struct {
        const char *name;
        int32_t value, most, multiple;
    } extent[] = {
        {"batch", p->batch, INT32_MAX, 1},
        {"q_len", p->q_len, INT32_MAX / 2, 1},
        {"kv_len", p->kv_len, INT32_MAX / 2, 1},
        {"q_heads", p->q_heads, INT32_MAX, p->kv_heads > 0 ? p->kv_heads : 1},
        {"kv_heads", p->kv_heads, INT32_MAX, 1},
        {"d", p->d, ORDO_DENSE_D, 1},
        {"tile_q", p->tile_q, ORDO_DENSE_TILE, ORDO_K_GROUP},
        {"tile_kv", p->tile_kv, ORDO_DENSE_TILE, ORDO_K_GROUP},
    };

    for (size_t i = 0; i < sizeof extent / sizeof extent[0]; i++)
        if (extent[i].value < 1 || extent[i].value > extent[i].most || extent[i].value % extent[i].multiple)
            return ordo_fail(err, ORDO_BAD_INPUT, NULL, extent[i].name,
                             "must be a multiple of %" PRId32 " from 1 to %" PRId32 ", not %" PRId32,
                             extent[i].multiple, extent[i].most, extent[i].value);
    return ORDO_OK;
}

static enum ordo_status check(const struct ordo_dense_twin *t, struct ordo_err *err)
{
    const struct ordo_dense_problem *p = t->problem;
    const struct ordo_dense_launch *l = &t->schedule->launch;
    enum ordo_status status = ordo_dense_problem_check(p, err);

    if (status != ORDO_OK)
        return status;
    if (l->mask->n_q != ordo_dense_tiles_q(p) || l->mask->n_kv != ordo_dense_tiles_kv(p) ||
        l->heads != (int64_t)p->batch * p->q_heads)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "schedule",
                         "is of %" PRId32 " heads of %" PRId32 " x %" PRId32 " tiles, the problem has other extents",
                         l->heads, l->mask->n_q, l->mask->n_kv);
    if (!(t->in.scale > 0 && t->in.scale < HUGE_VALF))
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "scale", "must be a positive number");
    if ((t->in.o == NULL) != (t->in.lse == NULL))
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "o", "o and lse come from one forward: both or none");
    return ORDO_OK;
}

/* --- masks ------------------------------------------------------------------------------------------------------ */

void ordo_dense_problem_tiles(const struct ordo_dense_problem *p, int32_t *value)
{
    int32_t n_q = ordo_dense_tiles_q(p), n_kv = ordo_dense_tiles_kv(p);

    for (int32_t q = 0; q < n_q; q++) {
        int32_t end = (q + 1) * p->tile_q < p->q_len ? (q + 1) * p->tile_q : p->q_len;
        int32_t last = end - 1 + p->kv_len - p->q_len; /* the last KV row that the tile's last query sees */

        for (int32_t kv = 0; kv < n_kv; kv++)
            value[(int64_t)q * n_kv + kv] = !p->causal || kv * p->tile_kv <= last;
    }
}

/* --- all -------------------------------------------------------------------------------------------------------- */

/* What is given is taken, what is missing is made room for. */
static enum ordo_status take_or_make(struct ordo_dense_run *r, struct ordo_err *err)
{
    const struct ordo_dense_problem *p = r->p;
    uint64_t stats = (uint64_t)p->batch * (uint64_t)p->q_heads * (uint64_t)p->q_len;
    uint16_t *o = NULL;

    if (!r->twin->in.o) {
        o = r->out->o ? r->out->o : ordo_alloc(stats * (uint64_t)p->d, sizeof *o);
        r->o = o;
    }
    r->lse = r->out->lse ? r->out->lse : ordo_alloc(stats, sizeof *r->lse);
    r->delta = r->out->delta ? r->out->delta : ordo_alloc(stats, sizeof *r->delta);
    if ((!r->twin->in.o && !o) || !r->lse || !r->delta)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for %" PRIu64 " rows of statistics", stats);
    if (!r->twin->in.o)
        return ORDO_OK;
    r->o = r->twin->in.o;
    for (uint64_t i = 0; i < stats; i++)
        r->lse[i] = r->twin->in.lse[i];
    for (uint64_t i = 0; r->out->o && i < stats * (uint64_t)p->d; i++)
        r->out->o[i] = r->o[i];
    return ORDO_OK;
}

static enum ordo_status make_hands(struct ordo_dense_run *r, int n_thread, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;

    r->hand = ordo_alloc_zero((uint64_t)n_thread, sizeof *r->hand);
    if (!r->hand)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for %d threads", n_thread);
    for (int i = 0; i < n_thread && status == ORDO_OK; i++)
        status = ordo_dense_pair_make(r->p, ordo_dense_tiles_kv(r->p), &r->hand[i], err);
    return status;
}

static void release(struct ordo_dense_run *r, int n_thread)
{
    for (int i = 0; r->hand && i < n_thread; i++)
        ordo_dense_pair_free(&r->hand[i]);
    free(r->hand);
    if (r->lse != r->out->lse)
        free(r->lse);
    if (r->delta != r->out->delta)
        free(r->delta);
    if (r->o != r->twin->in.o && r->o != r->out->o)
        free((void *)(uintptr_t)r->o);
}

static enum ordo_status run_passes(struct ordo_dense_run *r, int n_thread, struct ordo_err *err)
{
    const struct ordo_dense_problem *p = r->p;
    int64_t query = (int64_t)p->batch * p->q_heads * ordo_dense_tiles_q(p);
    int64_t kv = (int64_t)p->batch * p->kv_heads * ordo_dense_tiles_kv(p);
    const struct {
        bool wanted;
        const char *name;
        int64_t n;
        enum ordo_status (*fn)(void *, int, int64_t, struct ordo_err *);
    } pass[] = {
        {!r->twin->in.o, "dense: forward", query, ordo_dense_forward},
        {true, "dense: delta", query, ordo_dense_delta},
        {r->out->dq || r->out->dq_fp32, "dense: dQ", query, ordo_dense_dq},
        {r->out->dk || r->out->dv || r->out->dk_fp32 || r->out->dv_fp32, "dense: dK, dV", kv, ordo_dense_dkv},
    };
    enum { PASSES = sizeof pass / sizeof pass[0] };
    enum ordo_status status = ORDO_OK;

    for (int i = 0; i < PASSES && status == ORDO_OK; i++) {
        ordo_progress(pass[i].name, (uint64_t)i, PASSES);
        if (pass[i].wanted)
            status = ordo_parallel(n_thread, pass[i].n, pass[i].fn, r, err);
    }
    ordo_progress_end();
    return status;
}

enum ordo_status ordo_dense_attention(const struct ordo_dense_twin *twin, int n_thread,
                                      const struct ordo_dense_outputs *out, struct ordo_err *err)
{
    struct ordo_dense_run r = {
        .twin = twin,
        .out = out,
        .p = twin->problem,
        .contract = twin->contract,
        .isa = twin->scalar ? ORDO_ISA_SCALAR : ordo_isa_best(),
        .scale_log2 = ORDO_MUL(twin->in.scale, ORDO_LOG2E),
    };
    enum ordo_status status = check(twin, err);

    if (status == ORDO_OK)
        status = ordo_mma_find(twin->sm, &r.model, err);
    if (status != ORDO_OK)
        return status;
    status = take_or_make(&r, err);
    if (status == ORDO_OK)
        status = make_hands(&r, n_thread, err);
    if (status == ORDO_OK)
        status = run_passes(&r, n_thread, err);
    release(&r, n_thread);
    return status;
}
