/* safetensors.c - the format of huggingface/safetensors: a JSON header over one buffer, without holes.
 *
 * The whole header is checked, not only the tensors that are wanted: overlapping or missing ranges mean that the file
 * is not what its writer meant. */
#include "corpus/array.h"
#include "corpus/bundle.h"

#include "base/size.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define MAX_HEADER UINT64_C(100000000) /* the reference implementation's limit */

struct tensor {
    const char *name; /* belongs to the JSON tree */
    uint64_t begin, end;
    json_t *json;
};

struct table {
    struct ordo_site at;
    const struct ordo_bytes *from;
    uint64_t base; /* where the buffer starts in the file */
    struct tensor *tensor;
    size_t n_tensor;
};

static enum ordo_status bad(const struct table *t, const char *name, const char *field, const char *why)
{
    struct ordo_site at = {t->at.file, name, t->at.err};

    return ordo_site_fail(&at, ORDO_BAD_INPUT, field, "%s", why);
}

/* A JSON integer >= 0. */
static bool natural(const json_t *j, uint64_t *out)
{
    if (!json_is_integer(j) || json_integer_value(j) < 0)
        return false;
    *out = (uint64_t)json_integer_value(j);
    return true;
}

/* --- the header ------------------------------------------------------------------------------------------------- */

static enum ordo_status load_header(struct table *t, json_t **root)
{
    enum ordo_status status;
    json_error_t error;
    uint8_t size[8];
    uint64_t n;
    char *text;

    if (t->from->size < sizeof size)
        return ordo_site_fail(&t->at, ORDO_BAD_INPUT, "header length", "the file ends inside it");
    status = ordo_bytes_read(&t->at, t->from, 0, size, sizeof size);
    if (status)
        return status;
    n = ordo_le64(size);
    if (n > t->from->size - sizeof size || n > MAX_HEADER)
        return ordo_site_fail(&t->at, ORDO_BAD_INPUT, "header length",
                              "says %" PRIu64 " bytes, but %" PRIu64 " follow (and 100000000 are the most)", n,
                              t->from->size - (uint64_t)sizeof size);
    text = ordo_alloc(n, 1);
    if (!text)
        return ordo_site_no_memory(&t->at, n, "bytes of header");
    status = ordo_bytes_read(&t->at, t->from, sizeof size, text, n);
    *root = status ? NULL : json_loadb(text, n, JSON_REJECT_DUPLICATES, &error);
    free(text);
    if (!status && !*root)
        return ordo_site_fail(&t->at, ORDO_BAD_INPUT, "header", "is not valid JSON: %s", error.text);
    if (!status && !json_is_object(*root))
        return ordo_site_fail(&t->at, ORDO_BAD_INPUT, "header", "is not a JSON object");
    t->base = sizeof size + n;
    return status;
}

/* Bytes of a tensor whose type has an integer of ours; false if the shape overflows. */
static bool shape_bytes(const struct ordo_array *a, uint64_t *out)
{
    uint64_t all = a->dtype.bytes;

    for (int i = 0; i < a->n_dim; i++)
        if (a->dim[i] == 0) {
            *out = 0;
            return true;
        }
    for (int i = 0; i < a->n_dim; i++)
        if (!ordo_mul(all, a->dim[i], &all))
            return false;
    *out = all;
    return true;
}

static enum ordo_status read_shape(const struct table *t, const struct tensor *e, struct ordo_array *a)
{
    const json_t *shape = json_object_get(e->json, "shape");

    if (!json_is_array(shape))
        return bad(t, e->name, "shape", "is missing or not an array");
    if (json_array_size(shape) > ORDO_MAX_DIM)
        return bad(t, e->name, "shape", "has more than 64 dimensions");
    a->n_dim = (int)json_array_size(shape);
    for (int i = 0; i < a->n_dim; i++)
        if (!natural(json_array_get(shape, (size_t)i), &a->dim[i]))
            return bad(t, e->name, "shape", "holds something that is not an integer >= 0");
    return ORDO_OK;
}

/* Shape, type and size of a tensor of integers.  *why says what is wrong with the type, or is NULL. */
static enum ordo_status describe(const struct table *t, const struct tensor *e, struct ordo_array *a,
                                 const char **why)
{
    const char *dtype = json_string_value(json_object_get(e->json, "dtype"));
    struct ordo_site at = {t->at.file, e->name, t->at.err};
    enum ordo_status status;
    uint64_t bytes = 0;

    memset(a, 0, sizeof *a);
    if (!dtype)
        return bad(t, e->name, "dtype", "is missing or not a string");
    status = read_shape(t, e, a);
    *why = ordo_dtype_safetensors(dtype, &a->dtype);
    if (status || *why)
        return status;
    if (!shape_bytes(a, &bytes))
        return bad(t, e->name, "shape", "its size overflows 64 bits");
    if (bytes != e->end - e->begin)
        return ordo_site_fail(&at, ORDO_BAD_INPUT, "data_offsets",
                              "span %" PRIu64 " bytes, but shape and dtype need %" PRIu64, e->end - e->begin, bytes);
    return ORDO_OK;
}

