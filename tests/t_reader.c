/* t_reader.c - the corpus through the front door, options that fight, files that are no files, and the writer. */
#include "tests/corpus_util.h"

#include "protocol/live.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static struct ordo_problem p;
static struct ordo_err err;
static char fifo_path[64], out_path[64]; /* in a folder of their own */

/* Counts from corpus/index/expected.json. */
static const struct {
    const char *name, *length;
    int32_t n_query, topk, n_kv;
    int64_t live;
} corpus[] = {
    {"batched_3d.npy", NULL, 140, 48, 512, 6720},
    {"bundle.npz", NULL, 129, 32, 200, 1823},
    {"bundle_deflate.npz", NULL, 64, 16, 100, 1024},
    {"duplicates.npy", NULL, 24, 16, 64, 384},
    {"fortran.npy", NULL, 33, 20, 100, 660},
    {"four_d.npy", NULL, 65, 40, 300, 2600},
    {"holes.npy", "holes.length.npy", 140, 64, 256, 3892},
    {"indexer_4k.npy", "indexer_4k.length.npy", 384, 256, 4096, 98304},
    {"indexer_short.npy", "indexer_short.length.npy", 160, 64, 160, 8224},
    {"keep40.npy", NULL, 257, 128, 4096, 32896},
    {"one.safetensors", NULL, 50, 24, 128, 1200},
    {"reversed_neighbours.npy", NULL, 128, 64, 64, 8192},
    {"uniform_64k.npy", NULL, 130, 128, 65536, 16640},
    {"wide_topk.npy", NULL, 9, 32, 12, 108},
    {"window_i64.npy", NULL, 200, 96, 296, 19200},
};

static const char *index_path(const char *name, char path[512])
{
    char inside[128];

    (void)snprintf(inside, sizeof inside, "corpus/index/%s", name);
    return source_path(inside, path);
}

static int64_t count_live(int32_t n_kv)
{
    int64_t live = 0;

    for (int32_t q = 0; q < p.n_query; q++)
        for (int32_t j = 0; j < p.topk; j++)
            live += ordo_slot_live(ordo_problem_row(&p, q)[j], n_kv, j,
                                   ordo_clamp_length(ordo_problem_length(&p, q), p.topk));
    return live;
}

static void whole_corpus(void **state)
{
    char path[512], length[512];

    (void)state;
    for (size_t i = 0; i < sizeof corpus / sizeof corpus[0]; i++) {
        struct ordo_source src = {.path = index_path(corpus[i].name, path)};

        if (corpus[i].length)
            src.length_path = index_path(corpus[i].length, length);
        assert_ok(ordo_read_problem(&src, &p, &err), err);
        assert_int_equal(p.n_query, corpus[i].n_query);
        assert_int_equal(p.topk, corpus[i].topk);
        assert_int_equal(count_live(corpus[i].n_kv), corpus[i].live);
        ordo_problem_free(&p);
    }
}

/* What is no regular file, or none that may be read. */
static void no_file(void **state)
{
    enum ordo_status fifo;

    (void)state;
    assert_int_equal(ordo_read_problem(&(struct ordo_source){.path = "."}, &p, &err), ORDO_BAD_INPUT);
    assert_says(err, "file", "is a directory");
    assert_int_equal(ordo_read_problem(&(struct ordo_source){.path = "./no/such.npy"}, &p, &err), ORDO_BAD_INPUT);
    assert_says(err, "file", "No such file");
    assert_string_equal(err.file, "./no/such.npy");
    assert_int_equal(ordo_read_problem(&(struct ordo_source){.path = "/dev/zero"}, &p, &err), ORDO_BAD_INPUT);
    assert_says(err, "file", "device");
    assert_int_equal(mkfifo(fifo_path, 0600), 0);
    fifo = ordo_read_problem(&(struct ordo_source){.path = fifo_path}, &p, &err);
    (void)unlink(fifo_path);
    assert_int_equal(fifo, ORDO_BAD_INPUT);
    assert_says(err, "file", "pipe");
    assert_int_equal(blob_read(&(struct blob){0}, ".npy", NULL, &p, &err), ORDO_BAD_INPUT);
    assert_says(err, "file", "is empty");
    assert_int_equal(ordo_read_problem(&(struct ordo_source){.path = "."}, &p, NULL), ORDO_BAD_INPUT);
}

