/* naive.h - what sim/ must say about a tensor, said again by other means: every live slot becomes one line of a list,
 * and the list is sorted.  Liveness, lanes and keys are written out here and call nothing of protocol/ or sim/. */
#ifndef ORDO_TESTS_NAIVE_H
#define ORDO_TESTS_NAIVE_H

#include "corpus/reader.h"
#include "sim/plan.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAIVE __attribute__((unused)) static

/* One addition. */
struct naive_add {
    int32_t row, plane, wave, head_block, rank, query;
};

struct naive_order {
    struct naive_add *add; /* by row, plane, wave, head block, rank */
    size_t n;
    uint64_t rows, accumulators, waits;
    struct ordo_digest digest;
};

NAIVE int naive_live(const struct ordo_problem *p, int32_t query, int32_t column)
{
    int64_t length = p->length ? p->length[query] : p->topk, id = p->idx[(int64_t)query * p->topk + column];

    if (length > p->topk)
        length = p->topk;
    return column < length && 0 <= id && id < p->n_kv;
}

NAIVE int naive_compare(const void *a, const void *b)
{
    const int32_t *x = (const int32_t *)a, *y = (const int32_t *)b;

    for (int i = 0; i < 5; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

NAIVE void naive_fill(const struct ordo_plan *plan, const struct ordo_problem *p, struct naive_order *o)
{
    int32_t wave = plan->wave, cluster = plan->cluster, blocks = (plan->request.n_head + 63) / 64;

    o->add = malloc(((size_t)p->n_query * (size_t)p->topk * (size_t)blocks + 1) * sizeof *o->add);
    assert_non_null(o->add);
    for (int32_t q = 0; q < p->n_query; q++)
        for (int32_t j = 0; j < p->topk; j++)
            for (int32_t b = 0; naive_live(p, q, j) && b < blocks; b++)
                o->add[o->n++] = (struct naive_add){.row = p->idx[(int64_t)q * p->topk + j],
                                                    .plane = q % wave / cluster,
                                                    .wave = q / wave,
                                                    .head_block = b,
                                                    .rank = q % wave % cluster,
                                                    .query = q};
    qsort(o->add, o->n, sizeof *o->add, naive_compare);
}

/* The order of a tensor without duplicates.  Free o.add. */
NAIVE struct naive_order naive_order(const struct ordo_plan *plan, const struct ordo_problem *p)
{
    struct naive_order o = {0};
    struct ordo_hasher h;
    uint32_t blocks = (uint32_t)(plan->request.n_head + 63) / 64;

    naive_fill(plan, p, &o);
    ordo_hasher_init(&h);
    ordo_hasher_u32(&h, (uint32_t)(plan->wave / plan->cluster));
    ordo_hasher_u32(&h, 8);
    for (size_t i = 0; i < o.n; i++) {
        const struct naive_add *a = &o.add[i], *before = i ? a - 1 : NULL;
        int same_row = before && before->row == a->row, same_plane = same_row && before->plane == a->plane;

        if (!same_row) {
            o.rows++;
            ordo_hasher_u32(&h, 0xFFFFFFFE);
            ordo_hasher_u32(&h, (uint32_t)a->row);
        }
        if (!same_plane) {
            o.accumulators++;
            ordo_hasher_u32(&h, 0xFFFFFFFF);
            ordo_hasher_u32(&h, (uint32_t)a->plane);
        }
        o.waits += same_plane && before->wave == a->wave && before->head_block == a->head_block;
        ordo_hasher_u32(&h, (uint32_t)a->query * blocks + (uint32_t)a->head_block);
    }
    o.digest = ordo_hasher_done(&h);
    return o;
}

/* --- problems --------------------------------------------------------------------------------------------------- */

/* A file of corpus/index with its lengths; free with ordo_problem_free. */
NAIVE struct ordo_problem corpus_problem(const char *name, int32_t n_kv)
{
    const char *srcdir = getenv("srcdir"), *dot = strrchr(name, '.');
    char path[512], length[520];
    struct ordo_source src = {.path = path};
    struct ordo_problem p;
    struct ordo_err err = {0};
    FILE *f;

    srcdir = srcdir ? srcdir : ".";
    (void)snprintf(path, sizeof path, "%s/corpus/index/%s", srcdir, name);
    (void)snprintf(length, sizeof length, "%s/corpus/index/%.*s.length.npy", srcdir, (int)(dot - name), name);
    if ((f = fopen(length, "r")) != NULL) {
        src.length_path = length;
        (void)fclose(f);
    }
    assert_ok(ordo_read_problem(&src, &p, &err), err);
    p.n_kv = n_kv;
    return p;
}

/* n_query x topk ids below n_kv, those of one query distinct, every hole-th slot dead for any KV (0: none).  Wants
 * topk <= n_kv.  Free with ordo_problem_free. */
NAIVE struct ordo_problem random_problem(uint64_t seed, int32_t n_query, int32_t topk, int32_t n_kv, int32_t hole)
{
    struct ordo_problem p = {n_query, topk, n_kv, malloc(((size_t)n_query * (size_t)topk + 1) * 4), NULL};

    assert_non_null(p.idx);
    for (int32_t i = 0; i < n_query * topk; i++) {
        int32_t *row = p.idx + i / topk * topk, at = i % topk, j;

        do {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            row[at] = (int32_t)((seed >> 33) % (uint64_t)n_kv);
            for (j = 0; j < at && row[j] != row[at]; j++)
                continue;
        } while (j < at);
    }
    for (int32_t i = 0; hole && i < n_query * topk; i += hole)
        p.idx[i] = i % 2 ? -1 - i : INT32_MAX;
    return p;
}

/* What a request for this problem asks by default: H = 64, D = 576/512, sm100. */
NAIVE struct ordo_request request_of(const struct ordo_problem *p)
{
    return (struct ordo_request){
        .n_query = p->n_query, .n_kv = p->n_kv, .topk = p->topk, .n_head = 64, .d_qk = 576, .d_v = 512};
}

#endif
