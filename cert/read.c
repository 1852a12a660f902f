/* read.c - a certificate file as bytes, its end digest and its header; and the protocol source of this build. */
#include "base/seal.h"
#include "base/size.h"
#include "cert/cert.h"
#include "corpus/bytes.h"

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

/* The header's line, checked for its schema. */
static enum ordo_status read_header(const char *path, struct ordo_cert *c, size_t body, struct ordo_err *err)
{
    const char *schema = "", *text = (const char *)c->file, *line = memchr(text, '\n', body);

    c->header = line ? json_loadb(text, (size_t)(line - text), JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (!c->header)
        return ordo_fail(err, ORDO_BAD_INPUT, path, "header", "is no line of JSON");
    if (json_unpack(c->header, "{s:s}", "schema", &schema) != 0 || strcmp(schema, ORDO_CERT_SCHEMA) != 0)
        return ordo_fail(err, ORDO_BAD_INPUT, path, "schema", "is not " ORDO_CERT_SCHEMA);
    c->payload = (const uint8_t *)line + 1;
    c->n_payload = body - (size_t)(line + 1 - text);
    return ORDO_OK;
}

enum ordo_status ordo_cert_read(const char *path, struct ordo_cert *c, struct ordo_cert_verdict *v,
                                struct ordo_err *err)
{
    struct ordo_site at = {.file = path, .err = err};
    struct ordo_bytes bytes;
    size_t n, body;
    enum ordo_status status = ordo_bytes_open(&at, &bytes);
    enum ordo_seal seal;

    *c = (struct ordo_cert){0};
    *v = (struct ordo_cert_verdict){0};
    if (status != ORDO_OK)
        return status;
    c->file = ordo_alloc(bytes.size, 1);
    status = c->file ? ordo_bytes_read(&at, &bytes, 0, c->file, bytes.size)
                     : ordo_fail(err, ORDO_ENVIRONMENT, path, "size", "no memory for its bytes");
    n = bytes.size;
    ordo_bytes_close(&bytes);
    if (status != ORDO_OK)
        return status;
    seal = ordo_seal_check(c->file, n, &body);
    if (seal == ORDO_SEAL_NONE)
        return ordo_fail(err, ORDO_BAD_INPUT, path, "end", "is no certificate, or a cut one: no digest ends it");
    if (seal == ORDO_SEAL_WHOLE)
        return read_header(path, c, body, err);
    (void)ordo_cert_refuse(v, ORDO_CERT_END_DIGEST, "end");
    return ORDO_OK;
}

void ordo_cert_free(struct ordo_cert *c)
{
    json_decref(c->header);
    free(c->file);
}
