/* sealed.c - see sealed.h. */
#include "corpus/sealed.h"

#include "base/seal.h"
#include "corpus/bytes.h"

#include <stdlib.h>
#include <string.h>

/* The header's line, checked for its schema. */
static enum ordo_status read_header(const char *path, const char *schema, struct ordo_sealed *s, size_t body,
                                    struct ordo_err *err)
{
    const char *text = (const char *)s->file, *line = memchr(text, '\n', body), *said = "";

    s->header = line ? json_loadb(text, (size_t)(line - text), JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (!s->header)
        return ordo_fail(err, ORDO_BAD_INPUT, path, "header", "is no line of JSON");
    if (json_unpack(s->header, "{s:s}", "schema", &said) != 0 || strcmp(said, schema) != 0)
        return ordo_fail(err, ORDO_BAD_INPUT, path, "schema", "is not %s", schema);
    s->payload = (const uint8_t *)line + 1;
    s->n_payload = body - (size_t)(line + 1 - text);
    return ORDO_OK;
}

enum ordo_status ordo_sealed_parse(const char *name, const char *schema, uint8_t *bytes, size_t n,
                                   struct ordo_sealed *s, struct ordo_err *err)
{
    size_t body;
    enum ordo_seal seal = ordo_seal_check(bytes, n, &body);

    *s = (struct ordo_sealed){.file = bytes, .broken = seal == ORDO_SEAL_BROKEN};
    if (seal == ORDO_SEAL_NONE)
        return ordo_fail(err, ORDO_BAD_INPUT, name, "end", "is no %s, or a cut one: no digest ends it", schema);
    return s->broken ? ORDO_OK : read_header(name, schema, s, body, err);
}

enum ordo_status ordo_sealed_read(const char *path, const char *schema, struct ordo_sealed *s, struct ordo_err *err)
{
    const struct ordo_site at = {.file = path, .err = err};
    uint8_t *bytes;
    size_t n;
    enum ordo_status status = ordo_bytes_of_file(&at, &bytes, &n);

    *s = (struct ordo_sealed){.file = bytes};
    return status == ORDO_OK ? ordo_sealed_parse(path, schema, bytes, n, s, err) : status;
}

void ordo_sealed_free(struct ordo_sealed *s)
{
    json_decref(s->header);
    free(s->file);
}

bool ordo_sealed_field(struct ordo_sealed_check *k, const char *key, json_t *want)
{
    const json_t *is = json_object_get(k->header, key);
    bool same = want && json_equal(is, want);

    k->n++;
    k->lacks_memory |= !want;
    k->alien |= want && (!is || json_typeof(is) != json_typeof(want));
    json_decref(want);
    return same;
}

bool ordo_sealed_digest(struct ordo_sealed_check *k, const char *key, struct ordo_digest want)
{
    char hex[ORDO_DIGEST_HEX];

    return ordo_sealed_field(k, key, json_string(ordo_digest_hex(&want, hex)));
}