/* In a child, since root may read everything. */
static void no_permission(void **state)
{
    char path[64];
    int how;
    pid_t child;

    (void)state;
    blob_save(&(struct blob){0}, ".npy", path);
    assert_int_equal(chmod(path, 0), 0);
    child = fork();
    if (child == 0) {
        if (geteuid() == 0 && seteuid(65534) != 0)
            _exit(0);
        if (ordo_read_problem(&(struct ordo_source){.path = path}, &p, &err) != ORDO_BAD_INPUT)
            _exit(1);
        _exit(!strstr(err.reason, "Permission denied"));
    }
    assert_int_equal(waitpid(child, &how, 0), child);
    (void)unlink(path);
    assert_int_equal(how, 0);
}

static void torch(void **state)
{
    struct blob b = {0};

    (void)state;
    blob_put(&b, "\x80\x02\x8a\x0a", 4);
    assert_int_equal(blob_read(&b, ".pt", NULL, &p, &err), ORDO_BAD_INPUT);
    assert_says(err, "format", "python -c \"import torch,numpy; numpy.save('./corpus-test-");
    assert_non_null(strstr(err.reason, ".pt', weights_only=True).cpu().numpy())\""));
    assert_int_equal(blob_read(&b, "", NULL, &p, &err), ORDO_BAD_INPUT);
    assert_says(err, "format", "pickle");
    assert_int_equal(blob_read(&b, "it's.pt", NULL, &p, &err), ORDO_BAD_INPUT);
    assert_says(err, "format", "numpy.save('F.npy', torch.load('F.pt'");
    blob_free(&b);
}

static const int32_t id[6] = {0, 1, 2, 3, 4, 5};

static void lengths(void **state)
{
    static const char *const shape[] = {"(2,)", "(2, 1)", "(1, 2, 1)"};
    struct blob topk = blob_npy_i4("(2, 3)", id, 6);
    char path[64];

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct blob b = blob_npy_i4(shape[i], (const int32_t[]){3, -9}, 2);

        blob_save(&b, ".npy", path);
        assert_ok(blob_read(&topk, ".npy", &(struct ordo_source){.length_path = path}, &p, &err), err);
        assert_int_equal(p.length[1], -9);
        ordo_problem_free(&p);
        (void)unlink(path);
        blob_free(&b);
    }
    blob_save(&topk, ".npy", path);
    assert_int_equal(blob_read(&topk, ".npy", &(struct ordo_source){.length_path = path}, &p, &err), ORDO_BAD_INPUT);
    assert_says(err, "length", "holds 6 lengths, but the index tensor has 2 queries");
    assert_string_equal(err.file, path);
    (void)unlink(path);
    assert_int_equal(blob_read(&topk, "", &(struct ordo_source){.length_path = path}, &p, &err), ORDO_BAD_INPUT);
    assert_says(err, "file", "No such file");
    blob_free(&topk);
}

/* Lengths of several dimensions in Fortran order are flattened like the queries they belong to. */
static void fortran_lengths(void **state)
{
    struct blob topk = blob_npy_i4("(2, 3, 1)", id, 6), b = {0};
    char path[64];

    (void)state;
    blob_npy_header(&b, 1, "{'descr': '<i8', 'fortran_order': True, 'shape': (2, 3)}");
    for (uint64_t i = 0; i < 6; i++)
        blob_le(&b, i < 5 ? i : UINT64_MAX << 40, 8);
    blob_save(&b, ".npy", path);
    assert_ok(blob_read(&topk, ".npy", &(struct ordo_source){.length_path = path}, &p, &err), err);
    assert_memory_equal(p.length, ((const int32_t[]){0, 2, 4, 1, 3, INT32_MIN}), 24);
    ordo_problem_free(&p);
    (void)unlink(path);
    blob_free(&b);
    blob_free(&topk);
}

