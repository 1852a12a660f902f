/* shrink.c - see shrink.h.  Every pass edits a copy in place and asks; a copy that still fails becomes the case. */
#include "corpus/shrink.h"

#include "protocol/live.h"

#include <stdlib.h>
#include <string.h>

struct state {
    struct ordo_shrink *s;
    struct ordo_case *best;
    struct ordo_case trial; /* a copy of best, to be edited */
    struct ordo_err *err;
    enum ordo_status status;
    bool helped; /* in this round */
};

/* A fresh copy in st->trial; false without memory or when tries have ended. */
static bool begin(struct state *st)
{
    if (st->status != ORDO_OK || st->s->tries >= st->s->most)
        return false;
    ordo_case_free(&st->trial);
    st->status = ordo_case_copy(st->best, &st->trial, st->err);
    return st->status == ORDO_OK;
}

/* Asks about st->trial; takes it over if it still fails. */
static bool ask(struct state *st)
{
    struct ordo_case old = *st->best;
    uint64_t own = st->trial.value_seed;
    bool fails = false;

    for (uint32_t seed = 0; !fails && seed <= st->s->n_seed; seed++) {
        st->trial.value_seed = seed ? seed : own;
        st->s->tries++;
        fails = st->s->still(st->s->ctx, &st->trial);
    }
    if (!fails)
        return false;
    *st->best = st->trial;
    st->trial = old;
    st->helped = true;
    return true;
}

/* --- cutting ------------------------------------------------------------------------------------------------------ */

static void cut_queries(struct ordo_problem *p, int32_t from, int32_t n)
{
    size_t tail = (size_t)(p->n_query - from - n), topk = (size_t)p->topk;

    memmove(p->idx + (size_t)from * topk, p->idx + (size_t)(from + n) * topk, tail * topk * sizeof *p->idx);
    if (p->length)
        memmove(p->length + from, p->length + from + n, tail * sizeof *p->length);
    p->n_query -= n;
}

static void cut_columns(struct ordo_problem *p, int32_t from, int32_t n)
{
    int32_t topk = p->topk - n;

    for (int32_t q = 0; q < p->n_query; q++)
        for (int32_t j = 0; j < topk; j++)
            p->idx[(int64_t)q * topk + j] = p->idx[(int64_t)q * p->topk + (j < from ? j : j + n)];
    for (int32_t q = 0; p->length && q < p->n_query; q++) /* a length behind the cut moves with it */
        p->length[q] -= p->length[q] > from ? (p->length[q] - from < n ? p->length[q] - from : n) : 0;
    p->topk = topk;
}

/* Halves, quarters, ... single ones, of queries or columns. */
static void cut_all(struct state *st, bool queries)
{
    int32_t n = queries ? st->best->problem.n_query : st->best->problem.topk;

    for (int32_t part = n; part > 0; part /= 2)
        for (int32_t from = 0; from + part <= (queries ? st->best->problem.n_query : st->best->problem.topk);) {
            if (!begin(st))
                return;
            if (queries)
                cut_queries(&st->trial.problem, from, part);
            else
                cut_columns(&st->trial.problem, from, part);
            from += ask(st) ? 0 : part;
        }
}

/* Whole waves. */
static void cut_waves(struct state *st)
{
    int32_t wave = st->best->wave;

    for (int32_t from = 0; wave && from + wave <= st->best->problem.n_query;) {
        if (!begin(st))
            return;
        cut_queries(&st->trial.problem, from, wave);
        from += ask(st) ? 0 : wave;
    }
}

/* Of every `unit` lanes only those from `first` on stay, `n` of them: a narrower wave, or narrower clusters in it. */
static void keep_lanes(struct ordo_problem *p, int32_t unit, int32_t first, int32_t n)
{
    int32_t kept = 0;

    for (int32_t q = 0; q < p->n_query; q++) {
        if (q % unit < first || q % unit >= first + n)
            continue;
        memmove(p->idx + (int64_t)kept * p->topk, p->idx + (int64_t)q * p->topk, (size_t)p->topk * sizeof *p->idx);
        if (p->length)
            p->length[kept] = p->length[q];
        kept++;
    }
    p->n_query = kept;
}

