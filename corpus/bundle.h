/* bundle.h - files that hold several arrays by name: .npz and .safetensors.
 *
 * Both take the arrays by the keys of *src (defaults topk_idxs and topk_length; the second may be absent unless it
 * was named) and fill *p; lengths are left alone when src->length_path brings them. */
#ifndef ORDO_CORPUS_BUNDLE_H
#define ORDO_CORPUS_BUNDLE_H

#include "corpus/bytes.h"
#include "corpus/reader.h"

#include <stdbool.h>

#define ORDO_TOPK_KEY "topk_idxs"
#define ORDO_LENGTH_KEY "topk_length"

static inline const char *ordo_topk_key(const struct ordo_source *src)
{
    return src->topk_key ? src->topk_key : ORDO_TOPK_KEY;
}

static inline const char *ordo_length_key(const struct ordo_source *src)
{
    return src->length_key ? src->length_key : ORDO_LENGTH_KEY;
}

enum ordo_status ordo_npz_read(const struct ordo_source *src, const struct ordo_bytes *b, struct ordo_problem *p,
                               struct ordo_err *err);

/* Sets *is to whether b is an archive of torch.save: a zip with a data.pkl in it. */
enum ordo_status ordo_npz_is_torch(const struct ordo_source *src, const struct ordo_bytes *b, bool *is,
                                   struct ordo_err *err);

enum ordo_status ordo_safetensors_read(const struct ordo_source *src, const struct ordo_bytes *b,
                                       struct ordo_problem *p, struct ordo_err *err);

#endif
