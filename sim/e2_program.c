/* e2_program.c - see e2_program.h. */
#include "sim/e2_program.h"

#include "base/size.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ordo_e2_program_begin(struct ordo_e2_program *p)
{
    *p = (struct ordo_e2_program){.n_column = 1};
    p->thread = ordo_alloc_zero(ORDO_E2_MAX_THREADS, sizeof *p->thread);
    return p->thread != NULL;
}

void ordo_e2_program_free(struct ordo_e2_program *p)
{
    free(p->thread);
    *p = (struct ordo_e2_program){0};
}

void ordo_e2_append(struct ordo_e2_program *p, struct ordo_e2_thread *t, const struct ordo_record *r)
{
    if (!t)
        return;
    if (t->n_op == ORDO_E2_MAX_OPS) {
        p->wrong = "a thread has more operations than E2 takes";
        return;
    }
    t->op[t->n_op] = (struct ordo_e2_op){.record = *r, .wave = t->n_op ? t->op[t->n_op - 1].wave : 0};
    t->n_op++;
    t->n_segment = t->n_segment ? t->n_segment : 1;
    t->end[t->n_segment - 1] = t->n_op;
}

struct ordo_e2_thread *ordo_e2_add(struct ordo_e2_program *p, const char *role, const struct ordo_tape *tape,
                                   int32_t rank, int32_t cta, int32_t cluster)
{
    struct ordo_e2_thread *t;

    if (p->n_thread == ORDO_E2_MAX_THREADS) {
        p->wrong = "more threads than E2 takes";
        return NULL;
    }
    t = &p->thread[p->n_thread++];
    *t = (struct ordo_e2_thread){.role = role, .rank = rank, .cta = cta, .cluster = cluster, .key = rank};
    t->warp = p->n_thread;
    t->n_segment = 1;
    if (tape && tape->n > tape->size)
        p->wrong = "a tape was cut";
    for (uint32_t i = 0; tape && i < tape->n && i < tape->size; i++)
        ordo_e2_append(p, t, &tape->record[i]);
    return t;
}

uint32_t *ordo_e2_value(struct ordo_e2_program *p, enum ordo_space space, int64_t index)
{
    int32_t i = 0;

    while (i < p->n_word && (p->word[i].space != space || p->word[i].index != index))
        i++;
    if (i == ORDO_E2_MAX_WORDS) {
        p->wrong = "more synchronisation words than E2 takes";
        return &p->word[0].value;
    }
    if (i == p->n_word)
        p->word[p->n_word++] = (struct ordo_e2_word){space, index, 0};
    return &p->word[i].value;
}

/* --- text ------------------------------------------------------------------------------------------------------ */

#define ORDO_X(token) #token,
static const char *const sem_name[] = {ORDO_SEMS(ORDO_X)};
static const char *const scope_name[] = {ORDO_SCOPES(ORDO_X)};
static const char *const width_name[] = {ORDO_WIDTHS(ORDO_X)};
#undef ORDO_X
#define ORDO_X(id, mnemonic) mnemonic,
static const char *const mnemonic_of[] = {ORDO_OPS(ORDO_X)};
#undef ORDO_X

static const char *space_name(enum ordo_space space)
{
    return space == ORDO_SPACE_MASK ? "mask" : space == ORDO_SPACE_COUNTER ? "counter" : "plane";
}

static void spell_mnemonic(const struct ordo_record *r, FILE *out)
{
    for (const char *part = mnemonic_of[r->op]; *part;) {
        size_t n = strcspn(part, ".");
        char token = n == 1 ? *part : '\0';

        if (token == 'S')
            fputs(sem_name[r->sem], out);
        else if (token == 'C')
            fputs(scope_name[r->scope], out);
        else if (token == 'W')
            fputs(width_name[r->width], out);
        else
            fprintf(out, "%.*s", (int)n, part);
        part += n;
        if (*part)
            putc(*part++, out);
    }
}

static void spell_operand(const struct ordo_e2_op *op, FILE *out)
{
    const struct ordo_record *r = &op->record;
    const char *space = space_name(r->space);

    switch (r->op) {
    case ORDO_OP_AWAIT_CLEAR:
        fprintf(out, " %s[%" PRId64 "] until & 0x%" PRIx32 " == 0", space, r->index, r->value);
        break;
    case ORDO_OP_AWAIT_GE:
        fprintf(out, " %s[%" PRId64 "] until %s %" PRIu32, space, r->index, op->exact ? "==" : ">=", r->value);
        break;
    case ORDO_OP_RED_AND:
        fprintf(out, " %s[%" PRId64 "], ~0x%" PRIx32, space, r->index, ~r->value);
        break;
    case ORDO_OP_RED_OR:
    case ORDO_OP_RED_ADD:
        fprintf(out, " %s[%" PRId64 "], %" PRIu32, space, r->index, r->value);
        break;
    case ORDO_OP_LOAD:
    case ORDO_OP_STORE:
        fprintf(out, " %s[%" PRId64 "]", space, r->index);
        break;
    case ORDO_OP_BULK_ADD:
        fprintf(out, " %s[%" PRId64 "], %" PRIu32 " bytes", space, r->index, r->value);
        break;
    case ORDO_OP_BAR_SYNC:
        fprintf(out, " %" PRId64 ", %" PRIu32, r->index, r->value);
        break;
    default:
        break;
    }
}

void ordo_e2_name(const struct ordo_e2_thread *t, char *out, size_t size)
{
    (void)snprintf(out, size, "CTA %d%s%s", (int)t->cta, t->role[0] ? " " : "", t->role);
}

void ordo_e2_spell(const struct ordo_e2_op *op, char *out, size_t size)
{
    char text[128] = "";
    FILE *f = fmemopen(text, sizeof text - 1, "w");

    if (f) {
        spell_mnemonic(&op->record, f);
        spell_operand(op, f);
        (void)fclose(f);
    }
    (void)snprintf(out, size, "%s", text);
}

void ordo_e2_source(const struct ordo_record *r, char *out, size_t size)
{
    const char *at = r->file ? strrchr(r->file, '/') : NULL;

    while (at && at > r->file && at[-1] != '/')
        at--;
    (void)snprintf(out, size, "%s:%d", at ? at : r->file ? r->file : "?", r->line);
}
