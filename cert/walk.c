/* walk.c - the plan walked on the tensor: masks built, every update made in the certificate's order, each step
 * checked; then the digests of what was accepted.  A group is what shares a plane and a launch.  A CTA takes its
 * slots tile by tile: waits for all its rows, adds to all, clears all. */
#include "base/size.h"
#include "base/varint.h"
#include "cert/cert.h"
#include "corpus/live_rows.h"
#include "protocol/index.h"

#include <stdlib.h>

/* Who added last, as 16 * group + rank + 1, and where the row's next leaf goes. */
struct row {
    uint64_t last;
    uint32_t next;
};
struct place {
    uint32_t plane, group, own; /* group: plane * waves + wave; own: its bit */
};
struct lane {
    const int32_t *idx;
    int32_t at, clamped, rank, n, n_added; /* of the open tile's n rows */
    int32_t id[ORDO_TILE];
    uint32_t leaf, row[ORDO_TILE];
};
struct walk {
    const struct ordo_cert_plan *plan;
    const struct ordo_problem *p;
    struct ordo_cert_verdict *v;
    struct ordo_live_rows rows;
    uint32_t *leaf; /* of row after row */
    struct row *row;
    uint16_t *bits;      /* of each row: those still set in the group */
    struct place *place; /* of each query */
    const uint8_t *event, *end;
    int64_t n_bits;
    uint64_t group; /* numbered from 1 */
};

static bool refuse(struct walk *w, enum ordo_cert_refusal why, const struct lane *l, int64_t row)
{
    return ordo_cert_refuse(w->v, why, "query %d, row %lld", (int)(l->leaf / (uint32_t)w->plan->head_blocks),
                            (long long)row);
}

/* The lane's next tile with a live slot, once no lower rank has a bit there.  False: there is none, or refused. */
static bool open_tile(struct walk *w, struct lane *l)
{
    int32_t n = 0, at = l->at, end = at;

    while (n == 0 && at < l->clamped)
        for (end = end + ORDO_TILE < l->clamped ? end + ORDO_TILE : l->clamped; at < end; at++)
            if (ordo_slot_live(l->idx[at], w->p->n_kv, at, l->clamped)) {
                l->row[n] = ordo_live_rows_number(&w->rows, l->idx[at]);
                __builtin_prefetch(&w->row[l->row[n]], 1);
                l->id[n++] = l->idx[at];
            }
    l->at = at, l->n = n, l->n_added = 0;
    for (int32_t i = 0; i < n; i++) {
        __builtin_prefetch(&w->leaf[w->row[l->row[i]].next], 1);
        if (w->bits[l->row[i]] & ((1u << l->rank) - 1))
            return refuse(w, ORDO_CERT_LOWER_BITS, l, l->id[i]);
    }
    return n > 0;
}

/* Adds to the open tile's next row; the last one clears all. */
static bool add(struct walk *w, struct lane *l)
{
    struct row *r = &w->row[l->row[l->n_added]];
    uint64_t key = w->group * 16 + (uint64_t)l->rank + 1;

    if (!(w->bits[l->row[l->n_added]] >> l->rank & 1))
        return refuse(w, ORDO_CERT_OWN_BIT, l, l->id[l->n_added]);
    if (r->last >= key)
        return refuse(w, ORDO_CERT_RANKS, l, l->id[l->n_added]);
    w->v->waits += r->last > w->group * 16;
    w->v->updates++;
    r->last = key;
    w->leaf[r->next++] = l->leaf;
    for (int32_t i = 0, n = ++l->n_added == l->n ? l->n : 0; i < n; i++, w->n_bits--)
        w->bits[l->row[i]] &= (uint16_t)~(1u << l->rank);
    return true;
}

static bool replay(struct walk *w, struct lane *lane, int32_t n)
{
    uint64_t step, id;
    int64_t rank = 0;

    while (w->n_bits > 0) {
        if (!ordo_varint_get(&w->event, w->end, &step) || !ordo_varint_get(&w->event, w->end, &id))
            return ordo_cert_refuse(w->v, ORDO_CERT_PAYLOAD, "after %llu updates", (unsigned long long)w->v->updates);
        rank += ordo_unzigzag(step);
        if (rank < 0 || rank >= n)
            return ordo_cert_refuse(w->v, ORDO_CERT_NOT_NEXT, "rank %lld", (long long)rank);
        if (lane[rank].n_added == lane[rank].n)
            (void)open_tile(w, &lane[rank]);
        if (lane[rank].n == 0 || (uint64_t)lane[rank].id[lane[rank].n_added] != id)
            return refuse(w, ORDO_CERT_NOT_NEXT, &lane[rank], (int64_t)id);
        if (w->v->why != ORDO_CERT_NONE || !add(w, &lane[rank]))
            return false;
    }
    return true;
}

