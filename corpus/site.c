/* site.c - see site.h. */
#include "corpus/site.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum ordo_status ordo_site_fail(const struct ordo_site *at, enum ordo_status status, const char *field,
                                const char *reason, ...)
{
    char text[sizeof at->err->reason], key[sizeof at->err->field];
    va_list args;

    va_start(args, reason);
    (void)vsnprintf(text, sizeof text, reason, args);
    va_end(args);
    if (!at->key)
        return ordo_fail(at->err, status, at->file, field, "%s", text);
    ordo_printable(key, sizeof key, at->key, strlen(at->key));
    return ordo_fail(at->err, status, at->file, key, "%s: %s", field, text);
}

enum ordo_status ordo_site_no_memory(const struct ordo_site *at, uint64_t count, const char *what)
{
    return ordo_site_fail(at, ORDO_ENVIRONMENT, "memory", "there is no memory for %" PRIu64 " %s", count, what);
}

const char *ordo_printable(char *out, size_t size, const char *text, size_t n)
{
    size_t fits;

    if (!n) {
        text = "(empty)";
        n = strlen(text);
    }
    fits = n < size ? n : size - 1;
    for (size_t i = 0; i < fits; i++)
        out[i] = text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
    out[fits] = 0;
    if (fits < n && fits >= 3)
        memcpy(out + fits - 3, "...", 3);
    return out;
}

void ordo_keys_add(struct ordo_keys *keys, const char *name, size_t n)
{
    size_t used = strlen(keys->text);
    char shown[64];

    keys->n_key++;
    ordo_printable(shown, sizeof shown, name, n);
    if (used + strlen(shown) + sizeof ", " + sizeof ", ..." < sizeof keys->text)
        (void)snprintf(keys->text + used, sizeof keys->text - used, "%s%s", used ? ", " : "", shown);
    else if (used < 3 || strcmp(keys->text + used - 3, "...") != 0)
        (void)snprintf(keys->text + used, sizeof keys->text - used, ", ...");
}

enum ordo_status ordo_site_no_key(const struct ordo_site *at, const char *key, const struct ordo_keys *keys)
{
    char shown[sizeof at->err->field];

    ordo_printable(shown, sizeof shown, key, strlen(key));
    if (!keys->n_key)
        return ordo_fail(at->err, ORDO_BAD_INPUT, at->file, shown, "there is no such array: the file holds none");
    return ordo_fail(at->err, ORDO_BAD_INPUT, at->file, shown, "there is no such array; the keys are: %s",
                     keys->text);
}
