/* t_case.c - the text of a case: there and back, its name, and one clear error for each malformed line. */
#include "corpus/case.h"

#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct ordo_err err;

static enum ordo_status parse(const char *text, struct ordo_case *c)
{
    memset(&err, 0, sizeof err);
    return ordo_case_parse("t.case", text, strlen(text), c, &err);
}

static const char full[] = "ordo-case/1\nreport a/b#1\nlink https://example.org/1\nnote a note\n"
                           "expect proved\noutputs finite dq=0\nupdates 3\nwaits 0\n"
                           "design cluster-relay\ncluster 8\nwave 16\nheads 65\ndqk 72\ndv 64\n"
                           "fill q 2.20000005 do 1.1529215e+18 sink -inf lse nan scale 0.125\n"
                           "values rough 18446744073709551615\n"
                           "schedule 5\nkv 4\nlength 2 -1\nrows\n0 3\n-1 2147480000\n";

static void there_and_back(void **state)
{
    static const char *const canonical[] = {
        full,
        "ordo-case/1\nheads 64\nvalues exact 0\nschedule 0\nkv 0\nqueries 0\ntopk 7\n",
        "ordo-case/1\nheads 64\nvalues exact 0\nschedule 0\nkv 8\nqueries 2\ntopk 0\nlength 1 2\n",
        "ordo-case/1\nheads 1\nvalues exact 0\nschedule 0\nkv 2147483647\nvirtual\nqueries 65536\ntopk 2048\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof canonical / sizeof canonical[0]; i++) {
        struct ordo_case c, copy;
        char *text;

        assert_ok(parse(canonical[i], &c), err);
        assert_ok(ordo_case_copy(&c, &copy, &err), err);
        ordo_case_free(&c);
        text = ordo_case_print(&copy, false);
        assert_string_equal(text, canonical[i]);
        free(text);
        ordo_case_free(&copy);
    }
}

static void fields(void **state)
{
    struct ordo_case c;

    (void)state;
    assert_ok(parse(full, &c), err);
    assert_string_equal(c.design, "cluster-relay");
    assert_string_equal(c.note, "a note");
    assert_int_equal(c.cluster, 8);
    assert_int_equal(c.wave, 16);
    assert_int_equal(c.heads, 65);
    assert_true(c.rough);
    assert_true(c.value_seed == UINT64_MAX && c.updates == 3 && c.touched == UINT64_MAX && c.waits == 0);
    assert_string_equal(c.outputs, "finite dq=0");
    assert_int_equal(c.d_qk, 72);
    assert_int_equal(c.d_v, 64);
    assert_int_equal(c.filled, 1 << ORDO_FILL_Q | 1 << ORDO_FILL_DO | 1 << ORDO_FILL_SINK | 1 << ORDO_FILL_LSE |
                                   1 << ORDO_FILL_SCALE);
    assert_true(c.fill[ORDO_FILL_Q] == 2.2f && c.fill[ORDO_FILL_DO] == 0x1p60f && c.fill[ORDO_FILL_SCALE] == 0.125f);
    assert_true(c.fill[ORDO_FILL_SINK] < -1e38f && c.fill[ORDO_FILL_LSE] != c.fill[ORDO_FILL_LSE]);
    assert_int_equal(c.problem.n_query, 2);
    assert_int_equal(c.problem.topk, 2);
    assert_int_equal(c.problem.n_kv, 4);
    assert_int_equal(c.problem.idx[3], 2147480000);
    assert_int_equal(c.problem.length[1], -1);
    ordo_case_free(&c);
}

/* What is said about a case does not change its name; what it is does. */
static void named_by_content(void **state)
{
    static const char *const same =
        "ordo-case/1\n# as above\nkv 4\nschedule 5\nlength 2 -1\nheads 65\nwave 16\ncluster 8\ndv 64\ndqk 72\n"
        "fill scale 0.125 lse nan sink -inf do 1152921504606846976 q 2.2\n"
        "values rough 18446744073709551615\ndesign cluster-relay\nrows\n0, 3\n. 2147480000\n";
    struct ordo_case a, b;
    struct ordo_digest x, y;

    (void)state;
    assert_ok(parse(full, &a), err);
    assert_ok(parse(same, &b), err);
    assert_ok(ordo_case_digest(&a, &x, &err), err);
    assert_ok(ordo_case_digest(&b, &y, &err), err);
    assert_memory_equal(&x, &y, sizeof x);
    b.schedule_seed++;
    assert_ok(ordo_case_digest(&b, &y, &err), err);
    assert_memory_not_equal(&x, &y, sizeof x);
    b.schedule_seed--;
    b.fill[ORDO_FILL_Q] = 2.2000003f; /* the next one */
    assert_ok(ordo_case_digest(&b, &y, &err), err);
    assert_memory_not_equal(&x, &y, sizeof x);
    ordo_case_free(&a);
    ordo_case_free(&b);
}