static enum ordo_status read_offsets(const struct table *t, struct tensor *e)
{
    const json_t *pair = json_object_get(e->json, "data_offsets");

    if (json_array_size(pair) != 2 || !natural(json_array_get(pair, 0), &e->begin) ||
        !natural(json_array_get(pair, 1), &e->end))
        return bad(t, e->name, "data_offsets", "is not a pair of integers >= 0");
    if (e->begin > e->end || e->end > t->from->size - t->base)
        return bad(t, e->name, "data_offsets", "lie outside the buffer");
    return ORDO_OK;
}

static int by_place(const void *a, const void *b)
{
    const struct tensor *x = a, *y = b;

    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end);
}

/* Sorted by place, the tensors must cover the buffer without overlap or hole. */
static enum ordo_status check_cover(const struct table *t)
{
    uint64_t reached = 0, size = t->from->size - t->base;

    qsort(t->tensor, t->n_tensor, sizeof *t->tensor, by_place);
    for (size_t i = 0; i < t->n_tensor; i++) {
        const struct tensor *e = &t->tensor[i];

        if (e->begin != reached)
            return bad(t, e->name, "data_offsets", e->begin < reached ? "overlap those of another tensor"
                                                                      : "leave a hole in front of the tensor");
        reached = e->end;
    }
    if (reached == size)
        return ORDO_OK;
    return ordo_site_fail(&t->at, ORDO_BAD_INPUT, "data",
                          "the tensors end after %" PRIu64 " bytes, but the buffer has %" PRIu64, reached, size);
}

static enum ordo_status read_table(struct table *t, json_t *root)
{
    enum ordo_status status = ORDO_OK;
    const char *name;
    json_t *json;

    t->tensor = ordo_alloc(json_object_size(root), sizeof *t->tensor);
    if (!t->tensor)
        return ordo_site_no_memory(&t->at, json_object_size(root), "tensors");
    json_object_foreach(root, name, json)
    {
        struct tensor *e = &t->tensor[t->n_tensor];
        struct ordo_array a;
        const char *why;

        if (strcmp(name, "__metadata__") == 0)
            continue;
        *e = (struct tensor){.name = name, .json = json};
        status = json_is_object(json) ? read_offsets(t, e) : bad(t, name, "header", "is not an object");
        if (!status)
            status = describe(t, e, &a, &why);
        if (status)
            return status;
        t->n_tensor++;
    }
    return check_cover(t);
}

/* --- the tensors that are wanted -------------------------------------------------------------------------------- */

static const struct tensor *find(const struct table *t, const char *key)
{
    for (size_t i = 0; i < t->n_tensor; i++)
        if (strcmp(t->tensor[i].name, key) == 0)
            return &t->tensor[i];
    return NULL;
}

static enum ordo_status read_tensor(const struct table *t, const char *key,
                                    enum ordo_status (*read)(const struct ordo_site *, const struct ordo_array *,
                                                             struct ordo_stream *, struct ordo_problem *),
                                    struct ordo_problem *p)
{
    struct ordo_site at = {t->at.file, key, t->at.err};
    const struct tensor *e = find(t, key);
    struct ordo_keys keys = {.n_key = 0};
    struct ordo_stream s;
    struct ordo_array a;
    enum ordo_status status;
    const char *why;

    if (!e) {
        for (size_t i = 0; i < t->n_tensor; i++)
            ordo_keys_add(&keys, t->tensor[i].name, strlen(t->tensor[i].name));
        return ordo_site_no_key(&t->at, key, &keys);
    }
    status = describe(t, e, &a, &why);
    if (!status && why)
        status = bad(t, key, "dtype", why);
    s = ordo_stream_range(t->from, t->base + e->begin, e->end - e->begin);
    return status ? status : read(&at, &a, &s, p);
}

enum ordo_status ordo_safetensors_read(const struct ordo_source *src, const struct ordo_bytes *b,
                                       struct ordo_problem *p, struct ordo_err *err)
{
    struct table t = {.at = {src->path, NULL, err}, .from = b};
    json_t *root = NULL;
    enum ordo_status status = load_header(&t, &root);

    if (!status)
        status = read_table(&t, root);
    if (!status)
        status = read_tensor(&t, ordo_topk_key(src), ordo_array_to_topk, p);
    if (!status && !src->length_path && (src->length_key || find(&t, ORDO_LENGTH_KEY)))
        status = read_tensor(&t, ordo_length_key(src), ordo_array_to_length, p);
    free(t.tensor);
    json_decref(root);
    return status;
}
