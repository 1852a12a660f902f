/* t_violation.c - what is outside the contract or wrong is said, with its place: duplicates, and designs spoiled on
 * purpose. */
#include "sim/design.h"
#include "sim/prove.h"
#include "tests/claims.h"
#include "tests/naive.h"

/* Private shards, or the relay. */
static struct ordo_plan plan_with(int32_t cluster, const struct ordo_problem *p)
{
    struct ordo_request request = request_of(p);
    struct ordo_plan plan;
    struct ordo_err err = {0};

    request.cluster = cluster;
    request.n_head = 128;
    assert_ok(ordo_plan_make(&request, &plan, &err), err);
    return plan;
}

/* --- duplicates ------------------------------------------------------------------------------------------------- */

static void assert_places(const struct ordo_contract_scan *scan, const struct ordo_duplicate *want, uint64_t n)
{
    assert_int_equal(scan->n_duplicate, n);
    assert_memory_equal(scan->duplicate, want, n * sizeof *want);
}

static void every_duplicate_is_named(void **state)
{
    int32_t idx[] = {
        5, 1, 5, 5, 9,  /* twice too many; 9 is beyond the length */
        9, 9, -1, 3, 3, /* 9 is dead, and so is the second 3 */
        0, 1, 2, 3, 4,  /* clean */
        8, 7, 8, 7, 0,
    };
    int32_t length[] = {4, 4, 9, 5};
    static const struct ordo_duplicate want[] = {{0, 5, 0, 2}, {0, 5, 0, 3}, {3, 8, 0, 2}, {3, 7, 1, 3}};
    struct ordo_problem p = {4, 5, 9, idx, length};

    (void)state;
    for (int32_t cluster = 0; cluster <= 16; cluster += 4 + cluster / 8 * 4) {
        struct ordo_plan plan = plan_with(cluster, &p);
        struct ordo_proof proof = proof_of(&plan, &p);

        assert_int_equal(proof.verdict, ORDO_REFUSED);
        assert_claims(&proof, "undecided", "undecided", "undecided");
        assert_places(&proof.scan, want, 4);
        assert_int_equal(proof.scan.duplicate_queries, 2);
        assert_int_equal(proof.scan.live, 15);
        assert_int_equal(proof.rows, 8);
        assert_int_equal(proof.updates, 11 * plan.head_blocks);
        assert_null(proof.order);
        assert_string_equal(proof.assumption, "");
        ordo_proof_free(&proof);
    }
}

static void many_duplicates(void **state)
{
    struct ordo_problem p = {100, 50, 8, calloc(5000, sizeof *p.idx), NULL};
    struct ordo_plan plan = plan_with(4, &p);
    struct ordo_proof proof = proof_of(&plan, &p);

    (void)state;
    assert_int_equal(proof.verdict, ORDO_REFUSED);
    assert_int_equal(proof.scan.n_duplicate, 4900);
    for (int32_t i = 0; i < 4900; i++) {
        const struct ordo_duplicate want = {i / 49, 0, 0, 1 + i % 49};

        assert_memory_equal(&proof.scan.duplicate[i], &want, sizeof want);
    }
    ordo_proof_free(&proof);
    ordo_problem_free(&p);
}

static void corpus_duplicates(void **state)
{
    struct ordo_problem p = corpus_problem("duplicates.npy", 64);
    struct ordo_plan plan = plan_with(16, &p);
    struct ordo_proof proof = proof_of(&plan, &p);

    (void)state;
    assert_int_equal(proof.verdict, ORDO_REFUSED);
    assert_int_equal(proof.scan.n_duplicate, 16);
    for (uint64_t i = 0; i < 16; i++) {
        const struct ordo_duplicate *d = &proof.scan.duplicate[i];

        assert_true(d->query == 3 || d->query == 10);
        assert_true(d->first < d->column);
        assert_int_equal(ordo_problem_row(&p, d->query)[d->first], d->row);
        assert_int_equal(ordo_problem_row(&p, d->query)[d->column], d->row);
    }
    ordo_proof_free(&proof);
    ordo_problem_free(&p);
}

/* --- designs that are wrong ------------------------------------------------------------------------------------- */

/* Each walk below spoils the published one in one way. */
struct spoiled {
    const struct ordo_visitor *to;
    int (*spoil)(const struct ordo_visitor *to, struct ordo_worker *worker, int n);
};

static int spoil_group(void *ctx, const struct ordo_worker *worker, int n)
{
    const struct spoiled *s = ctx;
    struct ordo_worker copy[ORDO_MAX_CLUSTER];

    memcpy(copy, worker, (size_t)n * sizeof *copy);
    return s->spoil(s->to, copy, n);
}

static int reverse_ranks(const struct ordo_visitor *to, struct ordo_worker *w, int n)
{
    for (int i = 0; i < n / 2; i++) {
        struct ordo_worker first = w[i];

        w[i] = w[n - 1 - i];
        w[n - 1 - i] = first;
    }
    return to->group(to->ctx, w, n);
}

static int twice(const struct ordo_visitor *to, struct ordo_worker *w, int n)
{
    int stop = to->group(to->ctx, w, n);

    return stop ? stop : to->group(to->ctx, w, n);
}

static int without_the_last(const struct ordo_visitor *to, struct ordo_worker *w, int n)
{
    return n > 1 ? to->group(to->ctx, w, n - 1) : 0;
}

static int wrong_query(const struct ordo_visitor *to, struct ordo_worker *w, int n)
{
    w[0].query = w[n - 1].query;
    return to->group(to->ctx, w, n);
}

static int wrong_rank(const struct ordo_visitor *to, struct ordo_worker *w, int n)
{
    w[n - 1].rank = (w[n - 1].rank + 1) % ORDO_MAX_CLUSTER;
    return to->group(to->ctx, w, n);
}

