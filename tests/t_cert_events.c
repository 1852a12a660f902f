/* t_cert_events.c - event lists: any linear extension is valid, a dropped, swapped or foreign event is not. */
#include "tests/cert_forge.h"

/* Four ranks of one cluster, two head blocks; tiles of 64, so that a rank waits for both its rows at once.
 *   rank 0: rows 1, 2    rank 1: rows 2, 3    rank 2: rows 4, 5    rank 3: rows 5, 1 */
static const int32_t rows_of[4][2] = {{1, 2}, {2, 3}, {4, 5}, {5, 1}};

static struct forged *small(void)
{
    struct forged *f = forged(4, 2, 8, 4, 4, 65);

    memcpy(f->p.idx, rows_of, sizeof rows_of);
    json_decref(f->header);
    make_header(f);
    return f;
}

enum { N = 16 };
/* Rank 2 first, rank 0 in between, rank 3 once both are done; then rank after rank. */
static const struct event good[N] = {
    {2, 4, 0}, {0, 1, 0}, {2, 5, 0}, {0, 2, 0}, {3, 5, 0}, {1, 2, 0}, {3, 1, 0}, {1, 3, 0},
    {0, 1, 1}, {0, 2, 1}, {1, 2, 1}, {1, 3, 1}, {2, 4, 1}, {2, 5, 1}, {3, 5, 1}, {3, 1, 1},
};

static void a_linear_extension(void **state)
{
    struct forged *f = small();
    struct ordo_cert_verdict v;
    struct ordo_err err = {0};

    (void)state;
    put_events(f, good, N);
    assert_ok(judge_forged(f, &v, &err), err);
    assert_int_equal(v.why, ORDO_CERT_NONE);
    assert_int_equal(v.updates, 16);
    assert_int_equal(v.waits, 6); /* row 1 by rank 3, row 2 by rank 1, row 5 by rank 3; twice */
    forged_free(f);
}

static void assert_events(const struct event *e, size_t n, enum ordo_cert_refusal why)
{
    struct forged *f = small();

    put_events(f, e, n);
    assert_verdict(f, why);
    forged_free(f);
}

static void every_dropped_event(void **state)
{
    (void)state;
    for (size_t i = 0; i < N; i++) {
        struct forged *f = small();
        struct ordo_cert_verdict v;
        struct ordo_err err = {0};
        struct event e[N];

        memcpy(e, good, sizeof e);
        memmove(e + i, e + i + 1, (N - 1 - i) * sizeof *e);
        put_events(f, e, N - 1);
        assert_ok(judge_forged(f, &v, &err), err);
        if (v.why != ORDO_CERT_NOT_NEXT && v.why != ORDO_CERT_LOWER_BITS && v.why != ORDO_CERT_PAYLOAD)
            fail_msg("without event %d: %s", (int)i, ordo_cert_reason[v.why].name);
        forged_free(f);
    }
}

/* Neighbours that do not commute, one pair at a time; the others stay valid. */
static void every_swapped_pair(void **state)
{
    static const enum ordo_cert_refusal why[N - 1] = {
        [3] = ORDO_CERT_LOWER_BITS, /* rank 3 before rank 0 has cleared row 1 */
        [7] = ORDO_CERT_NOT_NEXT,   /* of the next launch: rank 0 has nothing left */
        [8] = ORDO_CERT_NOT_NEXT,   /* not its first row */
        [9] = ORDO_CERT_LOWER_BITS, [10] = ORDO_CERT_NOT_NEXT,   [12] = ORDO_CERT_NOT_NEXT,
        [13] = ORDO_CERT_LOWER_BITS, [14] = ORDO_CERT_NOT_NEXT,
    };

    (void)state;
    for (size_t i = 0; i + 1 < N; i++) {
        struct event e[N];

        memcpy(e, good, sizeof e);
        e[i] = good[i + 1];
        e[i + 1] = good[i];
        assert_events(e, N, why[i]);
    }
}

/* A rank waits for all rows of its tile before it adds to one. */
static void waits_are_for_the_tile(void **state)
{
    struct event e[N];

    (void)state;
    memcpy(e, good, sizeof e);
    /* Row 5 is free for rank 3 after rank 2, but row 1 is not. */
    e[0] = (struct event){2, 4, 0}, e[1] = (struct event){2, 5, 0}, e[2] = (struct event){3, 5, 0};
    e[3] = (struct event){0, 1, 0}, e[4] = (struct event){0, 2, 0}, e[5] = (struct event){3, 1, 0};
    assert_events(e, N, ORDO_CERT_LOWER_BITS);
}

static void foreign_events(void **state)
{
    struct event e[N + 1];

    (void)state;
    memcpy(e, good, sizeof good);
    e[4].rank = 4;
    assert_events(e, N, ORDO_CERT_NOT_NEXT);
    e[4].rank = -1;
    assert_events(e, N, ORDO_CERT_NOT_NEXT);
    e[4] = (struct event){3, 6, 0};
    assert_events(e, N, ORDO_CERT_NOT_NEXT);
    e[4] = good[4];
    e[N] = good[N - 1];
    assert_events(e, N + 1, ORDO_CERT_PAYLOAD);
    assert_events(e, 0, ORDO_CERT_PAYLOAD);
}

static void no_list_at_all(void **state)
{
    struct forged *f = small();

    (void)state;
    put_events(f, good, N);
    memset(f->payload, 0xFF, f->n_payload); /* a number without an end */
    assert_verdict(f, ORDO_CERT_PAYLOAD);
    put_events(f, good, N); /* the first number with a byte too many */
    memmove(f->payload + 1, f->payload, f->n_payload++);
    f->payload[0] |= 128, f->payload[1] = 0;
    (void)json_object_set_new(f->header, "payload", json_integer((json_int_t)f->n_payload));
    assert_verdict(f, ORDO_CERT_PAYLOAD);
    put_events(f, good, N);
    (void)json_object_set_new(f->header, "schedule", json_string("rank-major"));
    assert_verdict(f, ORDO_CERT_PAYLOAD);
    forged_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linear_extension),     cmocka_unit_test(every_dropped_event),
        cmocka_unit_test(every_swapped_pair),     cmocka_unit_test(waits_are_for_the_tile),
        cmocka_unit_test(foreign_events),         cmocka_unit_test(no_list_at_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
