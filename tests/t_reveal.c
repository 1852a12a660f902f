/* t_reveal.c - addition trees out of boxes that are nothing but such a tree: found exactly, with the number of probes
 * that reveal.h promises; and boxes that are none.
 *
 * A box here sums along a tree that the test made: two children by an fp32 addition, more as a fused step, which cuts
 * every child to 25 bits below the largest. */
#include "base/rng.h"
#include "oracle/reveal.h"
#include "ref/fp.h"
#include "tests/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tree_box {
    struct ordo_reveal_box box;
    struct ordo_sumtree tree;
    struct ordo_sumtree_view view;
    uint32_t *child, *first; /* children of node i: child[first[i]..first[i + 1]) */
    float *value;
    bool through_bf16;
    uint32_t weak;   /* a term that counts half, or ORDO_NO_NODE */
    void (*look)(float *value, uint32_t n); /* what it adds depends on what it sees: puts terms elsewhere first */
};

/* --- the box ---------------------------------------------------------------------------------------------------- */

static float cut(float x, float largest)
{
    double grid = ldexp(1, ilogb((double)largest) - 25);

    return (float)(trunc((double)x / grid) * grid);
}

static float sum_of(const struct tree_box *b, uint32_t node)
{
    const uint32_t *child = b->child + b->first[node];
    uint32_t n = b->first[node + 1] - b->first[node];
    float largest = 0, sum = 0;

    if (n == 2)
        return b->value[child[0]] + b->value[child[1]];
    for (uint32_t i = 0; i < n; i++)
        largest = fmaxf(largest, fabsf(b->value[child[i]]));
    for (uint32_t i = 0; i < n && largest > 0; i++)
        sum += cut(b->value[child[i]], largest);
    return sum;
}

static int ascending(const void *x, const void *y)
{
    float a = fabsf(*(const float *)x), b = fabsf(*(const float *)y);

    return (a > b) - (a < b);
}

static void sort(float *value, uint32_t n)
{
    qsort(value, n, sizeof *value, ascending);
}

static void reverse(float *value, uint32_t n)
{
    for (uint32_t i = 0; i < n / 2; i++) {
        float x = value[n - 1 - i];

        value[n - 1 - i] = value[i];
        value[i] = x;
    }
}

static void turn_if_first_is_large(float *value, uint32_t n)
{
    if (fabsf(value[0]) > 1)
        reverse(value, n);
}

static void turn_unless_first_is_large(float *value, uint32_t n)
{
    if (value[0] <= 1)
        reverse(value, n);
}

static enum ordo_status run(struct ordo_reveal_box *box, const uint16_t *value, uint32_t n_vector, float *sum,
                            struct ordo_err *err)
{
    struct tree_box *b = box->ctx;

    (void)err;
    assert_in_range(n_vector, 1, box->capacity);
    for (uint32_t v = 0; v < n_vector; v++, value += box->n_leaf) {
        for (uint32_t i = 0; i < box->n_leaf; i++)
            b->value[i] = ordo_fp32(ordo_bf16_to_fp32_bits(value[i])) * (i == b->weak ? 0.5f : 1.0f);
        if (b->look)
            b->look(b->value, box->n_leaf);
        for (uint32_t i = box->n_leaf; i < b->tree.n_node; i++)
            b->value[b->view.up[i]] = sum_of(b, b->view.up[i]);
        sum[v] = b->value[b->view.up[b->tree.n_node - 1]];
        if (b->through_bf16)
            sum[v] = ordo_fp32(ordo_bf16_to_fp32_bits(ordo_bf16_round(ordo_fp32_bits(sum[v]))));
    }
    return ORDO_OK;
}

/* Takes the tree over. */
static void box_of(struct ordo_sumtree tree, bool through_bf16, struct tree_box *b)
{
    struct ordo_err err = {0};
    uint32_t *next;

    *b = (struct tree_box){.tree = tree, .through_bf16 = through_bf16, .weak = ORDO_NO_NODE};
    b->box = (struct ordo_reveal_box){tree.n_leaf, 61, through_bf16 ? 256 : 1 << 24, run, b};
    assert_ok(ordo_sumtree_view(&b->tree, &b->view, &err), err);
    b->child = calloc(tree.n_node, sizeof *b->child);
    b->first = calloc(tree.n_node + 2, sizeof *b->first);
    b->value = calloc(tree.n_node, sizeof *b->value);
    next = calloc(tree.n_node, sizeof *next);
    assert_true(b->child && b->first && b->value && next);
    for (uint32_t i = 0; i < tree.n_node; i++)
        if (tree.parent[i] != ORDO_NO_NODE)
            b->first[tree.parent[i] + 1]++;
    for (uint32_t i = 0; i < tree.n_node; i++)
        b->first[i + 1] += b->first[i];
    for (uint32_t i = 0; i < tree.n_node; i++)
        if (tree.parent[i] != ORDO_NO_NODE)
            b->child[b->first[tree.parent[i]] + next[tree.parent[i]]++] = i;
    free(next);
}

