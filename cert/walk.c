/* walk.c - the plan walked on the tensor: masks built, every update made in the certificate's order, each step checked;
 * then the digests of what was accepted.
 *
 * A group is what shares a plane and a launch.  A CTA takes its slots tile by tile: waits for all its rows, adds to all,
 * clears all.  Only rows that a live slot names are kept. */
#include "base/size.h"
#include "cert/cert.h"
#include "protocol/index.h"

#include <stdlib.h>

/* In the group: the bits still set, 1 + the rank that added last.  next: where the row's next leaf goes. */
struct row {
    uint16_t bits, last;
    uint32_t next;
};
struct lane {
    const int32_t *idx;
    int32_t at, clamped, rank, n, n_added; /* of the open tile's n rows */
    int32_t id[ORDO_TILE];
    struct row *row[ORDO_TILE];
    uint32_t leaf;
};
struct walk {
    const struct ordo_cert_plan *plan;
    const struct ordo_problem *p;
    struct ordo_cert_verdict *v;
    uint64_t *live, n_word, n_leaf; /* live: one bit a KV row */
    uint32_t *before, *leaf, n_row; /* before: live rows before each word of it */
    struct row *row;
    const uint8_t *event, *end;
    int64_t n_bits;
};

static inline struct row *row_of(const struct walk *w, int32_t id)
{
    uint64_t below = w->live[id >> 6] & ((UINT64_C(1) << (id & 63)) - 1);

    return &w->row[w->before[id >> 6] + (uint32_t)__builtin_popcountll(below)];
}

#define FOR_LIVE(p, q, idx, j)                                                                                       \
    for (int32_t j = 0, n_ = ordo_clamp_length(ordo_problem_length(p, q), (p)->topk); j < n_; j++)                   \
        if (ordo_slot_live((idx)[j], (p)->n_kv, j, n_))

static bool refuse(struct walk *w, enum ordo_cert_refusal why, const struct lane *l, int64_t row)
{
    return ordo_cert_refuse(w->v, why, "query %d, row %lld", (int)(l->leaf / (uint32_t)w->plan->head_blocks),
                            (long long)row);
}

/* The lane's next tile that has a live slot, once no lower rank has a bit there.  False: there is none, or refused. */
static bool open_tile(struct walk *w, struct lane *l)
{
    for (l->n = l->n_added = 0; l->n == 0 && l->at < l->clamped;)
        for (int32_t end = l->at + ORDO_TILE < l->clamped ? l->at + ORDO_TILE : l->clamped; l->at < end; l->at++)
            if (ordo_slot_live(l->idx[l->at], w->p->n_kv, l->at, l->clamped)) {
                l->row[l->n] = row_of(w, l->idx[l->at]);
                l->id[l->n++] = l->idx[l->at];
            }
    for (int32_t i = 0; i < l->n; i++) {
        __builtin_prefetch(&w->leaf[l->row[i]->next], 1);
        if (l->row[i]->bits & ((1u << l->rank) - 1))
            return refuse(w, ORDO_CERT_LOWER_BITS, l, l->id[i]);
    }
    return l->n > 0;
}

/* Adds to the open tile's next row; the last one clears all. */
static bool add(struct walk *w, struct lane *l)
{
    struct row *r = l->row[l->n_added];

    if (!(r->bits >> l->rank & 1))
        return refuse(w, ORDO_CERT_OWN_BIT, l, l->id[l->n_added]);
    if (r->last > l->rank)
        return refuse(w, ORDO_CERT_RANKS, l, l->id[l->n_added]);
    w->v->waits += r->last != 0;
    w->v->updates++;
    r->last = (uint16_t)(l->rank + 1);
    w->leaf[r->next++] = l->leaf;
    for (int32_t i = 0, n = ++l->n_added == l->n ? l->n : 0; i < n; i++, w->n_bits--)
        l->row[i]->bits &= (uint16_t)~(1u << l->rank);
    return true;
}

