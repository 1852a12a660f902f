/* t_cli_dense.c - `ordo ref`, `truth`, `diff` and `inputs --dense` from outside: bits that nothing may move; the twin
 * is clean at every tier, another schedule is named, and the fork's fault, tiles on the diagonal left unmasked at 64
 * features, is convicted by bits and by the oracle and named; what is refused, with which exit code. */
#include "corpus/npz_write.h"
#include "tests/cli_json.h"
#include "tests/dense_oracle.h"

#define SHAPE " --dense --heads 2 --kv-heads 1 --q-len 96 --kv-len 96 --head-dim 64 --tile-q 64 --tile-kv 32"
#define CAUSAL SHAPE " --mask causal"
#define IN " --inputs $DIR/in.npz"

/* The page, not the object: LINE ends with `want` and says the text somewhere. */
static void says(const char *line, int want, const char *text)
{
    char command[1024], out[8192];
    FILE *pipe;
    int how;

    (void)snprintf(command, sizeof command, "DIR=%s; exec 2>&1; ./ordo %s", dir, line);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    out[fread(out, 1, sizeof out - 1, pipe)] = '\0';
    how = pclose(pipe);
    if (!WIFEXITED(how) || WEXITSTATUS(how) != want || !strstr(out, text))
        fail_msg("`%s` ends with %d, not %d and '%s': %s", line, how, want, text, out);
}

static json_t *digests(const char *line)
{
    json_t *out = said(line, 0), *d = json_incref(json_object_get(out, "digests"));

    json_decref(out);
    return d;
}

static int64_t number(const json_t *out, const char *tier, const char *output, const char *key)
{
    const json_t *x = json_object_get(json_object_get(json_object_get(out, tier), output), key);

    if (!json_is_integer(x))
        fail_msg("there is no integer %s of %s %s", key, tier, output);
    return json_integer_value(x);
}

static void assert_text(const json_t *x, const char *want)
{
    const char *got = json_string_value(x);

    if (!got || strcmp(got, want) != 0)
        fail_msg("'%s', not '%s'", got ? got : "null", want);
}

#define ODD \
    " --dense --heads 2 --kv-heads 1 --head-dim 64 --q-len 150 --kv-len 170 --mask causal --tile-q 64 --tile-kv 32"

/* Not by threads; and by another order no output that comes before the gradients. */
static void bits_that_nothing_moves(void **state)
{
    static const char *const before[] = {"o", "lse", "delta"};
    json_t *one = digests("ref" ODD " --planes --order spt -j 1"),
           *three = digests("ref" ODD " --planes --order spt -j 3");
    json_t *ascending = digests("ref" ODD " --planes --order ascending");

    (void)state;
    assert_int_equal(json_object_size(one), 9);
    assert_true(json_equal(one, three));
    assert_false(json_equal(one, ascending));
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++)
        assert_true(json_equal(json_object_get(one, before[i]), json_object_get(ascending, before[i])));
    json_decref(one);
    json_decref(three);
    json_decref(ascending);
}

/* A file is no index tensor here: passed over, it would leave seeded values in its place. */
static void refusals_in_words(void **state)
{
    (void)state;
    says("ref" ODD " --planes -o $DIR/odd.npz", 0, "dv_fp32");
    says("ref" ODD " --inputs $DIR/odd.npz", 3, "there is no such array");
    says("ref --dense --heads 3 --kv-heads 2", 3, "q_heads: must be a multiple");
    says("ref --dense --tile-q 24", 3, "tile_q: must be a multiple of 16");
    says("ref" ODD " --order sideways", 2, "there is no 'sideways'");
    says("ref" ODD " --scale 0", 2, "must be a positive number");
    says("ref", 2, "FILE: is needed without --dense");
    says("ref" ODD " $DIR/odd.npz", 2, "does not go with an index file");
    says("truth" ODD " $DIR/odd.npz", 2, "does not go with an index file");
    says("inputs -o $DIR/x.npz" ODD " $DIR/odd.npz", 2, "does not go with an index file");
    says("diff --actual $DIR/odd.npz" ODD " $DIR/odd.npz", 2, "does not go with an index file");
    /* Nor is an option of the other form taken and passed over (tests/t_form.c has them all). */
    says("ref" ODD " --dqk 64", 2, "--dqk: goes with an index file, not with --dense");
    says("ref keep.npy --kv 64 --batch 2", 2, "--batch: goes with --dense, not with an index file");
}

