/* t_npz.c - .npz: stored, deflated and zip64 archives built here byte by byte, and every way to be refused. */
#include "corpus/npz_tensor.h"
#include "tests/corpus_util.h"

#include <zlib.h>

static struct ordo_problem p;
static struct ordo_err err;

/* One entry of an archive to be, with what may be wrong with it. */
struct member {
    const char *name;
    struct blob content;
    uint16_t method, flags;
    bool local_zip64;   /* NumPy's zip64 extra in the local header */
    bool central_zip64; /* sizes and offset only in the zip64 extra of the directory */
    int32_t size_off, crc_off;
    const char *local_name; /* another name in the local header */
};

static struct blob packed(const struct member *m)
{
    struct blob out = {0};
    uint8_t buffer[4096];
    z_stream z = {0};

    if (m->method != 8) {
        blob_put(&out, m->content.byte, m->content.n);
        return out;
    }
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = m->content.byte;
    z.avail_in = (uInt)m->content.n;
    z.next_out = buffer;
    z.avail_out = sizeof buffer;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    blob_put(&out, buffer, sizeof buffer - z.avail_out);
    deflateEnd(&z);
    return out;
}

static void put_local(struct blob *zip, const struct member *m, size_t n_packed, uint32_t crc)
{
    const char *name = m->local_name ? m->local_name : m->name;

    blob_put(zip, "PK\3\4", 4);
    blob_le(zip, 20, 2);
    blob_le(zip, m->flags, 2);
    blob_le(zip, m->method, 2);
    blob_le(zip, 0, 4);
    blob_le(zip, crc, 4);
    blob_le(zip, m->local_zip64 ? UINT32_MAX : n_packed, 4);
    blob_le(zip, m->local_zip64 ? UINT32_MAX : m->content.n, 4);
    blob_le(zip, strlen(name), 2);
    blob_le(zip, m->local_zip64 ? 20 : 0, 2);
    blob_put(zip, name, strlen(name));
    if (m->local_zip64) {
        blob_le(zip, 1, 2);
        blob_le(zip, 16, 2);
        blob_le(zip, m->content.n, 8);
        blob_le(zip, n_packed, 8);
    }
}

static void put_central(struct blob *dir, const struct member *m, size_t n_packed, uint32_t crc, size_t local)
{
    uint64_t size = m->content.n + (uint64_t)(int64_t)m->size_off;
    bool wide = m->central_zip64;

    blob_put(dir, "PK\1\2", 4);
    blob_le(dir, 0x140014, 4);
    blob_le(dir, m->flags, 2);
    blob_le(dir, m->method, 2);
    blob_le(dir, 0, 4);
    blob_le(dir, crc + (uint32_t)m->crc_off, 4);
    blob_le(dir, wide ? UINT32_MAX : n_packed, 4);
    blob_le(dir, wide ? UINT32_MAX : size, 4);
    blob_le(dir, strlen(m->name), 2);
    blob_le(dir, wide ? 28 + 6 : 0, 2);
    blob_le(dir, 0, 10);
    blob_le(dir, wide ? UINT32_MAX : local, 4);
    blob_put(dir, m->name, strlen(m->name));
    if (wide) {
        blob_le(dir, UINT64_C(0xaaaa00020007), 6); /* some other extra in front */
        blob_le(dir, 1, 2);
        blob_le(dir, 24, 2);
        blob_le(dir, size, 8);
        blob_le(dir, n_packed, 8);
        blob_le(dir, local, 8);
    }
}

static void put_end(struct blob *zip, size_t n_member, size_t n_dir, size_t at, bool zip64)
{
    if (zip64) {
        size_t here = zip->n;

        blob_put(zip, "PK\6\6", 4);
        blob_le(zip, 44, 8);
        blob_le(zip, 45, 4);
        blob_le(zip, 0, 8);
        blob_le(zip, n_member, 8);
        blob_le(zip, n_member, 8);
        blob_le(zip, n_dir, 8);
        blob_le(zip, at, 8);
        blob_put(zip, "PK\6\7", 4);
        blob_le(zip, 0, 4);
        blob_le(zip, here, 8);
        blob_le(zip, 1, 4);
    }
    blob_put(zip, "PK\5\6", 4);
    blob_le(zip, 0, 4);
    blob_le(zip, zip64 ? UINT16_MAX : n_member, 2);
    blob_le(zip, zip64 ? UINT16_MAX : n_member, 2);
    blob_le(zip, zip64 ? UINT32_MAX : n_dir, 4);
    blob_le(zip, zip64 ? UINT32_MAX : at, 4);
    blob_le(zip, 0, 2);
}

static struct blob archive(const struct member *m, size_t n, bool zip64)
{
    struct blob zip = {0}, dir = {0};
    size_t at;

    for (size_t i = 0; i < n; i++) {
        struct blob data = packed(&m[i]);
        uint32_t crc = (uint32_t)crc32(0, m[i].content.byte, (uInt)m[i].content.n);

        put_central(&dir, &m[i], data.n, crc, zip.n);
        put_local(&zip, &m[i], data.n, crc);
        blob_put(&zip, data.byte, data.n);
        blob_free(&data);
    }
    at = zip.n;
    blob_put(&zip, dir.byte, dir.n);
    put_end(&zip, n, dir.n, at, zip64);
    blob_free(&dir);
    return zip;
}

