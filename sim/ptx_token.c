/* ptx_token.c - see ptx_token.h. */
#include "sim/ptx_token.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum ordo_status ordo_ptx_refuse(struct ordo_ptx_parser *in, int32_t line, const char *reason, ...)
{
    char text[400], field[32];
    va_list ap;

    va_start(ap, reason);
    (void)vsnprintf(text, sizeof text, reason, ap);
    va_end(ap);
    (void)snprintf(field, sizeof field, "line %d", (int)line);
    return ordo_fail(in->err, ORDO_BAD_INPUT, in->name, field, "%s", text);
}

void ordo_ptx_note(struct ordo_ptx_parser *in, const char *format, ...)
{
    char *note = in->p->note;
    size_t used = strlen(note), size = sizeof in->p->note;
    va_list ap;

    if (used > 0 && used + 2 < size)
        used += (size_t)snprintf(note + used, size - used, "; ");
    va_start(ap, format);
    if (used < size)
        (void)vsnprintf(note + used, size - used, format, ap);
    va_end(ap);
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$' || c == '%';
}

/* Skips blanks and both kinds of comments. */
static void skip(struct ordo_ptx_parser *in)
{
    while (in->at < in->end) {
        size_t left = (size_t)(in->end - in->at);

        if (*in->at == '\n') {
            in->line++;
            in->at++;
        } else if (isspace((unsigned char)*in->at)) {
            in->at++;
        } else if (left > 1 && in->at[0] == '/' && in->at[1] == '/') {
            while (in->at < in->end && *in->at != '\n')
                in->at++;
        } else if (left > 1 && in->at[0] == '(' && in->at[1] == '*') {
            for (in->at += 2; in->end - in->at > 1 && !(in->at[0] == '*' && in->at[1] == ')'); in->at++)
                in->line += *in->at == '\n';
            in->at = in->end - in->at > 1 ? in->at + 2 : in->end;
        } else {
            return;
        }
    }
}

static enum ordo_status number(struct ordo_ptx_parser *in, struct ordo_ptx_token *t)
{
    uint64_t value = 0;
    unsigned base = 10;

    if (t->length > 2 && t->start[0] == '0' && (t->start[1] == 'x' || t->start[1] == 'X'))
        base = 16;
    for (size_t i = base == 16 ? 2 : 0; i < t->length; i++) {
        int c = tolower((unsigned char)t->start[i]);
        unsigned digit = isdigit(c) ? (unsigned)(c - '0') : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 99;

        if (digit >= base)
            return ordo_ptx_refuse(in, t->line, "'%s' is not a number", t->text);
        if (value > ((uint64_t)INT64_MAX + 1 - digit) / base)
            return ordo_ptx_refuse(in, t->line, "the number %s does not fit 64 bits", t->text);
        value = value * base + digit;
    }
    t->least = value > (uint64_t)INT64_MAX; /* fits with a minus sign only */
    t->number = t->least ? INT64_MIN : (int64_t)value;
    t->kind = ORDO_PTX_TOKEN_NUMBER;
    return ORDO_OK;
}

/* Two-character operators come before their first character. */
static size_t punctuation(const char *at, size_t left)
{
    static const char *const two[] = {"/\\", "\\/", "==", "!=", "<=", ">=", "&&", "||"};

    for (size_t i = 0; left > 1 && i < sizeof two / sizeof two[0]; i++)
        if (memcmp(at, two[i], 2) == 0)
            return 2;
    return 1;
}

enum ordo_status ordo_ptx_next(struct ordo_ptx_parser *in)
{
    struct ordo_ptx_token *t = &in->token;
    const char *at;

    skip(in);
    *t = (struct ordo_ptx_token){.line = in->line, .start = in->at};
    if (in->at == in->end)
        return ORDO_OK;
    at = in->at;
    if (in_word(*at)) {
        while (at < in->end && (in_word(*at) || (in->end - at > 2 && at[0] == ':' && at[1] == ':' && in_word(at[2]))))
            at += *at == ':' ? 2 : 1;
        t->kind = ORDO_PTX_TOKEN_WORD;
    } else {
        at += punctuation(at, (size_t)(in->end - at));
        t->kind = ORDO_PTX_TOKEN_PUNCT;
    }
    t->length = (size_t)(at - in->at);
    if (t->length >= sizeof t->text)
        return ordo_ptx_refuse(in, t->line, "a word of %zu characters", t->length);
    memcpy(t->text, in->at, t->length);
    in->at = at;
    if (!isprint((unsigned char)t->text[0]))
        return ordo_ptx_refuse(in, t->line, "a byte 0x%02x outside a comment", (unsigned char)t->text[0]);
    return isdigit((unsigned char)t->text[0]) ? number(in, t) : ORDO_OK;
}

bool ordo_ptx_is(const struct ordo_ptx_parser *in, const char *text)
{
    return in->token.kind != ORDO_PTX_TOKEN_END && strcmp(in->token.text, text) == 0;
}

enum ordo_status ordo_ptx_expect(struct ordo_ptx_parser *in, const char *text)
{
    if (in->token.kind == ORDO_PTX_TOKEN_END)
        return ordo_ptx_refuse(in, in->token.line, "the file ends where '%s' should stand", text);
    if (!ordo_ptx_is(in, text))
        return ordo_ptx_refuse(in, in->token.line, "'%s' where '%s' should stand", in->token.text, text);
    return ordo_ptx_next(in);
}

enum ordo_status ordo_ptx_take_number(struct ordo_ptx_parser *in, int64_t *out)
{
    bool minus = ordo_ptx_is(in, "-");
    enum ordo_status status = minus ? ordo_ptx_next(in) : ORDO_OK;

    if (status != ORDO_OK)
        return status;
    if (in->token.kind != ORDO_PTX_TOKEN_NUMBER)
        return ordo_ptx_refuse(in, in->token.line, "'%s' where a number should stand", in->token.text);
    if (in->token.least && !minus)
        return ordo_ptx_refuse(in, in->token.line, "the number %s does not fit 64 bits", in->token.text);
    *out = minus && !in->token.least ? -in->token.number : in->token.number;
    return ordo_ptx_next(in);
}

int ordo_ptx_find_location(const struct ordo_ptx_program *p, const char *name)
{
    for (int i = 0; i < p->n_loc; i++)
        if (strcmp(p->loc[i].name, name) == 0)
            return i;
    return -1;
}

int ordo_ptx_location(struct ordo_ptx_program *p, const char *name)
{
    int i = ordo_ptx_find_location(p, name);

    if (i >= 0 || p->n_loc == ORDO_PTX_LOCATIONS)
        return i;
    i = p->n_loc++;
    p->loc[i] = (struct ordo_ptx_location){.place = (int8_t)i, .address = (int8_t)i};
    (void)snprintf(p->loc[i].name, sizeof p->loc[i].name, "%s", name);
    return i;
}

int ordo_ptx_find_register(const struct ordo_ptx_thread *t, const char *name)
{
    for (int i = 0; i < t->n_reg; i++)
        if (strcmp(t->reg[i], name) == 0)
            return i;
    return -1;
}

int ordo_ptx_register(struct ordo_ptx_thread *t, const char *name)
{
    int i = ordo_ptx_find_register(t, name);

    if (i >= 0 || t->n_reg == ORDO_PTX_REGS)
        return i;
    i = t->n_reg++;
    (void)snprintf(t->reg[i], sizeof t->reg[i], "%s", name);
    return i;
}