static void twin_is_clean(void **state)
{
    json_t *out;

    (void)state;
    json_decref(said("inputs" SHAPE " --seed 5 -o $DIR/in.npz", 0));
    json_decref(said("ref" CAUSAL IN " --planes -o $DIR/out.npz", 0));
    out = said("diff" CAUSAL IN " --actual $DIR/out.npz --claim bits", 0);
    for (int i = 0; i < ORDO_DENSE_GRADIENTS; i++) {
        const char *name = ordo_dense_gradient_name[i];

        assert_int_equal(number(out, "convert", name, "differ"), 0);
        assert_int_equal(number(out, "bits", name, "differ"), 0);
        assert_int_equal(number(out, "declared", name, "outside"), 0);
        assert_int_equal(number(out, "real", name, "outside"), 0);
        assert_int_equal(number(out, "truth", name, "outside"), 0);
        assert_int_equal(number(out, "real", name, "compared"), (i ? 1 : 2) * 96 * 64);
    }
    assert_text(json_object_get(out, "triage"), "clean");
    json_decref(out);
}

static void another_schedule(void **state)
{
    json_t *out;

    (void)state;
    json_decref(said("ref" CAUSAL IN " --order descending --planes -o $DIR/other.npz", 0));
    out = said("diff" CAUSAL IN " --actual $DIR/other.npz --claim bits", 1);
    assert_text(json_object_get(out, "triage"), "order");
    assert_text(json_object_get(out, "alternative"), "descending");
    json_decref(out);
    json_decref(said("diff" CAUSAL IN " --actual $DIR/other.npz --claim bits --order descending", 0));
    json_decref(said("diff" CAUSAL IN " --actual $DIR/other.npz --claim contract", 0));
}

/* Outputs of one mask before the other's oracle. */
static void masks_are_named(void **state)
{
    json_t *out = said("diff" SHAPE IN " --actual $DIR/out.npz", 1);

    (void)state;
    assert_text(json_array_get(json_object_get(out, "conventions"), 0), "causal-unasked");
    json_decref(out);
    json_decref(said("ref" SHAPE IN " -o $DIR/full.npz", 0));
    out = said("diff" CAUSAL IN " --actual $DIR/full.npz", 1);
    assert_text(json_array_get(json_object_get(out, "conventions"), 0), "causal-ignored");
    json_decref(out);
}

static void write_arrays(const char *name, const struct ordo_npz_array *array, size_t n)
{
    char path[4096];
    struct ordo_err err = {0};

    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    if (ordo_npz_write(path, array, n, &err) != ORDO_OK)
        fail_msg("%s: %s", path, err.reason);
}

static void write_npz(const char *name, const struct tensors *t, bool inputs)
{
    const struct ordo_dense_problem *p = &t->p;
    uint64_t b = (uint64_t)p->batch, q = (uint64_t)p->q_len, kv = (uint64_t)p->kv_len, h = (uint64_t)p->q_heads;
    uint64_t hkv = (uint64_t)p->kv_heads, d = (uint64_t)p->d;
    const struct ordo_npz_array in[] = {{"q", "<u2", 4, {b, q, h, d}, t->q},
                                        {"k", "<u2", 4, {b, kv, hkv, d}, t->k},
                                        {"v", "<u2", 4, {b, kv, hkv, d}, t->v},
                                        {"do", "<u2", 4, {b, q, h, d}, t->dout},
                                        {"scale", "<f4", 0, {0}, &t->scale}};
    const struct ordo_npz_array out[] = {{"dq", "<u2", 4, {b, q, h, d}, t->out.dq},
                                         {"dk", "<u2", 4, {b, kv, hkv, d}, t->out.dk},
                                         {"dv", "<u2", 4, {b, kv, hkv, d}, t->out.dv}};

    write_arrays(name, inputs ? in : out, inputs ? 5 : 3);
}

static void diagonal_is_named(void **state)
{
    struct tensors t;
    json_t *out;

    (void)state;
    make(&t, (struct ordo_dense_problem){1, 96, 96, 2, 1, 64, 64, 32, true}, "ascending", 3);
    run(&t, 1, false);
    write_npz("unmasked_in.npz", &t, true);
    write_npz("masked.npz", &t, false);
    unmask_diagonal(&t);
    write_npz("unmasked.npz", &t, false);
    release(&t);
    json_decref(said("diff" CAUSAL " --inputs $DIR/unmasked_in.npz --actual $DIR/masked.npz --claim bits", 0));
    out = said("diff" CAUSAL " --inputs $DIR/unmasked_in.npz --actual $DIR/unmasked.npz", 1);
    for (int i = 0; i < ORDO_DENSE_GRADIENTS; i++) {
        const char *name = ordo_dense_gradient_name[i];

        assert_true(number(out, "bits", name, "differ") > 0);
        assert_true(number(out, "declared", name, "outside") > 0);
        assert_true(number(out, "real", name, "outside") > 0);
        assert_true(number(out, "truth", name, "outside") > 0);
    }
    assert_text(json_object_get(out, "triage"), "numeric");
    assert_int_equal(json_array_size(json_object_get(out, "conventions")), 1);
    assert_text(json_array_get(json_object_get(out, "conventions"), 0), "diagonal-unmasked-backward");
    json_decref(out);
}

