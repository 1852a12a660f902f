/* ptx_parse_initial.c - the head of a litmus file and its initial values. */
#include "sim/ptx_token.h"

#include <stdlib.h>
#include <string.h>

enum ordo_status ordo_ptx_parse_head(struct ordo_ptx_parser *in)
{
    enum ordo_status status = ordo_ptx_next(in);

    if (status != ORDO_OK)
        return status;
    if (!ordo_ptx_is(in, "PTX") && !ordo_ptx_is(in, "ptx"))
        return ordo_ptx_refuse(in, in->token.line, "the file does not start with PTX");
    while (in->at < in->end && *in->at != '{')
        in->line += *in->at++ == '\n';
    if (in->at == in->end)
        return ordo_ptx_refuse(in, in->line, "the file ends before the initial values");
    in->at++;
    return ordo_ptx_next(in);
}

enum ordo_status ordo_ptx_thread_name(struct ordo_ptx_parser *in, int64_t *out)
{
    const struct ordo_ptx_token *t = &in->token;
    char *end;

    *out = -1;
    if (t->kind == ORDO_PTX_TOKEN_NUMBER)
        *out = t->number;
    else if (t->kind == ORDO_PTX_TOKEN_WORD && t->text[0] == 'P' && t->length > 1 && t->length < 6)
        *out = strtol(t->text + 1, &end, 10), *out = *end ? -1 : *out;
    if (*out < 0 || *out >= ORDO_PTX_THREADS)
        return ordo_ptx_refuse(in, t->line, "'%s' where a thread P0 to P%d should stand", t->text,
                               ORDO_PTX_THREADS - 1);
    return ordo_ptx_next(in);
}

static enum ordo_status initial_register(struct ordo_ptx_parser *in)
{
    int64_t t, value;
    int reg = -1;
    enum ordo_status status = ordo_ptx_thread_name(in, &t);

    if (status == ORDO_OK)
        status = ordo_ptx_expect(in, ":");
    if (status != ORDO_OK)
        return status;
    if (in->token.kind == ORDO_PTX_TOKEN_WORD)
        reg = ordo_ptx_register(&in->p->thread[t], in->token.text);
    if (reg < 0)
        return ordo_ptx_refuse(in, in->token.line, "'%s' where a register should stand, or too many",
                               in->token.text);
    status = ordo_ptx_next(in);
    if (status == ORDO_OK)
        status = ordo_ptx_expect(in, "=");
    if (status == ORDO_OK)
        status = ordo_ptx_take_number(in, &value);
    if (status == ORDO_OK) {
        in->p->thread[t].start[reg] = value;
        in->known[t] |= (uint16_t)(1u << reg);
    }
    return status;
}

/* The location that *loc aliases is not declared before: it takes the number of *loc, which gets the next one: a
 * place stands before its aliases.  -1: no room. */
static int imply(struct ordo_ptx_parser *in, int *loc)
{
    struct ordo_ptx_program *p = in->p;
    int of = *loc;
    char alias[ORDO_PTX_NAME];

    memcpy(alias, p->loc[of].name, sizeof alias);
    memcpy(p->loc[of].name, in->token.text, sizeof alias);
    in->implied |= (uint16_t)(1u << of);
    *loc = ordo_ptx_location(p, alias);
    return *loc < 0 ? -1 : of;
}

/* After "name @": a generic alias is another address of the place, any other proxy a path to the same address. */
static enum ordo_status alias(struct ordo_ptx_parser *in, int loc)
{
    struct ordo_ptx_program *p = in->p;
    bool generic = ordo_ptx_is(in, "generic");
    enum ordo_status status;
    int of;