static enum ordo_status read_members(struct member *m, size_t n, bool zip64, const struct ordo_source *more)
{
    struct blob zip = archive(m, n, zip64);
    enum ordo_status status = blob_read(&zip, ".npz", more, &p, &err);

    blob_free(&zip);
    for (size_t i = 0; i < n; i++)
        blob_free(&m[i].content);
    return status;
}

static const int32_t id[6] = {5, 4, 3, 2, 1, -1}, length[2] = {3, -7};

/* The index tensor and the lengths under some name, with whatever else is given. */
#define TOPK_AS(as, ...) {.name = as, .content = blob_npy_i4("(2, 3)", id, 6), __VA_ARGS__}
#define LENGTH_AS(as, ...) {.name = as, .content = blob_npy_i4("(2, 1)", length, 2), __VA_ARGS__}
#define TOPK(...) TOPK_AS("topk_idxs.npy", __VA_ARGS__)
#define LENGTH(...) LENGTH_AS("topk_length.npy", __VA_ARGS__)

static void every_kind(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 16; kind++) {
        uint16_t method = kind & 1 ? 8 : 0;
        struct member m[] = {
            LENGTH(.method = method, .local_zip64 = (kind & 2) != 0, .central_zip64 = (kind & 4) != 0),
            TOPK(.method = method, .local_zip64 = (kind & 2) != 0, .central_zip64 = (kind & 4) != 0),
        };

        assert_ok(read_members(m, 2, (kind & 8) != 0, NULL), err);
        assert_int_equal(p.n_query, 2);
        assert_int_equal(p.topk, 3);
        assert_memory_equal(p.idx, id, sizeof id);
        assert_memory_equal(p.length, length, sizeof length);
        ordo_problem_free(&p);
    }
}

static void keys(void **state)
{
    struct member m[] = {TOPK(), LENGTH()};
    struct blob zip = archive(m, 2, false);

    (void)state;
    assert_int_equal(blob_read(&zip, "", &(struct ordo_source){.topk_key = "nosuch"}, &p, &err), ORDO_BAD_INPUT);
    assert_says(err, "nosuch", "the keys are: topk_idxs, topk_length");
    assert_int_equal(blob_read(&zip, "", &(struct ordo_source){.length_key = "len"}, &p, &err), ORDO_BAD_INPUT);
    assert_says(err, "len", "the keys are: topk_idxs, topk_length");
    assert_ok(blob_read(&zip, "", &(struct ordo_source){.topk_key = "topk_idxs.npy"}, &p, &err), err);
    ordo_problem_free(&p);
    assert_ok(blob_read(&zip, "", &(struct ordo_source){.topk_key = "topk_length", .length_key = "topk_length"}, &p,
                        &err), err);
    assert_int_equal(p.topk, 1);
    ordo_problem_free(&p);
    blob_free(&zip);
    blob_free(&m[0].content);
    blob_free(&m[1].content);
}

static void refused(const char *field, const char *phrase, struct member *m, size_t n)
{
    assert_int_equal(read_members(m, n, false, NULL), ORDO_BAD_INPUT);
    assert_says(err, field, phrase);
}

static void damaged_members(void **state)
{
    static const int32_t three[3] = {1, 2, 3};
    struct blob two = {0};

    (void)state;
    refused("topk_idxs", "CRC-32", (struct member[]){TOPK(.crc_off = 1)}, 1);
    refused("topk_idxs", "CRC-32", (struct member[]){TOPK(.crc_off = 1, .method = 8)}, 1);
    refused("topk_idxs", "encrypted", (struct member[]){TOPK(.flags = 1)}, 1);
    refused("topk_idxs", "method 12", (struct member[]){TOPK(.method = 12)}, 1);
    refused("topk_idxs", "two sizes differ", (struct member[]){TOPK(.size_off = 1)}, 1);
    refused("topk_idxs", "needs 24 bytes, but there are 23", (struct member[]){TOPK(.size_off = -1, .method = 8)}, 1);
    refused("topk_idxs", "cannot become", (struct member[]){TOPK(.size_off = 1 << 20, .method = 8)}, 1);
    refused("topk_idxs", "not the one", (struct member[]){TOPK(.local_name = "topk_other.npy")}, 1);
    refused("topk_idxs.npy", "twice", (struct member[]){TOPK(), TOPK()}, 2);
    refused("../x.npy", "..", (struct member[]){TOPK(), LENGTH_AS("../x.npy", )}, 2);
    refused("a\\..\\x.npy", "..", (struct member[]){TOPK(), LENGTH_AS("a\\..\\x.npy", )}, 2);
    refused("topk_length", "3 lengths, but the index tensor has 2 queries",
            (struct member[]){TOPK(), {.name = "topk_length.npy", .content = blob_npy_i4("(3,)", three, 3)}}, 2);
    blob_npy_header(&two, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1)}");
    refused("topk_idxs", "descr: '<f4'", (struct member[]){{.name = "topk_idxs.npy", .content = two}}, 1);
    refused("topk_idxs", "there is no such array; the keys are: topk_length", (struct member[]){LENGTH()}, 1);
    refused("topk_idxs", "holds none", NULL, 0);
}