static bool narrow_by(struct state *st, int32_t unit, int32_t n, bool cluster)
{
    for (int32_t first = 0; first + n <= unit; first += n) {
        if (!begin(st))
            return false;
        keep_lanes(&st->trial.problem, unit, first, n);
        st->trial.wave = cluster ? st->best->wave / unit * n : n;
        st->trial.cluster = cluster ? n : st->best->cluster;
        if (ask(st))
            return true;
    }
    return false;
}

static void narrow(struct state *st)
{
    for (bool again = true; again;) {
        int32_t wave = st->best->wave, cluster = st->best->cluster;

        again = false;
        if (wave > 4 && wave % 2 == 0 && (!cluster || wave / 2 % cluster == 0))
            again = narrow_by(st, wave, wave / 2, false);
        if (!again && cluster > 4 && wave)
            again = narrow_by(st, cluster, cluster / 2, true);
    }
}

/* --- ids ---------------------------------------------------------------------------------------------------------- */

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
static void kill_rows(struct state *st)
{
    for (int32_t row = 0; row < st->best->problem.n_kv && row < 4096; row++) {
        bool any = false;

        if (!begin(st))
            return;
        for (int64_t i = 0; i < slots_of(&st->trial.problem); i++)
            if (st->trial.problem.idx[i] == row) {
                st->trial.problem.idx[i] = -1;
                any = true;
            }
        if (any)
            (void)ask(st);
    }
}

static void kill_slots(struct state *st)
{
    for (int64_t i = 0; i < slots_of(&st->best->problem); i++) {
        if (st->best->problem.idx[i] == -1)
            continue;
        if (!begin(st))
            return;
        st->trial.problem.idx[i] = -1;
        (void)ask(st);
    }
}

/* The ids of each query ascending, dead slots behind them. */
static void sort_slots(struct state *st)
{
    struct ordo_problem *p;

    if (!begin(st))
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
        (void)ask(st);
}

/* Rows become 0, 1, ... by first use; KV shrinks to what is used. */
static void relabel(struct state *st)
{
    struct ordo_problem *p;
    int32_t n = 0;

    if (!begin(st))
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
        (void)ask(st);
}

static void shrink_kv(struct state *st)
{
    for (int32_t step = st->best->problem.n_kv; step > 0; step /= 2)
        while (st->best->problem.n_kv >= step && st->best->problem.n_kv > 1) {
            if (!begin(st))
                return;
            st->trial.problem.n_kv -= step;
            if (!ask(st))
                break;
        }
}

/* --- plan, lengths, seeds ----------------------------------------------------------------------------------------- */

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

static void edit_all(struct state *st)
{
    static const struct {
        void (*edit)(struct ordo_case *c, int32_t how);
        int32_t n;
    } edits[] = {{drop_length, 3}, {fewer_heads, 2}, {smaller_plan, 3}, {plain_values, 1}, {plain_seeds, 3}};

    for (size_t e = 0; e < sizeof edits / sizeof edits[0]; e++)
        for (int32_t how = 0; how < edits[e].n; how++) {
            if (edits[e].edit == drop_length && !st->best->problem.length)
                break;
            if (!begin(st))
                return;
            edits[e].edit(&st->trial, how);
            if (is_smaller(&st->trial, st->best) && ask(st))
                break;
        }
}

enum ordo_status ordo_shrink_case(struct ordo_shrink *s, struct ordo_case *c, struct ordo_err *err)
{
    struct state st = {.s = s, .best = c, .err = err, .status = ORDO_OK, .helped = true};

    s->most = s->most ? s->most : 10000;
    ordo_case_init(&st.trial);
    while (st.helped && st.status == ORDO_OK && s->tries < s->most) {
        st.helped = false;
        cut_waves(&st);
        cut_all(&st, true);
        cut_all(&st, false);
        kill_rows(&st);
        kill_slots(&st);
        narrow(&st);
        sort_slots(&st);
        relabel(&st);
        shrink_kv(&st);
        edit_all(&st);
    }
    ordo_case_free(&st.trial);
    return st.status;
}
