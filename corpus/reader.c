/* reader.c - see reader.h: options, format, dispatch. */
#include "corpus/reader.h"

#include "corpus/bundle.h"
#include "corpus/format.h"
#include "corpus/npy.h"
#include "corpus/raw.h"
#include "corpus/text.h"

#include "base/size.h"

#include <stdlib.h>
#include <string.h>

/* --- options ---------------------------------------------------------------------------------------------------- */

static enum ordo_status check_raw(const struct ordo_source *src, struct ordo_err *err)
{
    if (src->raw_dtype && !src->raw_shape)
        return ordo_fail(err, ORDO_USAGE, src->path, "raw shape", "a raw file needs its shape too, such as 128,2048");
    if (src->raw_shape && !src->raw_dtype)
        return ordo_fail(err, ORDO_USAGE, src->path, "raw dtype", "a raw file needs its dtype too, such as i32");
    return ORDO_OK;
}

static enum ordo_status check_lone(const struct ordo_source *src, struct ordo_err *err)
{
    static const char why[] = "the file holds one array without a name; keys are for .npz and .safetensors";

    if (src->topk_key)
        return ordo_fail(err, ORDO_USAGE, src->path, "topk key", "%s", why);
    if (src->length_key)
        return ordo_fail(err, ORDO_USAGE, src->path, "length key", "%s", why);
    return ORDO_OK;
}

static enum ordo_status check_bundle(const struct ordo_source *src, struct ordo_err *err)
{
    if (src->length_path && src->length_key)
        return ordo_fail(err, ORDO_USAGE, src->path, "length key",
                         "lengths are named twice, as a key of the file and as a file of their own");
    return ORDO_OK;
}

/* --- formats ---------------------------------------------------------------------------------------------------- */

static enum ordo_status read_npy(const struct ordo_source *src, const struct ordo_bytes *b, struct ordo_problem *p,
                                 struct ordo_err *err)
{
    struct ordo_site at = {src->path, NULL, err};
    struct ordo_stream s = ordo_stream_range(b, 0, b->size);
    enum ordo_status status = check_lone(src, err);

    return status ? status : ordo_npy_topk(&at, &s, p);
}

static enum ordo_status read_text(const struct ordo_source *src, const struct ordo_bytes *b, struct ordo_problem *p,
                                  struct ordo_err *err)
{
    struct ordo_site at = {src->path, NULL, err};
    enum ordo_status status = check_lone(src, err);
    uint8_t *text;

    if (status)
        return status;
    text = ordo_alloc(b->size, 1);
    if (!text)
        return ordo_site_no_memory(&at, b->size, "bytes");
    status = ordo_bytes_read(&at, b, 0, text, b->size);
    if (!status)
        status = ordo_text_parse(&at, text, b->size, p);
    free(text);
    return status;
}

static enum ordo_status refuse_torch(const struct ordo_source *src, struct ordo_err *err)
{
    char advice[320];

    return ordo_fail(err, ORDO_BAD_INPUT, src->path, "format",
                     "is a pickle or torch.save file, which is never loaded; convert it: %s",
                     ordo_format_torch_advice(src->path, advice, sizeof advice));
}

static enum ordo_status read_zip(const struct ordo_source *src, const struct ordo_bytes *b, struct ordo_problem *p,
                                 struct ordo_err *err)
{
    bool torch;
    enum ordo_status status = ordo_npz_is_torch(src, b, &torch, err);

    if (status)
        return status;
    if (torch)
        return refuse_torch(src, err);
    status = check_bundle(src, err);
    return status ? status : ordo_npz_read(src, b, p, err);
}

static enum ordo_status read_safetensors(const struct ordo_source *src, const struct ordo_bytes *b,
                                         struct ordo_problem *p, struct ordo_err *err)
{
    enum ordo_status status = check_bundle(src, err);

    return status ? status : ordo_safetensors_read(src, b, p, err);
}

static enum ordo_status read_raw(const struct ordo_source *src, const struct ordo_bytes *b, struct ordo_problem *p,
                                 struct ordo_err *err)
{
    enum ordo_status status = check_lone(src, err);

    return status ? status : ordo_raw_read(src, b, p, err);
}

static enum ordo_status read_by_format(const struct ordo_source *src, const struct ordo_bytes *b,
                                       struct ordo_problem *p, struct ordo_err *err)
{
    struct ordo_site at = {src->path, NULL, err};
    size_t n = b->size < ORDO_FORMAT_HEAD ? (size_t)b->size : ORDO_FORMAT_HEAD;
    uint8_t head[ORDO_FORMAT_HEAD];
    enum ordo_status status;

    if (src->raw_dtype)
        return read_raw(src, b, p, err);
    if (!b->size)
        return ordo_fail(err, ORDO_BAD_INPUT, src->path, "file", "is empty");
    status = ordo_bytes_read(&at, b, 0, head, n);
    if (status)
        return status;
    switch (ordo_format_of(src->path, head, n, b->size)) {
    case ORDO_FORMAT_NPY:
        return read_npy(src, b, p, err);
    case ORDO_FORMAT_ZIP:
        return read_zip(src, b, p, err);
    case ORDO_FORMAT_SAFETENSORS:
        return read_safetensors(src, b, p, err);
    case ORDO_FORMAT_TEXT:
        return read_text(src, b, p, err);
    case ORDO_FORMAT_PICKLE:
        return refuse_torch(src, err);
    case ORDO_FORMAT_UNKNOWN:
        break;
    }
    return ordo_fail(err, ORDO_BAD_INPUT, src->path, "format",
                     "is none of .npy, .npz, .safetensors and text; a raw file needs its dtype and shape");
}

/* --- lengths ---------------------------------------------------------------------------------------------------- */

static enum ordo_status read_length_file(const struct ordo_source *src, struct ordo_problem *p, struct ordo_err *err)
{
    struct ordo_site at = {src->length_path, NULL, err};
    struct ordo_bytes b;
    struct ordo_stream s;
    enum ordo_status status = ordo_bytes_open(&at, &b);

    if (status)
        return status;
    s = ordo_stream_range(&b, 0, b.size);
    if (b.size)
        status = ordo_npy_length(&at, &s, p);
    else
        status = ordo_site_fail(&at, ORDO_BAD_INPUT, "file", "is empty");
    ordo_bytes_close(&b);
    return status;
}

enum ordo_status ordo_read_problem(const struct ordo_source *src, struct ordo_problem *p, struct ordo_err *err)
{
    struct ordo_err unwanted;
    struct ordo_site at = {src->path, NULL, err ? err : &unwanted};
    struct ordo_bytes b;
    enum ordo_status status;

    memset(p, 0, sizeof *p);
    status = check_raw(src, at.err);
    if (!status)
        status = ordo_bytes_open(&at, &b);
    if (status)
        return status;
    status = read_by_format(src, &b, p, at.err);
    ordo_bytes_close(&b);
    if (!status && src->length_path)
        status = read_length_file(src, p, at.err);
    if (status)
        ordo_problem_free(p);
    return status;
}
