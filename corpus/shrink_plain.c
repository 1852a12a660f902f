/* shrink_plain.c - fewer live slots, and what is left made plain; see shrink.h. */
#include "corpus/shrink_impl.h"

#include "protocol/live.h"

#include <stdlib.h>
#include <string.h>

/* --- ids -------------------------------------------------------------------------------------------------------- */

static int64_t slots_of(const struct ordo_problem *p)
{
    return (int64_t)p->n_query * p->topk;
}

static bool is_live(const struct ordo_problem *p, int64_t slot)
{
    int32_t q = (int32_t)(slot / p->topk), j = (int32_t)(slot % p->topk);

    return ordo_slot_live(p->idx[slot], p->n_kv, j, ordo_clamp_length(ordo_problem_length(p, q), p->topk));
}

/* Whole rows first, then single slots; the values of dead ones last. */
static void kill_rows(struct ordo_shrink_state *st)
{
    for (int32_t row = 0; row < st->best->problem.n_kv && row < 4096; row++) {
        bool any = false;

        if (!ordo_shrink_begin(st))
            return;
        for (int64_t i = 0; i < slots_of(&st->trial.problem); i++)
            if (st->trial.problem.idx[i] == row) {
                st->trial.problem.idx[i] = -1;
                any = true;
            }
        if (any)
            (void)ordo_shrink_ask(st);
    }
}

static void kill_slots(struct ordo_shrink_state *st)
{
    for (int64_t i = 0; i < slots_of(&st->best->problem); i++) {
        if (st->best->problem.idx[i] == -1)
            continue;
        if (!ordo_shrink_begin(st))
            return;
        st->trial.problem.idx[i] = -1;
        (void)ordo_shrink_ask(st);
    }
}

void ordo_shrink_ids(struct ordo_shrink_state *st)
{
    kill_rows(st);
    kill_slots(st);
}

/* The ids of each query ascending, dead slots behind them. */
static void sort_slots(struct ordo_shrink_state *st)
{
    struct ordo_problem *p;

    if (!ordo_shrink_begin(st))
        return;
    p = &st->trial.problem;
    for (int32_t q = 0; q < p->n_query; q++) {
        int32_t *row = p->idx + (int64_t)q * p->topk;

        for (int32_t i = 1; i < p->topk; i++)
            for (int32_t j = i; j > 0 && (uint32_t)row[j] < (uint32_t)row[j - 1]; j--) {
                int32_t id = row[j];

                row[j] = row[j - 1];
                row[j - 1] = id;
            }
    }
    if (memcmp(p->idx, st->best->problem.idx, (size_t)slots_of(p) * sizeof *p->idx) != 0)
        (void)ordo_shrink_ask(st);
}

/* Rows become 0, 1, ... by first use; KV shrinks to what is used. */
static void relabel(struct ordo_shrink_state *st)
{
    struct ordo_problem *p;
    int32_t n = 0;

    if (!ordo_shrink_begin(st))
        return;
    p = &st->trial.problem;
    for (int64_t i = 0; i < slots_of(p); i++) {
        int32_t row = st->best->problem.idx[i];
        int64_t first = 0;

        if (!is_live(&st->best->problem, i))
            continue;
        while (st->best->problem.idx[first] != row || !is_live(&st->best->problem, first))
            first++;
        p->idx[i] = first < i ? p->idx[first] : n++;
    }
    if (memcmp(p->idx, st->best->problem.idx, (size_t)slots_of(p) * sizeof *p->idx) != 0)
        (void)ordo_shrink_ask(st);
}

static void shrink_kv(struct ordo_shrink_state *st)
{
    for (int32_t step = st->best->problem.n_kv; step > 0; step /= 2)
        while (st->best->problem.n_kv >= step && st->best->problem.n_kv > 1) {
            if (!ordo_shrink_begin(st))
                return;
            st->trial.problem.n_kv -= step;
            if (!ordo_shrink_ask(st))
                break;
        }
}

/* --- plan, lengths, seeds --------------------------------------------------------------------------------------- */

static void drop_length(struct ordo_case *c, int32_t how)
{
    struct ordo_problem *p = &c->problem;

    if (p->length && how == 0) {
        free(p->length);
        p->length = NULL;
    }
    for (int32_t q = 0; p->length && q < p->n_query; q++)
        p->length[q] = how == 1 ? p->topk : p->length[q] < 0 ? 0 : p->length[q] > p->topk ? p->topk : p->length[q];
}

static void fewer_heads(struct ordo_case *c, int32_t how)
{
    c->heads = how == 0 ? 64 : how == 1 ? 128 : c->heads;
}

static void smaller_plan(struct ordo_case *c, int32_t how)
{
    static const int32_t size[] = {4, 8, 16};

    if (c->cluster)
        c->cluster = size[how % 3];
    c->wave = size[how % 3];
}

static void plain_seeds(struct ordo_case *c, int32_t how)
{
    c->value_seed = how & 1 ? c->value_seed : 0;
    c->schedule_seed = how & 2 ? c->schedule_seed : 0;
}

static void plain_values(struct ordo_case *c, int32_t how)
{
    c->rough = how != 0 && c->rough;
}

/* Larger plans or more heads are no gain. */
static bool is_smaller(const struct ordo_case *a, const struct ordo_case *b)
{
    if (a->heads > b->heads || a->cluster > b->cluster || (a->wave > b->wave && b->wave))
        return false;
    return a->heads != b->heads || a->cluster != b->cluster || a->wave != b->wave || a->rough != b->rough ||
           a->value_seed != b->value_seed || a->schedule_seed != b->schedule_seed ||
           (b->problem.length &&
            (!a->problem.length || memcmp(a->problem.length, b->problem.length,
                                          (size_t)a->problem.n_query * sizeof *a->problem.length) != 0));
}

static void edit_all(struct ordo_shrink_state *st)
{
    static const struct {
        void (*edit)(struct ordo_case *c, int32_t how);
        int32_t n;
    } edits[] = {{drop_length, 3}, {fewer_heads, 2}, {smaller_plan, 3}, {plain_values, 1}, {plain_seeds, 3}};

    for (size_t e = 0; e < sizeof edits / sizeof edits[0]; e++)
        for (int32_t how = 0; how < edits[e].n; how++) {
            if (edits[e].edit == drop_length && !st->best->problem.length)
                break;
            if (!ordo_shrink_begin(st))
                return;
            edits[e].edit(&st->trial, how);
            if (is_smaller(&st->trial, st->best) && ordo_shrink_ask(st))
                break;
        }
}

void ordo_shrink_plain(struct ordo_shrink_state *st)
{
    sort_slots(st);
    relabel(st);
    shrink_kv(st);
    edit_all(st);
}
