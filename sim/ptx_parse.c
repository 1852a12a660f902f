/* ptx_parse.c - a herd-style PTX litmus test: head, initial values, a table with one column a thread, condition. */
#include "sim/ptx_relation.h"
#include "sim/ptx_token.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABELS = 32 };

/* Labels of one thread and the jumps that wait for theirs. */
struct labels {
    int n;
    char name[LABELS][ORDO_PTX_NAME];
    int16_t at[LABELS];
    char wanted[ORDO_PTX_OPS][ORDO_PTX_NAME]; /* by instruction, "" for none */
};

/* "cta 0, cluster 1, gpu 0": cta and gpu must stand; without a cluster a CTA is one of its own. */
static enum ordo_status position(struct ordo_ptx_parser *in, struct ordo_ptx_thread *t)
{
    int64_t value[3] = {-1, -1, -1};
    static const char *const word[] = {"cta", "cluster", "gpu"};
    enum ordo_status status = ORDO_OK;

    do {
        int i = 0;

        while (i < 3 && !ordo_ptx_is(in, word[i]))
            i++;
        if (i == 3 || value[i] >= 0)
            return ordo_ptx_refuse(in, in->token.line, "'%s' in the position of a thread", in->token.text);
        status = ordo_ptx_next(in);
        if (status == ORDO_OK)
            status = ordo_ptx_take_number(in, &value[i]);
        if (status == ORDO_OK && (value[i] < 0 || value[i] > INT32_MAX))
            return ordo_ptx_refuse(in, in->token.line, "a position of a thread that is no small number");
        if (status == ORDO_OK && !ordo_ptx_is(in, ","))
            break;
        if (status == ORDO_OK)
            status = ordo_ptx_next(in);
    } while (status == ORDO_OK);
    if (status == ORDO_OK && (value[0] < 0 || value[2] < 0))
        return ordo_ptx_refuse(in, in->token.line, "the position of a thread needs cta and gpu");
    t->cta = (int32_t)value[0];
    t->cluster = (int32_t)(value[1] < 0 ? value[0] : value[1]);
    t->gpu = (int32_t)value[2];
    return status;
}

static enum ordo_status threads(struct ordo_ptx_parser *in)
{
    enum ordo_status status;
    int64_t n;

    for (;;) {
        if (in->p->n_thread == ORDO_PTX_THREADS)
            return ordo_ptx_refuse(in, in->token.line, "more than %d threads", ORDO_PTX_THREADS);
        status = ordo_ptx_thread_name(in, &n);
        if (status == ORDO_OK && n != in->p->n_thread)
            return ordo_ptx_refuse(in, in->token.line, "thread P%d where P%d should stand", (int)n,
                                   in->p->n_thread);
        if (status == ORDO_OK)
            status = ordo_ptx_expect(in, "@");
        if (status == ORDO_OK)
            status = position(in, &in->p->thread[in->p->n_thread++]);
        if (status != ORDO_OK || !ordo_ptx_is(in, "|"))
            break;
        status = ordo_ptx_next(in);
        if (status != ORDO_OK)
            return status;
    }
    return status == ORDO_OK ? ordo_ptx_expect(in, ";") : status;
}

/* Copies what the instruction looks like in the file. */
static void keep_text(const struct ordo_ptx_parser *in, const char *from, struct ordo_ptx_op *op)
{
    size_t n = (size_t)(in->token.start - from), m = 0;
    bool gap = false;

    for (size_t i = 0; i < n && m + 2 < sizeof op->text; i++) {
        if (from[i] == ' ' || from[i] == '\t' || from[i] == '\n' || from[i] == '\r') {
            gap = m > 0;
            continue;
        }
        if (gap)
            op->text[m++] = ' ';
        gap = false;
        op->text[m++] = from[i];
    }
    op->text[m] = 0;
}

static bool at_label(const struct ordo_ptx_parser *in)
{
    return in->token.kind == ORDO_PTX_TOKEN_WORD && !strchr(in->token.text, '.') && ordo_ptx_before_colon(in);
}

static enum ordo_status label(struct ordo_ptx_parser *in, const struct ordo_ptx_thread *t, struct labels *l)
{
    enum ordo_status status;