static void box_free(struct tree_box *b)
{
    free(b->child);
    free(b->first);
    free(b->value);
    ordo_sumtree_view_free(&b->view);
    ordo_sumtree_free(&b->tree);
}

/* --- trees ------------------------------------------------------------------------------------------------------ */

static struct ordo_sumtree tree_new(uint32_t n)
{
    struct ordo_sumtree t;
    struct ordo_err err = {0};

    assert_ok(ordo_sumtree_make(n, &t, &err), err);
    return t;
}

/* Terms 0, 1, ... (or n - 1, n - 2, ... where backwards) by `width` into one accumulator. */
static struct ordo_sumtree chain(uint32_t n, uint32_t width, bool backwards)
{
    struct ordo_sumtree t = tree_new(n);
    uint32_t acc = ORDO_NO_NODE, node[65];

    for (uint32_t i = 0; i < n; i += width) {
        uint32_t k = 0;

        node[k++] = acc;
        for (uint32_t j = i; j < i + width && j < n; j++)
            node[k++] = backwards ? n - 1 - j : j;
        acc = ordo_sumtree_join(&t, node, k);
    }
    return t;
}

/* n a power of two; neighbours meet first, or those half of all apart. */
static struct ordo_sumtree balanced(uint32_t n, bool far)
{
    struct ordo_sumtree t = tree_new(n);
    uint32_t *node = malloc(n * sizeof *node);

    assert_non_null(node);
    for (uint32_t i = 0; i < n; i++)
        node[i] = i;
    for (uint32_t half = n / 2; half; half /= 2)
        for (uint32_t i = 0; i < half; i++)
            node[i] = ordo_sumtree_join(&t, (uint32_t[]){node[far ? i : 2 * i], node[far ? i + half : 2 * i + 1]}, 2);
    free(node);
    return t;
}

/* Any 2 to 17 of the nodes without a parent meet, until one is left. */
static struct ordo_sumtree any(uint64_t seed)
{
    struct ordo_rng rng = {seed};
    uint32_t n = 2 + (uint32_t)ordo_rng_below(&rng, 120), left = n, node[128], pick[17];
    uint32_t widest = ordo_rng_below(&rng, 3) ? 17 : 2;
    struct ordo_sumtree t = tree_new(n);

    for (uint32_t i = 0; i < n; i++)
        node[i] = i;
    while (left > 1) {
        uint32_t k = 2 + (uint32_t)ordo_rng_below(&rng, widest - 1);

        k = k < left ? k : left;
        for (uint32_t i = 0; i < k; i++) {
            uint32_t at = (uint32_t)ordo_rng_below(&rng, left);

            pick[i] = node[at];
            node[at] = node[--left];
        }
        node[left++] = ordo_sumtree_join(&t, pick, k);
    }
    return t;
}

/* --- what comes out --------------------------------------------------------------------------------------------- */

/* Pairs that found the tree, those that checked it left out; the tree must be the box's. */
static uint64_t found(struct tree_box *b, uint64_t seed)
{
    struct ordo_reveal r;
    struct ordo_sumtree_view view;
    struct ordo_sumtree_parting parting;
    struct ordo_digest want, got;
    struct ordo_err err = {0};
    uint64_t pairs;

    assert_ok(ordo_reveal(&b->box, seed, &r, &err), err);
    if (r.verdict != ORDO_REVEAL_TREE)
        fail_msg("%u terms, seed %llu: verdict %d, terms %u %u, %g for %g", (unsigned)b->box.n_leaf,
                 (unsigned long long)seed, (int)r.verdict, (unsigned)r.term[0], (unsigned)r.term[1], (double)r.got,
                 (double)r.want);
    assert_ok(ordo_sumtree_view(&r.tree, &view, &err), err);
    assert_ok(ordo_sumtree_compare(&b->view, &view, &parting, &err), err);
    assert_true(parting.equal);
    assert_ok(ordo_sumtree_digest(&b->view, &want, &err), err);
    assert_ok(ordo_sumtree_digest(&view, &got, &err), err);
    assert_memory_equal(&want, &got, sizeof want);
    pairs = r.pairs - r.checks;
    ordo_sumtree_view_free(&view);
    ordo_reveal_free(&r);
    return pairs;
}

