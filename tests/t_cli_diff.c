/* t_cli_diff.c - `ordo truth` and `ordo diff` from outside: the twin's own outputs are clean at every tier, another
 * order is named, two runs that differ are a race, what is sampled is said, and what cannot be used is refused. */
#include "tests/cli_json.h"

#define SHAPE " --kv 96 --heads 3 --dqk 24 --dv 16"
#define TWICE " --kv 4096 --heads 1 --dqk 8 --dv 8"
#define IN "$DIR/in.npz" SHAPE " --inputs $DIR/in.npz"

static void made(const char *line)
{
    json_decref(said(line, 0));
}

static const json_t *tier(const json_t *out, const char *name, const char *output)
{
    return json_object_get(json_object_get(out, name), output);
}

static int64_t number(const json_t *o, const char *key)
{
    const json_t *x = json_object_get(o, key);

    if (!json_is_integer(x))
        fail_msg("there is no integer %s", key);
    return json_integer_value(x);
}

static void assert_text(const json_t *out, const char *key, const char *want)
{
    const char *got = json_string_value(json_object_get(out, key));

    if (!got || strcmp(got, want) != 0)
        fail_msg("%s is %s, not %s", key, got ? got : "null", want);
}

static void twin_is_clean(void **state)
{
    static const char *const output[] = {"dq", "dkv", "dsink"};
    json_t *out;

    (void)state;
    made("gen uniform --q 200 --kv 96 --topk 24 --seed 1 -o $DIR/index.npy");
    made("inputs $DIR/index.npy" SHAPE " --seed 5 -o $DIR/in.npz");
    made("ref " IN " -o $DIR/out.npz");
    out = said("diff " IN " --actual $DIR/out.npz --claim bits", 0);
    assert_text(out, "triage", "clean");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(number(tier(out, "bits", output[i]), "differ"), 0);
        assert_int_equal(number(tier(out, "declared", output[i]), "outside"), 0);
        assert_int_equal(number(tier(out, "real", output[i]), "outside"), 0);
        assert_int_equal(number(tier(out, "truth", output[i]), "outside"), 0);
        assert_text(tier(out, "real", output[i]), "extent", "whole");
    }
    assert_int_equal(number(tier(out, "convert", "dkv"), "differ"), 0);
    assert_int_equal(number(tier(out, "convert", "dkv"), "compared"), 96 * 24);
    assert_int_equal(number(tier(out, "bits", "dq"), "compared"), 200 * 3 * 24);
    assert_true(number(tier(out, "truth", "dq"), "correctly_rounded") > 200 * 3 * 24 / 4);
    assert_true(json_is_string(json_object_get(tier(out, "repeat", "dq"), "not_run")));
    json_decref(out);
}

static void another_order(void **state)
{
    json_t *out;

    (void)state;
    made("ref " IN " --cluster 4 -o $DIR/four.npz");
    made("ref " IN " --cluster 8 -o $DIR/eight.npz");
    out = said("diff " IN " --cluster 8 --actual $DIR/four.npz --claim bits", 1);
    assert_text(out, "triage", "order");
    assert_text(out, "alternative", "a relay in clusters of 4");
    assert_true(number(tier(out, "bits", "dkv"), "differ") > 0);
    assert_int_equal(number(tier(out, "declared", "dkv"), "outside"), 0);
    json_decref(out);
    out = said("diff " IN " --cluster 8 --actual $DIR/four.npz", 0); /* it never claimed the bits */
    assert_text(out, "verdict", "clean");
    json_decref(out);
    out = said("diff " IN " --cluster 8 --actual $DIR/eight.npz --again $DIR/four.npz", 1);
    assert_text(out, "triage", "race");
    assert_int_equal(number(tier(out, "repeat", "dq"), "differ"), 0);
    assert_true(number(tier(out, "repeat", "dkv"), "differ") > 0);
    json_decref(out);
}

static void other_inputs(void **state)
{
    json_t *out;

    (void)state;
    made("inputs $DIR/index.npy" SHAPE " --seed 6 -o $DIR/six.npz");
    made("ref $DIR/six.npz" SHAPE " --inputs $DIR/six.npz -o $DIR/wrong.npz");
    out = said("diff " IN " --actual $DIR/wrong.npz", 1);
    assert_text(out, "triage", "numeric");
    assert_int_equal(json_array_size(json_object_get(out, "conventions")), 0);
    json_decref(out);
}

static void truth(void **state)
{
    json_t *whole = said("truth " IN " -o $DIR/truth.npz", 0), *part = said("truth " IN " --budget 1", 0), *out;

    (void)state;
    assert_text(json_object_get(whole, "dq"), "extent", "whole");
    assert_int_equal(number(json_object_get(whole, "dkv"), "numbers"), 96 * 24);
    assert_text(json_object_get(part, "dq"), "extent", "sampled");
    assert_true(number(json_object_get(part, "dq"), "units") < 200 * 3);
    assert_true(number(part, "softmax_rows") < number(whole, "softmax_rows"));
    json_decref(whole);
    json_decref(part);
    out = said("diff " IN " --actual $DIR/truth.npz", 0); /* and the truth is as good as any kernel */
    assert_int_equal(number(tier(out, "truth", "dkv"), "correctly_rounded"), 96 * 24);
    json_decref(out);
    out = said("diff " IN " --actual $DIR/out.npz --budget 1", 0);
    assert_text(tier(out, "truth", "dq"), "extent", "sampled");
    json_decref(out);
}

/* Duplicates: no bits are promised, but the gradient is what it is. */
static void duplicates(void **state)
{
    json_t *out;

    (void)state;
    made("inputs $INDEX/duplicates.npy" TWICE " -o $DIR/two.npz");
    made("truth $DIR/two.npz" TWICE " --inputs $DIR/two.npz -o $DIR/true.npz");
    out = said("diff $DIR/two.npz" TWICE " --inputs $DIR/two.npz --budget 1 --actual $DIR/true.npz", 0);
    assert_true(json_is_string(json_object_get(tier(out, "bits", "dq"), "not_run")));
    assert_int_equal(number(tier(out, "real", "dkv"), "outside"), 0);
    json_decref(out);
}

static void refusals(void **state)
{
    (void)state;
    assert_exit("diff " IN, 2, NULL);
    assert_exit("diff " IN " --actual $DIR/none.npz", 3, NULL);
    assert_exit("diff " IN " --actual $DIR/in.npz", 3, "dq");
    assert_exit("diff " IN " --heads 2 --actual $DIR/out.npz", 2, NULL);
    assert_exit("diff $DIR/in.npz --kv 96 --heads 3 --dqk 16 --dv 16 --actual $DIR/out.npz", 3, "dq");
    assert_exit("diff " IN " --actual $DIR/out.npz --again $DIR/in.npz", 3, "dq");
    assert_exit("truth " IN " --scale nan", 2, "--scale");
    assert_exit("truth " IN " --seed 3", 2, "--inputs");
    assert_exit("truth $DIR/in.npz --kv 96 --heads 3 --dqk 16 --dv 24", 2, "dv");
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(twin_is_clean), cmocka_unit_test(another_order), cmocka_unit_test(other_inputs),
        cmocka_unit_test(truth),         cmocka_unit_test(duplicates),    cmocka_unit_test(refusals),
    };

    return cmocka_run_group_tests(test, begin, end);
}
