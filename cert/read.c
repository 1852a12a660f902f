/* read.c - a certificate file as bytes, its end digest and its header; and the protocol source of this build. */
#include "base/size.h"
#include "cert/cert.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define ORDO_X(id, text) #id,
const char *const ordo_cert_refusal_name[ORDO_N_CERT_REFUSALS] = {ORDO_CERT_REFUSALS(ORDO_X)};
#undef ORDO_X
#define ORDO_X(id, text) text,
const char *const ordo_cert_refusal_text[ORDO_N_CERT_REFUSALS] = {ORDO_CERT_REFUSALS(ORDO_X)};
#undef ORDO_X

bool ordo_cert_refuse(struct ordo_cert_verdict *v, enum ordo_cert_refusal why, const char *what, ...)
{
    va_list args;

    if (v->why != ORDO_CERT_NONE)
        return false;
    v->why = why;
    va_start(args, what);
    (void)vsnprintf(v->what, sizeof v->what, what, args);
    va_end(args);
    return false;
}

struct ordo_digest ordo_cert_protocol_digest(void)
{
    struct ordo_hasher h;

    ordo_hasher_init(&h);
    for (const char *const *line = ordo_cert_protocol_text; *line; line++)
        ordo_hasher_text(&h, *line);
    return ordo_hasher_done(&h);
}

static enum ordo_status slurp(const char *path, uint8_t **bytes, size_t *n, struct ordo_err *err)
{
    FILE *f = fopen(path, "rb");
    long size = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : -1;
    enum ordo_status status = ORDO_OK;

    *n = size > 0 ? (size_t)size : 0;
    *bytes = ordo_alloc(*n, 1);
    if (size < 0 || fseek(f, 0, SEEK_SET) != 0 || (*bytes && fread(*bytes, 1, *n, f) != *n))
        status = ordo_fail_errno(err, ORDO_BAD_INPUT, errno, path, "read", "cannot be read");
    else if (!*bytes)
        status = ordo_fail(err, ORDO_ENVIRONMENT, path, "size", "no memory for its bytes");
    if (f)
        (void)fclose(f);
    return status;
}

enum ordo_status ordo_cert_read(const char *path, struct ordo_cert *c, struct ordo_cert_verdict *v, struct ordo_err *err)
{
    char hex[ORDO_DIGEST_HEX], end[ORDO_CERT_END + 1];
    const char *schema = "", *line;
    struct ordo_hasher h;
    struct ordo_digest d;
    size_t n, body;
    enum ordo_status status;

    *c = (struct ordo_cert){0};
    *v = (struct ordo_cert_verdict){0};
    if ((status = slurp(path, &c->file, &n, err)) != ORDO_OK)
        return status;
    body = n < ORDO_CERT_END ? 0 : n - ORDO_CERT_END;
    if (!body || memcmp(c->file + body, "end ", 4) != 0 || c->file[n - 1] != '\n')
        return ordo_fail(err, ORDO_BAD_INPUT, path, "end", "is no certificate, or a cut one: no digest ends it");
    ordo_hasher_init(&h);
    ordo_hasher_bytes(&h, c->file, body);
    d = ordo_hasher_done(&h);
    (void)snprintf(end, sizeof end, "end %s\n", ordo_digest_hex(&d, hex));
    if (memcmp(c->file + body, end, ORDO_CERT_END) != 0)
        return (void)ordo_cert_refuse(v, ORDO_CERT_END_DIGEST, "end"), ORDO_OK;
    line = memchr(c->file, '\n', body);
    if (!line || !(c->header = json_loadb((char *)c->file, (size_t)(line - (char *)c->file), JSON_REJECT_DUPLICATES, NULL)))
        return ordo_fail(err, ORDO_BAD_INPUT, path, "header", "is no line of JSON");
    if (json_unpack(c->header, "{s:s}", "schema", &schema) != 0 || strcmp(schema, ORDO_CERT_SCHEMA) != 0)
        return ordo_fail(err, ORDO_BAD_INPUT, path, "schema", "is not " ORDO_CERT_SCHEMA);
    c->payload = (const uint8_t *)line + 1;
    c->n_payload = body - (size_t)(c->payload - c->file);
    return ORDO_OK;
}

void ordo_cert_free(struct ordo_cert *c)
{
    json_decref(c->header);
    free(c->file);
    *c = (struct ordo_cert){0};
}