    for (int i = 0; i < l->n; i++)
        if (strcmp(l->name[i], in->token.text) == 0)
            return ordo_ptx_refuse(in, in->token.line, "the label %s stands twice", in->token.text);
    if (l->n == LABELS)
        return ordo_ptx_refuse(in, in->token.line, "more than %d labels in a thread", LABELS);
    memcpy(l->name[l->n], in->token.text, ORDO_PTX_NAME);
    l->at[l->n++] = (int16_t)t->n_op;
    status = ordo_ptx_next(in);
    return status == ORDO_OK ? ordo_ptx_expect(in, ":") : status;
}

/* Labels and at most one instruction. */
static enum ordo_status cell(struct ordo_ptx_parser *in, struct ordo_ptx_thread *t, struct labels *l)
{
    const char *from;
    enum ordo_status status = ORDO_OK;

    while (status == ORDO_OK && at_label(in))
        status = label(in, t, l);
    if (status != ORDO_OK || ordo_ptx_is(in, "|") || ordo_ptx_is(in, ";"))
        return status;
    if (in->token.kind != ORDO_PTX_TOKEN_WORD)
        return ordo_ptx_refuse(in, in->token.line, "'%s' where an instruction should stand", in->token.text);
    if (t->n_op == ORDO_PTX_OPS)
        return ordo_ptx_refuse(in, in->token.line, "more than %d instructions in a thread", ORDO_PTX_OPS);
    from = in->token.start;
    status = ordo_ptx_parse_op(in, t, &t->op[t->n_op], l->wanted[t->n_op]);
    if (status == ORDO_OK)
        keep_text(in, from, &t->op[t->n_op++]);
    return status;
}

static bool at_condition(const struct ordo_ptx_parser *in)
{
    static const char *const word[] = {"exists", "forall", "~", "not", "filter", "locations", "final"};

    for (size_t i = 0; i < sizeof word / sizeof word[0]; i++)
        if (ordo_ptx_is(in, word[i]))
            return true;
    return in->token.kind == ORDO_PTX_TOKEN_END;
}

static enum ordo_status row(struct ordo_ptx_parser *in, struct labels *l)
{
    enum ordo_status status;

    for (int t = 0;; t++) {
        if (t == in->p->n_thread)
            return ordo_ptx_refuse(in, in->token.line, "a row with more columns than the %d threads", t);
        status = cell(in, &in->p->thread[t], &l[t]);
        if (status != ORDO_OK || !ordo_ptx_is(in, "|"))
            break;
        status = ordo_ptx_next(in);
        if (status != ORDO_OK)
            return status;
    }
    return status == ORDO_OK ? ordo_ptx_expect(in, ";") : status;
}

static enum ordo_status link_jumps(struct ordo_ptx_parser *in, struct ordo_ptx_thread *t, const struct labels *l)
{
    for (int i = 0; i < t->n_op; i++) {
        int j = 0;

        if (!l->wanted[i][0])
            continue;
        while (j < l->n && strcmp(l->name[j], l->wanted[i]) != 0)
            j++;
        if (j == l->n)
            return ordo_ptx_refuse(in, t->op[i].line, "the label %s does not exist in this thread", l->wanted[i]);
        t->op[i].target = l->at[j];
    }
    return ORDO_OK;
}

/* Accesses of two widths overlap partially, which is a mixed-size race whatever the orders: the model is off. */
static enum ordo_status widths(struct ordo_ptx_parser *in)
{
    int16_t size[ORDO_PTX_LOCATIONS] = {0};

    for (int t = 0; t < in->p->n_thread; t++)
        for (int i = 0; i < in->p->thread[t].n_op; i++) {
            const struct ordo_ptx_op *op = &in->p->thread[t].op[i];
            int place = op->loc < 0 ? 0 : in->p->loc[op->loc].place;

            if (op->loc < 0 || op->size == 0)
                continue;
            if (size[place] && size[place] != op->size)
                return ordo_ptx_refuse(in, op->line,
                                       "accesses of %d and %d bytes to %s overlap partially: a mixed-size race, "
                                       "where the model gives no guarantee", size[place], op->size,
                                       in->p->loc[op->loc].name);
            size[place] = op->size;
        }
    return ORDO_OK;
}

