/* t_raw_text.c - files without a header: raw bytes by dtype and shape, and text. */
#include "tests/corpus_util.h"

static struct ordo_problem p;
static struct ordo_err err;

static void raw(void **state)
{
    static const struct {
        const char *dtype;
        int32_t first;
    } known[] = {{"i8", -128}, {"u8", 128}, {"i16", 384}, {"<u16", 384}, {">i16", INT16_MIN + 1}, {">u16", 32769},
                 {"i32", 50463104}, {">i32", -2147417597}, {">u32", INT32_MAX}, {"i64", INT32_MAX},
                 {">i64", INT32_MIN}, {">u64", INT32_MAX}};
    struct blob b = {0};

    (void)state;
    for (size_t i = 0; i < 16; i++)
        blob_le(&b, i ? i : 0x80, 1);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        int bits = atoi(known[i].dtype + strspn(known[i].dtype, "<>iu"));
        struct ordo_source more = {.raw_dtype = known[i].dtype};
        char shape[32];

        (void)snprintf(shape, sizeof shape, "1,2,%d", 64 / bits);
        more.raw_shape = shape;
        assert_ok(blob_read(&b, ".npy", &more, &p, &err), err);
        assert_int_equal(p.n_query, 2);
        assert_int_equal(p.topk, 64 / bits);
        assert_int_equal(p.idx[0], known[i].first);
        ordo_problem_free(&p);
    }
    blob_free(&b);
    assert_ok(blob_read(&b, "", &(struct ordo_source){.raw_dtype = "i32", .raw_shape = "0,9"}, &p, &err), err);
    assert_int_equal(p.topk, 9);
    ordo_problem_free(&p);
}

static void raw_refused(void **state)
{
    static const struct {
        const char *dtype, *shape;
        enum ordo_status status;
        const char *field, *phrase;
    } known[] = {
        {"i32", NULL, ORDO_USAGE, "raw shape", "needs its shape"},
        {NULL, "2,2", ORDO_USAGE, "raw dtype", "needs its dtype"},
        {"f32", "2,2", ORDO_USAGE, "raw dtype", "'f32'"},
        {"i4", "2,2", ORDO_USAGE, "raw dtype", "counts bits"},
        {"i32", "2,x", ORDO_USAGE, "raw shape", "'2,x'"},
        {"i32", "2,2,", ORDO_USAGE, "raw shape", "list of numbers"},
        {"i32", "", ORDO_USAGE, "raw shape", "list of numbers"},
        {"i32", "2, 2", ORDO_USAGE, "raw shape", "list of numbers"},
        {"i32", "2,99999999999999999999", ORDO_USAGE, "raw shape", "overflows"},
        {"i32", "4", ORDO_BAD_INPUT, "shape", "(queries, Top-K)"},
        {"i32", "2,3", ORDO_BAD_INPUT, "data", "needs 24 bytes, but there are 16"},
        {"i32", "1,3", ORDO_BAD_INPUT, "data", "needs 12 bytes, but there are 16"},
        {"i8", "1,2147483648", ORDO_BAD_INPUT, "shape", "Top-K"},
    };
    struct blob b = {0};

    (void)state;
    blob_put(&b, "0123456789abcdef", 16);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct ordo_source more = {.raw_dtype = known[i].dtype, .raw_shape = known[i].shape};

        assert_int_equal(blob_read(&b, "", &more, &p, &err), known[i].status);
        assert_says(err, known[i].field, known[i].phrase);
    }
    blob_free(&b);
}

static enum ordo_status read_text(const char *text, const char *end)
{
    struct blob b = {0};
    enum ordo_status status;

    blob_put(&b, text, strlen(text));
    status = blob_read(&b, end, NULL, &p, &err);
    blob_free(&b);
    return status;
}

/* Each of these is the rows 1 2 3 and -1 7 8. */
static void text(void **state)
{
    static const int32_t id[6] = {1, 2, 3, -1, 7, 8};
    static const char *const known[] = {
        "1 2 3\n-1 7 8\n",
        "1,2,3\n.,7,8",
        "# by hand\n\n  1 , 2 , 3 # first\r\n\n.\t7-8\r\n\r\n",
        "1-3\n. 7 8\n#",
        "1-1 2-3\n-1,7-8\n\n\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        for (int named = 0; named < 3; named++) {
            assert_ok(read_text(known[i], named == 0 ? "" : named == 1 ? ".csv" : ".pat"), err);
            assert_int_equal(p.n_query, 2);
            assert_int_equal(p.topk, 3);
            assert_memory_equal(p.idx, id, sizeof id);
            ordo_problem_free(&p);
        }
    assert_ok(read_text("\xef\xbb\xbf" "5 99999999999999999999 -99999999999999999999 2147483647\n", ".csv"), err);
    assert_int_equal(p.idx[0], 5);
    assert_int_equal(p.idx[1], INT32_MAX);
    assert_true(p.idx[2] < 0);
    assert_int_equal(p.idx[3], INT32_MAX);
    ordo_problem_free(&p);
}

static void text_refused(void **state)
{
    static const struct {
        const char *text, *field, *phrase;
    } known[] = {
        {"1 2\n\n# x\n3\n", "line 4", "has 1 columns, but line 1 has 2"},
        {"1 2\n3 4 5", "line 2", "has 3 columns"},
        {"1 x", "line 1", "not an integer"},
        {"1 2\n3 4.5", "line 2", "not an integer"},
        {"1 2e3", "line 1", "not an integer"},
        {"1;2", "line 1", "not an integer"},
        {"1 0x10", "line 1", "not an integer"},
        {"1 +2", "line 1", "not an integer"},
        {"1 - 2", "line 1", "not an integer"},
        {"1 ..", "line 1", "not an integer"},
        {"1 -2-3", "line 1", "not an integer"},
        {"1 2-", "line 1", "without an end"},
        {"1 3-2", "line 1", "backwards"},
        {"1 0-2147483646", "line 1", "too wide"},
        {"1,,2", "line 1", "empty column"},
        {"1,2,", "line 1", "empty column"},
        {"1,2, # x", "line 1", "empty column"},
        {",1", "line 1", "empty column"},
        {"# nothing\n\n", "text", "no line"},
        {"\n", "text", "no line"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_int_equal(read_text(known[i].text, ".txt"), ORDO_BAD_INPUT);
        assert_says(err, known[i].field, known[i].phrase);
    }
}

/* Content that is none of the formats. */
static void unknown(void **state)
{
    (void)state;
    assert_int_equal(read_text("\x7f" "ELF", ".bin"), ORDO_BAD_INPUT);
    assert_says(err, "format", "none of .npy");
    assert_int_equal(read_text("<html>", ""), ORDO_BAD_INPUT);
    assert_says(err, "format", "none of .npy");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raw),          cmocka_unit_test(raw_refused), cmocka_unit_test(text),
        cmocka_unit_test(text_refused), cmocka_unit_test(unknown),
    };

    return cmocka_run_group_tests_name("raw_text", tests, NULL, NULL);
}
