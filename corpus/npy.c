/* npy.c - see npy.h.
 *
 * The header is a Python dict literal.  What is read here is the part of the language that writers use: strings
 * without escapes, True and False, a tuple of integers with or without the L of Python 2.  A list where the type
 * should stand is a structured type, which is refused by that name. */
#include "corpus/npy.h"

#include "base/size.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_HEADER (UINT32_C(1) << 20) /* NumPy itself refuses more than 10,000 bytes unless told otherwise */

/* --- the literal ------------------------------------------------------------------------------------------------ */

struct scan {
    const char *at, *end;
};

struct span {
    const char *text;
    size_t n;
};

static void skip_blanks(struct scan *s)
{
    while (s->at < s->end && strchr(" \t\n\r\f", *s->at) && *s->at)
        s->at++;
}

static bool next_is(struct scan *s, char c)
{
    skip_blanks(s);
    return s->at < s->end && *s->at == c;
}

static bool take(struct scan *s, char c)
{
    if (!next_is(s, c))
        return false;
    s->at++;
    return true;
}

static bool take_word(struct scan *s, const char *word)
{
    size_t n = strlen(word);

    skip_blanks(s);
    if ((size_t)(s->end - s->at) < n || memcmp(s->at, word, n) != 0)
        return false;
    s->at += n;
    return true;
}

static bool take_string(struct scan *s, struct span *out)
{
    const char *close;
    char quote;

    if (!next_is(s, '\'') && !next_is(s, '"'))
        return false;
    quote = *s->at++;
    close = memchr(s->at, quote, (size_t)(s->end - s->at));
    if (!close || memchr(s->at, '\\', (size_t)(close - s->at)))
        return false;
    *out = (struct span){s->at, (size_t)(close - s->at)};
    s->at = close + 1;
    return true;
}

/* Why a dimension could not be read, or NULL. */
static const char *take_dim(struct scan *s, uint64_t *out)
{
    uint64_t value = 0;

    skip_blanks(s);
    if (s->at < s->end && *s->at == '-')
        return "has a negative dimension";
    if (s->at == s->end || *s->at < '0' || *s->at > '9')
        return "is not a tuple of integers";
    for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++)
        if (!ordo_mul(value, 10, &value) || !ordo_add(value, (uint64_t)(*s->at - '0'), &value))
            return "has a dimension that overflows 64 bits";
    if (s->at < s->end && *s->at == 'L')
        s->at++;
    *out = value;
    return NULL;
}

static const char *take_tuple(struct scan *s, struct ordo_array *a)
{
    bool comma = true;

    if (!take(s, '('))
        return "is not a tuple";
    for (a->n_dim = 0; !next_is(s, ')'); a->n_dim++) {
        const char *why;

        if (!comma)
            return "is not a tuple of integers";
        if (a->n_dim == ORDO_MAX_DIM)
            return "has more than 64 dimensions";
        why = take_dim(s, &a->dim[a->n_dim]);
        if (why)
            return why;
        comma = take(s, ',');
    }
    if (a->n_dim == 1 && !comma)
        return "is a number in parentheses, not a tuple (the comma of \"(n,)\" is missing)";
    s->at++;
    return NULL;
}

/* --- the three entries ------------------------------------------------------------------------------------------ */

static enum ordo_status read_descr(const struct ordo_site *at, struct scan *s, struct ordo_array *a)
{
    char shown[32];
    struct span descr;
    const char *why;

    if (next_is(s, '[') || next_is(s, '('))
        return ordo_site_fail(at, ORDO_BAD_INPUT, "descr",
                              "is structured; save one integer field as an array of its own");
    if (!take_string(s, &descr))
        return ordo_site_fail(at, ORDO_BAD_INPUT, "descr", "is not a string");
    (void)snprintf(a->descr, sizeof a->descr, "%.*s", (int)(descr.n < sizeof a->descr ? descr.n : sizeof a->descr),
                   descr.text);
    why = ordo_dtype_npy(descr.text, descr.n, &a->dtype);
    if (why && !a->any_type)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "descr", "'%s' %s",
                              ordo_printable(shown, sizeof shown, descr.text, descr.n), why);
    return ORDO_OK;
}

static enum ordo_status read_fortran(const struct ordo_site *at, struct scan *s, struct ordo_array *a)
{
    a->fortran = take_word(s, "True");
    if (!a->fortran && !take_word(s, "False"))
        return ordo_site_fail(at, ORDO_BAD_INPUT, "fortran_order", "is neither True nor False");
    return ORDO_OK;
}

static enum ordo_status read_shape(const struct ordo_site *at, struct scan *s, struct ordo_array *a)
{
    const char *why = take_tuple(s, a);

    return why ? ordo_site_fail(at, ORDO_BAD_INPUT, "shape", "%s", why) : ORDO_OK;
}

static const struct entry {
    const char *key;
    enum ordo_status (*read)(const struct ordo_site *at, struct scan *s, struct ordo_array *a);
} known_entry[] = {{"descr", read_descr}, {"fortran_order", read_fortran}, {"shape", read_shape}};

#define N_ENTRY (sizeof known_entry / sizeof known_entry[0])

