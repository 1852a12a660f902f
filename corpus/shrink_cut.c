/* shrink_cut.c - fewer queries, columns and lanes; see shrink.h. */
#include "corpus/shrink_impl.h"

#include <string.h>

/* --- cutting ---------------------------------------------------------------------------------------------------- */

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
static void cut_all(struct ordo_shrink_state *st, bool queries)
{
    int32_t n = queries ? st->best->problem.n_query : st->best->problem.topk;

    for (int32_t part = n; part > 0; part /= 2)
        for (int32_t from = 0; from + part <= (queries ? st->best->problem.n_query : st->best->problem.topk);) {
            if (!ordo_shrink_begin(st))
                return;
            if (queries)
                cut_queries(&st->trial.problem, from, part);
            else
                cut_columns(&st->trial.problem, from, part);
            from += ordo_shrink_ask(st) ? 0 : part;
        }
}

/* Whole waves. */
static void cut_waves(struct ordo_shrink_state *st)
{
    int32_t wave = st->best->wave;

    for (int32_t from = 0; wave && from + wave <= st->best->problem.n_query;) {
        if (!ordo_shrink_begin(st))
            return;
        cut_queries(&st->trial.problem, from, wave);
        from += ordo_shrink_ask(st) ? 0 : wave;
    }
}

void ordo_shrink_queries(struct ordo_shrink_state *st)
{
    cut_waves(st);
    cut_all(st, true);
    cut_all(st, false);
}

/* --- lanes ------------------------------------------------------------------------------------------------------ */

static bool is_dead(const struct ordo_problem *p, int32_t q)
{
    for (int32_t j = 0; j < p->topk; j++)
        if (p->idx[(int64_t)q * p->topk + j] != -1)
            return false;
    return true;
}

static void swap_queries(struct ordo_problem *p, int32_t a, int32_t b)
{
    for (int32_t j = 0; j < p->topk; j++) {
        int32_t *x = &p->idx[(int64_t)a * p->topk + j], *y = &p->idx[(int64_t)b * p->topk + j], id = *x;

        *x = *y;
        *y = id;
    }
    if (p->length) {
        int32_t length = p->length[a];

        p->length[a] = p->length[b];
        p->length[b] = length;
    }
}

/* Queries move to earlier dead ones: lanes in the way of a narrower wave come free. */
static void move_queries(struct ordo_shrink_state *st)
{
    for (int32_t q = 1; q < st->best->problem.n_query && q < 256; q++)
        for (int32_t to = 0; to < q && !is_dead(&st->best->problem, q); to++) {
            if (!is_dead(&st->best->problem, to))
                continue;
            if (!ordo_shrink_begin(st))
                return;
            swap_queries(&st->trial.problem, q, to);
            (void)ordo_shrink_ask(st);
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

/* One rank of each cluster as private shards. */
static bool drop_clusters(struct ordo_shrink_state *st)
{
    int32_t cluster = st->best->cluster;

    for (int32_t rank = 0; cluster && st->best->wave && rank < cluster; rank++) {
        if (!ordo_shrink_begin(st))
            return false;
        keep_lanes(&st->trial.problem, cluster, rank, 1);
        st->trial.wave = st->best->wave / cluster;
        st->trial.cluster = 0;
        memcpy(st->trial.design, "private-shards", sizeof "private-shards");
        if (ordo_shrink_ask(st))
            return true;
    }
    return false;
}

static bool narrow_by(struct ordo_shrink_state *st, int32_t unit, int32_t n, bool cluster)
{
    for (int32_t first = 0; first + n <= unit; first += n) {
        if (!ordo_shrink_begin(st))
            return false;
        keep_lanes(&st->trial.problem, unit, first, n);
        st->trial.wave = cluster ? st->best->wave / unit * n : n;
        st->trial.cluster = cluster ? n : st->best->cluster;
        if (ordo_shrink_ask(st))
            return true;
    }
    return false;
}

static void narrow(struct ordo_shrink_state *st)
{
    for (bool again = true; again;) {
        int32_t wave = st->best->wave, cluster = st->best->cluster;

        again = drop_clusters(st);
        if (!again && wave > 4 && wave % 2 == 0 && (!cluster || wave / 2 % cluster == 0))
            again = narrow_by(st, wave, wave / 2, false);
        if (!again && cluster > 4 && wave)
            again = narrow_by(st, cluster, cluster / 2, true);
    }
}

void ordo_shrink_lanes(struct ordo_shrink_state *st)
{
    move_queries(st);
    narrow(st);
}
