/* t_run_text.c - the text form of a run: written, read back, and refused with its line. */
#include "tests/run_instance.h"

#include <unistd.h>

static void temporary(char path[64])
{
    int fd;

    (void)snprintf(path, 64, "./run-test-XXXXXX");
    fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(close(fd), 0);
}

static void written_and_read(void **state)
{
    struct instance in = instance(11, 5, 9, 4, 8, 128);
    struct ordo_run_list back;
    struct ordo_err err = {0};
    char path[64], beside[80];

    (void)state;
    temporary(path);
    assert_ok(ordo_run_write(path, &in.plan, &in.p, &err), err);
    assert_ok(ordo_run_read(path, &back, &err), err);
    assert_int_equal(back.n, in.list.n);
    for (uint64_t i = 0; i < back.n; i++)
        assert_true(same(&back.op[i], &in.list.op[i]));
    free(back.op);
    (void)snprintf(beside, sizeof beside, "%s.tmp", path);
    assert_int_not_equal(access(beside, F_OK), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(ordo_run_write("./no-such-folder/run", &in.plan, &in.p, &err), ORDO_ENVIRONMENT);
    assert_string_equal(err.file, "./no-such-folder/run");
    assert_int_equal(ordo_run_read("./no-such-folder/run", &back, &err), ORDO_BAD_INPUT);
    assert_null(back.op);
    instance_free(&in);
}

static enum ordo_status read_text(const char *text, struct ordo_run_list *list, struct ordo_err *err)
{
    enum ordo_status status;
    char path[64];
    FILE *f;

    temporary(path);
    f = fopen(path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0);
    assert_int_equal(fclose(f), 0);
    status = ordo_run_read(path, list, err);
    assert_int_equal(unlink(path), 0);
    return status;
}

static void text_by_hand(void **state)
{
    static const char *const bad[] = {
        "0 0 0 0 add\n",           "0 0 0 0 add 1 1\n",         "0 0 0 0 Add 1\n", "0 0 0 0 ad 1\n",
        "0 0 0 0 add 2147483648\n", "0 0 0 0 add -1\n",          "0 0 0 add 1\n",   "x 0 0 0 add 1\n",
        "0 0 0 0 add 0x1\n",       "0 0 0 0 add 99999999999999999999\n", "\n",     "0 0 0 0 added 1\n",
        "0 0 0 0  1\n",            "0 0 0 0.5 add 1\n",
    };
    static const struct ordo_run_op want[] = {{1, 2, 3, 4, ORDO_RUN_SET, 5}, {0, 0, 0, 0, ORDO_RUN_WAIT, INT32_MAX},
                                              {0, 0, 0, 1, ORDO_RUN_ADD, 0}, {0, 0, 0, 1, ORDO_RUN_CLEAR, 0}};
    struct ordo_run_list list;
    struct ordo_err err = {0};
    char text[128];

    (void)state;
    assert_ok(read_text("1 2 3 4 set 5\n0 0 0 0 wait 2147483647\r\n\t0  0 0 1 add 0 \n0 0 0 1 clear 0", &list, &err),
              err);
    assert_int_equal(list.n, 4);
    for (int i = 0; i < 4; i++)
        assert_true(same(&list.op[i], &want[i]));
    free(list.op);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        (void)snprintf(text, sizeof text, "0 0 0 0 add 1\n0 0 0 0 clear 1\n%s", bad[i]);
        assert_int_equal(read_text(text, &list, &err), ORDO_BAD_INPUT);
        assert_string_equal(err.field, "line 3");
        free(list.op);
    }
    assert_ok(read_text("", &list, &err), err);
    assert_int_equal(list.n, 0);
    free(list.op);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(written_and_read),
        cmocka_unit_test(text_by_hand),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
