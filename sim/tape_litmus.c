/* tape_litmus.c - see tape_litmus.h. */
#include "sim/tape_litmus.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { MAX_THREADS = 8, MAX_LINES = 64, MAX_TEXT = 48 };

static const char *const sem_name[ORDO_N_SEMS] = {
#define ORDO_X(token) #token,
    ORDO_SEMS(ORDO_X)
#undef ORDO_X
};
static const char *const scope_name[ORDO_N_SCOPES] = {
#define ORDO_X(token) #token,
    ORDO_SCOPES(ORDO_X)
#undef ORDO_X
};

/* A column of the table: the instructions of one thread. */
struct column {
    char line[MAX_LINES][MAX_TEXT];
    int n, next_reg, next_label, thread;
    const char *wrong;
};

static void put(struct column *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct column *c, const char *format, ...)
{
    va_list args;

    if (c->n == MAX_LINES) {
        c->wrong = "a thread has more instructions than a litmus program may have";
        return;
    }
    va_start(args, format);
    (void)vsnprintf(c->line[c->n++], MAX_TEXT, format, args);
    va_end(args);
}

static const char *location(enum ordo_space space)
{
    return space == ORDO_SPACE_MASK ? "m" : space == ORDO_SPACE_COUNTER ? "c" : "p";
}

/* "ld.acquire.gpu"; a weak operation has no scope. */
static const char *ordered(const char *op, const struct ordo_record *r, char out[MAX_TEXT])
{
    if (r->sem == ORDO_SEM_weak)
        (void)snprintf(out, MAX_TEXT, "%s.weak", op);
    else
        (void)snprintf(out, MAX_TEXT, "%s.%s.%s", op, sem_name[r->sem], scope_name[r->scope]);
    return out;
}

static void put_await(struct column *c, const struct ordo_record *r)
{
    int reg = c->next_reg, label = c->next_label++;
    char op[MAX_TEXT];

    if (r->width == ORDO_WIDTH_u8) {
        c->wrong = "a byte poll of a word is a mixed-size race, which switches the model off";
        return;
    }
    c->next_reg += 2;
    put(c, "L%d%d:", c->thread, label);
    put(c, "%s r%d, %s", ordered("ld", r, op), reg, location(r->space));
    if (r->op == ORDO_OP_AWAIT_CLEAR) {
        put(c, "and r%d, r%d, %" PRIu32, reg + 1, reg, r->value);
        put(c, "bne r%d, 0, L%d%d", reg + 1, c->thread, label);
    } else {
        put(c, "blt r%d, %" PRIu32 ", L%d%d", reg, r->value, c->thread, label);
    }
}

static void put_red(struct column *c, const struct ordo_record *r, const char *op)
{
    char red[MAX_TEXT];

    put(c, "%s.%s %s, %" PRIu32, ordered("red", r, red), op, location(r->space), r->value);
}

/* Data as whole numbers: opaque data is the thread's addend.  On a mask word, what was loaded last with the record's
 * bits alone kept. */
static void put_store(struct column *c, const struct ordo_record *r, int32_t addend)
{
    char op[MAX_TEXT];

    (void)ordered("st", r, op);
    if (r->space != ORDO_SPACE_MASK && r->data != ORDO_DATA_ADDED) {
        if (r->data == ORDO_DATA_OPAQUE)
            put(c, "%s p, %" PRId32, op, addend);
        else if (r->data == ORDO_DATA_CONSTANT && r->value == 0)
            put(c, "%s p, 0", op);
        else
            c->wrong = "a stored constant or sum that has no whole number";
        return;
    }
    if (r->space == ORDO_SPACE_MASK)
        put(c, "and r%d, r%d, %" PRIu32, c->next_reg, c->next_reg - 1, r->value);
    else
        put(c, "add r%d, r%d, %" PRId32, c->next_reg, c->next_reg - 1, addend);
    put(c, "%s %s, r%d", op, location(r->space), c->next_reg);
    c->next_reg++;
}

/* A program has one location of each space, so all records of a space must name one index. */
static const char *one_location(const struct ordo_litmus_thread *thread, int n)
{
    const struct ordo_record *first[ORDO_N_SPACES] = {NULL};

    for (int t = 0; t < n; t++)
        for (uint32_t i = 0; i < thread[t].tape->n && i < thread[t].tape->size; i++) {
            const struct ordo_record *r = &thread[t].tape->record[i];

            if (r->space == ORDO_SPACE_NONE)
                continue;
            if (!first[r->space])
                first[r->space] = r;
            if (first[r->space]->index != r->index)
                return "the threads do not agree on one mask word, counter and element";
        }
    return NULL;
}

