/* t_flip.c - two answers to one question: what is a flip, and how two runs differ. */
#include "tests/shot.h"

static int flips(struct ordo_store *store, struct text *t)
{
    question(store, ORDO_STORE_FLIPS, &(struct ordo_store_filter){.limit = 0}, t);
    return t->rows;
}

/* --- flips ------------------------------------------------------------------------------------------------------ */

/* Whatever decides the output may differ, and then another output is no flip. */
static void other_key_no_flip(void **state)
{
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct shot s;
    struct text t;

    (void)state;
    for (int i = 0; i <= 6; i++) {
        fill_shot(&s);
        s.result.digest = digest((uint8_t)(100 + i));
        if (i == 1)
            s.problem.digest = digest(11);
        else if (i == 2)
            s.plan.digest = digest(12);
        else if (i == 3)
            s.build.digest = digest(13);
        else if (i == 4)
            s.device.uuid = "GPU-1";
        else if (i == 5)
            s.input.digest = digest(14);
        else if (i == 6)
            s.result.output = "dq";
        (void)store_shot(store, &s);
    }
    assert_int_equal(flips(store, &t), 0);
    fill_shot(&s);
    s.device.driver = "590"; /* compiles anew what it runs */
    (void)store_shot(store, &s);
    assert_int_equal(flips(store, &t), 0);
    ordo_store_close(store);
}

static void flip_found(void **state)
{
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct shot s;
    struct text t;

    (void)state;
    fill_shot(&s);
    (void)store_shot(store, &s);
    (void)store_shot(store, &s);
    assert_int_equal(flips(store, &t), 0);
    s.result.digest.byte[31] ^= 1;
    (void)store_shot(store, &s);
    assert_int_equal(flips(store, &t), 1);
    assert_holds(t, "[flip] problem='0101");
    assert_holds(t, "device='device A' input='0404");
    assert_holds(t, "output='dkv' results=3 digests=2 first_run=1 last_run=3 digest='05050505");
    question(store, ORDO_STORE_FLIPS, &(struct ordo_store_filter){.problem = "01010", .plan = "02"}, &t);
    assert_int_equal(t.rows, 1);
    question(store, ORDO_STORE_FLIPS, &(struct ordo_store_filter){.problem = "02"}, &t);
    assert_int_equal(t.rows, 0);
    ordo_store_close(store);
}

/* What the CPU computed may not flip either, as long as the program is the same. */
static void flip_on_the_cpu(void **state)
{
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct ordo_err err = {0};
    struct sample s;
    struct text t;
    int64_t id;

    (void)state;
    (void)add(store, 1);
    fill(&s, 1);
    s.bits[1].digest = digest(9);
    s.run.version = "1";
    assert_ok(ordo_store_add_run(store, &s.run, &id, &err), err);
    s.bits[1].seed++;
    s.run.version = "0";
    assert_ok(ordo_store_add_run(store, &s.run, &id, &err), err);
    assert_int_equal(flips(store, &t), 0);
    s.bits[1].seed--;
    assert_ok(ordo_store_add_run(store, &s.run, &id, &err), err);
    assert_int_equal(flips(store, &t), 1);
    assert_holds(t, "build='ordo 0' device='cpu' input='rough seed 7 width 8' output='sums' results=2 digests=2");
    ordo_store_close(store);
}

/* --- two runs --------------------------------------------------------------------------------------------------- */

static void compare(struct ordo_store *store, int64_t a, int64_t b, struct text *t)
{
    question(store, ORDO_STORE_COMPARE, &(struct ordo_store_filter){.a = a, .b = b}, t);
}

/* Elements are compared by their bits: two NaN may differ, and -0 is not +0. */
static void elements_by_bits(void **state)
{
    static const uint32_t pair[][2] = {{0x7fc00000u, 0x7fc00001u}, {0x80000000u, 0}, {0x7fc00000u, 0xffc00000u}};
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct ordo_err err = {0};
    struct sample s;
    struct text t;
    int64_t id[2];

    (void)state;
    for (size_t i = 0; i < sizeof pair / sizeof pair[0]; i++) {
        for (int k = 0; k < 2; k++) {
            fill(&s, 1);
            s.value[0].bits = pair[i][k];
            assert_ok(ordo_store_add_run(store, &s.run, &id[k], &err), err);
        }
        compare(store, id[0], id[1], &t);
        assert_holds(t, "what='element' item='exact row 0 column 0' value_a='0x");
        assert_holds(t, "verdict='differs'");
        compare(store, id[0], id[0], &t);
        assert_null(strstr(t.out, "element"));
        assert_null(strstr(t.out, "differs"));
    }
    ordo_store_close(store);
}

static void compared(void **state)
{
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct ordo_err err = {0};
    struct sample s;
    struct text t;
    int64_t a = add(store, 1), b;

    (void)state;
    fill(&s, 1);
    s.order = digest(0x77);
    s.bits[0].digest = digest(0x78);
    s.run.verdict = "finding";
    assert_ok(ordo_store_add_run(store, &s.run, &b, &err), err);
    compare(store, a, b, &t);
    assert_holds(t, "what='verdict' item=NULL value_a='clean' value_b='finding' verdict='differs'");
    assert_holds(t, "what='order' item=NULL value_a='cdcd");
    assert_holds(t, "what='bits' item='exact seed 18446744073709551615 width 8' value_a='0101");
    assert_holds(t, "what='worst_ratio' item=NULL value_a=inf value_b=inf verdict='same'");
    /* Another plan promises nothing. */
    fill(&s, 1);
    s.plan.digest = digest(0x79);
    s.order = digest(0x77);
    s.bits[0].digest = digest(0x78);
    s.bits[1].seed = 8;
    assert_ok(ordo_store_add_run(store, &s.run, &b, &err), err);
    compare(store, a, b, &t);
    assert_null(strstr(t.out, "differs"));
    assert_holds(t, "what='plan' item=NULL value_a='abab");
    assert_holds(t, "verdict='moved'");
    assert_holds(t, "item='rough seed 7 width 8' value_a='02");
    assert_holds(t, "verdict='only in A'");
    assert_holds(t, "verdict='only in B'");
    ordo_store_close(store);
}

/* Kernels' outputs, across builds and devices: the plan decides. */
static void outputs_compared(void **state)
{
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct ordo_store_result two[2];
    struct shot s;
    struct text t;

    (void)state;
    fill_shot(&s);
    (void)store_shot(store, &s);
    s.device.uuid = "GPU-1";
    s.build.digest = digest(33);
    (void)store_shot(store, &s);
    compare(store, 1, 2, &t);
    assert_holds(t, "what='output' item='dkv input 040404040404' value_a='05");
    assert_null(strstr(t.out, "differs"));
    s.result.digest = digest(55);
    (void)store_shot(store, &s);
    compare(store, 1, 3, &t);
    assert_holds(t, "verdict='differs'");
    two[0] = two[1] = s.result;
    two[1].digest = digest(56);
    s.run.n_result = 2;
    s.run.result = two;
    (void)store_shot(store, &s);
    compare(store, 1, 4, &t);
    assert_holds(t, "verdict='unstable in B'");
    ordo_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(other_key_no_flip, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(flip_found, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(flip_on_the_cpu, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(elements_by_bits, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(compared, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(outputs_compared, make_dir, remove_dir),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
