/* t_parallel.c - the loop on several threads: every item once, one item a thread, the first failure. */
#include "base/parallel.h"
#include "tests/test.h"

#include <stdatomic.h>

enum { ITEMS = 1000 };

struct seen {
    atomic_int item[ITEMS], busy[ORDO_MAX_THREADS];
    int64_t fails; /* items from here on fail */
};

static enum ordo_status visit(void *ctx, int thread, int64_t i, struct ordo_err *err)
{
    struct seen *s = ctx;

    if (atomic_fetch_add(&s->busy[thread], 1) != 0)
        atomic_fetch_add(&s->item[i], 100);
    atomic_fetch_add(&s->item[i], 1);
    atomic_fetch_sub(&s->busy[thread], 1);
    if (i >= s->fails)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "item", "%d", (int)i);
    return ORDO_OK;
}

static void every_item_once(void **state)
{
    static const int threads[] = {1, 2, 3, 8, ORDO_MAX_THREADS};

    (void)state;
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        static struct seen s;
        struct ordo_err err = {0};

        for (int i = 0; i < ITEMS; i++)
            atomic_store(&s.item[i], 0);
        s.fails = ITEMS;
        assert_ok(ordo_parallel(threads[t], ITEMS, visit, &s, &err), err);
        for (int i = 0; i < ITEMS; i++)
            assert_int_equal(atomic_load(&s.item[i]), 1);
    }
}

static void nothing_to_do(void **state)
{
    struct ordo_err err = {0};

    (void)state;
    assert_ok(ordo_parallel(3, 0, visit, NULL, &err), err);
}

/* The lowest failing item's words, whoever was sooner; what comes after is not begun for long. */
static void first_failure(void **state)
{
    (void)state;
    for (int n = 1; n < 6; n++) {
        static struct seen s;
        struct ordo_err err = {0};
        int done = 0;

        for (int i = 0; i < ITEMS; i++)
            atomic_store(&s.item[i], 0);
        s.fails = 37;
        assert_int_equal(ordo_parallel(n, ITEMS, visit, &s, &err), ORDO_BAD_INPUT);
        assert_string_equal(err.reason, "37");
        for (int i = 0; i < ITEMS; i++)
            done += atomic_load(&s.item[i]);
        assert_true(done >= 38 && done <= 37 + n);
    }
}

static void processors(void **state)
{
    (void)state;
    assert_true(ordo_processors() >= 1 && ordo_processors() <= ORDO_MAX_THREADS);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(every_item_once), cmocka_unit_test(nothing_to_do), cmocka_unit_test(first_failure),
        cmocka_unit_test(processors),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
