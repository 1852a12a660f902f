/* corpus_util.h - files made byte by byte, for the tests of corpus/: no test depends on another program. */
#ifndef ORDO_TESTS_CORPUS_UTIL_H
#define ORDO_TESTS_CORPUS_UTIL_H

#include "corpus/reader.h"
#include "tests/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define UNUSED __attribute__((unused))

/* Bytes that grow.  A fresh one is all zero. */
struct blob {
    uint8_t *byte;
    size_t n;
};

static inline void blob_put(struct blob *b, const void *bytes, size_t n)
{
    b->byte = realloc(b->byte, b->n + n + 1);
    assert_non_null(b->byte);
    if (n)
        memcpy(b->byte + b->n, bytes, n);
    b->n += n;
}

/* x as n bytes, little-endian. */
static inline void blob_le(struct blob *b, uint64_t x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        blob_put(b, &(uint8_t){(uint8_t)(i < 8 ? x >> 8 * i : 0)}, 1);
}

static inline void blob_free(struct blob *b)
{
    free(b->byte);
    *b = (struct blob){0};
}

/* Magic, version major.0, header length and dict, padded as NumPy pads it. */
UNUSED static void blob_npy_header(struct blob *b, int major, const char *dict)
{
    size_t n_size = major == 1 ? 2 : 4, n = strlen(dict), start = b->n;
    size_t n_header = (8 + n_size + n + 1 + 63) / 64 * 64 - 8 - n_size;

    blob_put(b, "\x93NUMPY", 6);
    blob_le(b, (uint64_t)major, 2);
    blob_le(b, n_header, n_size);
    blob_put(b, dict, n);
    while (b->n - start < 8 + n_size + n_header - 1)
        blob_put(b, " ", 1);
    blob_put(b, "\n", 1);
}

/* A version 1.0 file of int32. */
UNUSED static struct blob blob_npy_i4(const char *shape, const int32_t *id, size_t n)
{
    struct blob b = {0};
    char dict[128];

    (void)snprintf(dict, sizeof dict, "{'descr': '<i4', 'fortran_order': False, 'shape': %s, }", shape);
    blob_npy_header(&b, 1, dict);
    for (size_t i = 0; i < n; i++)
        blob_le(&b, (uint32_t)id[i], 4);
    return b;
}

/* A fresh folder, before all tests of a program; after them it must be empty. */
static char folder[] = "./corpus-test-XXXXXX";

UNUSED static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

UNUSED static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

/* Writes b to a fresh file with this end of name, whose path is put into path. */
static inline void blob_save(const struct blob *b, const char *end, char path[64])
{
    int fd;
    FILE *f;

    (void)snprintf(path, 64, "./corpus-test-XXXXXX%s", end);
    fd = mkstemps(path, (int)strlen(end));
    assert_true(fd >= 0);
    f = fdopen(fd, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(b->byte ? b->byte : (const uint8_t *)"", 1, b->n, f), b->n);
    assert_int_equal(fclose(f), 0);
}

/* Reads b as a file of that end of name; options come from *more (NULL: none). */
static inline enum ordo_status blob_read(const struct blob *b, const char *end, const struct ordo_source *more,
                                         struct ordo_problem *p, struct ordo_err *err)
{
    struct ordo_source src = more ? *more : (struct ordo_source){0};
    enum ordo_status status;
    char path[64];

    memset(err, 0, sizeof *err);
    blob_save(b, end, path);
    src.path = path;
    status = ordo_read_problem(&src, p, err);
    (void)unlink(path);
    if (status) {
        assert_null(p->idx);
        assert_null(p->length);
    }
    return status;
}

/* The error must name field, and its reason must hold phrase. */
#define assert_says(err, want_field, phrase)                                                       \
    do {                                                                                           \
        assert_string_equal((err).field, want_field);                                              \
        if (!strstr((err).reason, phrase))                                                         \
            fail_msg("\"%s\" does not say \"%s\"", (err).reason, phrase);                          \
        assert_true(strlen((err).reason) > 0 && (err).reason[strlen((err).reason) - 1] != '.');    \
    } while (0)

/* Path of a file of the source tree. */
UNUSED static const char *source_path(const char *name, char path[512])
{
    const char *srcdir = getenv("srcdir");

    (void)snprintf(path, 512, "%s/%s", srcdir ? srcdir : ".", name);
    return path;
}

#endif
