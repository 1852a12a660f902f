/* t_npz_write.c - .npz files of ours: the same bytes always, what was written comes back, also as zip64, and nothing
 * else does. */
#include "base/digest.h"
#include "corpus/npz_tensor.h"
#include "corpus/npz_write.h"
#include "tests/corpus_util.h"

static const uint16_t bf16[2][3] = {{0x3f80, 0xbf80, 0x0001}, {0x7f80, 0xffff, 0x8000}};
static const float real[2] = {1.5f, -0x1p-149f};
static const double wide[1] = {0x1.8p-1074};
static const int32_t id[2][2] = {{0, -1}, {INT32_MAX, INT32_MIN}};

/* Every type and number of dimensions; one array without elements. */
static const struct ordo_npz_array arrays[] = {
    {"q", "<u2", 3, {1, 2, 3, 0}, bf16},     {"sink", "<f4", 1, {2, 0, 0, 0}, real},
    {"scale", "<f8", 0, {0, 0, 0, 0}, wide}, {"topk_idxs", "<i4", 2, {2, 2, 0, 0}, id},
    {"none", "<f4", 2, {5, 0, 0, 0}, real},
};
enum { ARRAYS = sizeof arrays / sizeof arrays[0] };

static char path[64]; /* in a folder of its own */
static struct ordo_err err;

/* A wide file has all records of zip64, whose readers take the very same arrays. */
static void write_from(uint64_t zip64_from)
{
    assert_ok(ordo_npz_write_wide(path, arrays, ARRAYS, zip64_from, &err), err);
}

static void comes_back(void **state)
{
    static const uint64_t from[] = {UINT32_MAX, 0, 200, 500};

    (void)state;
    for (size_t f = 0; f < sizeof from / sizeof from[0]; f++) {
        write_from(from[f]);
        for (size_t i = 0; i < ARRAYS; i++) {
            const struct ordo_npz_array *a = &arrays[i];
            size_t n = (size_t)(a->descr[2] - '0');
            void *data;

            for (int d = 0; d < a->n_dim; d++)
                n *= a->dim[d];
            assert_ok(ordo_npz_tensor(path, a->name, a->descr, a->n_dim, a->dim, &data, &err), err);
            assert_non_null(data);
            assert_memory_equal(data, a->data, n);
            free(data);
        }
    }
    (void)unlink(path);
}

/* The index tensor in it is one that every verb reads. */
static void is_an_index_file(void **state)
{
    struct ordo_problem p = {0};

    (void)state;
    write_from(UINT32_MAX);
    assert_ok(ordo_read_problem(&(struct ordo_source){.path = path}, &p, &err), err);
    assert_int_equal(p.n_query, 2);
    assert_int_equal(p.topk, 2);
    assert_memory_equal(p.idx, id, sizeof id);
    ordo_problem_free(&p);
    (void)unlink(path);
}

static struct blob slurp(void)
{
    FILE *f = fopen(path, "rb");
    struct blob b = {0};
    uint8_t chunk[4096];
    size_t n;

    assert_non_null(f);
    while ((n = fread(chunk, 1, sizeof chunk, f)) > 0)
        blob_put(&b, chunk, n);
    assert_int_equal(fclose(f), 0);
    return b;
}

