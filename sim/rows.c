/* rows.c - see rows.h and rows_impl.h. */
#include "sim/rows_impl.h"

#include "protocol/index.h"

#include <string.h>

static bool allocate(struct ordo_rows *r, uint64_t n_add, uint64_t n_live)
{
    r->slot = ordo_arena_alloc(r->arena, r->domain.n, sizeof *r->slot);
    r->live = ordo_arena_alloc(r->arena, n_live, sizeof *r->live);
    r->add = ordo_arena_alloc(r->arena, n_add, sizeof *r->add);
    return r->slot && r->live && r->add;
}

struct ordo_rows *ordo_rows_make(struct ordo_domain *domain, const struct ordo_contract_scan *scan,
                                 int32_t head_blocks, enum ordo_status *status, struct ordo_err *err)
{
    struct ordo_rows *r = ordo_arena_alloc_zero(scan->arena, 1, sizeof *r);
    uint64_t n_add = (scan->live - scan->n_duplicate) * (uint64_t)head_blocks, n_live = 0;
    uint32_t at = 0;

    for (uint32_t c = 0; c < domain->n; c++)
        n_live += scan->writers[c] != 0;
    if (r) {
        r->domain = *domain;
        r->arena = scan->arena;
    } else {
        ordo_domain_free(domain);
    }
    *domain = (struct ordo_domain){0};
    *status = ORDO_OK;
    if (n_add > UINT32_MAX)
        *status = ordo_fail(err, ORDO_BAD_INPUT, NULL, "topk_idxs", "more than 2^32 - 1 additions");
    else if (!r || !allocate(r, n_add, n_live))
        *status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "topk_idxs", "no memory for the addition lists");
    if (*status != ORDO_OK) {
        ordo_rows_free(r);
        return NULL;
    }
    for (uint32_t c = 0; c < r->domain.n; c++) {
        uint32_t n = scan->writers[c] * (uint32_t)head_blocks;

        r->slot[c] = (struct ordo_row_slot){at, at + n, 0};
        at += n;
        if (scan->writers[c])
            r->live[r->n_live++] = c;
    }
    r->n_add = at;
    return r;
}

void ordo_rows_free(struct ordo_rows *r)
{
    if (!r)
        return;
    ordo_domain_free(&r->domain);
    ordo_arena_drop(r->arena, r->slot);
    ordo_arena_drop(r->arena, r->live);
    ordo_arena_drop(r->arena, r->add);
    ordo_arena_drop(r->arena, r);
}

int64_t ordo_rows_lacking(const struct ordo_rows *r)
{
    for (uint32_t c = 0; c < r->domain.n; c++)
        if (r->slot[c].cursor != r->slot[c].end)
            return c;
    return -1;
}

static uint32_t start_of(const struct ordo_rows *r, uint32_t compact)
{
    return compact ? r->slot[compact - 1].end : 0;
}

uint32_t ordo_rows_count(const struct ordo_rows *r)
{
    return r->n_live;
}

uint64_t ordo_rows_adds(const struct ordo_rows *r)
{
    return r->n_add;
}

struct ordo_row ordo_rows_get(const struct ordo_rows *r, uint32_t i)
{
    uint32_t c = r->live[i], start = start_of(r, c);

    return (struct ordo_row){ordo_domain_row(&r->domain, c), r->slot[c].cursor - start, r->add + start};
}

int64_t ordo_rows_find(const struct ordo_rows *r, int32_t row)
{
    uint32_t low = 0, high = r->n_live;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (ordo_domain_row(&r->domain, r->live[middle]) < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < r->n_live && ordo_domain_row(&r->domain, r->live[low]) == row ? (int64_t)low : -1;
}

struct ordo_digest ordo_rows_digest(const struct ordo_rows *r, uint32_t planes)
{
    struct ordo_hasher h;

    ordo_hasher_init(&h);
    ordo_hasher_u32(&h, planes);
    ordo_hasher_u32(&h, ORDO_FOLD_GROUP);
    for (uint32_t i = 0; i < r->n_live; i++) {
        struct ordo_row row = ordo_rows_get(r, i);
        uint32_t plane = UINT32_MAX;

        ordo_hasher_u32(&h, 0xFFFFFFFE);
        ordo_hasher_u32(&h, (uint32_t)row.row);
        for (uint32_t j = 0; j < row.n_add; j++) {
            if (row.add[j].plane != plane) {
                plane = row.add[j].plane;
                ordo_hasher_u32(&h, 0xFFFFFFFF);
                ordo_hasher_u32(&h, plane);
            }
            ordo_hasher_u32(&h, row.add[j].leaf);
        }
    }
    return ordo_hasher_done(&h);
}
