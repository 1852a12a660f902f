/* out.c - see out.h. */
#include "cli/out.h"

#include "base/progress.h"
#include "cli/verb.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int stdout_errno; /* of the first refused write */

void *ordo_need(void *p)
{
    if (!p) {
        ordo_progress_end();
        fputs("ordo: out of memory\n", stderr);
        exit(ORDO_ENVIRONMENT);
    }
    return p;
}

/* --- JSON ------------------------------------------------------------------------------------------------------- */

void ordo_json_set(json_t *object, const char *key, json_t *value)
{
    ordo_need(json_object_set_new(object, key, ordo_need(value)) == 0 ? object : NULL);
}

json_t *ordo_json_new(const char *schema)
{
    json_t *object = ordo_need(json_object());

    ordo_json_text(object, "schema", schema);
    return object;
}

/* Text that jansson refuses, made plain ASCII. */
static json_t *escaped(const char *text)
{
    char *plain = ordo_need(malloc(4 * strlen(text) + 1)), *to = plain;
    json_t *string;

    for (; *text; text++)
        to += sprintf(to, (unsigned char)*text < 0x80 ? "%c" : "\\x%02x", (unsigned char)*text);
    *to = '\0';
    string = json_string(plain);
    free(plain);
    return string;
}

void ordo_json_text(json_t *object, const char *key, const char *text)
{
    json_t *value = text ? json_string(text) : json_null();

    ordo_json_set(object, key, value ? value : escaped(text));
}

void ordo_json_int(json_t *object, const char *key, int64_t x)
{
    char text[24];

    if (x >= -(INT64_C(1) << 53) && x <= INT64_C(1) << 53) {
        ordo_json_set(object, key, json_integer(x));
        return;
    }
    (void)snprintf(text, sizeof text, "%" PRId64, x);
    ordo_json_text(object, key, text);
}

void ordo_json_u64(json_t *object, const char *key, uint64_t x)
{
    char text[24];

    if (x <= UINT64_C(1) << 53) {
        ordo_json_set(object, key, json_integer((json_int_t)x));
        return;
    }
    (void)snprintf(text, sizeof text, "%" PRIu64, x);
    ordo_json_text(object, key, text);
}

void ordo_json_bool(json_t *object, const char *key, bool x)
{
    ordo_json_set(object, key, json_boolean(x));
}

void ordo_json_real(json_t *object, const char *key, double x)
{
    if (isfinite(x))
        ordo_json_set(object, key, json_real(x));
    else
        ordo_json_text(object, key, isnan(x) ? "nan" : x > 0 ? "inf" : "-inf");
}

void ordo_json_bits(json_t *object, const char *key, uint32_t bits)
{
    char text[16];

    (void)snprintf(text, sizeof text, "0x%08" PRIx32, bits);
    ordo_json_text(object, key, text);
}

void ordo_json_digest(json_t *object, const char *key, const struct ordo_digest *d)
{
    char hex[ORDO_DIGEST_HEX];

    ordo_json_text(object, key, ordo_digest_hex(d, hex));
}

void ordo_out_json(json_t *object)
{
    char *line = ordo_need(json_dumps(object, JSON_COMPACT));

    ordo_progress_end();
    errno = 0;
    if ((puts(line) < 0 || fflush(stdout) != 0) && !stdout_errno)
        stdout_errno = errno ? errno : EIO;
    free(line);
    json_decref(object);
}

/* --- errors ----------------------------------------------------------------------------------------------------- */

/* One part and a colon; control characters of a strange file name must not reach the terminal. */
static void print_part(const char *text)
{
    if (!*text)
        return;
    for (; *text; text++)
        fputc((unsigned char)*text < 0x20 || *text == 0x7f ? '?' : *text, stderr);
    fputs(": ", stderr);
}

int ordo_report_error(const struct ordo_args *args, enum ordo_status status, const struct ordo_err *err)
{
    json_t *object;

    ordo_progress_end();
    if (args && args->verb)
        fprintf(stderr, "ordo %s: ", args->verb->name);
    else
        fputs("ordo: ", stderr);
    print_part(err->file);
    print_part(err->field);
    fprintf(stderr, "%s\n", err->reason);
    if (args && args->json) {
        object = ordo_json_new("ordo.error/1");
        ordo_json_text(object, "file", err->file);
        ordo_json_text(object, "field", err->field);
        ordo_json_text(object, "reason", err->reason);
        ordo_out_json(object);
    }
    return (int)status;
}

/* --- the streams ------------------------------------------------------------------------------------------------ */

void ordo_out_begin(void)
{
    int fd;

    /* A closed stream is opened the wrong way round: what is written to it fails and is noticed. */
    for (fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF)
            (void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* a file-size limit is a full disk: an error of write() */
}

int ordo_out_finish(int code)
{
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && !stdout_errno)
        stdout_errno = errno ? errno : EIO;
    if (!stdout_errno)
        return code;
    fprintf(stderr, "ordo: standard output: cannot be written: %s\n", strerror(stdout_errno));
    return ORDO_ENVIRONMENT;
}
