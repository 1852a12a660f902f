/* reveal.c - see reveal.h: sets of terms, each split along the way from its pivot up. */
#include "oracle/reveal_impl.h"

#include "base/progress.h"
#include "base/rng.h"
#include "base/size.h"

#include <stdlib.h>

/* Terms order[first, first + n) hang below the sum `parent`, which also holds the term `witness`; the whole has
 * neither.  drawn: the pivot is not the first.  flat: what is left of a fused step, it seems, so all pairs are
 * asked at once, as many as one by one if it is so, and in one round; bent: it was not. */
struct set {
    uint32_t first, n, parent, witness;
    bool drawn, flat, bent;
};
enum { FLAT = 16 }; /* terms at most that are asked so */

struct search {
    struct ordo_asker asker;
    struct ordo_reveal *out;
    struct ordo_rng rng;
    uint32_t *order; /* the terms, a set's next to each other, and there ascending */
    uint32_t *count; /* of each place in order: the units that survived its probe */
    uint32_t *unit;  /* scratch: a set and its witness */
    struct found {
        uint32_t size, term; /* of the smallest sum that holds it and the pivot; UINT32_MAX: not below the parent */
    } *found;
    struct set *set, *later; /* of this round and of the next */
    uint32_t n_set, n_later;
};

/* --- one round: every set's pivot against its others ------------------------------------------------------------ */

/* The witness alone has a unit: a pair that meets in the parent loses it. */
static enum ordo_status ask_flat(struct search *s, const struct set *set, struct ordo_err *err)
{
    const uint32_t *term = s->order + set->first;
    enum ordo_status status = ORDO_OK;

    s->count[set->first] = 0;
    for (uint32_t i = 0; i < set->n; i++)
        for (uint32_t j = 0; j < i && status == ORDO_OK; j++)
            status = ordo_ask_pair(&s->asker, term[i], term[j], &set->witness, 1, &s->count[set->first], err);
    return status;
}

static enum ordo_status sweep(struct search *s, const struct set *set, struct ordo_err *err)
{
    uint32_t *term = s->order + set->first, n = set->n, pivot, at;
    enum ordo_status status = ORDO_OK;

    at = set->drawn ? (uint32_t)ordo_rng_below(&s->rng, n) : 0;
    pivot = term[at];
    for (; at > 0; at--) /* the others stay in order */
        term[at] = term[at - 1];
    term[0] = pivot;
    for (uint32_t i = 0; i < n; i++) {
        s->unit[i] = term[i];
        s->count[set->first + i] = 0;
    }
    if (set->witness != ORDO_NO_NODE)
        s->unit[n] = set->witness;
    for (uint32_t i = 1; i < n && status == ORDO_OK; i++)
        status = ordo_ask_pair(&s->asker, pivot, term[i], s->unit, n + (set->witness != ORDO_NO_NODE),
                               &s->count[set->first + i], err);
    return status;
}

static int by_size(const void *x, const void *y)
{
    const struct found *a = x, *b = y;

    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    return (a->term > b->term) - (a->term < b->term);
}

/* n of the set's terms, which hang below `parent`.  Where that is most of them, the pivot stood badly. */
static void hang(struct search *s, const struct set *set, uint32_t at, uint32_t n, uint32_t parent, uint32_t witness)
{
    if (n == 1)
        s->out->tree.parent[s->order[set->first + at]] = parent;
    else
        s->later[s->n_later++] = (struct set){.first = set->first + at, .n = n, .parent = parent, .witness = witness,
                                              .drawn = 2 * (uint64_t)n > set->n,
                                              .bent = set->bent && parent == set->parent};
}

static void settle_flat(struct search *s, const struct set *set)
{
    if (s->count[set->first] > 0) {
        s->later[s->n_later] = *set;
        s->later[s->n_later].flat = false;
        s->later[s->n_later++].bent = true;
        return;
    }
    for (uint32_t i = 0; i < set->n; i++)
        hang(s, set, i, 1, set->parent, set->witness);
}

