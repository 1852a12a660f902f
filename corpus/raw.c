/* raw.c - see raw.h. */
#include "corpus/raw.h"

#include "corpus/array.h"

#include "base/size.h"

#include <string.h>

/* "128,2048": decimal numbers and commas only. */
static const char *parse_shape(const char *text, struct ordo_array *a)
{
    do {
        uint64_t value = 0;

        if (a->n_dim == ORDO_MAX_DIM)
            return "has more than 64 dimensions";
        if (*text < '0' || *text > '9')
            return "is not a list of numbers such as 128,2048";
        for (; *text >= '0' && *text <= '9'; text++)
            if (!ordo_mul(value, 10, &value) || !ordo_add(value, (uint64_t)(*text - '0'), &value))
                return "has a dimension that overflows 64 bits";
        a->dim[a->n_dim++] = value;
    } while (*text++ == ',');
    return text[-1] ? "is not a list of numbers such as 128,2048" : NULL;
}

enum ordo_status ordo_raw_read(const struct ordo_source *src, const struct ordo_bytes *b, struct ordo_problem *p,
                               struct ordo_err *err)
{
    struct ordo_site at = {src->path, NULL, err};
    struct ordo_stream s = ordo_stream_range(b, 0, b->size);
    struct ordo_array a = {.n_dim = 0};
    const char *why;

    why = ordo_dtype_raw(src->raw_dtype, &a.dtype);
    if (why)
        return ordo_fail(err, ORDO_USAGE, src->path, "raw dtype", "'%s' %s", src->raw_dtype, why);
    why = parse_shape(src->raw_shape, &a);
    if (why)
        return ordo_fail(err, ORDO_USAGE, src->path, "raw shape", "'%s' %s", src->raw_shape, why);
    return ordo_array_to_topk(&at, &a, &s, p);
}
