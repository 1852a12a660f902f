/* dense_optimal.c - see dense_optimal.h: the instances, and the search slot by slot. */
#include "sim/dense_optimal.h"

#include <string.h>

const char *const ordo_optimal_name[ORDO_N_OPTIMAL_KINDS] = {
#define ORDO_X(id, name, text) name,
    ORDO_OPTIMAL_KINDS(ORDO_X)
#undef ORDO_X
};
const char *const ordo_optimal_text[ORDO_N_OPTIMAL_KINDS] = {
#define ORDO_X(id, name, text) text,
    ORDO_OPTIMAL_KINDS(ORDO_X)
#undef ORDO_X
};

/* KV tile kv of a head; the rows from `first` on see it. */
static struct ordo_optimal_block block_of(int32_t head, int32_t kv, int32_t first, int32_t n)
{
    struct ordo_optimal_block b = {.head = head, .kv = kv, .n_row = n - first};

    for (int32_t i = 0; i < b.n_row; i++)
        b.row[i] = first + i;
    return b;
}

struct ordo_optimal_case ordo_optimal_case_of(enum ordo_optimal_kind kind, int32_t n)
{
    struct ordo_optimal_case c = {.n = n, .heads = kind == ORDO_OPTIMAL_PAIRED ? 2 : 1,
                                  .n_chain = kind == ORDO_OPTIMAL_FOLDED ? n / 2 : n};

    ORDO_BUG_ON(n < 2 || n > ORDO_OPTIMAL_TILES || (kind == ORDO_OPTIMAL_FOLDED && n % 2));
    for (int32_t s = 0; s < c.n_chain; s++) {
        c.chain[s].n_block = kind == ORDO_OPTIMAL_FULL ? 1 : 2;
        c.chain[s].block[0] = block_of(0, s, kind == ORDO_OPTIMAL_FULL ? 0 : s, n);
        if (kind != ORDO_OPTIMAL_FULL)
            c.chain[s].block[1] = block_of(c.heads - 1, n - 1 - s, n - 1 - s, n);
    }
    return c;
}

struct ordo_optimal_found ordo_optimal_found_of(const struct ordo_dense *d, int32_t n_chain)
{
    struct ordo_optimal_found f;

    memset(&f, 0, sizeof f);
    for (int32_t i = 0; i < n_chain; i++) {
        struct ordo_dense_tile tile[2];
        int n = d->schedule->item(d, i, tile), slot = 0;
        int32_t chain = n_chain == d->launch.mask->n_kv ? tile[0].kv : i;

        for (int k = 0; k < n; k++)
            for (int32_t step = 0; step < ordo_dense_steps(d->launch.mask, tile[k].kv); step++) {
                int32_t q = d->schedule->query(d, tile[k].head, tile[k].kv, step);

                f.at[chain][slot++] = (uint8_t)(tile[k].head * 64 + tile[k].kv * 8 + q);
            }
    }
    return f;
}

/* --- slot by slot ----------------------------------------------------------------------------------------------- */

struct search {
    const struct ordo_optimal_case *c;
    const struct ordo_optimal_found *wanted;
    struct ordo_optimal_found now, *found;
    int most;
    bool turned[ORDO_OPTIMAL_TILES];                  /* the chain does its second block first */
    uint32_t done[ORDO_OPTIMAL_TILES][2];             /* rows of each block */
    uint32_t taken[2 * ORDO_OPTIMAL_SLOTS][ORDO_OPTIMAL_HEADS]; /* rows of each slot */
    struct ordo_optimal_slots result;
};

/* Chains in which rows come by, in the order of slots: an edge from each to the one before. */
static void waits(const struct search *s, uint32_t wait[ORDO_OPTIMAL_TILES])
{
    int32_t last[ORDO_OPTIMAL_HEADS * 8];

    memset(last, 0xff, sizeof last);
    memset(wait, 0, ORDO_OPTIMAL_TILES * sizeof *wait);
    for (int32_t k = 0; k < s->result.slots; k++)
        for (int32_t i = 0; i < s->c->n_chain; i++) {
            int32_t at = s->now.at[i][k] / 64 * 8 + s->now.at[i][k] % 8;

            if (last[at] >= 0 && last[at] != i)
                wait[i] |= 1u << last[at];
            last[at] = i;
        }
}

/* Takes chains away that wait for none that is left. */
static bool acyclic(const uint32_t wait[ORDO_OPTIMAL_TILES], int32_t n)
{
    uint32_t left = (1u << n) - 1;

    for (bool any = true; any && left;) {
        any = false;
        for (int32_t i = 0; i < n; i++)
            if (left >> i & 1 && !(wait[i] & left)) {
                left &= ~(1u << i);
                any = true;
            }
    }
    return left == 0;
}

static void leaf(struct search *s)
{
    uint32_t wait[ORDO_OPTIMAL_TILES];

    s->result.all++;
    s->result.wanted += s->wanted && memcmp(s->wanted, &s->now, sizeof s->now) == 0;
    waits(s, wait);
    if (!acyclic(wait, s->c->n_chain))
        return;
    s->result.acyclic++;
    if (s->result.n_found < s->most)
        s->found[s->result.n_found++] = s->now;
}

/* Chain i in slot k, then all that follow. */
static void descend(struct search *s, int32_t k, int32_t i)
{
    const struct ordo_optimal_chain *chain;
    const struct ordo_optimal_block *b;
    int which;

    if (i == s->c->n_chain)
        i = 0, k++;
    if (k == s->result.slots) {
        leaf(s);
        return;
    }
    chain = &s->c->chain[i];
    which = s->turned[i] ? chain->n_block - 1 : 0;
    if (__builtin_popcount(s->done[i][which]) == chain->block[which].n_row)
        which = chain->n_block - 1 - which;
    b = &chain->block[which];
    for (int32_t j = 0; j < b->n_row; j++) {
        uint32_t bit = 1u << b->row[j];

        if ((s->done[i][which] | s->taken[k][b->head]) & bit)
            continue;
        s->done[i][which] |= bit;
        s->taken[k][b->head] |= bit;
        s->now.at[i][k] = (uint8_t)(b->head * 64 + b->kv * 8 + b->row[j]);
        descend(s, k, i + 1);
        s->done[i][which] &= ~bit;
        s->taken[k][b->head] &= ~bit;
    }
}

static int32_t tasks_of(const struct ordo_optimal_chain *chain)
{
    return chain->block[0].n_row + (chain->n_block > 1 ? chain->block[1].n_row : 0);
}

struct ordo_optimal_slots ordo_optimal_by_slots(const struct ordo_optimal_case *c,
                                                const struct ordo_optimal_found *wanted,
                                                struct ordo_optimal_found *found, int most)
{
    struct search s = {.c = c, .wanted = wanted, .found = found, .most = most};
    uint32_t orders = c->chain[0].n_block > 1 ? 1u << c->n_chain : 1;

    for (int32_t i = 0; i < c->n_chain; i++)
        if (tasks_of(&c->chain[i]) != tasks_of(&c->chain[0]))
            return s.result;
    s.result.slots = tasks_of(&c->chain[0]);
    for (uint32_t order = 0; order < orders; order++) {
        for (int32_t i = 0; i < c->n_chain; i++)
            s.turned[i] = order >> i & 1;
        descend(&s, 0, 0);
    }
    return s.result;
}
