/* draw.c - see draw.h. */
#include "fuzz/draw.h"

#include "base/rng.h"
#include "base/size.h"

#include <stdlib.h>
#include <string.h>

static uint32_t below(struct ordo_rng *rng, uint32_t n)
{
    return (uint32_t)((ordo_rng_next(rng) >> 32) * n >> 32);
}

#define PICK(rng, list) (list)[below(rng, (uint32_t)(sizeof(list) / sizeof((list)[0])))]

/* --- a swarm ---------------------------------------------------------------------------------------------------- */

enum { SMALL_SLOTS = 384, LARGE_SLOTS = 16384 };

/* A number of queries beside an edge of the cluster or wave. */
static int32_t edge_query(struct ordo_rng *rng, int32_t cluster, int32_t wave)
{
    const int32_t edge[] = {1, 2, 3, cluster, 8, 32, wave, 2 * wave, 3 * wave};
    int32_t q = PICK(rng, edge) + (int32_t)below(rng, 3) - 1;

    return q > 1 ? q : 1;
}

static int32_t edge_topk(struct ordo_rng *rng)
{
    static const int32_t edge[] = {1, 2, 3, 4, 8, 8, 12, 16, 63, 64, 65, 129};

    return PICK(rng, edge);
}

static int32_t edge_kv(struct ordo_rng *rng, int32_t topk)
{
    const int32_t edge[] = {1, 2, 4, 7, 8, 9, topk - 1, topk, topk + 1, 2 * topk, 31, 32, 33, 63, 64, 65, 4 * topk};
    int32_t kv = PICK(rng, edge);

    return kv > 1 ? kv : 1;
}

/* So many that tables list only rows that are named; at the edge, and with a short last granule of eight. */
static int32_t far_kv(struct ordo_rng *rng)
{
    static const int32_t far[] = {(1 << 24) + 1, (1 << 24) + 8, 20000000, 20000003};

    return PICK(rng, far);
}

static void draw_shape(struct ordo_rng *rng, struct ordo_swarm *s, int32_t slots, int32_t scale)
{
    static const int32_t clusters[] = {0, 4, 8, 8, 16}, waves[] = {1, 1, 2, 3, 4};
    static const int32_t heads[] = {1, 64, 64, 65, 128, 192};
    int32_t ranks, blocks;

    s->cluster = PICK(rng, clusters);
    ranks = s->cluster ? s->cluster : (int32_t)(4 * (1 + below(rng, 4)));
    s->wave = s->cluster ? ranks * PICK(rng, waves) * scale : ranks;
    s->heads = PICK(rng, heads);
    blocks = (s->heads + 63) / 64;
    do {
        s->params.n_query = edge_query(rng, ranks, s->wave) * scale;
        s->params.topk = edge_topk(rng);
    } while ((int64_t)s->params.n_query * s->params.topk * blocks > slots);
    s->params.n_kv = edge_kv(rng, s->params.topk) * (scale > 1 ? (int32_t)(1 + below(rng, 64)) : 1);
}

static void draw_params(struct ordo_rng *rng, struct ordo_gen_params *p)
{
    p->keep_percent = (int32_t)below(rng, 101);
    p->sinks = (int32_t)below(rng, 5);
    p->block = (int32_t)(1u << below(rng, 7));
    p->hot_percent = (int32_t)below(rng, 101);
    p->ratio = (int32_t)(1 + below(rng, 4));
    p->docs = (int32_t)(1 + below(rng, 4));
}

/* Where x stands: below, at, just beyond, or far beyond an edge. */
static int64_t beside(int64_t x, int64_t edge)
{
    return x < edge ? 0 : x == edge ? 1 : x == edge + 1 ? 2 : 3;
}

/* Classes, not extents: otherwise every swarm would be the first of its shape. */
static uint64_t shape_of(const struct ordo_swarm *s)
{
    const struct ordo_gen_params *p = &s->params;
    const int64_t part[] = {s->cluster,
                            (s->heads + 63) / 64,
                            beside(p->n_query, s->cluster),
                            beside(p->n_query, s->wave),
                            beside(p->topk, 64),
                            beside(p->n_kv, p->topk),
                            p->n_kv % 8 == 0,
                            s->length != 0};
    uint64_t h = 1;

    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++)
        h = ordo_mix(h + (uint64_t)part[i]);
    return h;
}

