/* t_npy.c - .npy: every integer type, byte order, version and way to write the header; and how damage is refused. */
#include "tests/corpus_util.h"

static struct ordo_problem p;
static struct ordo_err err;

/* Two queries of two slots of a type; big says in which order the bytes are put. */
static struct blob make(int major, const char *descr, const int64_t value[4], size_t bytes, bool big)
{
    struct blob b = {0};
    char dict[128];

    (void)snprintf(dict, sizeof dict, "{'descr': '%s', 'fortran_order': False, 'shape': (2, 2), }", descr);
    blob_npy_header(&b, major, dict);
    for (int i = 0; i < 4; i++)
        for (size_t j = 0; j < bytes; j++)
            blob_le(&b, (uint64_t)value[i] >> 8 * (big ? bytes - 1 - j : j), 1);
    return b;
}

static void every_type(void **state)
{
    static const struct {
        const char *descr;
        size_t bytes;
        bool big;
        int64_t in[4];
        int32_t out[4];
    } known[] = {
        {"|i1", 1, false, {0, 5, -1, -128}, {0, 5, -1, -128}},
        {"|u1", 1, false, {0, 5, 255, 128}, {0, 5, 255, 128}},
        {">u1", 1, false, {0, 5, 255, 128}, {0, 5, 255, 128}},
        {"<i2", 2, false, {1, 258, -2, -32768}, {1, 258, -2, -32768}},
        {">i2", 2, true, {1, 258, -2, -32768}, {1, 258, -2, -32768}},
        {"<u2", 2, false, {1, 258, 65535, 9}, {1, 258, 65535, 9}},
        {">u2", 2, true, {1, 258, 65535, 9}, {1, 258, 65535, 9}},
        {"<i4", 4, false, {1, 66051, -1, INT32_MIN}, {1, 66051, -1, INT32_MIN}},
        {">i4", 4, true, {1, 66051, -1, INT32_MAX}, {1, 66051, -1, INT32_MAX}},
        {"<u4", 4, false, {1, 2147483647, 2147483648, 4294967295}, {1, INT32_MAX, INT32_MAX, INT32_MAX}},
        {">u4", 4, true, {1, 2147483646, 2147483648, 4294967295}, {1, 2147483646, INT32_MAX, INT32_MAX}},
        {"<i8", 8, false, {7, INT64_MAX, INT64_MIN, -1}, {7, INT32_MAX, INT32_MIN, -1}},
        {">i8", 8, true, {7, 4294967296, -4294967296, -1}, {7, INT32_MAX, INT32_MIN, -1}},
        {"<u8", 8, false, {7, -1, INT64_MIN, 2147483646}, {7, INT32_MAX, INT32_MAX, 2147483646}},
        {">u8", 8, true, {7, -1, 4294967296, 2147483646}, {7, INT32_MAX, INT32_MAX, 2147483646}},
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        {"=i4", 4, false, {1, 2, 3, -1}, {1, 2, 3, -1}},
        {"i8", 8, false, {1, 2, 3, -1}, {1, 2, 3, -1}},
#endif
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        for (int major = 1; major <= 3; major++) {
            struct blob b = make(major, known[i].descr, known[i].in, known[i].bytes, known[i].big);

            assert_ok(blob_read(&b, ".npy", NULL, &p, &err), err);
            assert_int_equal(p.n_query, 2);
            assert_int_equal(p.topk, 2);
            assert_null(p.length);
            assert_memory_equal(p.idx, known[i].out, sizeof known[i].out);
            ordo_problem_free(&p);
            blob_free(&b);
        }
}

/* A file of int32 with this dict. */
static enum ordo_status read_dict(const char *dict, size_t n_id)
{
    struct blob b = {0};
    enum ordo_status status;

    blob_npy_header(&b, 1, dict);
    for (size_t i = 0; i < n_id; i++)
        blob_le(&b, i, 4);
    status = blob_read(&b, "", NULL, &p, &err);
    blob_free(&b);
    return status;
}

static void every_header(void **state)
{
    static const char *const dict[] = {
        "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3)}",
        "{\"shape\": (2,3,), \"descr\": \"<i4\", 'fortran_order': False}",
        "{'fortran_order':False,'shape':(2L, 3L),'descr':'<i4'}",
        " { 'shape' : ( 2 , 3 ) ,\n\t'descr' : '<i4' , 'fortran_order' : False , } \n\n",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (1, 2, 1, 3)}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof dict / sizeof dict[0]; i++) {
        assert_ok(read_dict(dict[i], 6), err);
        assert_int_equal(p.n_query, 2);
        assert_int_equal(p.topk, 3);
        for (int32_t j = 0; j < 6; j++)
            assert_int_equal(p.idx[j], j);
        ordo_problem_free(&p);
    }
}