static uint64_t found_in(struct ordo_sumtree tree, bool through_bf16, uint64_t seed)
{
    struct tree_box b;
    uint64_t pairs;

    box_of(tree, through_bf16, &b);
    pairs = found(&b, seed);
    box_free(&b);
    return pairs;
}

/* f (f - 1) / 2 for every sum of f > 2 nodes: what no pair probe can do without. */
static double of_steps(const struct tree_box *b)
{
    double pairs = 0;

    for (uint32_t i = b->box.n_leaf; i < b->tree.n_node; i++) {
        double f = b->first[i + 1] - b->first[i];

        pairs += f > 2 ? f * (f - 1) / 2 : 0;
    }
    return pairs;
}

static void any_tree(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct tree_box b;
        double pairs, n;

        box_of(any(seed), seed % 2, &b);
        n = b.box.n_leaf;
        pairs = (double)found(&b, seed);
        if (pairs > 2 * n * log2(n) + of_steps(&b))
            fail_msg("seed %llu: %g pairs for %g terms", (unsigned long long)seed, pairs, n);
        box_free(&b);
    }
}

static void numbers_of_probes(void **state)
{
    uint64_t n = 2048, log = 11;

    (void)state;
    assert_int_equal(found_in(chain(2048, 1, false), false, 1), n - 1);
    assert_int_equal(found_in(balanced(2048, false), false, 1), n * log / 2);
    assert_int_equal(found_in(balanced(2048, true), false, 1), n * log / 2);
    /* n - 1, then of 128 groups the pairs inside; of the first all but those of the pivot */
    assert_int_equal(found_in(chain(2048, 16, false), false, 1), n - 1 + 127 * 120 + 105);
    assert_int_equal(found_in(chain(999, 13, false), true, 1), 998 + 75 * 78 + 66 + 55); /* and a last one of 11 */
    assert_true(n - 1 + 127 * 120 + 105 < n * log);
}

static void backwards(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 3; seed++) {
        assert_in_range(found_in(chain(512, 1, true), false, seed), 511, 512 * 9);
        assert_in_range(found_in(chain(512, 16, true), false, seed), 511, 512 * 9 + 32 * 120);
    }
}

/* --- boxes that are no trees ------------------------------------------------------------------------------------ */

static struct ordo_reveal ask(struct tree_box *b)
{
    struct ordo_reveal r;
    struct ordo_err err = {0};

    assert_ok(ordo_reveal(&b->box, 7, &r, &err), err);
    return r;
}

static void weak_term(void **state)
{
    struct tree_box b;
    struct ordo_reveal r;

    (void)state;
    box_of(chain(700, 16, false), true, &b);
    b.weak = 600;
    r = ask(&b);
    assert_int_equal(r.verdict, ORDO_REVEAL_TERM);
    assert_int_equal(r.term[0], 600);
    assert_true(r.got == 0.5f && r.want == 1);
    ordo_reveal_free(&r);
    box_free(&b);
}

/* Sums that depend on the values.  A chain that turns round when its first term is a pivot gives counts of no tree,
 * one that turns round when it is none is noticed by the pairs drawn at the end; one over sorted terms always ends
 * with the masks, which is how one step of all terms looks (the limit that reveal.h names). */
static void by_value(void **state)
{
    struct tree_box b;
    struct ordo_reveal r;

    (void)state;
    box_of(chain(40, 1, false), false, &b);
    b.look = turn_if_first_is_large;
    r = ask(&b);
    assert_int_equal(r.verdict, ORDO_REVEAL_NO_TREE);
    assert_int_equal(r.checks, 0);
    ordo_reveal_free(&r);
    b.look = turn_unless_first_is_large;
    r = ask(&b);
    assert_int_equal(r.verdict, ORDO_REVEAL_NO_TREE);
    assert_int_equal(r.pairs - r.checks, 39);
    ordo_reveal_free(&r);
    b.look = sort;
    r = ask(&b);
    assert_int_equal(r.verdict, ORDO_REVEAL_TREE);
    assert_int_equal(r.tree.n_node, 41);
    ordo_reveal_free(&r);
    box_free(&b);
}

/* fp32 counts taken for exact that went through BF16. */
static void inexact(void **state)
{
    struct tree_box b;
    struct ordo_reveal r;

    (void)state;
    box_of(chain(1001, 1, false), true, &b);
    b.box.exact = 1 << 24;
    r = ask(&b);
    assert_int_equal(r.verdict, ORDO_REVEAL_UNITS);
    assert_true(r.want == 1001);
    ordo_reveal_free(&r);
    box_free(&b);
}

