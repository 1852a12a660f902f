/* dtype.c - see dtype.h. */
#include "corpus/dtype.h"

#include <string.h>

#define HOST_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static bool set(struct ordo_dtype *out, bool is_signed, int bytes, bool big)
{
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
        return false;
    *out = (struct ordo_dtype){(uint8_t)bytes, is_signed, bytes > 1 && big != HOST_BIG};
    return true;
}

/* What NumPy's kind letters mean when they are not integers. */
static const char *npy_kind(char kind)
{
    switch (kind) {
    case 'O':
        return "holds Python objects (a pickle), which are never loaded; save it as int32";
    case 'V':
        return "is structured; save one integer field as an array of its own";
    case 'b':
    case '?':
        return "is boolean, but slots are ids of KV rows; use numpy.nonzero or argsort to make ids";
    case 'e':
    case 'f':
    case 'd':
    case 'g':
        return "is floating point, but slots are integers; save it with .astype(numpy.int32)";
    case 'c':
        return "is complex, but slots are integers";
    case 'S':
    case 'a':
    case 'U':
        return "is text, but slots are integers";
    case 'm':
    case 'M':
        return "is a time, but slots are integers";
    default:
        return "is no integer type of 1, 2, 4 or 8 bytes (i1 u1 i2 u2 i4 u4 i8 u8)";
    }
}

const char *ordo_dtype_npy(const char *descr, size_t n, struct ordo_dtype *out)
{
    bool big = HOST_BIG;

    if (n && strchr("<>|=", *descr)) {
        big = *descr == '>' || (*descr != '<' && HOST_BIG);
        descr++;
        n--;
    }
    if (n == 2 && (descr[0] == 'i' || descr[0] == 'u') && set(out, descr[0] == 'i', descr[1] - '0', big))
        return NULL;
    return npy_kind(n ? *descr : 0);
}

/* "32" to 4 and so on, 0 if it is none of them. */
static int bytes_of_bits(const char *bits)
{
    static const char *const known[] = {"8", "16", "32", "64"};

    for (int i = 0; i < 4; i++)
        if (strcmp(bits, known[i]) == 0)
            return 1 << i;
    return 0;
}

const char *ordo_dtype_safetensors(const char *name, struct ordo_dtype *out)
{
    if ((name[0] == 'I' || name[0] == 'U') && set(out, name[0] == 'I', bytes_of_bits(name + 1), false))
        return NULL;
    return "is not one of I8 U8 I16 U16 I32 U32 I64 U64; slots are integers";
}

const char *ordo_dtype_raw(const char *name, struct ordo_dtype *out)
{
    bool big = *name == '>';

    if (*name == '<' || *name == '>')
        name++;
    if ((name[0] == 'i' || name[0] == 'u') && set(out, name[0] == 'i', bytes_of_bits(name + 1), big))
        return NULL;
    return "is not one of i8 u8 i16 u16 i32 u32 i64 u64 (the number counts bits; > in front means big-endian)";
}

/* --- narrowing -------------------------------------------------------------------------------------------------- */

static inline int32_t clamp_i64(int64_t x)
{
    return x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : (int32_t)x;
}

static inline int32_t clamp_u64(uint64_t x)
{
    return x > INT32_MAX ? INT32_MAX : (int32_t)x;
}

#define SAME(x) (x)

#define NARROW(name, type, order, clamp)                                           \
    static void name(const uint8_t *from, size_t n, int32_t *to)                   \
    {                                                                              \
        for (size_t i = 0; i < n; i++) {                                           \
            type x;                                                                \
            memcpy(&x, from + i * sizeof x, sizeof x);                             \
            to[i] = clamp((type)order(x));                                         \
        }                                                                          \
    }

NARROW(from_i1, int8_t, SAME, (int32_t))
NARROW(from_u1, uint8_t, SAME, (int32_t))
NARROW(from_i2, int16_t, SAME, (int32_t))
NARROW(from_u2, uint16_t, SAME, (int32_t))
NARROW(from_i4, int32_t, SAME, (int32_t))
NARROW(from_u4, uint32_t, SAME, clamp_u64)
NARROW(wide_i8, int64_t, SAME, clamp_i64)
NARROW(from_u8, uint64_t, SAME, clamp_u64)

#define SWAP16(x) __builtin_bswap16((uint16_t)(x))
#define SWAP32(x) __builtin_bswap32((uint32_t)(x))
#define SWAP64(x) __builtin_bswap64((uint64_t)(x))

NARROW(swap_i2, int16_t, SWAP16, (int32_t))
NARROW(swap_u2, uint16_t, SWAP16, (int32_t))
NARROW(swap_i4, int32_t, SWAP32, (int32_t))
NARROW(swap_u4, uint32_t, SWAP32, clamp_u64)
NARROW(swap_i8, int64_t, SWAP64, clamp_i64)
NARROW(swap_u8, uint64_t, SWAP64, clamp_u64)

/* torch's int64: cut without looking, and once more with care if any value was outside int32.  A third less time. */
static void from_i8(const uint8_t *from, size_t n, int32_t *to)
{
    uint64_t outside = 0;

    for (size_t i = 0; i < n; i++) {
        int64_t x;

        memcpy(&x, from + i * sizeof x, sizeof x);
        outside |= ((uint64_t)x + (UINT64_C(1) << 31)) >> 32;
        to[i] = (int32_t)x;
    }
    if (outside)
        wide_i8(from, n, to);
}

void ordo_narrow(struct ordo_dtype d, const uint8_t *from, size_t n, int32_t *to)
{
    static void (*const by_type[2][2][4])(const uint8_t *, size_t, int32_t *) = {
        {{from_u1, from_u2, from_u4, from_u8}, {from_i1, from_i2, from_i4, from_i8}},
        {{from_u1, swap_u2, swap_u4, swap_u8}, {from_i1, swap_i2, swap_i4, swap_i8}},
    };

    by_type[d.swapped][d.is_signed][__builtin_ctz(d.bytes)](from, n, to);
}
