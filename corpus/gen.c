/* gen.c - see gen.h: the whole tensor, query by query. */
#include "corpus/gen_impl.h"

#include "base/progress.h"
#include "base/size.h"

#include <stdlib.h>
#include <string.h>

const struct ordo_gen_params ordo_gen_defaults = {
#define ORDO_X(field, option, low, high, preset, ...) .field = preset,
    ORDO_GEN_PARAMS(ORDO_X)
#undef ORDO_X
};

const struct ordo_preset *ordo_preset_at(size_t i)
{
    size_t n = 0;

    while (ordo_presets[n].name && n < i)
        n++;
    return ordo_presets[n].name ? &ordo_presets[n] : NULL;
}

const struct ordo_preset *ordo_preset_find(const char *name)
{
    for (const struct ordo_preset *p = ordo_presets; p->name; p++)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}

static enum ordo_status check(const struct ordo_gen_params *par, struct ordo_err *err)
{
    if (par->n_query < 0)
        return ordo_fail(err, ORDO_USAGE, NULL, "queries", "the number of queries is negative");
    if (par->n_kv < 0)
        return ordo_fail(err, ORDO_USAGE, NULL, "kv", "the number of KV rows is negative");
    if (par->topk < 0)
        return ordo_fail(err, ORDO_USAGE, NULL, "topk", "Top-K is negative");
#define ORDO_X(field, option, low, high, ...)                                                                        \
    if (par->field < (low) || par->field > (high))                                                                   \
        return ordo_fail(err, ORDO_USAGE, NULL, option, "%d is not from %d to %d", (int)par->field, (int)(low),      \
                         (int)(high));
    ORDO_GEN_PARAMS(ORDO_X)
#undef ORDO_X
    return ORDO_OK;
}

/* Dead slots up to topk, after n_live ids. */
static void pad(int32_t *row, int32_t n_live, int32_t topk)
{
    for (int32_t j = n_live; j < topk; j++)
        row[j] = -1;
}

static void fill_all(const struct ordo_preset *which, struct ordo_draw *d, int32_t *idx)
{
    uint64_t key = ordo_mix(d->par.seed);

    for (int32_t q = 0; q < d->par.n_query; q++) {
        int32_t *row = idx + (int64_t)q * d->par.topk;

        d->rng.state = ordo_mix(key + (uint64_t)q + 1);
        if (d->n_live)
            which->fn(d, q, q ? row - d->par.topk : NULL, row);
        pad(row, d->n_live, d->par.topk);
        if (q % 4096 == 4095)
            ordo_progress("gen: query", (uint64_t)q + 1, (uint64_t)d->par.n_query);
    }
}

static enum ordo_status reserve(struct ordo_gen_space *s, int32_t n_kv, struct ordo_err *err)
{
    if (s->taken && n_kv <= s->n_kv)
        return ORDO_OK;
    ordo_gen_space_free(s);
    s->taken = ordo_alloc_zero((uint64_t)n_kv / 64 + 1, sizeof *s->taken);
    s->pool = ordo_alloc((uint64_t)n_kv, sizeof *s->pool);
    if (!s->taken || !s->pool)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "there is no memory for %d KV rows", (int)n_kv);
    s->n_kv = n_kv;
    return ORDO_OK;
}

void ordo_gen_space_free(struct ordo_gen_space *s)
{
    free(s->taken);
    free(s->pool);
    *s = (struct ordo_gen_space){NULL, NULL, 0};
}

enum ordo_status ordo_gen_into(struct ordo_gen_space *space, const struct ordo_preset *which,
                               const struct ordo_gen_params *par, int32_t *idx, struct ordo_err *err)
{
    struct ordo_draw d = {.par = *par, .n_live = par->topk < par->n_kv ? par->topk : par->n_kv};
    enum ordo_status status = reserve(space, par->n_kv, err);

    if (status != ORDO_OK)
        return status;
    d.taken = space->taken;
    d.pool = space->pool;
    fill_all(which, &d, idx);
    return ORDO_OK;
}

enum ordo_status ordo_gen(const struct ordo_preset *which, const struct ordo_gen_params *par,
                          struct ordo_problem *out, struct ordo_err *err)
{
    struct ordo_gen_space space = {NULL, NULL, 0};
    enum ordo_status status = check(par, err);

    memset(out, 0, sizeof *out);
    if (status)
        return status;
    *out = (struct ordo_problem){.n_query = par->n_query, .n_kv = par->n_kv, .topk = par->topk};
    out->idx = ordo_alloc((uint64_t)par->n_query * (uint64_t)par->topk, sizeof *out->idx);
    if (out->idx)
        status = ordo_gen_into(&space, which, par, out->idx, err);
    else
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "there is no memory for %d queries of %d slots",
                           (int)par->n_query, (int)par->topk);
    ordo_progress_end();
    ordo_gen_space_free(&space);
    if (status)
        ordo_problem_free(out);
    return status;
}
