/* t_safetensors.c - .safetensors: every integer type, and every way in which a header can lie. */
#include "tests/corpus_util.h"

static struct ordo_problem p;
static struct ordo_err err;

/* Header and n data bytes 0, 1, 2, ... */
static struct blob make(const char *header, size_t n)
{
    struct blob b = {0};

    blob_le(&b, strlen(header), 8);
    blob_put(&b, header, strlen(header));
    for (size_t i = 0; i < n; i++)
        blob_le(&b, i, 1);
    return b;
}

static enum ordo_status read_header(const char *header, size_t n, const struct ordo_source *more)
{
    struct blob b = make(header, n);
    enum ordo_status status = blob_read(&b, ".safetensors", more, &p, &err);

    blob_free(&b);
    return status;
}

static void every_type(void **state)
{
    static const struct {
        const char *dtype;
        size_t bytes;
        int32_t first, last;
    } known[] = {
        {"I8", 1, 0, 3},
        {"U8", 1, 0, 3},
        {"I16", 2, 0x0100, 0x0706},
        {"U16", 2, 0x0100, 0x0706},
        {"I32", 4, 0x03020100, 0x0f0e0d0c},
        {"U32", 4, 0x03020100, 0x0f0e0d0c},
        {"I64", 8, INT32_MAX, INT32_MAX},
        {"U64", 8, INT32_MAX, INT32_MAX},
    };
    char header[160];

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        (void)snprintf(header, sizeof header,
                       "{\"topk_idxs\":{\"dtype\":\"%s\",\"shape\":[1,2,2],\"data_offsets\":[0,%zu]}}",
                       known[i].dtype, 4 * known[i].bytes);
        assert_ok(read_header(header, 4 * known[i].bytes, NULL), err);
        assert_int_equal(p.n_query, 2);
        assert_int_equal(p.topk, 2);
        assert_int_equal(p.idx[0], known[i].first);
        assert_int_equal(p.idx[3], known[i].last);
        ordo_problem_free(&p);
    }
}

#define TOPK "\"topk_idxs\":{\"dtype\":\"U8\",\"shape\":[2,2],\"data_offsets\":[0,4]}"
#define LENGTH "\"topk_length\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[4,6]}"
#define OTHER "\"w\":{\"dtype\":\"F8_E4M3\",\"shape\":[3],\"data_offsets\":[6,9]}"
#define EMPTY "\"e\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[4,4]}"

/* One tensor, its three values as JSON. */
#define ONE(dtype, shape, offsets) \
    "{\"topk_idxs\":{\"dtype\":" dtype ",\"shape\":" shape ",\"data_offsets\":" offsets "}}"

static void bundles(void **state)
{
    static const struct ordo_source by_key = {.topk_key = "topk_idxs", .length_key = "n"};

    (void)state;
    assert_ok(read_header("{" OTHER "," LENGTH "," EMPTY "," TOPK ",\"__metadata__\":{\"a\":\"\"}}  ", 9, NULL), err);
    assert_int_equal(p.idx[3], 3);
    assert_int_equal(p.length[0], 4);
    assert_int_equal(p.length[1], 5);
    ordo_problem_free(&p);
    assert_ok(read_header("{" TOPK "}", 4, NULL), err);
    assert_null(p.length);
    ordo_problem_free(&p);
    assert_int_equal(read_header("{" TOPK "," LENGTH "}", 6, &by_key), ORDO_BAD_INPUT);
    assert_says(err, "n", "the keys are: topk_idxs, topk_length");
    assert_int_equal(read_header("{}", 0, NULL), ORDO_BAD_INPUT);
    assert_says(err, "topk_idxs", "holds none");
    assert_ok(read_header(ONE("\"I32\"", "[0,5]", "[0,0]"), 0, NULL), err);
    assert_int_equal(p.topk, 5);
    ordo_problem_free(&p);
}

static void refused(void **state)
{
    static const struct {
        const char *header;
        size_t n;
        const char *field, *phrase;
    } known[] = {
        {"{" TOPK "}", 5, "data", "end after 4 bytes, but the buffer has 5"},
        {"{" TOPK "}", 3, "topk_idxs", "outside the buffer"},
        {"{" TOPK "," TOPK "}", 4, "header", "duplicate"},
        {"{" TOPK ",\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[3,5]}}", 5, "b", "overlap"},
        {"{" TOPK ",\"b\":{\"dtype\":\"U8\",\"shape\":[2],\"data_offsets\":[5,7]}}", 7, "b", "hole"},
        {"{" TOPK ",\"b\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[4,6]}}", 6, "b", "span 2 bytes"},
        {"{" TOPK ",\"topk_length\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[4,7]}}", 7, "topk_length",
         "3 lengths"},
        {ONE("\"F32\"", "[1,1]", "[0,4]"), 4, "topk_idxs", "slots are integers"},
        {ONE("\"BOOL\"", "[2,2]", "[0,4]"), 4, "topk_idxs", "slots are integers"},
        {ONE("\"I12\"", "[2,2]", "[0,4]"), 4, "topk_idxs", "slots are integers"},
        {ONE("7", "[2,2]", "[0,4]"), 4, "topk_idxs", "dtype: is missing"},
        {ONE("\"U8\"", "[4]", "[0,4]"), 4, "topk_idxs", "(queries, Top-K)"},
        {ONE("\"U8\"", "[]", "[0,1]"), 1, "topk_idxs", "(queries, Top-K)"},
        {ONE("\"U8\"", "4", "[0,4]"), 4, "topk_idxs", "shape: is missing"},
        {ONE("\"U8\"", "[2,-2]", "[0,4]"), 4, "topk_idxs", "integer >= 0"},
        {ONE("\"U8\"", "[2,2.0]", "[0,4]"), 4, "topk_idxs", "integer >= 0"},
        {ONE("\"U8\"", "[4294967296,4294967296]", "[0,4]"), 4, "topk_idxs", "overflows"},
        {ONE("\"U8\"", "[0,4294967296]", "[0,0]"), 0, "topk_idxs", "at most 2147483647"},
        {ONE("\"U8\"", "[2,2]", "[4,0]"), 4, "topk_idxs", "outside the buffer"},
        {ONE("\"U8\"", "[2,2]", "[0]"), 4, "topk_idxs", "pair"},
        {ONE("\"U8\"", "[2,2]", "[0,9223372036854775807]"), 4, "topk_idxs", "outside the buffer"},
        {"{\"topk_idxs\":3}", 4, "topk_idxs", "not an object"},
        {"{\"topk_idxs\":", 4, "header", "not valid JSON"},
        {"{" TOPK "} x", 4, "header", "not valid JSON"},
        {"[]", 4, "header", "not a JSON object"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_int_equal(read_header(known[i].header, known[i].n, NULL), ORDO_BAD_INPUT);
        assert_says(err, known[i].field, known[i].phrase);
    }
}

static void cut_anywhere(void **state)
{
    struct blob b = make("{" TOPK "}", 4);
    size_t whole = b.n;

    (void)state;
    for (b.n = 0; b.n < whole; b.n++)
        assert_int_equal(blob_read(&b, ".safetensors", NULL, &p, &err), ORDO_BAD_INPUT);
    b.byte[7] = 0x7f;
    assert_int_equal(blob_read(&b, ".safetensors", NULL, &p, &err), ORDO_BAD_INPUT);
    assert_says(err, "header length", "follow");
    blob_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type),
        cmocka_unit_test(bundles),
        cmocka_unit_test(refused),
        cmocka_unit_test(cut_anywhere),
    };

    return cmocka_run_group_tests_name("safetensors", tests, NULL, NULL);
}
