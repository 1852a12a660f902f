/* relay_time.c - see relay_time.h. */
#include "sim/relay_time.h"

#include "base/size.h"
#include "protocol/live.h"
#include "sim/census.h"
#include "sim/domain.h"

#include <stdlib.h>

/* What the last CTA of a group left at a row. */
struct last {
    uint32_t group; /* 1 + its number: an older group's mark counts for nothing */
    int32_t rank, depth, writers;
    int64_t end;
};

struct walk {
    const struct ordo_problem *p;
    const struct ordo_domain *domain;
    struct ordo_relay_time *t;
    struct last *last;
    int64_t c, r, edge;
    int32_t tile, depth; /* depth: hand-overs before the CTA's last tile */
    int64_t now;
};

static bool live(const struct walk *w, int32_t query, int32_t clamped, int32_t j)
{
    return ordo_slot_live(ordo_problem_row(w->p, query)[j], w->p->n_kv, j, clamped);
}

/* When the rows of slots [from, to) are free, at least ready. */
static int64_t turn(struct walk *w, int32_t query, int32_t clamped, int32_t from, int32_t to, int64_t ready)
{
    uint32_t group = (uint32_t)(query / w->t->cluster) + 1;

    for (int32_t j = from; j < to; j++) {
        const struct last *l;

        if (!live(w, query, clamped, j))
            continue;
        l = &w->last[ordo_domain_compact(w->domain, ordo_problem_row(w->p, query)[j])];
        if (l->group != group || l->rank == query % w->t->cluster)
            continue;
        ready = l->end + w->edge > ready ? l->end + w->edge : ready;
        w->depth = l->depth + 1 > w->depth ? l->depth + 1 : w->depth;
    }
    return ready;
}

static void leave(struct walk *w, int32_t query, int32_t clamped, int32_t from, int32_t to)
{
    uint32_t group = (uint32_t)(query / w->t->cluster) + 1;
    int32_t rank = query % w->t->cluster;

    for (int32_t j = from; j < to; j++) {
        struct last *l;

        if (!live(w, query, clamped, j))
            continue;
        l = &w->last[ordo_domain_compact(w->domain, ordo_problem_row(w->p, query)[j])];
        if (l->group != group)
            *l = (struct last){.group = group, .rank = -1};
        l->writers += l->rank != rank;
        l->rank = rank;
        l->depth = w->depth;
        l->end = w->now;
        w->t->row_chain = l->writers > w->t->row_chain ? l->writers : w->t->row_chain;
    }
}

/* One CTA; returns its time without waits. */
static int64_t cta(struct walk *w, int32_t query)
{
    int32_t clamped = ordo_clamp_length(ordo_problem_length(w->p, query), w->p->topk);
    int64_t alone = 0;

    w->now = 0;
    w->depth = 0;
    for (int32_t from = 0; from < clamped; from += w->tile) {
        int32_t to = clamped - from < w->tile ? clamped : from + w->tile;
        int64_t ready = w->now + w->c, start = turn(w, query, clamped, from, to, ready);

        w->now = start + w->r;
        leave(w, query, clamped, from, to);
        alone += w->c + w->r;
        w->t->tiles++;
        w->t->waits += start > ready;
        w->t->stall += start - ready;
        w->t->longest = start - ready > w->t->longest ? start - ready : w->t->longest;
        w->t->chain = w->depth > w->t->chain ? w->depth : w->t->chain;
    }
    w->t->busy += alone;
    return alone;
}

static void walk_all(struct walk *w)
{
    for (int32_t first = 0; first < w->p->n_query; first += ORDO_CENSUS_WAVE) {
        int64_t end = 0, alone = 0;

        for (int32_t q = first; q < w->p->n_query && q < first + ORDO_CENSUS_WAVE; q++) {
            int64_t own = cta(w, q);

            alone = own > alone ? own : alone;
            end = w->now > end ? w->now : end;
        }
        w->t->time += end;
        w->t->alone += alone;
        if (w->p->n_query - first <= ORDO_CENSUS_WAVE)
            break; /* the next first may leave 32 bits */
    }
}

static bool in_ticks(const struct ordo_relay_model *m, struct walk *w)
{
    int64_t den = 1;
    __int128 tiles = (__int128)w->p->n_query * (w->p->topk / m->tile + 1);

    if (!ordo_rational_common(m->c, &den) || !ordo_rational_common(m->r, &den) ||
        !ordo_rational_common(m->edge, &den) || __builtin_mul_overflow(m->c.num, den / m->c.den, &w->c) ||
        __builtin_mul_overflow(m->r.num, den / m->r.den, &w->r) ||
        __builtin_mul_overflow(m->edge.num, den / m->edge.den, &w->edge))
        return false;
    w->t->den = den;
    return tiles * ((__int128)w->c + w->r + w->edge) < (__int128)1 << 62;
}

enum ordo_status ordo_relay_time(const struct ordo_problem *p, int32_t cluster, const struct ordo_relay_model *model,
                                 struct ordo_relay_time *t, struct ordo_err *err)
{
    struct ordo_domain domain;
    struct walk w = {.p = p, .domain = &domain, .t = t, .tile = model->tile};
    enum ordo_status status;

    ORDO_BUG_ON(model->tile < 1 || ORDO_CENSUS_WAVE % cluster);
    *t = (struct ordo_relay_time){.cluster = cluster, .den = 1};
    if (!in_ticks(model, &w))
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "times", "with these weights a time may leave 64 bits");
    status = ordo_domain_make(p, &domain, err);
    if (status != ORDO_OK)
        return status;
    w.last = ordo_alloc_zero(domain.n, sizeof *w.last);
    if (w.last)
        walk_all(&w);
    else
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "rows", "no memory");
    free(w.last);
    ordo_domain_free(&domain);
    return status;
}