/* key : value, once each. */
static enum ordo_status read_entry(const struct ordo_site *at, struct scan *s, struct ordo_array *a, bool *seen)
{
    char shown[32];
    struct span key;
    size_t i = 0;

    if (!take_string(s, &key) || !take(s, ':'))
        return ordo_site_fail(at, ORDO_BAD_INPUT, "header", "is not a Python dict of the form {'descr': ...}");
    ordo_printable(shown, sizeof shown, key.text, key.n);
    while (i < N_ENTRY && (strlen(known_entry[i].key) != key.n || memcmp(known_entry[i].key, key.text, key.n) != 0))
        i++;
    if (i == N_ENTRY)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "header", "has an unknown key '%s'", shown);
    if (seen[i])
        return ordo_site_fail(at, ORDO_BAD_INPUT, known_entry[i].key, "stands twice in the header");
    seen[i] = true;
    return known_entry[i].read(at, s, a);
}

static enum ordo_status read_dict(const struct ordo_site *at, struct scan *s, struct ordo_array *a)
{
    bool seen[N_ENTRY] = {false}, comma = true;

    if (!take(s, '{'))
        return ordo_site_fail(at, ORDO_BAD_INPUT, "header", "does not start with '{'");
    while (!next_is(s, '}')) {
        enum ordo_status status;

        if (!comma)
            return ordo_site_fail(at, ORDO_BAD_INPUT, "header", "lacks a comma or '}' after a value");
        status = read_entry(at, s, a, seen);
        if (status)
            return status;
        comma = take(s, ',');
    }
    s->at++;
    skip_blanks(s);
    if (s->at != s->end)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "header", "has something after its '}'");
    for (size_t i = 0; i < N_ENTRY; i++)
        if (!seen[i])
            return ordo_site_fail(at, ORDO_BAD_INPUT, known_entry[i].key, "is missing in the header");
    return ORDO_OK;
}

/* --- the file --------------------------------------------------------------------------------------------------- */

/* Magic, version and the length of the header, in s->n_left bytes that may be fewer. */
static enum ordo_status read_preamble(const struct ordo_site *at, struct ordo_stream *s, uint32_t *n_header)
{
    enum ordo_status status;
    uint8_t head[8], size[4] = {0};
    size_t n_size;

    if (s->n_left < sizeof head)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "magic", "%" PRIu64 " bytes are too few for a .npy", s->n_left);
    status = ordo_stream_read(at, s, head, sizeof head);
    if (status)
        return status;
    if (memcmp(head, ORDO_NPY_MAGIC, 6) != 0)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "magic", "this is no .npy: it does not start with \\x93NUMPY");
    if (head[6] < 1 || head[6] > 3 || head[7] != 0)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "version", "%d.%d is none of 1.0, 2.0 and 3.0", head[6], head[7]);
    n_size = head[6] == 1 ? 2 : 4;
    if (s->n_left < n_size)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "header length", "the file ends inside it");
    status = ordo_stream_read(at, s, size, n_size);
    *n_header = ordo_le32(size);
    return status;
}

static enum ordo_status read_header(const struct ordo_site *at, struct ordo_stream *s, struct ordo_array *a)
{
    enum ordo_status status;
    uint32_t n_header = 0;
    char *text = NULL;

    status = read_preamble(at, s, &n_header);
    if (status)
        return status;
    if (n_header > s->n_left)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "header length",
                              "says %" PRIu32 " bytes, but only %" PRIu64 " follow", n_header, s->n_left);
    if (n_header > MAX_HEADER)
        return ordo_site_fail(at, ORDO_BAD_INPUT, "header length",
                              "says %" PRIu32 " bytes; more than %" PRIu32 " are refused", n_header, MAX_HEADER);
    text = ordo_alloc(n_header, 1);
    if (!text)
        return ordo_site_no_memory(at, n_header, "bytes of header");
    status = ordo_stream_read(at, s, text, n_header);
    if (!status)
        status = read_dict(at, &(struct scan){text, text + n_header}, a);
    free(text);
    return status;
}

enum ordo_status ordo_npy_header(const struct ordo_site *at, struct ordo_stream *s, struct ordo_array *a)
{
    memset(a, 0, sizeof *a);
    return read_header(at, s, a);
}

enum ordo_status ordo_npy_any_header(const struct ordo_site *at, struct ordo_stream *s, struct ordo_array *a)
{
    memset(a, 0, sizeof *a);
    a->any_type = true;
    return read_header(at, s, a);
}

enum ordo_status ordo_npy_topk(const struct ordo_site *at, struct ordo_stream *s, struct ordo_problem *p)
{
    struct ordo_array a;
    enum ordo_status status = ordo_npy_header(at, s, &a);

    return status ? status : ordo_array_to_topk(at, &a, s, p);
}

enum ordo_status ordo_npy_length(const struct ordo_site *at, struct ordo_stream *s, struct ordo_problem *p)
{
    struct ordo_array a;
    enum ordo_status status = ordo_npy_header(at, s, &a);

    return status ? status : ordo_array_to_length(at, &a, s, p);
}
