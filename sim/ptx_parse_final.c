/* ptx_parse_final.c - final conditions: comparisons joined by /\ \/ and not, with parentheses of bounded depth. */
#include "sim/ptx_token.h"

#include <string.h>

enum { DEPTH = 32 };

static enum ordo_status disjunction(struct ordo_ptx_parser *in, struct ordo_ptx_final *f, int depth, int16_t *out);

static enum ordo_status add(struct ordo_ptx_parser *in, struct ordo_ptx_final *f, struct ordo_ptx_term term,
                            int16_t *out)
{
    if (f->n == ORDO_PTX_TERMS)
        return ordo_ptx_refuse(in, in->token.line, "a condition of more than %d terms", ORDO_PTX_TERMS);
    *out = (int16_t)f->n;
    f->term[f->n++] = term;
    return ORDO_OK;
}

/* After "P0:" or "0:". */
static enum ordo_status reg_of(struct ordo_ptx_parser *in, int64_t thread, struct ordo_ptx_term *term)
{
    struct ordo_ptx_program *p = in->p;
    int reg;

    if (thread < 0 || thread >= p->n_thread)
        return ordo_ptx_refuse(in, in->token.line, "the condition names thread %lld of %d", (long long)thread,
                               p->n_thread);
    if (in->token.kind != ORDO_PTX_TOKEN_WORD)
        return ordo_ptx_refuse(in, in->token.line, "'%s' where a register should stand", in->token.text);
    reg = ordo_ptx_register(&p->thread[thread], in->token.text);
    if (reg < 0)
        return ordo_ptx_refuse(in, in->token.line, "more than %d registers in a thread", ORDO_PTX_REGS);
    in->used[thread] |= (uint16_t)(1u << reg);
    *term = (struct ordo_ptx_term){.kind = ORDO_PTX_TERM_REG, .thread = (int8_t)thread, .reg = (int8_t)reg};
    return ordo_ptx_next(in);
}

static int64_t thread_number(const char *word)
{
    int64_t n = 0;

    if (word[0] != 'P' || word[1] == 0)
        return -1;
    for (word++; *word; word++) {
        if (*word < '0' || *word > '9' || n > 1000)
            return -1;
        n = 10 * n + (*word - '0');
    }
    return n;
}

static enum ordo_status location_of(struct ordo_ptx_parser *in, const struct ordo_ptx_token *name,
                                    struct ordo_ptx_term *term)
{
    bool fresh = ordo_ptx_find_location(in->p, name->text) < 0;

    term->kind = ORDO_PTX_TERM_LOC;
    term->loc = (int8_t)ordo_ptx_location(in->p, name->text);
    if (term->loc < 0)
        return ordo_ptx_refuse(in, name->line, "more than %d locations", ORDO_PTX_LOCATIONS);
    if (fresh)
        ordo_ptx_note(in, "%s stands in the condition only, read as 0", name->text);
    return ORDO_OK;
}

static enum ordo_status value(struct ordo_ptx_parser *in, struct ordo_ptx_final *f, int16_t *out)
{
    struct ordo_ptx_term term = {.kind = ORDO_PTX_TERM_NUMBER};
    struct ordo_ptx_token t = in->token;
    enum ordo_status status;

    if (t.kind == ORDO_PTX_TOKEN_NUMBER || ordo_ptx_is(in, "-")) {
        status = ordo_ptx_take_number(in, &term.number);
        if (status == ORDO_OK && ordo_ptx_is(in, ":")) {
            status = ordo_ptx_next(in);
            if (status == ORDO_OK)
                status = reg_of(in, term.number, &term);
        }
    } else if (t.kind == ORDO_PTX_TOKEN_WORD) {
        status = ordo_ptx_next(in);
        if (status == ORDO_OK && ordo_ptx_is(in, ":")) {
            status = ordo_ptx_next(in);
            if (status == ORDO_OK)
                status = reg_of(in, thread_number(t.text), &term);
        } else if (status == ORDO_OK) {
            status = location_of(in, &t, &term);
        }
    } else if (ordo_ptx_is(in, "[")) {
        status = ordo_ptx_next(in);
        t = in->token;
        if (status == ORDO_OK && t.kind != ORDO_PTX_TOKEN_WORD)
            status = ordo_ptx_refuse(in, t.line, "'%s' where a location should stand", t.text);
        if (status == ORDO_OK)
            status = ordo_ptx_next(in);
        if (status == ORDO_OK)
            status = ordo_ptx_expect(in, "]");
        if (status == ORDO_OK)
            status = location_of(in, &t, &term);
    } else {
        status = ordo_ptx_refuse(in, t.line, "'%s' in a condition", t.text);
    }
    return status == ORDO_OK ? add(in, f, term, out) : status;
}

