/* dense_cover.c - every tile once, every visit once, every rank once; see dense_prove.h. */
#include "sim/dense_prove.h"

#include "base/size.h"

#include <stdlib.h>
#include <string.h>

const char *const ordo_dense_fault_text[ORDO_N_DENSE_FAULTS] = {
#define ORDO_X(id, text) text,
    ORDO_DENSE_FAULTS(ORDO_X)
#undef ORDO_X
};

/* Convicts once: the first fault stays. */
static void convict(struct ordo_dense_conviction *c, enum ordo_dense_fault fault, int32_t head, int32_t kv,
                    int32_t query, int32_t rank, int32_t adds, int32_t other)
{
    if (c->fault == ORDO_DENSE_FAULT_NONE)
        *c = (struct ordo_dense_conviction){fault, {head, kv}, query, rank, adds, other};
}

int64_t *ordo_dense_item_of(const struct ordo_dense *d)
{
    int64_t n = d->schedule->items(d), n_kv = d->launch.mask->n_kv;
    int64_t *item = ordo_alloc((uint64_t)d->launch.heads * (uint64_t)n_kv, sizeof *item);

    for (int64_t i = 0; item && i < d->launch.heads * n_kv; i++)
        item[i] = -1;
    for (int64_t t = 0; item && t < n; t++) {
        struct ordo_dense_tile tile[2];

        for (int i = d->schedule->item(d, t, tile); i-- > 0;)
            item[tile[i].head * n_kv + tile[i].kv] = t;
    }
    return item;
}

/* Each tile of the mask in one item. */
static enum ordo_status check_items(const struct ordo_dense *d, struct ordo_dense_conviction *c, struct ordo_err *err)
{
    const struct ordo_dense_mask *m = d->launch.mask;
    int64_t n = d->schedule->items(d);
    uint8_t *seen = ordo_alloc_zero((uint64_t)d->launch.heads * (uint64_t)m->n_kv, 1);

    if (!seen)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "tiles", "no memory");
    for (int64_t t = 0; t < n; t++) {
        struct ordo_dense_tile tile[2];

        for (int i = d->schedule->item(d, t, tile); i-- > 0;)
            if (seen[(int64_t)tile[i].head * m->n_kv + tile[i].kv]++)
                convict(c, ORDO_DENSE_FAULT_TWO_ITEMS, tile[i].head, tile[i].kv, -1, -1, -1, -1);
    }
    for (int64_t i = 0; i < (int64_t)d->launch.heads * m->n_kv; i++)
        if (!seen[i] && ordo_dense_steps(m, (int32_t)(i % m->n_kv)))
            convict(c, ORDO_DENSE_FAULT_NO_ITEM, (int32_t)(i / m->n_kv), (int32_t)(i % m->n_kv), -1, -1, -1, -1);
    free(seen);
    return ORDO_OK;
}

/* Each visit of a head once.  seen: n_q bytes. */
static void check_visits(const struct ordo_dense *d, int32_t head, uint8_t *seen, struct ordo_dense_conviction *c)
{
    const struct ordo_dense_mask *m = d->launch.mask;

    for (int32_t kv = 0; kv < m->n_kv && c->fault == ORDO_DENSE_FAULT_NONE; kv++) {
        memset(seen, 0, (size_t)m->n_q);
        for (int32_t step = 0; step < ordo_dense_steps(m, kv); step++) {
            int32_t q = d->schedule->query(d, head, kv, step);

            if (q < 0 || q >= m->n_q)
                convict(c, ORDO_DENSE_FAULT_QUERY_RANGE, head, kv, q, -1, -1, -1);
            else if (!ordo_dense_sees(m, q, kv))
                convict(c, ORDO_DENSE_FAULT_QUERY_MASKED, head, kv, q, -1, -1, -1);
            else if (seen[q]++)
                convict(c, ORDO_DENSE_FAULT_QUERY_TWICE, head, kv, q, -1, -1, -1);
        }
    }
}

/* Each rank of a head's rows once.  who: n_kv values. */
static void check_ranks(const struct ordo_dense *d, int32_t head, int32_t *who, struct ordo_dense_conviction *c)
{
    const struct ordo_dense_mask *m = d->launch.mask;

    for (int32_t q = 0; q < m->n_q && c->fault == ORDO_DENSE_FAULT_NONE; q++) {
        int32_t adds = ordo_dense_adds(m, q);

        for (int32_t i = 0; i < adds; i++)
            who[i] = -1;
        for (int32_t kv = 0; kv < m->n_kv; kv++) {
            int32_t rank;

            if (!ordo_dense_sees(m, q, kv))
                continue;
            rank = d->schedule->rank(d, head, q, kv);
            if (rank < 0 || rank >= adds)
                convict(c, ORDO_DENSE_FAULT_RANK_RANGE, head, kv, q, rank, adds, -1);
            else if (who[rank] >= 0)
                convict(c, ORDO_DENSE_FAULT_RANK_TWICE, head, kv, q, rank, adds, who[rank]);
            else
                who[rank] = kv;
        }
    }
}

enum ordo_status ordo_dense_check_cover(const struct ordo_dense *d, struct ordo_dense_conviction *c,
                                        struct ordo_err *err)
{
    const struct ordo_dense_mask *m = d->launch.mask;
    uint8_t *seen = ordo_alloc((uint64_t)m->n_q, 1);
    int32_t *who = ordo_alloc((uint64_t)m->n_kv, sizeof *who);
    enum ordo_status status = ORDO_OK;

    *c = (struct ordo_dense_conviction){ORDO_DENSE_FAULT_NONE, {0, 0}, -1, -1, -1, -1};
    if (seen && who)
        status = check_items(d, c, err);
    else
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "rows", "no memory");
    for (int32_t head = 0; head < d->launch.heads && status == ORDO_OK && c->fault == ORDO_DENSE_FAULT_NONE; head++) {
        check_visits(d, head, seen, c);
        check_ranks(d, head, who, c);
    }
    free(seen);
    free(who);
    return status;
}
