/* varint.h - LEB128: seven bits a byte, the low ones first, the top bit set on all bytes but the last. */
#ifndef ORDO_BASE_VARINT_H
#define ORDO_BASE_VARINT_H

#include <stdbool.h>
#include <stdint.h>

enum { ORDO_VARINT_MOST = 10 }; /* bytes of a number */

/* Writes x to out; returns how many bytes. */
static inline int ordo_varint_put(uint64_t x, uint8_t out[ORDO_VARINT_MOST])
{
    int n = 0;

    for (; x > 127; x >>= 7)
        out[n++] = (uint8_t)(x | 128);
    out[n++] = (uint8_t)x;
    return n;
}

/* Reads the number at *at, before end, and moves behind it.  False if it is cut, leaves 63 bits or takes a byte
 * too many: a number is written in one way. */
static inline bool ordo_varint_get(const uint8_t **at, const uint8_t *end, uint64_t *x)
{
    *x = 0;
    for (int shift = 0; *at < end && shift < 63; shift += 7) {
        *x |= (uint64_t)(**at & 127) << shift;
        if (!(*(*at)++ & 128))
            return shift == 0 || (*at)[-1] != 0;
    }
    return false;
}

/* Signed numbers as 0, -1, 1, -2, ... */
static inline uint64_t ordo_zigzag(int64_t x)
{
    return (uint64_t)x << 1 ^ (uint64_t)(x < 0 ? -1 : 0);
}

static inline int64_t ordo_unzigzag(uint64_t x)
{
    return (int64_t)(x >> 1) ^ -(int64_t)(x & 1);
}

#endif