/* The deflate stream has more, or less, than the directory says: the array's own size is not the archive's. */
static void deflate_sizes(void **state)
{
    struct member m = TOPK(.method = 8, .size_off = -4);
    struct blob zip;
    char *shape = memmem(m.content.byte, m.content.n, "(2, 3)", 6);

    (void)state;
    assert_non_null(shape);
    memcpy(shape, "(1, 5)", 6); /* four bytes less than there are */
    zip = archive(&m, 1, false);
    assert_int_equal(blob_read(&zip, ".npz", NULL, &p, &err), ORDO_BAD_INPUT);
    assert_says(err, "topk_idxs", "more than the size");
    blob_free(&zip);
    m.size_off = 4;
    memcpy(shape, "(1, 7)", 6);
    zip = archive(&m, 1, false);
    assert_int_equal(blob_read(&zip, ".npz", NULL, &p, &err), ORDO_BAD_INPUT);
    assert_says(err, "topk_idxs", "ends 4 bytes before");
    blob_free(&zip);
    blob_free(&m.content);
}

/* Every shorter archive is refused, and so is every archive with one directory byte turned over, or read the same. */
static void damaged_anywhere(void **state)
{
    struct member m[] = {TOPK(.method = 8), LENGTH(.central_zip64 = true)};
    struct blob zip = archive(m, 2, true);
    size_t whole = zip.n;

    (void)state;
    for (zip.n = 0; zip.n < whole; zip.n++) {
        assert_int_equal(blob_read(&zip, ".npz", NULL, &p, &err), ORDO_BAD_INPUT);
        assert_true(err.field[0] && err.reason[0]);
    }
    for (size_t i = 0; i < whole; i++) {
        zip.byte[i] ^= 0xff;
        if (blob_read(&zip, ".npz", NULL, &p, &err) == ORDO_OK)
            assert_memory_equal(p.idx, id, sizeof id);
        ordo_problem_free(&p);
        zip.byte[i] ^= 0xff;
    }
    blob_free(&zip);
    blob_free(&m[0].content);
    blob_free(&m[1].content);
}

/* A tensor as other programs write it: deflated, raw bytes for BF16; but not in Fortran order, and of that type. */
static void tensors_of_others(void **state)
{
    static const struct {
        const char *type;
        enum ordo_status status;
    } known[] = {{"'<u2', 'fortran_order': False", ORDO_OK},        {"'<V2', 'fortran_order': False", ORDO_OK},
                 {"'|V2', 'fortran_order': False", ORDO_OK},        {"'<u2', 'fortran_order': True", ORDO_BAD_INPUT},
                 {"'>u2', 'fortran_order': False", ORDO_BAD_INPUT}, {"'<i2', 'fortran_order': False", ORDO_BAD_INPUT},
                 {"'<f2', 'fortran_order': False", ORDO_BAD_INPUT}, {"'<V4', 'fortran_order': False", ORDO_BAD_INPUT},
                 {"'>V2', 'fortran_order': False", ORDO_BAD_INPUT}, {"'u2', 'fortran_order': False", ORDO_BAD_INPUT}};
    static const uint64_t dim[2] = {2, 6};

    (void)state;
    for (size_t i = 0; i < 2 * sizeof known / sizeof known[0]; i++) {
        struct member m = {.name = "q.npy", .method = i % 2 ? 8 : 0};
        struct blob zip;
        char dict[128], path[64];
        void *data;

        (void)snprintf(dict, sizeof dict, "{'descr': %s, 'shape': (2, 6)}", known[i / 2].type);
        blob_npy_header(&m.content, 1, dict);
        blob_put(&m.content, id, sizeof id);
        zip = archive(&m, 1, false);
        blob_save(&zip, ".npz", path);
        assert_int_equal(ordo_npz_tensor(path, "q", "<u2", 2, dim, &data, &err), known[i / 2].status);
        assert_true((data != NULL) == (known[i / 2].status == ORDO_OK));
        if (data)
            assert_memory_equal(data, id, sizeof id);
        free(data);
        (void)unlink(path);
        blob_free(&zip);
        blob_free(&m.content);
    }
}

static void torch_archive(void **state)
{
    (void)state;
    refused("format", "weights_only=True", (struct member[]){TOPK_AS("archive/data.pkl", )}, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind),    cmocka_unit_test(keys),
        cmocka_unit_test(damaged_members), cmocka_unit_test(deflate_sizes),
        cmocka_unit_test(damaged_anywhere), cmocka_unit_test(torch_archive),
        cmocka_unit_test(tensors_of_others),
    };

    return cmocka_run_group_tests_name("npz", tests, NULL, NULL);
}
