/* t_cli_ref.c - `ordo ref` and `ordo check --level full` from outside: the same digests whatever the way to them.
 *
 * Runs ./ordo of the build directory. */
#include "tests/cli_json.h"

#define SHAPE " --kv 4096 --heads 3 --dqk 24 --dv 16"

/* The digests of a run that must be clean. */
static json_t *digests(const char *line)
{
    json_t *out = said(line, 0), *d = json_incref(json_object_get(out, "digests"));

    assert_non_null(d);
    json_decref(out);
    return d;
}

static void same_digests(void **state)
{
    static const char *const line[] = {
        "ref $INDEX/keep40.npy" SHAPE " --seed 5 -j 1",
        "ref $INDEX/keep40.npy" SHAPE " --seed 5 -j 3",
        "ref $DIR/in.npz" SHAPE " --inputs $DIR/in.npz",
        "ref $DIR/in.npz" SHAPE " --inputs $DIR/in.npz --scale 0.2041241452319315 -o $DIR/out.npz",
    };
    json_t *out, *first = NULL;

    (void)state;
    assert_int_equal(ordo("inputs $INDEX/keep40.npy" SHAPE " --seed 5 -o $DIR/in.npz", &out), 0);
    json_decref(out);
    for (size_t i = 0; i < sizeof line / sizeof line[0]; i++) {
        json_t *d = digests(line[i]);

        assert_int_equal(json_object_size(d), 7);
        if (!first)
            first = json_incref(d);
        if (!json_equal(first, d))
            fail_msg("`%s` gives other bits", line[i]);
        json_decref(d);
    }
    json_decref(first);
}

static void other_digests(void **state)
{
    json_t *one = digests("ref $INDEX/keep40.npy" SHAPE " --seed 5"), *d;

    (void)state;
    d = digests("ref $INDEX/keep40.npy" SHAPE " --seed 6");
    assert_false(json_equal(one, d));
    json_decref(d);
    d = digests("ref $INDEX/keep40.npy" SHAPE " --seed 5 --scale 0.25");
    assert_false(json_equal(one, d));
    json_decref(d);
    d = digests("ref $INDEX/keep40.npy" SHAPE " --seed 5 --cluster 8"); /* another order: only dKV moves */
    assert_true(json_equal(json_object_get(one, "dq"), json_object_get(d, "dq")));
    assert_false(json_equal(json_object_get(one, "dkv_fp32"), json_object_get(d, "dkv_fp32")));
    json_decref(d);
    d = digests("ref $INDEX/indexer_short.npy --kv 160 --heads 2 --dqk 16 --dv 16 --planes");
    assert_non_null(json_object_get(d, "planes"));
    json_decref(d);
    json_decref(one);
}

static void refusals(void **state)
{
    (void)state;
    assert_exit("ref $INDEX/duplicates.npy --kv 4096", 1, NULL);
    assert_exit("ref $INDEX/keep40.npy" SHAPE " --inputs $DIR/in.npz --seed 1", 2, "--inputs");
    assert_exit("ref $INDEX/keep40.npy" SHAPE " --scale -1", 2, "--scale");
    assert_exit("ref $INDEX/keep40.npy --kv 4096 --heads 4 --dqk 24 --dv 16 --inputs $DIR/in.npz", 3, "q");
    assert_exit("ref $INDEX/keep40.npy" SHAPE " --inputs $DIR/out.npz", 3, "q");
}

static void check_full(void **state)
{
    json_t *out, *full, *want = digests("ref $INDEX/keep40.npy" SHAPE " --seed 5");

    (void)state;
    assert_int_equal(ordo("check $INDEX/keep40.npy" SHAPE " --seed 5 --level full --no-db", &out), 0);
    full = json_object_get(out, "full");
    assert_string_equal(json_string_value(json_object_get(full, "extent")), "whole");
    assert_true(json_equal(json_object_get(full, "digests"), want));
    assert_int_equal(json_integer_value(json_object_get(full, "rows")), 16);
    assert_int_equal(json_integer_value(json_object_get(full, "different")), 0);
    assert_int_equal(json_integer_value(json_object_get(full, "outside_bound")), 0);
    json_decref(out);
    json_decref(want);
    assert_int_equal(ordo("check $INDEX/keep40.npy" SHAPE " --no-db", &out), 0);
    assert_true(json_is_null(json_object_get(out, "full")));
    json_decref(out);
}