static void fortran_order(void **state)
{
    enum { A = 3, B = 2, C = 35, T = 5 };

    (void)state;
    assert_ok(read_dict("{'descr': '<i4', 'fortran_order': True, 'shape': (3, 2, 35, 5)}", A * B * C * T), err);
    assert_int_equal(p.n_query, A * B * C);
    assert_int_equal(p.topk, T);
    for (int32_t a = 0; a < A; a++)
        for (int32_t b = 0; b < B; b++)
            for (int32_t c = 0; c < C; c++)
                for (int32_t t = 0; t < T; t++)
                    assert_int_equal(p.idx[((a * B + b) * C + c) * T + t], a + A * (b + B * (c + C * t)));
    ordo_problem_free(&p);
}

static void nothing_in_it(void **state)
{
    static const struct {
        const char *dict;
        int32_t n_query, topk;
    } known[] = {
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (0, 5)}", 0, 5},
        {"{'descr': '<i4', 'fortran_order': True, 'shape': (0, 5)}", 0, 5},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (5, 0)}", 5, 0},
        {"{'descr': '<i4', 'fortran_order': True, 'shape': (3, 5, 0)}", 15, 0},
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (0, 0)}", 0, 0},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (4, 0, 7)}", 0, 7},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (0, 99999999999, 99999999999, 7)}", 0, 7},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2147483647, 0)}", 2147483647, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_ok(read_dict(known[i].dict, 0), err);
        assert_int_equal(p.n_query, known[i].n_query);
        assert_int_equal(p.topk, known[i].topk);
        assert_non_null(p.idx);
        ordo_problem_free(&p);
    }
}

static void refused(void **state)
{
    static const struct {
        const char *dict, *field, *phrase;
    } known[] = {
        {"{'descr': '|O', 'fortran_order': False, 'shape': (2, 3)}", "descr", "pickle"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}", "descr", "floating point"},
        {"{'descr': '|b1', 'fortran_order': False, 'shape': (2, 3)}", "descr", "boolean"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (2, 3)}", "descr", "complex"},
        {"{'descr': '<U4', 'fortran_order': False, 'shape': (2, 3)}", "descr", "text"},
        {"{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (2, 3)}", "descr", "time"},
        {"{'descr': '|V4', 'fortran_order': False, 'shape': (2, 3)}", "descr", "structured"},
        {"{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (2, 3)}", "descr", "structured"},
        {"{'descr': ('<i4', (3,)), 'fortran_order': False, 'shape': (2,)}", "descr", "structured"},
        {"{'descr': '<i3', 'fortran_order': False, 'shape': (2, 3)}", "descr", "no integer type"},
        {"{'descr': '', 'fortran_order': False, 'shape': (2, 3)}", "descr", "no integer type"},
        {"{'descr': 7, 'fortran_order': False, 'shape': (2, 3)}", "descr", "not a string"},
        {"{'descr': '<i4', 'fortran_order': 0, 'shape': (2, 3)}", "fortran_order", "True nor False"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (6,)}", "shape", "(queries, Top-K)"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': ()}", "shape", "0 dimensions"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (6)}", "shape", "not a tuple"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': 6}", "shape", "not a tuple"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2 3)}", "shape", "not a tuple of integers"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (,)}", "shape", "not a tuple of integers"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2, -3)}", "shape", "negative"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2, 36893488147419103232)}", "shape", "overflows"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 2)}", "shape", "overflows"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2147483648, 0)}", "shape", "2147483648 queries"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (0, 2147483648)}", "shape", "Top-K"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2)}", "data", "needs 16 bytes, but there are 24"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2, 4)}", "data", "needs 32 bytes, but there are 24"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (0, 4)}", "data", "needs 0 bytes, but there are 24"},
        {"{'descr': '<i4', 'fortran_order': False}", "shape", "missing"},
        {"{'descr': '<i4', 'shape': (2, 3)}", "fortran_order", "missing"},
        {"{'shape': (2, 3), 'fortran_order': False}", "descr", "missing"},
        {"{'shape': (2, 3), 'shape': (2, 3), 'fortran_order': False}", "shape", "twice"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), 'x': 1}", "header", "unknown key 'x'"},
        {"{'descr': '<i4' 'fortran_order': False, 'shape': (2, 3)}", "header", "comma"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3)} x", "header", "after its '}'"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3)", "header", "comma"},
        {"['descr']", "header", "start with '{'"},
        {"", "header", "start with '{'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        assert_int_equal(read_dict(known[i].dict, 6), ORDO_BAD_INPUT);
        assert_says(err, known[i].field, known[i].phrase);
    }
}

