/* dense_hang.c - see dense_hang.h. */
#include "sim/dense_hang.h"

const char *const ordo_dense_turn_text[ORDO_N_DENSE_TURNS] = {
#define ORDO_X(id, text) text,
    ORDO_DENSE_TURNS(ORDO_X)
#undef ORDO_X
};

/* The KV tile with that rank, or -1. */
static int32_t kv_of(const struct ordo_dense *d, int32_t head, int32_t query, int32_t rank)
{
    const struct ordo_dense_mask *m = d->launch.mask;

    for (int32_t kv = 0; kv < m->n_kv; kv++)
        if (ordo_dense_sees(m, query, kv) && d->schedule->rank(d, head, query, kv) == rank)
            return kv;
    return -1;
}

/* The CTA that has the tile, or -1. */
static int64_t cta_of(const struct ordo_dense *d, int64_t grid, struct ordo_dense_tile tile)
{
    int64_t n = d->schedule->items(d);

    for (int64_t item = 0; item < n; item++) {
        struct ordo_dense_tile of[2];

        for (int i = d->schedule->item(d, item, of); i-- > 0;)
            if (of[i].head == tile.head && of[i].kv == tile.kv)
                return item % grid;
    }
    return -1;
}

static const struct ordo_dense_blocked *blocked_of(const struct ordo_dense_time *t, int64_t cta)
{
    for (int32_t i = 0; i < t->n_blocked; i++)
        if (t->blocked[i].cta == cta)
            return &t->blocked[i];
    return NULL;
}

static struct ordo_dense_hang one(const struct ordo_dense *d, int64_t grid, const struct ordo_dense_time *t,
                                  const struct ordo_dense_blocked *who)
{
    struct ordo_dense_hang h = {.who = *who, .turn = ORDO_DENSE_TURN_NOBODY, .turn_cta = -1};
    struct ordo_dense_tile tile = {who->tile.head, kv_of(d, who->tile.head, who->query, who->next)};
    const struct ordo_dense_blocked *next;

    h.turn_kv = tile.kv;
    if (tile.kv >= 0)
        h.turn_cta = cta_of(d, grid, tile);
    if (h.turn_cta < 0)
        return h;
    next = blocked_of(t, h.turn_cta);
    if (h.turn_cta >= t->started)
        h.turn = ORDO_DENSE_TURN_UNSTARTED;
    else if (next)
        h.turn = next->tile.head == tile.head && next->tile.kv == tile.kv ? ORDO_DENSE_TURN_WAITS
                                                                        : ORDO_DENSE_TURN_LATER;
    return h; /* a CTA that has ended gave its turns up with other ranks: nobody's */
}

int ordo_dense_hang(const struct ordo_dense *d, const struct ordo_dense_model *model,
                    const struct ordo_dense_time *t, struct ordo_dense_hang *list, int most, int *back)
{
    int64_t grid = model->grid ? model->grid : d->schedule->items(d);
    const struct ordo_dense_blocked *who = t->n_blocked ? &t->blocked[0] : NULL;
    int n = 0;

    *back = -1;
    while (who && n < most) {
        for (int i = 0; i < n; i++)
            if (list[i].who.cta == who->cta) {
                *back = i;
                return n;
            }
        list[n] = one(d, grid, t, who);
        who = list[n].turn <= ORDO_DENSE_TURN_LATER ? blocked_of(t, list[n].turn_cta) : NULL;
        n++;
    }
    return n;
}