/* A second run's dk beside an equal dk_fp32; its types; and the forward that T1 starts from. */
static void runs_and_forwards(void **state)
{
    enum { N = 96 * 64 };
    struct tensors t;
    float *zero = calloc(2 * 96, sizeof *zero);
    struct ordo_npz_array dk[] = {{"dk_fp32", "<f4", 4, {1, 96, 1, 64}, NULL},
                                  {"dk", "<u2", 4, {1, 96, 1, 64}, NULL}};
    struct ordo_npz_array with[] = {{"dk", "<u2", 4, {1, 96, 1, 64}, NULL}, {"o", "<u2", 4, {1, 96, 2, 64}, NULL},
                                    {"lse", "<f4", 3, {1, 2, 96}, NULL}};
    json_t *out;

    (void)state;
    make(&t, (struct ordo_dense_problem){1, 96, 96, 2, 1, 64, 64, 32, true}, "ascending", 3);
    run(&t, 1, true);
    dk[0].data = t.out.dk_fp32;
    dk[1].data = with[0].data = t.out.dk;
    with[1].data = t.out.o;
    with[2].data = t.out.lse;
    write_npz("run_in.npz", &t, true);
    write_arrays("shown.npz", with, 3);
    with[2].data = zero;
    write_arrays("other_lse.npz", with, 3);
    write_arrays("first.npz", dk, 2);
    write_arrays("alone.npz", dk, 1);
    for (int i = 0; i < N; i++)
        t.out.dk[i] ^= 1;
    write_arrays("second.npz", dk, 2);
    dk[0] = (struct ordo_npz_array){"dk_fp32", "<u2", 4, {1, 96, 1, 64}, t.out.dk};
    write_arrays("narrow.npz", dk, 1);
    release(&t);
    free(zero);
#define RUN "diff" CAUSAL " --inputs $DIR/run_in.npz --actual $DIR/"
    json_decref(said(RUN "first.npz --again $DIR/first.npz --claim bits", 0));
    out = said(RUN "first.npz --again $DIR/second.npz", 1);
    assert_text(json_object_get(out, "triage"), "race");
    assert_int_equal(number(out, "repeat", "dk", "differ"), N);
    json_decref(out);
    assert_exit(RUN "first.npz --again $DIR/alone.npz", 3, "dk");
    assert_exit(RUN "narrow.npz", 3, "dk_fp32");
    out = said(RUN "first.npz", 0);
    assert_text(json_object_get(out, "forward"), "twin");
    json_decref(out);
    out = said(RUN "shown.npz --claim contract", 0);
    assert_text(json_object_get(out, "forward"), "shown");
    json_decref(out);
    out = said(RUN "other_lse.npz --claim contract", 1); /* not from the forward that it shows */
    assert_text(json_object_get(out, "triage"), "numeric");
    assert_int_equal(number(out, "real", "dk", "outside"), 0);
    json_decref(out);
}

static void samples_and_refusals(void **state)
{
    json_t *out = said("truth" CAUSAL IN " --budget 1 -o $DIR/sample.npz", 0);

    (void)state;
    assert_text(json_object_get(json_object_get(out, "dk"), "extent"), "sampled");
    json_decref(out);
    json_decref(said("truth" CAUSAL IN " -o $DIR/true.npz", 0));
    json_decref(said("diff" CAUSAL IN " --actual $DIR/true.npz", 0)); /* the truth is near itself */
    assert_exit("diff" CAUSAL IN, 2, NULL);
    assert_exit("diff --actual $DIR/out.npz", 2, "FILE");
    assert_exit("diff $INDEX/keep40.npy --actual $DIR/out.npz", 2, "--kv");
    assert_exit("truth", 2, "FILE");
    assert_exit("truth $INDEX/keep40.npy", 2, "--kv");
    assert_exit("inputs -o $DIR/x.npz", 2, "FILE");
    assert_exit("inputs $INDEX/keep40.npy -o $DIR/x.npz", 2, "--kv");
    assert_exit("ref", 2, "FILE");
    assert_exit("ref $INDEX/keep40.npy", 2, "--kv");
    assert_exit("diff" CAUSAL IN " --actual $DIR/in.npz", 3, "dq");
    assert_exit("diff" CAUSAL IN " --batch 2 --actual $DIR/out.npz", 3, "q");
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(bits_that_nothing_moves), cmocka_unit_test(refusals_in_words),
        cmocka_unit_test(twin_is_clean),           cmocka_unit_test(another_schedule),
        cmocka_unit_test(masks_are_named),         cmocka_unit_test(diagonal_is_named),
        cmocka_unit_test(runs_and_forwards),       cmocka_unit_test(samples_and_refusals),
    };

    return cmocka_run_group_tests(test, begin, end);
}