/* Every shorter file, and one byte more. */
static void cut_anywhere(void **state)
{
    static const int64_t value[4] = {1, 2, 3, 4};
    struct blob b = make(2, "<i2", value, 2, false);
    size_t whole = b.n;

    (void)state;
    for (b.n = 0; b.n < whole; b.n++) {
        assert_int_equal(blob_read(&b, ".npy", NULL, &p, &err), ORDO_BAD_INPUT);
        assert_true(err.field[0] && err.file[0]);
    }
    blob_put(&b, "", 1);
    assert_int_equal(blob_read(&b, ".npy", NULL, &p, &err), ORDO_BAD_INPUT);
    assert_says(err, "data", "needs 8 bytes, but there are 9");
    blob_free(&b);
}

static void bad_preamble(void **state)
{
    static const int64_t value[4] = {1, 2, 3, 4};
    struct blob b = make(2, "<i4", value, 4, false);

    (void)state;
    b.byte[6] = 4;
    assert_int_equal(blob_read(&b, ".npy", NULL, &p, &err), ORDO_BAD_INPUT);
    assert_says(err, "version", "4.0");
    b.byte[6] = 2;
    b.byte[11] = 0xff;
    assert_int_equal(blob_read(&b, ".npy", NULL, &p, &err), ORDO_BAD_INPUT);
    assert_says(err, "header length", "follow");
    b.byte[0] = 'x';
    assert_int_equal(blob_read(&b, ".npy", NULL, &p, &err), ORDO_BAD_INPUT);
    assert_says(err, "magic", "NUMPY");
    blob_free(&b);
}

/* More than one chunk, and not a whole number of them. */
static void many_chunks(void **state)
{
    struct blob b = {0};
    uint8_t *data = calloc(70001, 8);

    (void)state;
    assert_non_null(data);
    blob_npy_header(&b, 1, "{'descr': '<i8', 'fortran_order': False, 'shape': (1, 70001)}");
    for (size_t i = 0; i < 70001; i++)
        for (size_t j = 0; j < 3; j++)
            data[8 * i + j] = (uint8_t)(i >> 8 * j);
    blob_put(&b, data, (size_t)70001 * 8);
    assert_ok(blob_read(&b, ".npy", NULL, &p, &err), err);
    for (int32_t i = 0; i < 70001; i++)
        assert_int_equal(p.idx[i], i);
    ordo_problem_free(&p);
    blob_free(&b);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type),   cmocka_unit_test(every_header), cmocka_unit_test(fortran_order),
        cmocka_unit_test(nothing_in_it), cmocka_unit_test(refused),     cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(bad_preamble), cmocka_unit_test(many_chunks),
    };

    return cmocka_run_group_tests_name("npy", tests, NULL, NULL);
}