static void refused(void **state)
{
    static const struct {
        const char *text, *field;
    } known[] = {
        {"", "line 1"},
        {"ordo-case/2\n", "line 1"},
        {"ordo-case/1x\n", "line 1"},
        {"ordo-case/1\nrows\n0\n", "kv"},
        {"ordo-case/1\nkv 4\n", "rows"},
        {"ordo-case/1\nkv 4\nqueries 2\n", "rows"},
        {"ordo-case/1\nkv 4\nqueries 2\ntopk 2\n", "rows"},
        {"ordo-case/1\nkv 4\nkv 4\n", "line 3"},
        {"ordo-case/1\nkv -1\n", "line 2"},
        {"ordo-case/1\nkv 2147483648\n", "line 2"},
        {"ordo-case/1\nkv 4 \n", "line 2"},
        {"ordo-case/1\nkv\n", "line 2"},
        {"ordo-case/1\nheads 0\nkv 4\nrows\n1\n", "heads"},
        {"ordo-case/1\n\n# x\ncolour red\n", "line 4"},
        {"ordo-case/1\nvalues smooth 1\n", "line 2"},
        {"ordo-case/1\nvalues rough\n", "line 2"},
        {"ordo-case/1\nvalues rough 18446744073709551616\n", "line 2"},
        {"ordo-case/1\nupdates many\n", "line 2"},
        {"ordo-case/1\nlength 1 \n", "line 2"},
        {"ordo-case/1\nlength 1,2\n", "line 2"},
        {"ordo-case/1\nlength 2147483648\n", "line 2"},
        {"ordo-case/1\nnote\n", "line 2"},
        {"ordo-case/1\nnote a\tb\n", "line 2"},
        {"ordo-case/1\nkv 4\nvirtual yes\n", "line 3"},
        {"ordo-case/1\nkv 4\nvirtual\nrows\n1\n", "line 4"},
        {"ordo-case/1\nkv 4\nqueries 1\nrows\n1\n", "line 4"},
        {"ordo-case/1\nkv 4\nrows 1\n1\n", "line 3"},
        {"ordo-case/1\nkv 4\nrows\n1 2\n\n1\n", "line 6"},
        {"ordo-case/1\nkv 4\nrows\n1 x\n", "line 4"},
        {"ordo-case/1\nkv 4\nrows\n", "text"},
        {"ordo-case/1\nkv 4\nlength 1 2\nrows\n1\n", "length"},
        {"ordo-case/1\nkv 4\nvirtual\nlength 1\nqueries 1\ntopk 1\n", "length"},
        {"ordo-case/1\nkv 4\nvirtual\noutputs finite\nqueries 1\ntopk 1\n", "outputs"},
        {"ordo-case/1\noutputs\n", "line 2"},
        {"ordo-case/1\ndqk -1\n", "line 2"},
        {"ordo-case/1\nfill\n", "line 2"},
        {"ordo-case/1\nfill q\n", "line 2"},
        {"ordo-case/1\nfill k 1\n", "line 2"},
        {"ordo-case/1\nfill q 1 q 2\n", "line 2"},
        {"ordo-case/1\nfill q 1  kv 2\n", "line 2"},
        {"ordo-case/1\nfill q 1 kv\n", "line 2"},
        {"ordo-case/1\nfill q 0x1p3\n", "line 2"},
        {"ordo-case/1\nfill q 1,5\n", "line 2"},
        {"ordo-case/1\nfill q 1234567890123456789012345678901234567890\n", "line 2"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct ordo_case c;

        assert_int_equal(parse(known[i].text, &c), ORDO_BAD_INPUT);
        if (strcmp(err.field, known[i].field) != 0)
            fail_msg("%s: %s: %s", known[i].text, err.field, err.reason);
        assert_string_equal(err.file, "t.case");
        assert_true(err.reason[0] != '\0');
        assert_null(c.problem.idx);
        assert_null(c.problem.length);
    }
}

static void files(void **state)
{
    char path[] = "/tmp/ordo-case-XXXXXX";
    int fd = mkstemp(path);
    struct ordo_case c, d;
    char *text;

    (void)state;
    assert_true(fd >= 0);
    (void)close(fd);
    assert_ok(parse(full, &c), err);
    assert_ok(ordo_case_write(path, &c, &err), err);
    assert_ok(ordo_case_read(path, &d, &err), err);
    text = ordo_case_print(&d, false);
    assert_string_equal(text, full);
    free(text);
    ordo_case_free(&c);
    ordo_case_free(&d);
    (void)unlink(path);
    assert_int_equal(ordo_case_read(path, &c, &err), ORDO_BAD_INPUT);
    assert_string_equal(err.file, path);
    assert_int_equal(ordo_case_write("/nowhere/at/all.case", &c, &err), ORDO_ENVIRONMENT);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(there_and_back),   cmocka_unit_test(fields),  cmocka_unit_test(named_by_content),
        cmocka_unit_test(refused),          cmocka_unit_test(files),
    };

    return cmocka_run_group_tests_name("case", test, NULL, NULL);
}