static int wrong_wave(const struct ordo_visitor *to, struct ordo_worker *w, int n)
{
    w[0].wave++;
    return to->group(to->ctx, w, n);
}

static int wrong_plane(const struct ordo_visitor *to, struct ordo_worker *w, int n)
{
    w[0].plane ^= 1;
    return to->group(to->ctx, w, n);
}

#define WALK(name)                                                                                           \
    static int walk_##name(const struct ordo_plan *plan, int32_t plane, const struct ordo_visitor *visitor) \
    {                                                                                                        \
        struct spoiled s = {visitor, name};                                                                  \
        const struct ordo_visitor spoiler = {spoil_group, &s};                                               \
                                                                                                             \
        return ordo_walk_waves(plan, plane, &spoiler);                                                       \
    }
WALK(reverse_ranks)
WALK(twice)
WALK(without_the_last)
WALK(wrong_query)
WALK(wrong_rank)
WALK(wrong_wave)
WALK(wrong_plane)

/* The last launch first. */
struct kept {
    struct ordo_worker worker[16][ORDO_MAX_CLUSTER];
    int n[16], n_group;
};

static int keep(void *ctx, const struct ordo_worker *worker, int n)
{
    struct kept *k = ctx;

    assert_true(k->n_group < 16);
    memcpy(k->worker[k->n_group], worker, (size_t)n * sizeof *worker);
    k->n[k->n_group++] = n;
    return 0;
}

static int walk_backwards(const struct ordo_plan *plan, int32_t plane, const struct ordo_visitor *visitor)
{
    struct kept k = {.n_group = 0};
    const struct ordo_visitor keeper = {keep, &k};
    int stop = ordo_walk_waves(plan, plane, &keeper);

    while (!stop && k.n_group-- > 0)
        stop = visitor->group(visitor->ctx, k.worker[k.n_group], k.n[k.n_group]);
    return stop;
}

/* Three launches of two head blocks, everyone wants the same rows. */
static void assert_spoiled(ordo_walk_fn *walk, enum ordo_sync sync, int32_t cluster, enum ordo_violation_kind kind,
                           bool has_place)
{
    struct ordo_design design = {"spoiled", sync, 0, NULL, walk};
    struct ordo_problem p = {24, 3, 16, calloc(72, sizeof *p.idx), NULL};
    struct ordo_plan plan = plan_with(4, &p);
    struct ordo_proof proof;
    const struct ordo_violation_info *info = &ordo_violation_info[kind];

    for (int32_t i = 0; i < 72; i++)
        p.idx[i] = i % 3 * 5;
    plan.design = &design;
    plan.wave = 8;
    plan.waves = 3;
    plan.head_blocks = 2;
    plan.cluster = cluster;
    plan.planes = 8 / cluster;
    proof = proof_of(&plan, &p);
    assert_int_equal(proof.verdict, ORDO_VIOLATED);
    if (proof.violation.kind != kind)
        fail_msg("%s instead of %s", ordo_violation_info[proof.violation.kind].name, info->name);
    assert_claims(&proof, info->ordering ? "violated" : "undecided", info->deadlock ? "possible" : "undecided",
                  info->race ? "found" : "undecided"); /* checking ends at the first violation */
    assert_null(proof.order);
    assert_string_equal(proof.assumption, "");
    assert_int_equal(proof.violation.worker.query >= 0, has_place);
    assert_true(proof.violation.row == -1 || proof.violation.row % 5 == 0);
    ordo_proof_free(&proof);
    ordo_problem_free(&p);
}

static void wrong_designs(void **state)
{
    (void)state;
    assert_spoiled(walk_reverse_ranks, ORDO_SYNC_RELAY, 4, ORDO_VIOLATION_BLOCKED, true);
    assert_spoiled(walk_backwards, ORDO_SYNC_RELAY, 4, ORDO_VIOLATION_DESCENDING, true);
    assert_spoiled(walk_backwards, ORDO_SYNC_NONE, 1, ORDO_VIOLATION_DESCENDING, true);
    assert_spoiled(walk_twice, ORDO_SYNC_NONE, 1, ORDO_VIOLATION_DOUBLE_ADD, true);
    assert_spoiled(walk_twice, ORDO_SYNC_RELAY, 4, ORDO_VIOLATION_DESCENDING, true);
    assert_spoiled(walk_without_the_last, ORDO_SYNC_RELAY, 4, ORDO_VIOLATION_LOST_ADD, false);
    assert_spoiled(walk_without_the_last, ORDO_SYNC_NONE, 1, ORDO_VIOLATION_LOST_ADD, false);
    assert_spoiled(walk_wrong_query, ORDO_SYNC_RELAY, 4, ORDO_VIOLATION_WRONG_PLANE, true);
    assert_spoiled(walk_wrong_rank, ORDO_SYNC_RELAY, 4, ORDO_VIOLATION_WRONG_PLANE, true);
    assert_spoiled(walk_wrong_wave, ORDO_SYNC_RELAY, 4, ORDO_VIOLATION_WRONG_PLANE, true);
    assert_spoiled(walk_wrong_plane, ORDO_SYNC_RELAY, 4, ORDO_VIOLATION_WRONG_PLANE, true);
    /* four workers share a plane and nothing orders them */
    assert_spoiled(ordo_walk_waves, ORDO_SYNC_NONE, 4, ORDO_VIOLATION_SHARED_PLANE, true);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(every_duplicate_is_named),
        cmocka_unit_test(many_duplicates),
        cmocka_unit_test(corpus_duplicates),
        cmocka_unit_test(wrong_designs),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