/* Cluster, then extents beside its edges, under the pattern of edges: all of these before anything random. */
static void boundary_shape(uint64_t number, struct ordo_swarm *s)
{
    static const int32_t clusters[] = {8, 4, 16, 0}, topks[] = {4, 1, 8, 65}, kvs[] = {9, 8, 1, 64, 65, 3};
    const int32_t c = clusters[number % 4], lanes = c ? c : 16;
    const int32_t queries[] = {lanes, lanes + 1, 1, lanes - 1, 2 * lanes, 2 * lanes + 1};

    s->cluster = c;
    s->wave = lanes;
    s->heads = number % 3 ? 64 : 128;
    s->params.n_query = queries[number / 4 % 6];
    s->params.topk = topks[number / 8 % 4];
    s->params.n_kv = kvs[(number + number / 6) % 6];
    s->preset = ordo_preset_find(number % 2 ? "boundary" : "identical");
}

struct ordo_swarm ordo_swarm_draw(uint64_t seed, uint64_t number, bool larger)
{
    struct ordo_rng rng = {ordo_mix(ordo_mix(seed) + number)};
    struct ordo_swarm s = {.params = ordo_gen_defaults};
    size_t n_preset = 0;

    while (ordo_preset_at(n_preset))
        n_preset++;
    draw_params(&rng, &s.params);
    s.preset = ordo_preset_at(below(&rng, (uint32_t)n_preset));
    draw_shape(&rng, &s, larger ? LARGE_SLOTS : SMALL_SLOTS, larger ? 4 : 1);
    s.dead = (enum ordo_draw_dead)(below(&rng, 2) ? 0 : below(&rng, ORDO_N_DEADS));
    s.length = (enum ordo_draw_length)(below(&rng, 2) ? 0 : below(&rng, ORDO_N_LENGTHS));
    s.duplicates = below(&rng, 32) == 0;
    s.rotated = below(&rng, 4) == 0;
    s.rough = below(&rng, 4) != 0;
    if (below(&rng, 128) == 0)
        s.params.n_kv = far_kv(&rng);
    if (number < 96 && !larger)
        boundary_shape(number, &s);
    s.shape = shape_of(&s);
    return s;
}

/* --- a case ----------------------------------------------------------------------------------------------------- */

static int32_t dead_id(struct ordo_rng *rng, int32_t n_kv)
{
    const int32_t value[] = {-1, -1, -2, INT32_MIN, n_kv, n_kv + 1, 2147480000, INT32_MAX};

    return PICK(rng, value);
}

static void kill_slots(struct ordo_rng *rng, const struct ordo_swarm *s, int32_t *row)
{
    int32_t topk = s->params.topk, from = 0, share = 0;

    switch (s->dead) {
    case ORDO_DEAD_TAIL:
        from = (int32_t)below(rng, (uint32_t)topk + 1);
        share = 1;
        break;
    case ORDO_DEAD_HOLES:
        share = 1 + (int32_t)below(rng, 4);
        break;
    case ORDO_DEAD_QUERIES:
        share = below(rng, 3) == 0;
        break;
    default:
        break;
    }
    for (int32_t j = from; share && j < topk; j++)
        if (below(rng, (uint32_t)share) == 0)
            row[j] = dead_id(rng, s->params.n_kv);
}

static int32_t draw_length(struct ordo_rng *rng, const struct ordo_swarm *s)
{
    const int32_t k = s->params.topk, edge[] = {k, k, 0, 1, k - 1, k + 1, k / 2, -1, -4, INT32_MIN, INT32_MAX};

    return s->length == ORDO_LENGTH_EDGES ? PICK(rng, edge) : (int32_t)below(rng, (uint32_t)k + 2);
}