/* With a witness, a count of 0 is a pair that meets in the parent: it swallows the witness too. */
static void read_counts(struct search *s, const struct set *set)
{
    uint32_t all = set->n + (set->witness != ORDO_NO_NODE);

    for (uint32_t i = 1; i < set->n; i++) {
        uint32_t count = s->count[set->first + i];
        bool apart = set->witness != ORDO_NO_NODE && count == 0;

        s->found[i - 1] = (struct found){apart ? UINT32_MAX : all - count, s->order[set->first + i]};
    }
    qsort(s->found, set->n - 1, sizeof *s->found, by_size);
    for (uint32_t i = 1; i < set->n; i++)
        s->order[set->first + i] = s->found[i - 1].term;
}

/* The sums from the pivot up, and what each takes up.  A sum's size is the number of terms found in it: else these
 * counts are not those of a tree. */
static void settle(struct search *s, const struct set *set)
{
    uint32_t pivot = s->order[set->first], below = pivot, at = 1;
    uint32_t *parent = s->out->tree.parent;

    read_counts(s, set);
    while (at < set->n && s->found[at - 1].size != UINT32_MAX) {
        uint32_t size = s->found[at - 1].size, from = at, sum;

        while (at < set->n && s->found[at - 1].size == size)
            at++;
        if (size != at) {
            ordo_reveal_contradiction(s->out, pivot, s->found[from - 1].term, (float)size, (float)at);
            return;
        }
        sum = ordo_sumtree_sum(&s->out->tree);
        parent[below] = sum;
        below = sum;
        hang(s, set, from, at - from, sum, pivot);
    }
    parent[below] = set->parent;
    if (at == set->n)
        return;
    hang(s, set, at, set->n - at, set->parent, set->witness);
    if (at == 1 && set->n - at > 1 && set->n - at <= FLAT && !set->bent)
        s->later[s->n_later - 1].flat = true;
}

static enum ordo_status search(struct search *s, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;

    s->set[s->n_set++] = (struct set){
        .n = s->out->tree.n_leaf, .parent = ORDO_NO_NODE, .witness = ORDO_NO_NODE};
    while (s->n_set > 0 && status == ORDO_OK && s->out->verdict == ORDO_REVEAL_TREE) {
        struct set *swap = s->set;

        for (uint32_t i = 0; i < s->n_set && status == ORDO_OK; i++)
            status = (s->set[i].flat ? ask_flat : sweep)(s, &s->set[i], err);
        if (status == ORDO_OK)
            status = ordo_ask_all(&s->asker, err);
        s->n_later = 0;
        for (uint32_t i = 0; i < s->n_set && status == ORDO_OK && s->out->verdict == ORDO_REVEAL_TREE; i++)
            (s->set[i].flat ? settle_flat : settle)(s, &s->set[i]);
        s->set = s->later;
        s->later = swap;
        s->n_set = s->n_later;
    }
    return status;
}

/* --- before and after ------------------------------------------------------------------------------------------- */

/* Units alone must come back as themselves: all of them, in pieces (of half of what is exact, so that half a unit
 * shows too); where not, which one does not. */
static enum ordo_status weigh(struct search *s, struct ordo_err *err)
{
    uint32_t n = s->out->tree.n_leaf, piece = s->asker.box->exact / 2, n_piece = (uint32_t)ordo_div_up(n, piece);
    float *got = ordo_alloc((uint64_t)n + n_piece, sizeof *got);
    enum ordo_status status = ORDO_OK;

    if (!got)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for %u terms", (unsigned)n);
    for (uint32_t i = 0; i < n_piece && status == ORDO_OK; i++) {
        uint32_t first = i * piece, n_here = n - first < piece ? n - first : piece;

        status = ordo_ask_units(&s->asker, s->order + first, n_here, &got[i], err);
    }
    if (status == ORDO_OK)
        status = ordo_ask_all(&s->asker, err);
    for (uint32_t i = 0; i < n_piece && status == ORDO_OK && s->out->verdict == ORDO_REVEAL_TREE; i++) {
        uint32_t first = i * piece, n_here = n - first < piece ? n - first : piece;

        if (got[i] == (float)n_here)
            continue;
        s->out->verdict = ORDO_REVEAL_UNITS;
        s->out->term[0] = first;
        s->out->term[1] = first + n_here - 1;
        s->out->got = got[i];
        s->out->want = (float)n_here;
        for (uint32_t j = first; j < first + n_here && status == ORDO_OK; j++)
            status = ordo_ask_units(&s->asker, s->order + j, 1, &got[n_piece + j], err);
        if (status == ORDO_OK)
            status = ordo_ask_all(&s->asker, err);
        for (uint32_t j = first; j < first + n_here && status == ORDO_OK; j++)
            if (got[n_piece + j] != 1.0f && s->out->verdict == ORDO_REVEAL_UNITS) {
                s->out->verdict = ORDO_REVEAL_TERM;
                s->out->term[0] = s->out->term[1] = j;
                s->out->got = got[n_piece + j];
                s->out->want = 1;
            }
    }
    free(got);
    return status;
}