static void put_record(struct column *c, const struct ordo_record *r, int32_t addend)
{
    char op[MAX_TEXT];

    switch (r->op) {
    case ORDO_OP_AWAIT_CLEAR:
    case ORDO_OP_AWAIT_GE:
        put_await(c, r);
        break;
    case ORDO_OP_RED_AND:
        put_red(c, r, "and");
        break;
    case ORDO_OP_RED_OR:
        put_red(c, r, "or");
        break;
    case ORDO_OP_RED_ADD:
        put_red(c, r, "add");
        break;
    case ORDO_OP_LOAD:
        put(c, "%s r%d, %s", ordered("ld", r, op), c->next_reg++, location(r->space));
        break;
    case ORDO_OP_STORE:
        put_store(c, r, addend);
        break;
    case ORDO_OP_BAR_SYNC:
        put(c, "bar.cta.sync %" PRId64 ", %" PRId64 ", %" PRIu32, r->index, r->index, r->value);
        break;
    case ORDO_OP_WARP_SYNC:
        break;
    case ORDO_OP_FENCE:
        put(c, "fence.%s.%s", sem_name[r->sem], scope_name[r->scope]);
        break;
    case ORDO_OP_PROXY_FENCE:
    case ORDO_OP_SHARED_FENCE:
        put(c, "fence.proxy.async");
        break;
    case ORDO_OP_CLUSTER_ARRIVE:
        put(c, "bar.cluster.arrive.%s", sem_name[r->sem]);
        break;
    case ORDO_OP_CLUSTER_WAIT:
        put(c, "bar.cluster.wait.%s", sem_name[r->sem]);
        break;
    case ORDO_OP_BULK_ADD:
        put(c, "cp.reduce.async.bulk.add p, %" PRId32, addend);
        break;
    case ORDO_OP_BULK_COMMIT:
        put(c, "cp.async.bulk.commit_group");
        break;
    case ORDO_OP_BULK_WAIT:
        put(c, "cp.async.bulk.wait_group %" PRIu32, r->value);
        break;
    case ORDO_OP_BULK_WAIT_READ:
        put(c, "cp.async.bulk.wait_group.read %" PRIu32, r->value);
        break;
    default:
        c->wrong = "an operation that has no litmus form";
    }
}

/* One row of the table; short columns are filled with blanks. */
static void print_row(const struct column *column, int n, int row, FILE *out)
{
    for (int t = 0; t < n; t++)
        fprintf(out, " %-38s %c", row < column[t].n ? column[t].line[row] : "", t + 1 < n ? '|' : ';');
    putc('\n', out);
}

const char *ordo_tape_litmus(const char *name, const struct ordo_litmus_thread *thread, int n, uint32_t mask,
                             const char *exists, FILE *out)
{
    struct column column[MAX_THREADS] = {0};
    int longest = 0;

    if (n < 1 || n > MAX_THREADS)
        return "a litmus program has one to eight threads here";
    if (one_location(thread, n))
        return one_location(thread, n);
    for (int t = 0; t < n; t++) {
        column[t].thread = t;
        for (uint32_t i = 0; i < thread[t].tape->n && i < thread[t].tape->size; i++)
            put_record(&column[t], &thread[t].tape->record[i], thread[t].addend);
        if (thread[t].tape->n > thread[t].tape->size)
            column[t].wrong = "a tape was cut";
        if (column[t].wrong)
            return column[t].wrong;
        longest = column[t].n > longest ? column[t].n : longest;
    }
    fprintf(out, "PTX %s\n{\np=0; c=0; m=%" PRIu32 ";\n}\n", name, mask);
    for (int t = 0; t < n; t++)
        fprintf(out, " P%d@cta %" PRId32 ",cluster %" PRId32 ",gpu 0 %c", t, thread[t].cta, thread[t].cluster,
                t + 1 < n ? '|' : ';');
    putc('\n', out);
    for (int row = 0; row < longest; row++)
        print_row(column, n, row, out);
    fprintf(out, "exists\n(%s)\n", exists);
    return NULL;
}
