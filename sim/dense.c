/* dense.c - see dense.h: the table of schedules, and the closed forms that several of them share. */
#include "sim/dense_impl.h"

#include "base/size.h"

#include <stdlib.h>
#include <string.h>

const struct ordo_dense_schedule *const ordo_dense_schedules[] = {
    &ordo_dense_ascending,
    &ordo_dense_descending,
    &ordo_dense_descending_pair,
    &ordo_dense_shift,
    &ordo_dense_symmetric,
    &ordo_dense_symmetric_text,
    &ordo_dense_spt,
    &ordo_dense_alternating,
    &ordo_dense_general,
    NULL,
};

const struct ordo_dense_schedule *ordo_dense_find(const char *name)
{
    for (int i = 0; ordo_dense_schedules[i]; i++)
        if (strcmp(ordo_dense_schedules[i]->name, name) == 0)
            return ordo_dense_schedules[i];
    return NULL;
}

enum ordo_status ordo_dense_make(const struct ordo_dense_schedule *schedule, const struct ordo_dense_launch *launch,
                                 bool checked, struct ordo_dense *d, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;

    *d = (struct ordo_dense){.schedule = schedule, .launch = *launch};
    if (launch->heads < 1 || launch->sms < 1 || launch->section < 0 || launch->c < 0 || launch->r < 0)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "launch", "heads and SMs must be positive, weights not negative");
    d->section = launch->section > 1 ? launch->section : 1;
    d->section = d->section < launch->heads ? d->section : launch->heads;
    if (d->launch.c == 0 && d->launch.r == 0)
        d->launch.c = 3, d->launch.r = 1;
    if (checked && schedule->fits)
        status = schedule->fits(d, err);
    return status == ORDO_OK && schedule->prepare ? schedule->prepare(d, err) : status;
}

void ordo_dense_free(struct ordo_dense *d)
{
    free(d->query_table);
    free(d->rank_table);
    free(d->place_table);
    *d = (struct ordo_dense){.schedule = NULL};
}

int32_t ordo_dense_order(const struct ordo_dense *d, int32_t head, int32_t query, int32_t *kv)
{
    const struct ordo_dense_mask *m = d->launch.mask;
    int32_t n = ordo_dense_adds(m, query), placed = 0;

    for (int32_t i = 0; i < n; i++)
        kv[i] = -1;
    for (int32_t k = 0; k < m->n_kv; k++) {
        int32_t rank;

        if (!ordo_dense_sees(m, query, k))
            continue;
        rank = d->schedule->rank(d, head, query, k);
        if (rank < 0 || rank >= n || kv[rank] >= 0)
            return -1;
        kv[rank] = k;
        placed++;
    }
    ORDO_BUG_ON(placed != n);
    return n;
}

/* --- shared closed forms ---------------------------------------------------------------------------------------- */

int64_t ordo_dense_tile_items(const struct ordo_dense *d)
{
    return (int64_t)d->launch.heads * d->launch.mask->n_kv;
}

int ordo_dense_tile_item(const struct ordo_dense *d, int64_t item, struct ordo_dense_tile tile[2])
{
    tile[0] = ordo_dense_place(d, item);
    return 1;
}

int64_t ordo_dense_pair_items(const struct ordo_dense *d)
{
    return ((int64_t)d->launch.heads + 1) / 2 * d->launch.mask->n_kv;
}

int ordo_dense_pair_item(const struct ordo_dense *d, int64_t item, struct ordo_dense_tile tile[2])
{
    int32_t n = d->launch.mask->n_kv, head = (int32_t)(item / n * 2), s = (int32_t)(item % n);

    tile[0] = (struct ordo_dense_tile){head, s};
    tile[1] = (struct ordo_dense_tile){head + 1, n - 1 - s};
    return head + 1 < d->launch.heads ? 2 : 1;
}

int32_t ordo_dense_query_up(const struct ordo_dense *d, int32_t head, int32_t kv, int32_t step)
{
    (void)head;
    return ordo_dense_seen_by(d->launch.mask, kv, step);
}

int32_t ordo_dense_query_down(const struct ordo_dense *d, int32_t head, int32_t kv, int32_t step)
{
    (void)head;
    return ordo_dense_seen_by(d->launch.mask, kv, ordo_dense_steps(d->launch.mask, kv) - 1 - step);
}

int32_t ordo_dense_rank_up(const struct ordo_dense *d, int32_t head, int32_t query, int32_t kv)
{
    (void)head;
    return ordo_dense_below(d->launch.mask, query, kv);
}

int32_t ordo_dense_rank_down(const struct ordo_dense *d, int32_t head, int32_t query, int32_t kv)
{
    (void)head;
    return ordo_dense_adds(d->launch.mask, query) - 1 - ordo_dense_below(d->launch.mask, query, kv);
}
