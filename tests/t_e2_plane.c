/* t_e2_plane.c - E2 on the plane: elements are kept apart, whatever row, column or copy names them; and what is no
 * addition is refused, never guessed at. */
#include "tests/test.h"

#include "protocol/launch.h"
#include "protocol/relay.h"
#include "sim/e2.h"

enum { D8 = 2, ROOM = 32 };

static const struct ordo_mem plane = {ORDO_SPACE_PLANE};
static const struct ordo_handoff alone = {1, 2, 1}; /* barriers of one thread */

/* One adder of each of two CTAs that nothing orders: the first adds its columns from `first` on to a row, the other
 * all of row 1 of rows d8 wide, in one copy or by its columns.  Whether they meet. */
static bool meet(int64_t row, int32_t first, bool bulk, int32_t d8)
{
    struct ordo_record record[2][ROOM];
    struct ordo_tape tape[2] = {{record[0], 0, ROOM}, {record[1], 0, ROOM}};
    struct ordo_e2_options grid = {.scheduler = ORDO_SCHED_GRID};
    const int64_t one[] = {1};
    struct ordo_e2_program p;
    struct ordo_e2_result r;

    ordo_relay_reduce(&tape[0], plane, &row, 1, (struct ordo_unread){0}, D8, first, D8, alone);
    if (bulk)
        ordo_relay_bulk(&tape[1], plane, one, 1, 0, d8, alone);
    else
        ordo_relay_reduce(&tape[1], plane, one, 1, (struct ordo_unread){0}, d8, 0, 1, alone);
    assert_true(ordo_e2_program_begin(&p));
    p.n_column = D8;
    for (int t = 0; t < 2; t++)
        assert_non_null(ordo_e2_add(&p, "adder", &tape[t], t, t, 0));
    assert_true(ordo_e2_decide(&p, &grid, &r));
    assert_true(r.verdict == ORDO_E2_PROVED || r.bad == ORDO_E2_RACE || r.bad == ORDO_E2_ORDER);
    ordo_e2_result_free(&r);
    ordo_e2_program_free(&p);
    return r.verdict == ORDO_E2_VIOLATED;
}

static void elements_are_kept_apart(void **state)
{
    (void)state;
    for (int bulk = 0; bulk < 2; bulk++) {
        assert_false(meet(0, 0, bulk, D8));
        assert_false(meet(0, 1, bulk, D8));
        assert_true(meet(1, 0, bulk, D8));
        assert_true(meet(1, 1, bulk, D8));
        assert_false(meet(2, 0, bulk, D8));
        /* Rows of another width: row 1 is element 1 alone, then elements 3 to 5. */
        assert_false(meet(0, 0, bulk, 1));
        assert_true(meet(0, 1, bulk, 1));
        assert_false(meet(1, 0, bulk, 3));
        assert_true(meet(1, 1, bulk, 3));
        assert_true(meet(2, 1, bulk, 3));
    }
}

/* --- refusals --------------------------------------------------------------------------------------------------- */

static void assert_refused(const struct ordo_tape *tape, const char *why)
{
    struct ordo_e2_options grid = {.scheduler = ORDO_SCHED_GRID};
    struct ordo_e2_program p;
    struct ordo_e2_result r;

    assert_true(ordo_e2_program_begin(&p));
    p.n_column = D8;
    assert_non_null(ordo_e2_add(&p, "one", tape, 0, 0, 0));
    assert_true(ordo_e2_decide(&p, &grid, &r));
    assert_int_equal(r.verdict, ORDO_E2_REFUSED);
    assert_string_equal(r.reason, why);
    ordo_e2_result_free(&r);
    ordo_e2_program_free(&p);
}

static void what_is_no_addition_is_refused(void **state)
{
    static const char no_addition[] = "a plane access that is no addition";
    struct ordo_record record[ROOM];
    struct ordo_tape tape = {record, 0, ROOM};
    const int64_t row[] = {0};

    (void)state;
    ordo_launch_clear(&tape, plane, 0, D8, 0, 1);
    assert_refused(&tape, no_addition);
    tape.n = 0;
    ordo_launch_first(&tape, plane, 0, (struct ordo_unread){0}, D8, 0, 1);
    assert_refused(&tape, no_addition);
    tape.n = 0;
    ordo_launch_fold(&tape, plane, 0, 1, 2, D8, 0);
    assert_refused(&tape, no_addition);
    for (int what = 0; what < 4; what++) {
        tape.n = 0;
        ordo_relay_reduce(&tape, plane, row, 1, (struct ordo_unread){0}, 1, 0, 1, alone);
        record[2].data = what == 0 ? ORDO_DATA_OPAQUE : record[2].data;
        record[2].index += what == 1;
        record[what == 2 ? 1 : 2].op = what == 2 ? ORDO_OP_STORE : what == 3 ? ORDO_OP_LOAD : ORDO_OP_STORE;
        assert_refused(&tape, no_addition);
    }
    tape.n = 0;
    ordo_relay_bulk(&tape, plane, row, 1, 0, 1, alone);
    record[2].value = 6;
    assert_refused(&tape, "a bulk copy that cuts an element");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_kept_apart),
        cmocka_unit_test(what_is_no_addition_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