/* Golden: a changed digest is a changed format. */
static void same_bytes(void **state)
{
    static const struct {
        uint64_t from;
        size_t n;
        const char *digest;
    } known[] = {
        {UINT32_MAX, 1172, "b45b39f2f0ca515d8d6128c62c5c3d90bd26720b3c56b5467e68a9e37257258e"},
        {0, 1488, "198f9d80c43e31b15dcd554daaf4f176f6e16c391100052c47addb0640dd159d"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        char hex[ORDO_DIGEST_HEX];
        struct ordo_hasher h;
        struct ordo_digest d;
        struct blob b;

        write_from(known[i].from);
        b = slurp();
        ordo_hasher_init(&h);
        ordo_hasher_bytes(&h, b.byte, b.n);
        d = ordo_hasher_done(&h);
        assert_int_equal(b.n, known[i].n);
        assert_string_equal(ordo_digest_hex(&d, hex), known[i].digest);
        blob_free(&b);
    }
    (void)unlink(path);
}

/* A flipped bit anywhere in the data is noticed; so is a cut file. */
static void damage(void **state)
{
    void *data;
    struct blob b;
    FILE *f;

    (void)state;
    write_from(UINT32_MAX);
    b = slurp();
    for (size_t at = 30 + 5; at < 30 + 5 + 128 + 12; at++) { /* q.npy: header and data */
        b.byte[at] ^= 4;
        f = fopen(path, "wb");
        assert_non_null(f);
        assert_int_equal(fwrite(b.byte, 1, b.n, f), b.n);
        assert_int_equal(fclose(f), 0);
        assert_int_equal(ordo_npz_tensor(path, "q", "<u2", 3, arrays[0].dim, &data, &err), ORDO_BAD_INPUT);
        assert_null(data);
        b.byte[at] ^= 4;
    }
    assert_int_equal(truncate(path, (off_t)b.n - 1), 0);
    assert_int_equal(ordo_npz_tensor(path, "q", "<u2", 3, arrays[0].dim, &data, &err), ORDO_BAD_INPUT);
    blob_free(&b);
    (void)unlink(path);
}

static void refused(void **state)
{
    static const uint64_t shape[] = {1, 2, 3}, other[] = {1, 3, 2}, huge[] = {UINT64_C(1) << 40, UINT64_C(1) << 40};
    void *data;

    (void)state;
    write_from(UINT32_MAX);
    assert_int_equal(ordo_npz_tensor(path, "q", "<f4", 3, shape, &data, &err), ORDO_BAD_INPUT);
    assert_says(err, "q", "descr: is '<u2', but '<f4' is wanted");
    assert_int_equal(ordo_npz_tensor(path, "q", "<u2", 3, other, &data, &err), ORDO_BAD_INPUT);
    assert_says(err, "q", "shape: is (1, 2, 3), but (1, 3, 2) is wanted");
    assert_int_equal(ordo_npz_tensor(path, "q", "<u2", 2, shape, &data, &err), ORDO_BAD_INPUT);
    assert_int_equal(ordo_npz_tensor(path, "scale", "<f8", 1, shape, &data, &err), ORDO_BAD_INPUT);
    assert_says(err, "scale", "shape: is (), but (1,) is wanted");
    assert_int_equal(ordo_npz_tensor(path, "q", "<u2", 2, huge, &data, &err), ORDO_BAD_INPUT);
    assert_ok(ordo_npz_tensor(path, "kv", "<u2", 3, shape, &data, &err), err);
    assert_null(data);
    (void)unlink(path);
    assert_int_equal(ordo_npz_tensor(path, "q", "<u2", 3, shape, &data, &err), ORDO_BAD_INPUT);
    assert_int_equal(ordo_npz_write("./no/such/folder.npz", arrays, ARRAYS, &err), ORDO_ENVIRONMENT);
    assert_int_equal(ordo_npz_write(path, &(struct ordo_npz_array){"x", "<u2", 2, {huge[0], huge[1], 0, 0}, NULL}, 1,
                                    &err), ORDO_BAD_INPUT);
    assert_int_equal(access(path, F_OK), -1);
}

static int begin(void **state)
{
    int code = make_folder(state);

    (void)snprintf(path, sizeof path, "%s/out.npz", folder);
    return code;
}

/* t_npz_write ZIP64_FROM FILE: only writes the arrays, for tests that read them by another program. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back), cmocka_unit_test(is_an_index_file), cmocka_unit_test(same_bytes),
        cmocka_unit_test(damage),     cmocka_unit_test(refused),
    };

    if (argc == 3)
        return (int)ordo_npz_write_wide(argv[2], arrays, ARRAYS, strtoull(argv[1], NULL, 10), &err);
    return cmocka_run_group_tests_name("npz_write", tests, begin, remove_folder);
}
