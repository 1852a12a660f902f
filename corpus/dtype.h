/* dtype.h - the integer types that index tensors come in, their names in each format, and narrowing to int32.
 *
 * Narrowing saturates.  That keeps every slot's liveness: INT32_MAX is no row of any KV up to 2^31-1, and INT32_MIN
 * is as dead as any negative id. */
#ifndef ORDO_CORPUS_DTYPE_H
#define ORDO_CORPUS_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ordo_dtype {
    uint8_t bytes;  /* 1, 2, 4 or 8 */
    bool is_signed;
    bool swapped;   /* stored in the other byte order than this machine's */
};

/* Each returns NULL and fills *out, or says why the type cannot be used. */
const char *ordo_dtype_npy(const char *descr, size_t n, struct ordo_dtype *out); /* "<i4": bytes */
const char *ordo_dtype_safetensors(const char *name, struct ordo_dtype *out);    /* "I32": bits */
const char *ordo_dtype_raw(const char *name, struct ordo_dtype *out);            /* "<i32": bits, little by default */

/* The bytes of a file are the int32 in memory. */
static inline bool ordo_dtype_native(struct ordo_dtype d)
{
    return d.bytes == 4 && d.is_signed && !d.swapped;
}

/* n values at `from` (any alignment) to int32. */
void ordo_narrow(struct ordo_dtype d, const uint8_t *from, size_t n, int32_t *to);

#endif