static bool varint(struct walk *w, uint64_t *x)
{
    *x = 0;
    for (int shift = 0; w->event < w->end && shift < 35; shift += 7) {
        *x |= (uint64_t)(*w->event & 127) << shift;
        if (!(*w->event++ & 128))
            return true;
    }
    return ordo_cert_refuse(w->v, ORDO_CERT_PAYLOAD, "after %llu updates", (unsigned long long)w->v->updates);
}

static bool replay(struct walk *w, struct lane *lane, int32_t n)
{
    uint64_t step, id;
    int64_t rank = 0;

    while (w->n_bits > 0) {
        if (!varint(w, &step) || !varint(w, &id))
            return false;
        rank += (int64_t)(step >> 1) ^ -(int64_t)(step & 1);
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

/* protocol/index.h places a query where the plan does. */
static bool maps_hold(const struct ordo_cert_plan *plan, int32_t q, int32_t wave, int32_t plane, int32_t rank)
{
    int32_t lane = ordo_lane_of(q, plan->wave);

    return ordo_lane_wave(q, plan->wave) == wave && ordo_lane_plane(lane, plan->cluster) == plane &&
           ordo_lane_rank(lane, plan->cluster) == rank &&
           ordo_lane_query(wave, plan->wave, plane, plan->cluster, rank, plan->q) == q;
}

static bool group(struct walk *w, int32_t plane, int32_t wave, int32_t block)
{
    const struct ordo_cert_plan *plan = w->plan;
    struct lane lane[16];
    int64_t first = (int64_t)wave * plan->wave + (int64_t)plane * plan->cluster;
    int32_t n = 0;

    for (; n < plan->cluster && first + n < plan->q; n++) {
        int32_t q = (int32_t)first + n;
        struct lane *l = &lane[n];

        l->idx = ordo_problem_row(w->p, q), l->rank = n, l->at = l->n = l->n_added = 0;
        l->clamped = ordo_clamp_length(ordo_problem_length(w->p, q), w->p->topk);
        l->leaf = (uint32_t)q * (uint32_t)plan->head_blocks + (uint32_t)block;
        if (!maps_hold(plan, q, wave, plane, n))
            return refuse(w, ORDO_CERT_INDEX_MAP, l, -1);
        FOR_LIVE(w->p, q, l->idx, j) {
            struct row *r = row_of(w, l->idx[j]);

            if (r->bits >> n & 1)
                return refuse(w, ORDO_CERT_DUPLICATE, l, l->idx[j]);
            r->last = r->bits ? r->last : 0;
            r->bits |= (uint16_t)(1u << n);
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

/* The query's plane and wave in one number. */
static inline uint64_t place(const struct walk *w, uint32_t leaf)
{
    uint32_t blocks = (uint32_t)w->plan->head_blocks, q = blocks == 1 ? leaf : leaf / blocks;
    uint32_t wave = q / (uint32_t)w->plan->wave, lane = q - wave * (uint32_t)w->plan->wave;

    return (uint64_t)(lane / (uint32_t)w->plan->cluster) << 32 | wave;
}

/* Row after row; a row's leaves are by plane, in it by wave, head block and rank. */
static bool digest(struct walk *w, struct ordo_hasher *mask, struct ordo_hasher *order)
{
    uint32_t at = 0, c = (uint32_t)w->plan->cluster, blocks = (uint32_t)w->plan->head_blocks, set = 0;
    const struct row *row = w->row;

    for (uint64_t i = 0; i < w->n_word; i++)
        for (uint64_t bits = w->live[i]; bits; bits &= bits - 1, row++) {
            uint32_t id = (uint32_t)(i * 64 + (uint64_t)__builtin_ctzll(bits));
            uint64_t here = place(w, w->leaf[at]), before = UINT64_MAX, next = 0;

            if (c > 1 && ordo_mask_word(id, (int32_t)c) * 32 + ordo_mask_shift(id, (int32_t)c) != (int64_t)id * c)
                return ordo_cert_refuse(w->v, ORDO_CERT_INDEX_MAP, "mask word of row %u", id);
            ordo_hasher_u32(order, 0xFFFFFFFE), ordo_hasher_u32(order, id);
            ordo_hasher_u32(mask, 0xFFFFFFFE), ordo_hasher_u32(mask, id);
            for (; at < row->next; at++, before = here, here = next) {
                next = at + 1 < row->next ? place(w, w->leaf[at + 1]) : UINT64_MAX;
                if (here >> 32 != before >> 32)
                    ordo_hasher_u32(order, 0xFFFFFFFF), ordo_hasher_u32(order, (uint32_t)(here >> 32));
                ordo_hasher_u32(order, w->leaf[at]);
                set |= 1u << w->leaf[at] / blocks % c;
                if (next != here) {
                    ordo_hasher_u32(mask, (uint32_t)here), ordo_hasher_u32(mask, (uint32_t)(here >> 32) << 16 | set);
                    set = 0;
                }
            }
        }
    return true;
}

/* Numbers the live rows and leaves room for the leaves of each. */
static bool number_rows(struct walk *w)
{
    w->n_word = ordo_div_up((uint64_t)w->p->n_kv, 64);
    w->live = ordo_alloc_zero(w->n_word, sizeof *w->live);
    w->before = ordo_alloc(w->n_word, sizeof *w->before);
    for (int pass = 0; pass < 2 && w->live && w->before; pass++) {
        for (int32_t q = 0; w->p->topk && q < w->p->n_query; q++)
            FOR_LIVE(w->p, q, ordo_problem_row(w->p, q), j) {
                int32_t id = ordo_problem_row(w->p, q)[j];

                if (pass == 0)
                    w->live[id >> 6] |= UINT64_C(1) << (id & 63), w->n_leaf += (uint64_t)w->plan->head_blocks;
                else
                    row_of(w, id)->next += (uint32_t)w->plan->head_blocks;
            }
        for (uint64_t i = 0; pass == 0 && i < w->n_word; w->n_row += (uint32_t)__builtin_popcountll(w->live[i++]))
            w->before[i] = w->n_row;
        if (pass == 0 && !(w->row = ordo_alloc_zero((uint64_t)w->n_row + 1, sizeof *w->row)))
            break;
    }
    for (uint32_t i = 0, sum = 0, n = 0; w->row && i < w->n_row; i++, sum += n) {
        n = w->row[i].next;
        w->row[i].next = sum;
    }
    w->leaf = w->n_leaf < UINT32_MAX ? ordo_alloc(w->n_leaf + 1, sizeof *w->leaf) : NULL;
    return w->row && w->leaf ? true : ordo_cert_refuse(w->v, ORDO_CERT_NO_MEMORY, "rows");
}

bool ordo_cert_walk(const struct ordo_cert_plan *plan, const struct ordo_problem *p, const uint8_t *event, size_t n_event,
                    struct ordo_digest *mask, struct ordo_digest *order, struct ordo_cert_verdict *v)
{
    struct walk w = {.plan = plan, .p = p, .v = v, .event = event, .end = event ? event + n_event : NULL};
    struct ordo_hasher of_mask, of_order;
    bool holds = number_rows(&w);

    for (int32_t plane = 0; p->topk && plane < plan->planes; plane++)
        for (int64_t launch = 0; holds && launch < (int64_t)plan->waves * plan->head_blocks; launch++)
            holds = group(&w, plane, (int32_t)(launch / plan->head_blocks), (int32_t)(launch % plan->head_blocks));
    if (holds && w.event != w.end)
        holds = ordo_cert_refuse(v, ORDO_CERT_PAYLOAD, "bytes behind the last event");
    v->rows = w.n_row;
    ordo_hasher_init(&of_mask);
    ordo_hasher_init(&of_order);
    ordo_hasher_u32(&of_mask, (uint32_t)plan->cluster);
    ordo_hasher_u32(&of_order, (uint32_t)plan->planes);
    ordo_hasher_u32(&of_order, ORDO_FOLD_GROUP);
    holds = holds && digest(&w, &of_mask, &of_order);
    *mask = ordo_hasher_done(&of_mask);
    *order = ordo_hasher_done(&of_order);
    free(w.live);
    free(w.before);
    free(w.row);
    free(w.leaf);
    return holds;
}