static void rotate(struct ordo_rng *rng, int32_t topk, int32_t *row)
{
    int32_t by = (int32_t)below(rng, (uint32_t)topk), first;

    while (by-- > 0) {
        first = row[0];
        memmove(row, row + 1, (size_t)(topk - 1) * sizeof *row);
        row[topk - 1] = first;
    }
}

static void spoil(struct ordo_rng *rng, const struct ordo_swarm *s, struct ordo_problem *p)
{
    int32_t topk = p->topk;

    for (int32_t q = 0; topk && q < p->n_query; q++) {
        int32_t *row = p->idx + (int64_t)q * topk;

        if (s->rotated)
            rotate(rng, topk, row);
        if (s->dead)
            kill_slots(rng, s, row);
        if (s->duplicates && below(rng, 4) == 0)
            row[below(rng, (uint32_t)topk)] = row[below(rng, (uint32_t)topk)];
        if (p->length)
            p->length[q] = draw_length(rng, s);
    }
}

/* Behind the last id stands room for two queries, so that a reader that runs past it reads ids: the first ones, that
 * it reads the same whatever was drawn before. */
static enum ordo_status reserve(struct ordo_drawer *d, const struct ordo_gen_params *par, struct ordo_err *err)
{
    int64_t n = ((int64_t)par->n_query + 2) * par->topk;

    if (n > d->room_idx) {
        free(d->c.problem.idx);
        d->c.problem.idx = ordo_alloc_zero((uint64_t)n, sizeof *d->c.problem.idx);
        d->room_idx = d->c.problem.idx ? (int32_t)n : 0;
    }
    if (par->n_query + 2 > d->room_length) {
        free(d->length);
        d->length = ordo_alloc_zero((uint64_t)par->n_query + 2, sizeof *d->length);
        d->room_length = d->length ? par->n_query + 2 : 0;
    }
    if (!d->room_length || (n && !d->c.problem.idx))
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "case", "no memory for its ids");
    return ORDO_OK;
}

static void repeat_behind(struct ordo_problem *p)
{
    int64_t n = (int64_t)p->n_query * p->topk;

    for (int64_t i = 0; i < 2 * (int64_t)p->topk; i++)
        p->idx[n + i] = p->idx[i % n];
    for (int32_t q = 0; p->length && q < 2; q++)
        p->length[p->n_query + q] = p->length[q % p->n_query];
}

enum ordo_status ordo_case_draw(struct ordo_drawer *d, const struct ordo_swarm *s, uint64_t seed, uint64_t i,
                                struct ordo_err *err)
{
    struct ordo_rng rng = {ordo_mix(ordo_mix(seed ^ UINT64_C(0x6f72646f)) + i)};
    struct ordo_gen_params par = s->params;
    struct ordo_case *c = &d->c;
    enum ordo_status status = reserve(d, &par, err);

    if (status != ORDO_OK)
        return status;
    par.seed = ordo_rng_next(&rng);
    c->heads = s->heads;
    c->cluster = s->cluster;
    c->wave = s->wave;
    c->rough = s->rough;
    c->value_seed = ordo_rng_next(&rng);
    c->schedule_seed = ordo_rng_next(&rng);
    memcpy(c->design, s->cluster ? "cluster-relay" : "private-shards", sizeof "private-shards" - !!s->cluster);
    c->problem.n_query = par.n_query;
    c->problem.n_kv = par.n_kv;
    c->problem.topk = par.topk;
    c->problem.length = s->length ? d->length : NULL;
    status = ordo_gen_into(&d->space, s->preset, &par, c->problem.idx, err);
    if (status == ORDO_OK && (s->dead || s->length || s->duplicates || s->rotated))
        spoil(&rng, s, &c->problem);
    if (status == ORDO_OK)
        repeat_behind(&c->problem);
    return status;
}

void ordo_drawer_free(struct ordo_drawer *d)
{
    ordo_gen_space_free(&d->space);
    free(d->length);
    free(d->c.problem.idx);
    memset(d, 0, sizeof *d);
}
