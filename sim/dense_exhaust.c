/* dense_exhaust.c - every schedule of a few tiles, each one timed; see dense_optimal.h.
 *
 * A schedule is a list of choices: for each chain the order of its blocks, for each block a permutation of its
 * rows, for each row of each head a permutation of those that add to it.  All are counted through like the digits
 * of a number. */
#include "sim/dense_optimal.h"

#include <string.h>

enum { MOST_CHOICES = ORDO_OPTIMAL_TILES * 3 + ORDO_OPTIMAL_HEADS * ORDO_OPTIMAL_TILES, MOST_TASKS =
      2 * ORDO_OPTIMAL_SLOTS };

/* Contributors of a row: chain * 2 + block. */
struct adders {
    int32_t n, who[ORDO_OPTIMAL_TILES];
};

struct exhaust {
    const struct ordo_optimal_case *c;
    int64_t weight_c, weight_r;
    struct adders adders[ORDO_OPTIMAL_HEADS][ORDO_OPTIMAL_TILES];
    int32_t n_choice, digit[MOST_CHOICES], radix[MOST_CHOICES];
};

static int32_t factorial(int32_t n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

/* The index'th permutation of 0 ... n - 1. */
static void permutation(int32_t index, int32_t n, int32_t *out)
{
    bool used[ORDO_OPTIMAL_TILES] = {false};

    for (int32_t i = 0; i < n; i++) {
        int32_t rest = factorial(n - 1 - i), skip = index / rest, x = 0;

        index %= rest;
        while (used[x] || skip-- > 0)
            x++;
        used[x] = true;
        out[i] = x;
    }
}

static void add_choice(struct exhaust *e, int32_t radix)
{
    ORDO_BUG_ON(e->n_choice >= MOST_CHOICES);
    e->radix[e->n_choice] = radix;
    e->digit[e->n_choice++] = 0;
}

/* Choices in this order: per chain the order of blocks and each block's rows, then per head and row its adders. */
static void list_choices(struct exhaust *e)
{
    const struct ordo_optimal_case *c = e->c;

    for (int32_t i = 0; i < c->n_chain; i++) {
        add_choice(e, c->chain[i].n_block);
        for (int32_t b = 0; b < c->chain[i].n_block; b++) {
            const struct ordo_optimal_block *block = &c->chain[i].block[b];

            add_choice(e, factorial(block->n_row));
            for (int32_t j = 0; j < block->n_row; j++) {
                struct adders *a = &e->adders[block->head][block->row[j]];

                a->who[a->n++] = i * 2 + b;
            }
        }
    }
    for (int32_t h = 0; h < c->heads; h++)
        for (int32_t q = 0; q < c->n; q++)
            add_choice(e, factorial(e->adders[h][q].n));
}

/* One schedule, made of the digits: each chain's tasks, and each contribution's rank. */
struct made {
    int32_t n_task[ORDO_OPTIMAL_TILES];
    struct {
        int32_t head, row, block;
    } task[ORDO_OPTIMAL_TILES][MOST_TASKS];
    int32_t rank[ORDO_OPTIMAL_HEADS][ORDO_OPTIMAL_TILES][2 * ORDO_OPTIMAL_TILES]; /* by head, row, chain * 2
        + block */
    uint32_t wait[ORDO_OPTIMAL_TILES];
};

static void make(const struct exhaust *e, struct made *m)
{
    const struct ordo_optimal_case *c = e->c;
    int32_t order[ORDO_OPTIMAL_TILES], at = 0;

    memset(m, 0, sizeof *m);
    for (int32_t i = 0; i < c->n_chain; i++) {
        int32_t blocks = c->chain[i].n_block, turned = e->digit[at];

        for (int32_t k = 0; k < blocks; k++) {
            int32_t b = turned ? blocks - 1 - k : k;
            const struct ordo_optimal_block *block = &c->chain[i].block[b];

            permutation(e->digit[at + 1 + b], block->n_row, order);
            for (int32_t j = 0; j < block->n_row; j++) {
                int32_t t = m->n_task[i]++;

                m->task[i][t].head = block->head;
                m->task[i][t].row = block->row[order[j]];
                m->task[i][t].block = b;
            }
        }
        at += 1 + blocks;
    }
    for (int32_t h = 0; h < c->heads; h++)
        for (int32_t q = 0; q < c->n; q++, at++) {
            const struct adders *a = &e->adders[h][q];

            permutation(e->digit[at], a->n, order);
            for (int32_t j = 0; j < a->n; j++) {
                int32_t who = a->who[order[j]], before = j ? a->who[order[j - 1]] / 2 : who / 2;

                m->rank[h][q][who] = j;
                if (before != who / 2)
                    m->wait[who / 2] |= 1u << before;
            }
        }
}

/* The makespan, or -1 if it hangs; *stalls: whether anybody waits. */
static int64_t time_of(const struct exhaust *e, const struct made *m, bool *stalls)
{
    int64_t now[ORDO_OPTIMAL_TILES] = {0}, released[ORDO_OPTIMAL_HEADS][ORDO_OPTIMAL_TILES] = {{0}}, end = 0;
    int32_t at[ORDO_OPTIMAL_TILES] = {0}, next[ORDO_OPTIMAL_HEADS][ORDO_OPTIMAL_TILES] = {{0}}, left = 0;

    *stalls = false;
    for (int32_t i = 0; i < e->c->n_chain; i++)
        left += m->n_task[i];
    for (bool any = true; any && left;) {
        any = false;
        for (int32_t i = 0; i < e->c->n_chain; i++)
            for (; at[i] < m->n_task[i]; at[i]++, left--, any = true) {
                int32_t h = m->task[i][at[i]].head, q = m->task[i][at[i]].row;
                int64_t ready = now[i] + e->weight_c;

                if (m->rank[h][q][i * 2 + m->task[i][at[i]].block] != next[h][q])
                    break;
                *stalls |= released[h][q] > ready;
                now[i] = (released[h][q] > ready ? released[h][q] : ready) + e->weight_r;
                released[h][q] = now[i];
                next[h][q]++;
                end = now[i] > end ? now[i] : end;
            }
    }
    return left ? -1 : end;
}

static bool acyclic(const struct made *m, int32_t n)
{
    uint32_t closed[ORDO_OPTIMAL_TILES];

    memcpy(closed, m->wait, sizeof closed);
    for (int32_t k = 0; k < n; k++)
        for (int32_t i = 0; i < n; i++)
            if (closed[i] >> k & 1)
                closed[i] |= closed[k];
    for (int32_t i = 0; i < n; i++)
        if (closed[i] >> i & 1)
            return false;
    return true;
}

static void count(struct ordo_optimal_all *all, int64_t time, bool stalls, bool safe)
{
    all->schedules++;
    if (time < 0) {
        all->hangs++;
        return;
    }
    all->stall_free += !stalls;
    if (all->least < 0 || time < all->least) {
        all->least = time;
        all->reach = all->reach_acyclic = 0;
    }
    all->reach += time == all->least;
    all->reach_acyclic += time == all->least && safe;
    if (safe && (all->least_acyclic < 0 || time < all->least_acyclic))
        all->least_acyclic = time;
}

/* To the next number; false after the last. */
static bool step(struct exhaust *e)
{
    for (int32_t i = 0; i < e->n_choice; i++) {
        if (++e->digit[i] < e->radix[i])
            return true;
        e->digit[i] = 0;
    }
    return false;
}

struct ordo_optimal_all ordo_optimal_by_exhaustion(const struct ordo_optimal_case *c, int64_t weight_c,
                                                   int64_t weight_r, uint64_t budget)
{
    struct exhaust e = {.c = c, .weight_c = weight_c, .weight_r = weight_r};
    struct ordo_optimal_all all = {.least = -1, .least_acyclic = -1};
    uint64_t n = 1;

    list_choices(&e);
    for (int32_t i = 0; i < e.n_choice; i++)
        if (__builtin_mul_overflow(n, (uint64_t)e.radix[i], &n) || n > budget)
            return all;
    do {
        struct made m;
        bool stalls;
        int64_t time;

        make(&e, &m);
        time = time_of(&e, &m, &stalls);
        count(&all, time, stalls, acyclic(&m, c->n_chain));
    } while (step(&e));
    return all;
}