/* Pairs of any two terms, units on all others. */
static enum ordo_status check_pairs(struct search *s, struct ordo_err *err)
{
    uint32_t n = s->out->tree.n_leaf, pair[ORDO_REVEAL_CHECKS][2], got[ORDO_REVEAL_CHECKS] = {0};
    struct ordo_sumtree_view view;
    enum ordo_status status = ordo_sumtree_view(&s->out->tree, &view, err);

    for (uint32_t i = 0; i < n; i++)
        s->order[i] = i;
    for (int i = 0; i < ORDO_REVEAL_CHECKS && status == ORDO_OK; i++) {
        pair[i][0] = (uint32_t)ordo_rng_below(&s->rng, n);
        pair[i][1] = (pair[i][0] + 1 + (uint32_t)ordo_rng_below(&s->rng, n - 1)) % n;
        status = ordo_ask_pair(&s->asker, pair[i][0], pair[i][1], s->order, n, &got[i], err);
    }
    if (status == ORDO_OK)
        status = ordo_ask_all(&s->asker, err);
    s->out->checks = ORDO_REVEAL_CHECKS;
    for (int i = 0; i < ORDO_REVEAL_CHECKS && status == ORDO_OK; i++) {
        uint32_t want = n - ordo_sumtree_meet(&view, pair[i][0], pair[i][1]);

        if (got[i] != want)
            ordo_reveal_contradiction(s->out, pair[i][0], pair[i][1], (float)got[i], (float)want);
    }
    ordo_sumtree_view_free(&view);
    return status;
}

static enum ordo_status make(struct search *s, uint32_t n, struct ordo_err *err)
{
    s->order = ordo_alloc(n, sizeof *s->order);
    s->count = ordo_alloc(n, sizeof *s->count);
    s->unit = ordo_alloc((uint64_t)n + 1, sizeof *s->unit);
    s->found = ordo_alloc(n, sizeof *s->found);
    s->set = ordo_alloc(n, sizeof *s->set); /* sets are disjoint */
    s->later = ordo_alloc(n, sizeof *s->later);
    if (!s->order || !s->count || !s->unit || !s->found || !s->set || !s->later)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for the search over %u terms", (unsigned)n);
    for (uint32_t i = 0; i < n; i++)
        s->order[i] = i;
    return ORDO_OK;
}

enum ordo_status ordo_reveal(struct ordo_reveal_box *box, uint64_t seed, struct ordo_reveal *out,
                             struct ordo_err *err)
{
    struct search s = {.out = out, .rng = {seed}};
    enum ordo_status status;

    *out = (struct ordo_reveal){.verdict = ORDO_REVEAL_TREE};
    status = ordo_sumtree_make(box->n_leaf, &out->tree, err);
    if (status == ORDO_OK)
        status = ordo_asker_make(box, out, &s.asker, err);
    if (status == ORDO_OK)
        status = make(&s, box->n_leaf, err);
    if (status == ORDO_OK)
        status = weigh(&s, err);
    if (status == ORDO_OK && out->verdict == ORDO_REVEAL_TREE)
        status = search(&s, err);
    if (status == ORDO_OK && out->verdict == ORDO_REVEAL_TREE)
        status = check_pairs(&s, err);
    ordo_progress_end();
    ordo_asker_free(&s.asker);
    free(s.order);
    free(s.count);
    free(s.unit);
    free(s.found);
    free(s.set);
    free(s.later);
    return status;
}

void ordo_reveal_free(struct ordo_reveal *out)
{
    ordo_sumtree_free(&out->tree);
    *out = (struct ordo_reveal){0};
}