    if (!generic && !ordo_ptx_is(in, "surface") && !ordo_ptx_is(in, "texture") && !ordo_ptx_is(in, "constant"))
        return ordo_ptx_refuse(in, in->token.line, "the proxy '%s' is not modelled", in->token.text);
    status = ordo_ptx_next(in);
    if (status == ORDO_OK)
        status = ordo_ptx_expect(in, "aliases");
    if (status != ORDO_OK)
        return status;
    if (in->token.kind != ORDO_PTX_TOKEN_WORD || strcmp(in->token.text, p->loc[loc].name) == 0)
        return ordo_ptx_refuse(in, in->token.line, "'%s' where another location should stand", in->token.text);
    of = ordo_ptx_find_location(p, in->token.text);
    if (of < 0 && (of = imply(in, &loc)) < 0)
        return ordo_ptx_refuse(in, in->token.line, "more than %d locations", ORDO_PTX_LOCATIONS);
    p->loc[loc].place = p->loc[of].place;
    if (!generic)
        p->loc[loc].address = p->loc[of].address;
    return ordo_ptx_next(in);
}

static enum ordo_status initial_location(struct ordo_ptx_parser *in)
{
    struct ordo_ptx_program *p = in->p;
    int32_t line = in->token.line;
    int before = ordo_ptx_find_location(p, in->token.text), loc = ordo_ptx_location(p, in->token.text);
    bool fresh = before < 0 || (in->implied >> before) & 1;
    enum ordo_status status = ordo_ptx_next(in);

    if (status != ORDO_OK)
        return status;
    if (!fresh)
        return ordo_ptx_refuse(in, line, "the location is declared twice");
    if (loc < 0)
        return ordo_ptx_refuse(in, line, "more than %d locations", ORDO_PTX_LOCATIONS);
    if (ordo_ptx_is(in, "@")) {
        if (before >= 0)
            return ordo_ptx_refuse(in, line, "an alias of the location stands before it");
        status = ordo_ptx_next(in);
        return status == ORDO_OK ? alias(in, loc) : status;
    }
    in->implied &= (uint16_t)~(1u << loc);
    if (ordo_ptx_is(in, ";") || ordo_ptx_is(in, "}"))
        return ORDO_OK; /* declared, and 0 */
    status = ordo_ptx_expect(in, "=");
    return status == ORDO_OK ? ordo_ptx_take_number(in, &p->loc[loc].start) : status;
}

bool ordo_ptx_before_colon(const struct ordo_ptx_parser *in)
{
    const char *at = in->at;

    if (in->token.kind == ORDO_PTX_TOKEN_NUMBER)
        return true;
    while (at < in->end && (*at == ' ' || *at == '\t'))
        at++;
    return at < in->end && *at == ':';
}

enum ordo_status ordo_ptx_parse_initial(struct ordo_ptx_parser *in)
{
    enum ordo_status status = ORDO_OK;

    while (status == ORDO_OK && !ordo_ptx_is(in, "}")) {
        if (ordo_ptx_is(in, ";")) {
            status = ordo_ptx_next(in);
            continue;
        }
        if (in->token.kind == ORDO_PTX_TOKEN_END)
            status = ordo_ptx_refuse(in, in->token.line, "the file ends inside the initial values");
        else if (ordo_ptx_before_colon(in))
            status = initial_register(in);
        else if (in->token.kind == ORDO_PTX_TOKEN_WORD)
            status = initial_location(in);
        else
            status = ordo_ptx_refuse(in, in->token.line, "'%s' in the initial values", in->token.text);
        if (status == ORDO_OK && !ordo_ptx_is(in, ";") && !ordo_ptx_is(in, "}"))
            status = ordo_ptx_refuse(in, in->token.line, "'%s' where ';' should stand", in->token.text);
    }
    for (int i = 0; i < in->p->n_loc; i++)
        if ((in->implied >> i) & 1)
            ordo_ptx_note(in, "%s has an alias but no initial value, 0 is taken", in->p->loc[i].name);
    if (status == ORDO_OK)
        status = ordo_ptx_next(in);
    return status == ORDO_OK && ordo_ptx_is(in, ";") ? ordo_ptx_next(in) : status;
}
