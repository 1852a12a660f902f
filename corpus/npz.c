/* npz.c - NumPy's archive: a zip whose entry "KEY.npy" is the array KEY. */
#include "corpus/bundle.h"
#include "corpus/npy.h"
#include "corpus/zip.h"

#include <string.h>

static bool ends_with(const struct ordo_zip_entry *e, const char *tail)
{
    size_t n = strlen(tail);

    return e->n_name >= n && memcmp(e->name + e->n_name - n, tail, n) == 0;
}

const struct ordo_zip_entry *ordo_npz_find(const struct ordo_zip *zip, const char *key)
{
    const struct ordo_zip_entry *exact = NULL;
    size_t n = strlen(key);

    for (uint64_t i = 0; i < zip->n_entry; i++) {
        const struct ordo_zip_entry *e = &zip->entry[i];

        if (e->n_name < n || memcmp(e->name, key, n) != 0)
            continue;
        if (e->n_name == n + 4 && ends_with(e, ".npy"))
            return e;
        if (e->n_name == n)
            exact = e;
    }
    return exact;
}

static enum ordo_status no_key(const struct ordo_site *at, const struct ordo_zip *zip, const char *key)
{
    struct ordo_keys keys = {.n_key = 0};

    for (uint64_t i = 0; i < zip->n_entry; i++)
        ordo_keys_add(&keys, zip->entry[i].name, zip->entry[i].n_name - (ends_with(&zip->entry[i], ".npy") ? 4 : 0));
    return ordo_site_no_key(at, key, &keys);
}

static enum ordo_status read_entry(const struct ordo_site *lone, const struct ordo_zip *zip, const char *key,
                                   enum ordo_status (*read)(const struct ordo_site *, struct ordo_stream *,
                                                            struct ordo_problem *),
                                   struct ordo_problem *p)
{
    struct ordo_site at = {lone->file, key, lone->err};
    const struct ordo_zip_entry *e = ordo_npz_find(zip, key);
    enum ordo_status status;
    struct ordo_stream s;

    if (!e)
        return no_key(lone, zip, key);
    status = ordo_zip_stream(&at, zip, e, &s);
    if (!status)
        status = read(&at, &s, p);
    ordo_stream_close(&s);
    return status;
}

enum ordo_status ordo_npz_read(const struct ordo_source *src, const struct ordo_bytes *b, struct ordo_problem *p,
                               struct ordo_err *err)
{
    struct ordo_site at = {src->path, NULL, err};
    struct ordo_zip zip;
    enum ordo_status status = ordo_zip_open(&at, b, &zip);

    if (status)
        return status;
    status = read_entry(&at, &zip, ordo_topk_key(src), ordo_npy_topk, p);
    if (!status && !src->length_path && (src->length_key || ordo_npz_find(&zip, ORDO_LENGTH_KEY)))
        status = read_entry(&at, &zip, ordo_length_key(src), ordo_npy_length, p);
    ordo_zip_close(&zip);
    return status;
}

enum ordo_status ordo_npz_is_torch(const struct ordo_source *src, const struct ordo_bytes *b, bool *is,
                                   struct ordo_err *err)
{
    struct ordo_site at = {src->path, NULL, err};
    struct ordo_zip zip;
    enum ordo_status status = ordo_zip_open(&at, b, &zip);

    *is = false;
    if (status)
        return status;
    for (uint64_t i = 0; !*is && i < zip.n_entry; i++) {
        const struct ordo_zip_entry *e = &zip.entry[i];

        *is = ends_with(e, "/data.pkl") || (e->n_name == 8 && ends_with(e, "data.pkl"));
    }
    ordo_zip_close(&zip);
    return ORDO_OK;
}
