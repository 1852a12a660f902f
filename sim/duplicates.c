/* duplicates.c - see duplicates.h. */
#include "sim/duplicates.h"

#include "protocol/live.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct scan {
    const struct ordo_problem *p;
    const struct ordo_domain *d;
    struct ordo_contract_scan *out;
    uint32_t *stamp;      /* per compact row: 1 + the last query that named it */
    uint64_t n_allocated; /* of out->duplicate */
};

static int32_t first_column(const int32_t *idx, int32_t row)
{
    int32_t j = 0;

    while (idx[j] != row)
        j++;
    return j;
}

static bool add_duplicate(struct scan *s, int32_t query, int32_t column)
{
    struct ordo_contract_scan *out = s->out;
    const int32_t *idx = ordo_problem_row(s->p, query);

    if (out->n_duplicate == s->n_allocated) {
        uint64_t n = s->n_allocated ? 2 * s->n_allocated : 64;
        struct ordo_duplicate *grown = realloc(out->duplicate, n * sizeof *grown);

        if (!grown)
            return false;
        out->duplicate = grown;
        s->n_allocated = n;
    }
    out->duplicate[out->n_duplicate++] =
        (struct ordo_duplicate){query, idx[column], first_column(idx, idx[column]), column};
    return true;
}

static bool scan_query(struct scan *s, int32_t query)
{
    const struct ordo_problem *p = s->p;
    const int32_t *idx = ordo_problem_row(p, query);
    int32_t clamped = ordo_clamp_length(ordo_problem_length(p, query), p->topk);
    uint32_t mark = (uint32_t)query + 1;
    uint64_t live = 0, n_before = s->out->n_duplicate;

    for (int32_t j = 0; j < clamped; j++) {
        if (!ordo_slot_live(idx[j], p->n_kv, j, clamped))
            continue;
        uint32_t c = ordo_domain_compact(s->d, idx[j]);

        live++;
        if (s->stamp[c] != mark) {
            s->stamp[c] = mark;
            s->out->writers[c]++;
        } else if (!add_duplicate(s, query, j)) {
            return false;
        }
    }
    s->out->live += live;
    s->out->dead_queries += live == 0;
    s->out->duplicate_queries += s->out->n_duplicate > n_before;
    return true;
}

enum ordo_status ordo_contract_scan_make(const struct ordo_problem *p, const struct ordo_domain *d,
                                         struct ordo_arena *arena, struct ordo_contract_scan *out,
                                         struct ordo_err *err)
{
    struct scan s = {p, d, out, ordo_arena_alloc_zero(arena, d->n, sizeof *s.stamp), 0};
    bool ok;

    *out = (struct ordo_contract_scan){.writers = ordo_arena_alloc_zero(arena, d->n, sizeof *out->writers),
                                       .arena = arena};
    ok = s.stamp && out->writers;
    if (p->topk == 0)
        out->dead_queries = p->n_query;
    else
        for (int32_t q = 0; ok && q < p->n_query; q++)
            ok = scan_query(&s, q);
    ordo_arena_drop(arena, s.stamp);
    if (!ok)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "kv", "no memory for the row tables");
    if (out->live > UINT32_MAX)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "topk_idxs", "more than 2^32 - 1 live slots");
    return ORDO_OK;
}

void ordo_contract_scan_free(struct ordo_contract_scan *s)
{
    free(s->duplicate);
    ordo_arena_drop(s->arena, s->writers);
    memset(s, 0, sizeof *s);
}
