/* ptx_relation.h - relations on at most 64 events, as one 64-bit row of successors for each event. */
#ifndef ORDO_SIM_PTX_RELATION_H
#define ORDO_SIM_PTX_RELATION_H

#include <stdbool.h>
#include <stdint.h>

enum { ORDO_PTX_EVENTS = 64 };

struct ordo_rel {
    uint64_t row[ORDO_PTX_EVENTS];
};

static inline uint64_t ordo_bit(int i)
{
    return UINT64_C(1) << i;
}

/* Takes the lowest element out of a set that is not empty. */
static inline int ordo_take(uint64_t *set)
{
    int i = __builtin_ctzll(*set);

    *set &= *set - 1;
    return i;
}

static inline bool ordo_rel_has(const struct ordo_rel *r, int a, int b)
{
    return (r->row[a] >> b) & 1;
}

static inline void ordo_rel_union(int n, struct ordo_rel *a, const struct ordo_rel *b)
{
    for (int i = 0; i < n; i++)
        a->row[i] |= b->row[i];
}

/* out = a ; b.  out is neither of them. */
static inline void ordo_rel_compose(int n, const struct ordo_rel *a, const struct ordo_rel *b, struct ordo_rel *out)
{
    for (int i = 0; i < n; i++) {
        uint64_t set = a->row[i], row = 0;

        while (set)
            row |= b->row[ordo_take(&set)];
        out->row[i] = row;
    }
}

/* The transitive closure, in place. */
static inline void ordo_rel_close(int n, struct ordo_rel *r)
{
    for (int k = 0; k < n; k++) {
        uint64_t row = r->row[k];

        if (row)
            for (int i = 0; i < n; i++)
                if (ordo_rel_has(r, i, k))
                    r->row[i] |= row;
    }
}

static inline bool ordo_rel_irreflexive(int n, const struct ordo_rel *r)
{
    for (int i = 0; i < n; i++)
        if (ordo_rel_has(r, i, i))
            return false;
    return true;
}

static inline bool ordo_rel_acyclic(int n, const struct ordo_rel *r)
{
    struct ordo_rel c = *r;

    ordo_rel_close(n, &c);
    return ordo_rel_irreflexive(n, &c);
}

/* Adds a before b to a transitive relation and keeps it transitive. */
static inline void ordo_rel_order(int n, struct ordo_rel *r, int a, int b)
{
    uint64_t after = r->row[b] | ordo_bit(b);

    for (int i = 0; i < n; i++)
        if (i == a || ordo_rel_has(r, i, a))
            r->row[i] |= after;
}

#endif