/* What was asked for and is too much is no pass, here and in the database. */
static void too_large_is_no_pass(void **state)
{
    json_t *out;

    (void)state;
    assert_int_equal(ordo("check $INDEX/keep40.npy --kv 8388608 --level full --db $DIR/large.db", &out), 6);
    assert_string_equal(json_string_value(json_object_get(out, "verdict")), "undecided");
    assert_non_null(strstr(json_string_value(json_object_get(out, "finding")), "--level full was not run"));
    assert_string_equal(json_string_value(json_object_get(json_object_get(out, "full"), "extent")), "not run");
    json_decref(out);
    assert_int_equal(ordo("db sql --db $DIR/large.db \"select verdict as v from v_run\"", &out), 0);
    assert_string_equal(json_string_value(json_object_get(json_object_get(out, "row"), "v")), "undecided");
    json_decref(out);
    /* Nor does it hide a finding. */
    assert_exit("check $INDEX/duplicates.npy --kv 8388608 --level full --no-db", 1, NULL);
}

/* The digest that the database has of an output of run 1. */
static char *stored(const char *output)
{
    char line[256];
    const char *digest;
    json_t *out;

    (void)snprintf(line, sizeof line, "db sql --db $DIR/full.db \"select output_digest as d from v_output where "
                   "run = 1 and device = 'cpu twin' and output = '%s'\"", output);
    assert_int_equal(ordo(line, &out), 0);
    digest = json_string_value(json_object_get(json_object_get(out, "row"), "d"));
    assert_non_null(digest);
    line[0] = '\0';
    (void)snprintf(line, sizeof line, "%s", digest);
    json_decref(out);
    return strdup(line);
}

/* A whole run's outputs are rows as a kernel's are, under the digest of their values; a sampled one has none. */
static void check_full_stored(void **state)
{
    json_t *out, *want, *digest, *row;
    const char *name;

    (void)state;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(ordo("check $INDEX/keep40.npy" SHAPE " --seed 5 --level full --db $DIR/full.db", &out), 0);
        want = json_incref(json_object_get(json_object_get(out, "full"), "digests"));
        json_decref(out);
        json_object_foreach(want, name, digest) {
            char *got = stored(name);

            assert_string_equal(got, json_string_value(digest));
            free(got);
        }
        json_decref(want);
    }
    assert_int_equal(ordo("db sql --db $DIR/full.db \"select count(*) as n, (select count(*) from v_compare where "
                          "a = 1 and b = 2 and what = 'output' and verdict = 'same') as same, (select count(*) from "
                          "v_flip) as flips, (select count(*) from oracle where input_class = 'attention') as "
                          "judged, max(input_text) as text from v_output where device = 'cpu twin'\"", &out), 0);
    row = json_object_get(out, "row");
    assert_int_equal(json_integer_value(json_object_get(row, "n")), 14);
    assert_int_equal(json_integer_value(json_object_get(row, "same")), 7);
    assert_int_equal(json_integer_value(json_object_get(row, "flips")), 0);
    assert_int_equal(json_integer_value(json_object_get(row, "judged")), 2);
    assert_string_equal(json_string_value(json_object_get(row, "text")), "rough seed 5");
    json_decref(out);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(same_digests),
        cmocka_unit_test(other_digests),
        cmocka_unit_test(refusals),
        cmocka_unit_test(check_full),
        cmocka_unit_test(too_large_is_no_pass),
        cmocka_unit_test(check_full_stored),
    };

    return cmocka_run_group_tests(test, begin, end);
}