static bool group(struct walk *w, int32_t plane, int32_t wave, int32_t block)
{
    const struct ordo_cert_plan *plan = w->plan;
    int64_t first = (int64_t)wave * plan->wave + (int64_t)plane * plan->cluster;
    int32_t n = 0, width = plan->wave, c = plan->cluster;
    struct lane lane[16];

    w->group++;
    for (; n < c && first + n < plan->q; n++) {
        int32_t q = (int32_t)first + n, at = ordo_lane_of(q, width);
        struct lane *l = &lane[n];

        l->idx = ordo_problem_row(w->p, q), l->rank = n, l->at = l->n = l->n_added = 0;
        l->clamped = ordo_clamp_length(ordo_problem_length(w->p, q), w->p->topk);
        l->leaf = (uint32_t)q * (uint32_t)plan->head_blocks + (uint32_t)block;
        if (ordo_lane_wave(q, width) != wave || ordo_lane_plane(at, c) != plane || ordo_lane_rank(at, c) != n ||
            ordo_lane_query(wave, width, plane, c, n, plan->q) != q)
            return refuse(w, ORDO_CERT_INDEX_MAP, l, -1);
        w->place[q] = (struct place){(uint32_t)plane, (uint32_t)((int64_t)plane * plan->waves + wave), 1u << n};
        ORDO_FOR_LIVE(w->p, q, l->idx, j) {
            uint16_t *bits = &w->bits[ordo_live_rows_number(&w->rows, l->idx[j])];

            if (*bits >> n & 1)
                return refuse(w, ORDO_CERT_DUPLICATE, l, l->idx[j]);
            *bits |= (uint16_t)(1u << n);
            w->n_bits++;
        }
    }
    if (w->event && !replay(w, lane, n))
        return false;
    for (int32_t i = 0; i < n && !w->event; i++)
        while (open_tile(w, &lane[i]))
            while (lane[i].n_added < lane[i].n)
                if (!add(w, &lane[i]))
                    return false;
    return w->n_bits ? ordo_cert_refuse(w->v, ORDO_CERT_RESIDUAL, "plane %d, wave %d", (int)plane, (int)wave) : true;
}

static struct place place_of(const struct walk *w, uint32_t leaf)
{
    return w->place[w->plan->head_blocks == 1 ? leaf : leaf / (uint32_t)w->plan->head_blocks];
}

/* The digests, row after row; a row's leaves are by plane, in it by wave, head block and rank. */
static bool digest(struct walk *w, struct ordo_digest *of_mask, struct ordo_digest *of_order)
{
    const struct place none = {UINT32_MAX, UINT32_MAX, 0};
    int32_t c = w->plan->cluster;
    bool wide = (int64_t)w->plan->planes * w->plan->waves > 0xFFFF;
    struct ordo_hasher mask, order;

    ordo_hasher_init(&mask), ordo_hasher_init(&order);
    ordo_hasher_u32(&mask, (uint32_t)c), ordo_hasher_u32(&order, (uint32_t)w->plan->planes);
    ordo_hasher_u32(&order, ORDO_FOLD_GROUP);
    for (uint32_t i = 0, at = 0; i < w->rows.n; i++) {
        uint32_t id = w->rows.row ? w->rows.row[i] : i, end = w->row[i].next, plane = UINT32_MAX, set = 0;
        struct place here = at < end ? place_of(w, w->leaf[at]) : none, next;

        if (at == end)
            continue;
        w->v->rows++;
        if (c > 1 && ordo_mask_word(id, c) * 32 + ordo_mask_shift(id, c) != (int64_t)id * c)
            return ordo_cert_refuse(w->v, ORDO_CERT_INDEX_MAP, "mask word of row %u", id);
        ordo_hasher_u32(&order, 0xFFFFFFFE), ordo_hasher_u32(&order, id);
        ordo_hasher_u32(&mask, 0xFFFFFFFE), ordo_hasher_u32(&mask, id);
        for (; at < end; here = next) {
            if (here.plane != plane)
                ordo_hasher_u32(&order, 0xFFFFFFFF), ordo_hasher_u32(&order, plane = here.plane);
            ordo_hasher_u32(&order, w->leaf[at]);
            set |= here.own;
            next = ++at < end ? place_of(w, w->leaf[at]) : none;
            if (next.group == here.group)
                continue;
            if (wide)
                ordo_hasher_u32(&mask, here.group);
            ordo_hasher_u32(&mask, wide ? set : here.group << 16 | set);
            set = 0;
        }
    }
    *of_mask = ordo_hasher_done(&mask);
    *of_order = ordo_hasher_done(&order);
    return true;
}

/* Leaves room for the leaves of each row. */
static bool make_room(struct walk *w)
{
    bool rows = ordo_live_rows_make(w->p, &w->rows, NULL) == ORDO_OK;
    uint32_t *start = rows ? ordo_live_rows_starts(w->p, &w->rows, (uint32_t)w->plan->head_blocks) : NULL;

    w->row = ordo_alloc(w->rows.n, sizeof *w->row);
    w->bits = ordo_alloc_zero(w->rows.n, sizeof *w->bits);
    w->place = ordo_alloc((uint64_t)w->p->n_query, sizeof *w->place);
    w->leaf = start ? ordo_alloc((uint64_t)start[w->rows.n] + 1, sizeof *w->leaf) : NULL;
    for (uint32_t i = 0; start && w->row && i < w->rows.n; i++)
        w->row[i] = (struct row){0, start[i]};
    free(start);
    return w->row && w->bits && w->place && w->leaf ? true : ordo_cert_refuse(w->v, ORDO_CERT_NO_MEMORY, "rows");
}

bool ordo_cert_walk(const struct ordo_cert_plan *plan, const struct ordo_problem *p, const uint8_t *event,
                    size_t n_event, struct ordo_digest *mask, struct ordo_digest *order, struct ordo_cert_verdict *v)
{
    struct walk w = {.plan = plan, .p = p, .v = v, .event = event, .end = event ? event + n_event : NULL};
    bool holds = make_room(&w);

    for (int32_t plane = 0; p->topk && plane < plan->planes; plane++)
        for (int64_t launch = 0; holds && launch < (int64_t)plan->waves * plan->head_blocks; launch++)
            holds = group(&w, plane, (int32_t)(launch / plan->head_blocks), (int32_t)(launch % plan->head_blocks));
    if (holds && w.event != w.end)
        holds = ordo_cert_refuse(v, ORDO_CERT_PAYLOAD, "bytes behind the last event");
    holds = holds && digest(&w, mask, order);
    free(w.row), free(w.bits), free(w.place), free(w.leaf);
    ordo_live_rows_free(&w.rows);
    return holds;
}