static enum ordo_status comparison(struct ordo_ptx_parser *in, struct ordo_ptx_final *f, int16_t *out)
{
    static const struct {
        const char *text;
        enum ordo_ptx_compare how;
    } sign[] = {{"=", ORDO_PTX_EQ}, {"==", ORDO_PTX_EQ}, {"!=", ORDO_PTX_NE}, {"<", ORDO_PTX_LT},
                {"<=", ORDO_PTX_LE}, {">", ORDO_PTX_GT}, {">=", ORDO_PTX_GE}};
    struct ordo_ptx_term term = {.kind = ORDO_PTX_TERM_COMPARE};
    enum ordo_status status = value(in, f, &term.left);
    size_t i = 0;

    if (status != ORDO_OK)
        return status;
    while (i < sizeof sign / sizeof sign[0] && !ordo_ptx_is(in, sign[i].text))
        i++;
    if (i == sizeof sign / sizeof sign[0])
        return ordo_ptx_refuse(in, in->token.line, "'%s' where a comparison should stand", in->token.text);
    term.compare = sign[i].how;
    status = ordo_ptx_next(in);
    if (status == ORDO_OK)
        status = value(in, f, &term.right);
    return status == ORDO_OK ? add(in, f, term, out) : status;
}

static enum ordo_status factor(struct ordo_ptx_parser *in, struct ordo_ptx_final *f, int depth, int16_t *out)
{
    struct ordo_ptx_term term = {.kind = ORDO_PTX_TERM_NOT};
    enum ordo_status status;

    if (depth > DEPTH)
        return ordo_ptx_refuse(in, in->token.line, "a condition nested deeper than %d", DEPTH);
    if (ordo_ptx_is(in, "not") || ordo_ptx_is(in, "~")) {
        status = ordo_ptx_next(in);
        if (status == ORDO_OK)
            status = factor(in, f, depth + 1, &term.left);
        return status == ORDO_OK ? add(in, f, term, out) : status;
    }
    if ((ordo_ptx_is(in, "true") || ordo_ptx_is(in, "false")) && ordo_ptx_find_location(in->p, in->token.text) < 0) {
        term = (struct ordo_ptx_term){.kind = ORDO_PTX_TERM_NUMBER, .number = ordo_ptx_is(in, "true")};
        status = ordo_ptx_next(in);
        return status == ORDO_OK ? add(in, f, term, out) : status;
    }
    if (!ordo_ptx_is(in, "("))
        return comparison(in, f, out);
    status = ordo_ptx_next(in);
    if (status == ORDO_OK)
        status = disjunction(in, f, depth + 1, out);
    return status == ORDO_OK ? ordo_ptx_expect(in, ")") : status;
}

static enum ordo_status conjunction(struct ordo_ptx_parser *in, struct ordo_ptx_final *f, int depth, int16_t *out)
{
    enum ordo_status status = factor(in, f, depth, out);

    while (status == ORDO_OK && (ordo_ptx_is(in, "/\\") || ordo_ptx_is(in, "&&"))) {
        struct ordo_ptx_term term = {.kind = ORDO_PTX_TERM_AND, .left = *out};

        status = ordo_ptx_next(in);
        if (status == ORDO_OK)
            status = factor(in, f, depth, &term.right);
        if (status == ORDO_OK)
            status = add(in, f, term, out);
    }
    return status;
}

static enum ordo_status disjunction(struct ordo_ptx_parser *in, struct ordo_ptx_final *f, int depth, int16_t *out)
{
    enum ordo_status status = conjunction(in, f, depth, out);

    while (status == ORDO_OK && (ordo_ptx_is(in, "\\/") || ordo_ptx_is(in, "||"))) {
        struct ordo_ptx_term term = {.kind = ORDO_PTX_TERM_OR, .left = *out};

        status = ordo_ptx_next(in);
        if (status == ORDO_OK)
            status = conjunction(in, f, depth, &term.right);
        if (status == ORDO_OK)
            status = add(in, f, term, out);
    }
    return status;
}

enum ordo_status ordo_ptx_parse_final(struct ordo_ptx_parser *in, struct ordo_ptx_final *f)
{
    int16_t root;

    f->n = 0;
    return disjunction(in, f, 0, &root);
}