/* --- comparison ------------------------------------------------------------------------------------------------- */

static struct ordo_sumtree_parting parting_of(struct ordo_sumtree a, struct ordo_sumtree b, uint32_t size[2])
{
    struct ordo_sumtree_view va, vb;
    struct ordo_sumtree_parting p;
    struct ordo_err err = {0};

    assert_ok(ordo_sumtree_view(&a, &va, &err), err);
    assert_ok(ordo_sumtree_view(&b, &vb, &err), err);
    assert_ok(ordo_sumtree_compare(&va, &vb, &p, &err), err);
    size[0] = size[1] = 0;
    if (!p.equal) {
        size[0] = va.size[p.sum[0]];
        size[1] = vb.size[p.sum[1]];
        assert_int_equal(va.size[p.common[0]], vb.size[p.common[1]]);
        assert_int_equal(va.first[p.common[0]], vb.first[p.common[1]]);
    }
    ordo_sumtree_view_free(&va);
    ordo_sumtree_view_free(&vb);
    ordo_sumtree_free(&a);
    ordo_sumtree_free(&b);
    return p;
}

static void partings(void **state)
{
    struct ordo_sumtree_parting p;
    uint32_t size[2];

    (void)state;
    p = parting_of(chain(64, 16, false), chain(64, 16, false), size);
    assert_true(p.equal);
    p = parting_of(chain(64, 16, false), chain(64, 16, true), size);
    assert_false(p.equal);
    assert_int_equal(size[0], 16); /* both begin with a group of 16, not the same */
    p = parting_of(chain(64, 16, false), chain(64, 8, false), size);
    assert_int_equal(p.only, 1); /* eight meet first in the other alone */
    assert_int_equal(size[1], 8);
    assert_int_equal(size[0], 16);
    p = parting_of(balanced(32, false), balanced(32, true), size);
    assert_int_equal(size[0], 2);
    assert_int_equal(size[1], 2);
    for (uint64_t seed = 0; seed < 100; seed++) {
        p = parting_of(any(seed), any(seed), size);
        assert_true(p.equal);
    }
}

/* One line per seed of both trees: equal digests iff the comparison says equal. */
static void digests(void **state)
{
    int n_equal = 0;

    (void)state;
    for (uint32_t x = 0; x < 64; x++) {
        struct ordo_sumtree t[2] = {tree_new(4), tree_new(4)};
        struct ordo_sumtree_view view[2];
        struct ordo_sumtree_parting p;
        struct ordo_digest d[2];
        struct ordo_err err = {0};

        for (int i = 0; i < 2; i++) { /* 3 balanced trees, 4 of one term and a step, the step of four: 8 */
            uint32_t kind = i ? x / 8 : x % 8, pair, rest;

            if (kind < 3) {
                pair = ordo_sumtree_join(&t[i], (uint32_t[]){0, kind + 1}, 2);
                rest = ordo_sumtree_join(&t[i], (uint32_t[]){(kind + 1) % 3 + 1, (kind + 2) % 3 + 1}, 2);
                (void)ordo_sumtree_join(&t[i], (uint32_t[]){rest, pair}, 2);
            } else if (kind < 7) {
                uint32_t one = kind - 3;

                pair = ordo_sumtree_join(&t[i], (uint32_t[]){(one + 3) % 4, (one + 1) % 4, (one + 2) % 4}, 3);
                (void)ordo_sumtree_join(&t[i], (uint32_t[]){one, pair}, 2);
            } else {
                (void)ordo_sumtree_join(&t[i], (uint32_t[]){0, 1, 2, 3}, 4);
            }
            assert_ok(ordo_sumtree_view(&t[i], &view[i], &err), err);
            assert_ok(ordo_sumtree_digest(&view[i], &d[i], &err), err);
        }
        assert_ok(ordo_sumtree_compare(&view[0], &view[1], &p, &err), err);
        assert_int_equal(p.equal, x / 8 == x % 8);
        assert_int_equal(memcmp(&d[0], &d[1], sizeof d[0]) == 0, p.equal);
        n_equal += p.equal;
        for (int i = 0; i < 2; i++) {
            ordo_sumtree_view_free(&view[i]);
            ordo_sumtree_free(&t[i]);
        }
    }
    assert_int_equal(n_equal, 8);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(any_tree), cmocka_unit_test(numbers_of_probes), cmocka_unit_test(backwards),
        cmocka_unit_test(weak_term), cmocka_unit_test(by_value),         cmocka_unit_test(inexact),
        cmocka_unit_test(partings), cmocka_unit_test(digests),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
