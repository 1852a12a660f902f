/* value.c - see value.h. */
#include "cli/value.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *ordo_option_describe(const struct ordo_option *o, char *out, size_t n)
{
    const char *c;
    size_t used;

    switch (o->kind) {
    case ORDO_OPT_INT:
        (void)snprintf(out, n, "an integer from %" PRId32 " to %" PRId32, o->min, o->max);
        break;
    case ORDO_OPT_U64:
        (void)snprintf(out, n, "an integer from 0 to 2^64-1, decimal or 0x hexadecimal");
        break;
    case ORDO_OPT_CHOICE:
        used = (size_t)snprintf(out, n, "one of ");
        for (c = o->metavar; *c && used + 3 < n; c++) {
            out[used++] = *c == '|' ? ',' : *c;
            if (*c == '|')
                out[used++] = ' ';
        }
        out[used < n ? used : n - 1] = '\0';
        break;
    default:
        (void)snprintf(out, n, "%s", o->metavar ? o->metavar : "no value");
    }
    return out;
}

bool ordo_parse_int(const char *text, int32_t min, int32_t max, int64_t *out)
{
    const char *digits = text + (*text == '-');
    char *end;

    if (*digits < '0' || *digits > '9')
        return false;
    errno = 0;
    *out = strtoll(text, &end, 10);
    return !*end && errno == 0 && *out >= min && *out <= max;
}

static bool parse_u64(const char *text, uint64_t *out)
{
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = text + (hex ? 2 : 0);

    /* strtoull would take signs, blanks and a second 0x */
    if (!*digits || digits[strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789")])
        return false;
    errno = 0;
    *out = strtoull(digits, NULL, hex ? 16 : 10);
    return errno == 0;
}

static bool parse_choice(const char *text, const char *words, int64_t *index)
{
    size_t n = strlen(text), len;

    for (*index = 0;; ++*index, words += len + 1) {
        len = strcspn(words, "|");
        if (len == n && strncmp(words, text, n) == 0)
            return true;
        if (!words[len])
            return false;
    }
}

bool ordo_value_parse(const struct ordo_option *o, const char *text, struct ordo_value *v)
{
    v->text = text;
    switch (o->kind) {
    case ORDO_OPT_INT:
        return ordo_parse_int(text, o->min, o->max, &v->number);
    case ORDO_OPT_U64:
        return parse_u64(text, &v->u64);
    case ORDO_OPT_CHOICE:
        return parse_choice(text, o->metavar, &v->number);
    default:
        return *text != '\0';
    }
}
