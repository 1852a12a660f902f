/* t_ptx_relation.c - the bit-matrix relations of E3 against their definitions, on random relations. */
#include "tests/test.h"

#include "base/rng.h"
#include "sim/ptx_relation.h"

#include <string.h>

/* About `degree` successors for each of n events. */
static struct ordo_rel some(struct ordo_rng *rng, int n, int degree)
{
    struct ordo_rel r = {0};

    for (int i = 0; i < n * degree; i++)
        r.row[ordo_rng_below(rng, (uint64_t)n)] |= ordo_bit((int)ordo_rng_below(rng, (uint64_t)n));
    return r;
}

/* Whether b can be reached from a in at least one step, by walking. */
static bool reaches(const struct ordo_rel *r, int n, int a, int b)
{
    bool seen[ORDO_PTX_EVENTS] = {false};
    int stack[ORDO_PTX_EVENTS + 1], depth = 0;

    stack[depth++] = a;
    while (depth) {
        int at = stack[--depth];

        for (int i = 0; i < n; i++) {
            if (!ordo_rel_has(r, at, i) || seen[i])
                continue;
            seen[i] = true;
            stack[depth++] = i;
        }
    }
    return seen[b];
}

static void closure(void **state)
{
    struct ordo_rng rng = {1};

    (void)state;
    for (int turn = 0; turn < 200; turn++) {
        int n = 1 + (int)ordo_rng_below(&rng, ORDO_PTX_EVENTS);
        struct ordo_rel r = some(&rng, n, turn % 3), c = r;
        bool circle = false;

        ordo_rel_close(n, &c);
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++)
                assert_int_equal(ordo_rel_has(&c, a, b), reaches(&r, n, a, b));
        for (int a = 0; a < n; a++)
            circle |= reaches(&r, n, a, a);
        assert_int_equal(ordo_rel_acyclic(n, &r), !circle);
    }
}

static void composition(void **state)
{
    struct ordo_rng rng = {2};

    (void)state;
    for (int turn = 0; turn < 50; turn++) {
        int n = 1 + (int)ordo_rng_below(&rng, 30);
        struct ordo_rel a = some(&rng, n, 2), b = some(&rng, n, 2), c;

        ordo_rel_compose(n, &a, &b, &c);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                bool found = false;

                for (int k = 0; k < n; k++)
                    found |= ordo_rel_has(&a, i, k) && ordo_rel_has(&b, k, j);
                assert_int_equal(ordo_rel_has(&c, i, j), found);
            }
    }
}

/* Adding pairs one at a time to a closed relation is closing at the end. */
static void order(void **state)
{
    struct ordo_rng rng = {3};

    (void)state;
    for (int turn = 0; turn < 100; turn++) {
        int n = 2 + (int)ordo_rng_below(&rng, 40);
        struct ordo_rel step = {0}, all = {0};

        for (int i = 0; i < n; i++) {
            int a = (int)ordo_rng_below(&rng, (uint64_t)n), b = (int)ordo_rng_below(&rng, (uint64_t)n);

            all.row[a] |= ordo_bit(b);
            ordo_rel_order(n, &step, a, b);
        }
        ordo_rel_close(n, &all);
        assert_memory_equal(&step, &all, sizeof all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closure),
        cmocka_unit_test(composition),
        cmocka_unit_test(order),
    };

    return cmocka_run_group_tests_name("ptx_relation", tests, NULL, NULL);
}
