/* format.c - see format.h. */
#include "corpus/format.h"

#include "corpus/bytes.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static bool starts(const uint8_t *head, size_t n, const char *magic, size_t n_magic)
{
    return n >= n_magic && memcmp(head, magic, n_magic) == 0;
}

static bool is_safetensors(const uint8_t *head, size_t n, uint64_t size)
{
    return n > 8 && head[8] == '{' && ordo_le64(head) >= 2 && ordo_le64(head) <= size - 8;
}

static enum ordo_format by_content(const uint8_t *head, size_t n, uint64_t size)
{
    if (starts(head, n, "\x93NUMPY", 6))
        return ORDO_FORMAT_NPY;
    if (starts(head, n, "PK\3\4", 4) || starts(head, n, "PK\5\6", 4))
        return ORDO_FORMAT_ZIP;
    if (is_safetensors(head, n, size))
        return ORDO_FORMAT_SAFETENSORS;
    if (n >= 2 && head[0] == 0x80 && head[1] <= 5) /* PROTO 0 to 5 opens every binary pickle */
        return ORDO_FORMAT_PICKLE;
    return ORDO_FORMAT_UNKNOWN;
}

static enum ordo_format by_name(const char *path)
{
    static const struct {
        const char *end;
        enum ordo_format format;
    } known[] = {
        {".npy", ORDO_FORMAT_NPY},   {".npz", ORDO_FORMAT_ZIP},    {".safetensors", ORDO_FORMAT_SAFETENSORS},
        {".pt", ORDO_FORMAT_PICKLE}, {".pth", ORDO_FORMAT_PICKLE}, {".pkl", ORDO_FORMAT_PICKLE},
        {".txt", ORDO_FORMAT_TEXT},  {".csv", ORDO_FORMAT_TEXT},   {".pat", ORDO_FORMAT_TEXT},
    };
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; dot && i < sizeof known / sizeof known[0]; i++)
        if (strcasecmp(dot, known[i].end) == 0)
            return known[i].format;
    return ORDO_FORMAT_UNKNOWN;
}

/* Nothing but printable ASCII and ends of lines, and the first mark is one that a slot or a comment starts with. */
static bool reads_like_text(const uint8_t *head, size_t n)
{
    size_t first = 0;

    for (size_t i = 0; i < n; i++)
        if ((head[i] < ' ' || head[i] > '~') && head[i] != '\n' && head[i] != '\r' && head[i] != '\t')
            return false;
    while (first < n && head[first] <= ' ')
        first++;
    return first < n && strchr("0123456789-.#", head[first]);
}

enum ordo_format ordo_format_of(const char *path, const uint8_t *head, size_t n, uint64_t size)
{
    enum ordo_format format = by_content(head, n, size);

    if (!format)
        format = by_name(path);
    if (!format && reads_like_text(head, n))
        format = ORDO_FORMAT_TEXT;
    return format;
}

/* --- torch ------------------------------------------------------------------------------------------------------ */

/* A path that can stand inside both kinds of quotes of the command as it is. */
static bool is_plain(const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-=@, ";

    return strlen(path) <= 80 && strspn(path, plain) == strlen(path);
}

const char *ordo_format_torch_advice(const char *path, char *out, size_t size)
{
    const char *name = is_plain(path) ? path : "F.pt";
    const char *slash = strrchr(name, '/'), *dot = strrchr(name, '.');
    int n_stem = (int)(dot && dot > (slash ? slash + 1 : name) ? (size_t)(dot - name) : strlen(name));

    (void)snprintf(out, size,
                   "python -c \"import torch,numpy; numpy.save('%.*s.npy', "
                   "torch.load('%s', weights_only=True).cpu().numpy())\"",
                   n_stem, name, name);
    return out;
}