/* A register that is read but never set may be a misspelt name. */
static void registers(struct ordo_ptx_parser *in)
{
    for (int t = 0; t < in->p->n_thread; t++)
        for (uint64_t set = in->used[t] & ~(unsigned)in->known[t]; set;)
            ordo_ptx_note(in, "P%d:%s is never set, read as 0", t, in->p->thread[t].reg[ordo_take(&set)]);
}

static enum ordo_status table(struct ordo_ptx_parser *in)
{
    struct labels *l = calloc(ORDO_PTX_THREADS, sizeof *l);
    enum ordo_status status;

    if (!l)
        return ordo_fail(in->err, ORDO_ENVIRONMENT, in->name, "memory", "no memory for the labels");
    status = threads(in);
    while (status == ORDO_OK && !at_condition(in))
        status = row(in, l);
    for (int t = 0; status == ORDO_OK && t < in->p->n_thread; t++)
        status = link_jumps(in, &in->p->thread[t], &l[t]);
    free(l);
    if (status == ORDO_OK)
        status = widths(in);
    return status == ORDO_OK ? ordo_ptx_check_spaces(in) : status;
}

/* locations [x; y;] only asks for values to be shown. */
static enum ordo_status shown(struct ordo_ptx_parser *in)
{
    enum ordo_status status = ORDO_OK;

    while (status == ORDO_OK && !ordo_ptx_is(in, "]")) {
        if (in->token.kind == ORDO_PTX_TOKEN_END)
            return ordo_ptx_refuse(in, in->token.line, "the file ends inside locations");
        status = ordo_ptx_next(in);
    }
    return status == ORDO_OK ? ordo_ptx_next(in) : status;
}

static enum ordo_status quantifier(struct ordo_ptx_parser *in)
{
    enum ordo_status status = ORDO_OK;

    in->p->quantifier = ORDO_PTX_EXISTS;
    if (ordo_ptx_is(in, "~") || ordo_ptx_is(in, "not")) {
        in->p->quantifier = ORDO_PTX_NOT_EXISTS;
        status = ordo_ptx_next(in);
    } else if (ordo_ptx_is(in, "forall")) {
        in->p->quantifier = ORDO_PTX_FORALL;
        return ordo_ptx_next(in);
    }
    return status == ORDO_OK ? ordo_ptx_expect(in, "exists") : status;
}

static enum ordo_status condition(struct ordo_ptx_parser *in)
{
    enum ordo_status status = ORDO_OK;

    while (status == ORDO_OK && (ordo_ptx_is(in, "locations") || ordo_ptx_is(in, "filter"))) {
        bool filter = ordo_ptx_is(in, "filter");

        status = ordo_ptx_next(in);
        if (status == ORDO_OK)
            status = filter ? ordo_ptx_parse_final(in, &in->p->filter) : shown(in);
    }
    if (status == ORDO_OK)
        status = quantifier(in);
    if (status == ORDO_OK)
        status = ordo_ptx_parse_final(in, &in->p->final);
    if (status == ORDO_OK && ordo_ptx_is(in, ";"))
        status = ordo_ptx_next(in);
    if (status == ORDO_OK && in->token.kind != ORDO_PTX_TOKEN_END)
        return ordo_ptx_refuse(in, in->token.line, "'%s' after the condition", in->token.text);
    return status;
}

enum ordo_status ordo_ptx_parse(const char *name, const char *text, size_t size, struct ordo_ptx_program *p,
                                struct ordo_err *err)
{
    struct ordo_ptx_parser in = {.name = name, .at = text, .end = text + size, .line = 1, .p = p, .err = err};
    enum ordo_status status;

    *p = (struct ordo_ptx_program){0};
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) /* the mark of UTF-8 */
        in.at += 3;
    status = ordo_ptx_parse_head(&in);
    if (status == ORDO_OK)
        status = ordo_ptx_parse_initial(&in);
    if (status == ORDO_OK)
        status = table(&in);
    if (status == ORDO_OK)
        status = condition(&in);
    if (status == ORDO_OK)
        registers(&in);
    return status;
}