static void options(void **state)
{
    struct blob topk = blob_npy_i4("(2, 3)", id, 6), text = {0};
    struct ordo_source bundle = {.length_key = "topk_length"};
    char path[512], length[64];

    (void)state;
    blob_put(&text, "1 2\n", 4);
    assert_int_equal(blob_read(&topk, "", &(struct ordo_source){.topk_key = "a"}, &p, &err), ORDO_USAGE);
    assert_says(err, "topk key", "without a name");
    assert_int_equal(blob_read(&topk, "", &(struct ordo_source){.length_key = "a"}, &p, &err), ORDO_USAGE);
    assert_says(err, "length key", "without a name");
    assert_int_equal(blob_read(&text, "", &(struct ordo_source){.length_key = "a"}, &p, &err), ORDO_USAGE);
    blob_free(&topk);
    blob_free(&text);

    bundle.path = index_path("bundle.npz", path);
    assert_ok(ordo_read_problem(&bundle, &p, &err), err);
    assert_non_null(p.length);
    ordo_problem_free(&p);
    topk = blob_npy_i4("(129,)", (const int32_t[129]){7, 6}, 129);
    blob_save(&topk, ".npy", length);
    bundle.length_path = length;
    assert_int_equal(ordo_read_problem(&bundle, &p, &err), ORDO_USAGE);
    assert_says(err, "length key", "twice");
    bundle.length_key = NULL;
    assert_ok(ordo_read_problem(&bundle, &p, &err), err);
    assert_int_equal(p.length[0], 7);
    assert_int_equal(p.length[2], 0);
    ordo_problem_free(&p);
    (void)unlink(length);
    blob_free(&topk);
}

/* --- the writer ------------------------------------------------------------------------------------------------- */

static int count_leftovers(void)
{
    DIR *dir = opendir(folder);
    int n = -2; /* . and .. */

    assert_non_null(dir);
    while (readdir(dir))
        n++;
    (void)closedir(dir);
    return n;
}

static void round_trip(void **state)
{
    struct ordo_source src = {.path = out_path};
    struct ordo_problem q = {.n_query = 2, .topk = 3, .idx = (int32_t[]){1, -1, INT32_MAX, INT32_MIN, 0, 258}};

    (void)state;
    for (int i = 0; i < 2; i++) { /* the second replaces the first */
        assert_ok(ordo_write_npy(src.path, &q, &err), err);
        assert_ok(ordo_read_problem(&src, &p, &err), err);
        assert_int_equal(p.n_query, 2);
        assert_int_equal(p.topk, 3);
        assert_memory_equal(p.idx, q.idx, 24);
        ordo_problem_free(&p);
    }
    assert_int_equal(count_leftovers(), 1);
    (void)unlink(src.path);
}

static void not_replaced(void **state)
{
    struct ordo_problem q = {.n_query = 1, .topk = 1, .idx = (int32_t[]){1}};
    struct stat st;

    (void)state;
    assert_int_equal(ordo_write_npy("/dev/null", &q, &err), ORDO_ENVIRONMENT);
    assert_says(err, "file", "not a regular file");
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    assert_int_equal(ordo_write_npy(".", &q, &err), ORDO_ENVIRONMENT);
    assert_int_equal(ordo_write_npy("./no/such/folder.npy", &q, &err), ORDO_ENVIRONMENT);
    assert_says(err, "file", "No such file");
}

/* A disk that is full after 4 KB: said, and nothing is left; what stood there before still stands. */
static void disk_full(void **state)
{
    struct ordo_problem q = {.n_query = 64, .topk = 64, .idx = calloc(64 * 64, 4)};
    struct rlimit old, small;
    struct stat st;

    (void)state;
    assert_non_null(q.idx);
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 4096;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_int_equal(ordo_write_npy(out_path, &q, &err), ORDO_ENVIRONMENT);
    assert_says(err, "file", "too large");
    assert_int_equal(count_leftovers(), 0);
    q.n_query = 1;
    assert_ok(ordo_write_npy(out_path, &q, &err), err);
    q.n_query = 64;
    assert_int_equal(ordo_write_npy(out_path, &q, &err), ORDO_ENVIRONMENT);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(count_leftovers(), 1);
    assert_int_equal(stat(out_path, &st), 0);
    assert_int_equal(st.st_size, 128 + 256);
    (void)unlink(out_path);
    free(q.idx);
}

static int begin(void **state)
{
    int code = make_folder(state);

    (void)snprintf(fifo_path, sizeof fifo_path, "%s/fifo", folder);
    (void)snprintf(out_path, sizeof out_path, "%s/out.npy", folder);
    return code;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_corpus), cmocka_unit_test(no_file),         cmocka_unit_test(no_permission),
        cmocka_unit_test(torch),        cmocka_unit_test(lengths),         cmocka_unit_test(fortran_lengths),
        cmocka_unit_test(options),      cmocka_unit_test(round_trip),      cmocka_unit_test(not_replaced),
        cmocka_unit_test(disk_full),
    };

    return cmocka_run_group_tests_name("reader", tests, begin, remove_folder);
}
