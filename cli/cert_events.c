/* cert_events.c - a random schedule of each group, update by update: a certificate's payload if it is not rank-major.
 *
 * A CTA takes its slots tile by tile: it may begin a tile once no lower rank has a bit of any of its rows, adds row
 * after row while others run, and clears its bits after the last. */
#include "base/rng.h"
#include "base/size.h"
#include "base/varint.h"
#include "cli/cert_write.h"
#include "protocol/index.h"
#include "sim/design.h"
#include "sim/domain.h"

#include <stdlib.h>

struct cta {
    int32_t *row; /* its live rows, in the order of the slots */
    int32_t *end; /* of each, one past the last row of its tile */
    int32_t n, at, from; /* from: where the open tile began; none is open if at = end of the row before */
};

struct events {
    const struct ordo_plan *plan;
    const struct ordo_problem *p;
    struct ordo_domain domain;
    struct ordo_rng rng;
    uint16_t *bits; /* of each compact row */
    struct cta cta[ORDO_MAX_CLUSTER];
    struct ordo_cert_bytes *bytes;
};

static bool put(struct ordo_cert_bytes *b, uint64_t x)
{
    if (b->room - b->n < ORDO_VARINT_MOST) {
        uint64_t room = 2 * b->room + 4096;
        uint8_t *more = realloc(b->at, room);

        if (!more)
            return false;
        b->at = more;
        b->room = room;
    }
    b->n += (uint64_t)ordo_varint_put(x, b->at + b->n);
    return true;
}

static uint16_t *bits_of(const struct events *e, int32_t row)
{
    return &e->bits[ordo_domain_compact(&e->domain, row)];
}

static void gather(struct events *e, struct cta *c, int32_t query, int rank)
{
    const int32_t *idx = ordo_problem_row(e->p, query);
    int32_t clamped = ordo_clamp_length(ordo_problem_length(e->p, query), e->p->topk), first = 0;

    c->n = c->at = c->from = 0;
    for (int32_t j = 0; j < clamped; j++) {
        if (ordo_slot_live(idx[j], e->p->n_kv, j, clamped)) {
            *bits_of(e, idx[j]) |= (uint16_t)(1u << rank);
            c->row[c->n++] = idx[j];
        }
        if (j + 1 == clamped || (j + 1) % ORDO_TILE == 0)
            for (; first < c->n; first++)
                c->end[first] = c->n;
    }
}

static bool may_step(const struct events *e, const struct cta *c, int rank)
{
    if (c->at == c->n)
        return false;
    if (c->at > c->from)
        return true;
    for (int32_t i = c->at; i < c->end[c->at]; i++)
        if (*bits_of(e, c->row[i]) & ((1u << rank) - 1))
            return false;
    return true;
}

static bool step(struct events *e, struct cta *c, int rank, int last_rank)
{
    int32_t end = c->end[c->at];

    if (!put(e->bytes, ordo_zigzag(rank - last_rank)) || !put(e->bytes, (uint64_t)c->row[c->at]))
        return false;
    if (++c->at == end) {
        for (int32_t i = c->from; i < c->at; i++)
            *bits_of(e, c->row[i]) &= (uint16_t)~(1u << rank);
        c->from = c->at;
    }
    return true;
}

static int group(void *ctx, const struct ordo_worker *worker, int n)
{
    struct events *e = ctx;
    int last = 0;

    for (int i = 0; i < n; i++)
        gather(e, &e->cta[i], worker[i].query, i);
    for (;;) {
        int rank = (int)ordo_rng_below(&e->rng, (uint64_t)n), tried = 0;

        while (tried < n && !may_step(e, &e->cta[rank], rank)) {
            rank = (rank + 1) % n;
            tried++;
        }
        if (tried == n)
            return 0; /* rank 0 never waits, so all are at their end */
        if (!step(e, &e->cta[rank], rank, last))
            return 1;
        last = rank;
    }
}

enum ordo_status ordo_cert_events(const struct ordo_plan *plan, const struct ordo_problem *p, uint64_t seed,
                                  struct ordo_cert_bytes *bytes, struct ordo_err *err)
{
    struct events e = {.plan = plan, .p = p, .bytes = bytes, .rng = {seed}};
    const struct ordo_visitor visitor = {group, &e};
    enum ordo_status status = ordo_domain_make(p, &e.domain, err);
    bool there = true;

    e.bits = ordo_alloc_zero(e.domain.n, sizeof *e.bits);
    for (int i = 0; i < ORDO_MAX_CLUSTER; i++) {
        e.cta[i].row = ordo_alloc((uint64_t)p->topk, sizeof *e.cta[i].row);
        e.cta[i].end = ordo_alloc((uint64_t)p->topk, sizeof *e.cta[i].end);
        there = there && e.cta[i].row && e.cta[i].end;
    }
    for (int32_t plane = 0; status == ORDO_OK && there && e.bits && p->topk && plane < plan->planes; plane++)
        there = plan->design->walk(plan, plane, &visitor) == 0;
    if (status == ORDO_OK && (!there || !e.bits))
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "--cert", "no memory for its events");
    for (int i = 0; i < ORDO_MAX_CLUSTER; i++) {
        free(e.cta[i].row);
        free(e.cta[i].end);
    }
    free(e.bits);
    ordo_domain_free(&e.domain);
    return status;
}
