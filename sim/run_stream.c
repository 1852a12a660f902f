/* run_stream.c - the plan's run as operations, and its text form; see run_op.h. */
#include "sim/run_op.h"

#include "protocol/index.h"
#include "sim/design.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const ordo_run_op_name[ORDO_N_RUN_OPS] = {
#define ORDO_X(id, name) name,
    ORDO_RUN_OPS(ORDO_X)
#undef ORDO_X
};

struct stream {
    const struct ordo_plan *plan;
    const struct ordo_problem *problem;
    int (*fn)(void *ctx, const struct ordo_run_op *op);
    void *ctx;
};

/* One kind of operation for the live slots of columns [from, to). */
static int emit(const struct stream *s, const struct ordo_worker *w, enum ordo_run_kind kind, int32_t from, int32_t to)
{
    const int32_t *idx = ordo_problem_row(s->problem, w->query);
    int32_t clamped = ordo_clamp_length(ordo_problem_length(s->problem, w->query), s->problem->topk);
    int stop = 0;

    for (int32_t j = from; j < to && !stop; j++)
        if (ordo_slot_live(idx[j], s->problem->n_kv, j, clamped)) {
            struct ordo_run_op op = {w->wave, w->head_block, w->plane, w->rank, kind, idx[j]};

            stop = s->fn(s->ctx, &op);
        }
    return stop;
}

static int emit_group(void *ctx, const struct ordo_worker *worker, int n)
{
    const struct stream *s = ctx;
    bool relay = s->plan->design->sync == ORDO_SYNC_RELAY;
    int32_t topk = s->problem->topk;
    int stop = 0;

    for (int i = 0; relay && i < n && !stop; i++)
        stop = emit(s, &worker[i], ORDO_RUN_SET, 0, topk);
    for (int i = 0; i < n; i++)
        for (int32_t from = 0; from < topk && !stop; from += ORDO_TILE) {
            int32_t to = topk - from < ORDO_TILE ? topk : from + ORDO_TILE;

            stop = (relay && emit(s, &worker[i], ORDO_RUN_WAIT, from, to)) ||
                   emit(s, &worker[i], ORDO_RUN_ADD, from, to) ||
                   (relay && emit(s, &worker[i], ORDO_RUN_CLEAR, from, to));
        }
    return stop;
}

int ordo_run_stream(const struct ordo_plan *plan, const struct ordo_problem *problem,
                    int (*fn)(void *ctx, const struct ordo_run_op *op), void *ctx)
{
    struct stream s = {plan, problem, fn, ctx};
    const struct ordo_visitor visitor = {emit_group, &s};
    int stop = 0;

    for (int32_t plane = 0; problem->topk && plane < plan->planes && !stop; plane++)
        stop = plan->design->walk(plan, plane, &visitor);
    return stop;
}

/* --- text form --------------------------------------------------------------------------------------------------- */

struct writer {
    FILE *out;
    uint64_t n;
};

static int write_op(void *ctx, const struct ordo_run_op *op)
{
    struct writer *w = ctx;

    fprintf(w->out, "%" PRId32 " %" PRId32 " %" PRId32 " %" PRId32 " %s %" PRId32 "\n", op->wave, op->head_block,
            op->plane, op->rank, ordo_run_op_name[op->kind], op->row);
    return ++w->n > ORDO_MAX_RUN_OPS;
}

enum ordo_status ordo_run_write(const char *path, const struct ordo_plan *plan, const struct ordo_problem *problem,
                                struct ordo_err *err)
{
    size_t size = strlen(path) + 5;
    char *temporary = malloc(size);
    struct writer w = {0};
    enum ordo_status status = ORDO_OK;
    int stop = 0;

    if (!temporary)
        return ordo_fail(err, ORDO_ENVIRONMENT, path, NULL, "no memory");
    (void)snprintf(temporary, size, "%s.tmp", path);
    w.out = fopen(temporary, "w");
    if (w.out) {
        stop = ordo_run_stream(plan, problem, write_op, &w);
        if (ferror(w.out) | (fflush(w.out) != 0) | (fsync(fileno(w.out)) != 0 && errno != EINVAL))
            status = ordo_fail_errno(err, ORDO_ENVIRONMENT, errno, path, NULL, "cannot be written");
        if (fclose(w.out) != 0 && status == ORDO_OK)
            status = ordo_fail_errno(err, ORDO_ENVIRONMENT, errno, path, NULL, "cannot be written");
    } else {
        status = ordo_fail_errno(err, ORDO_ENVIRONMENT, errno, path, NULL, "cannot be written");
    }
    if (status == ORDO_OK && stop)
        status = ordo_fail(err, ORDO_USAGE, path, "--emit-run", "the run has more than %d operations; runs are for "
                           "small instances", ORDO_MAX_RUN_OPS);
    if (status == ORDO_OK && rename(temporary, path) != 0)
        status = ordo_fail_errno(err, ORDO_ENVIRONMENT, errno, path, NULL, "cannot be written");
    if (status != ORDO_OK)
        (void)remove(temporary);
    free(temporary);
    return status;
}

static bool parse_op(const char *line, struct ordo_run_op *op)
{
    int32_t *const number[] = {&op->wave, &op->head_block, &op->plane, &op->rank, NULL, &op->row};

    for (size_t i = 0; i < sizeof number / sizeof number[0]; i++) {
        size_t n;

        line += strspn(line, " \t");
        n = strcspn(line, " \t\r\n");
        if (number[i]) {
            char *end;
            long x;

            errno = 0;
            x = strtol(line, &end, 10);
            if (n == 0 || end != line + n || errno || x < 0 || x > INT32_MAX)
                return false;
            *number[i] = (int32_t)x;
        } else {
            int k = 0;

            while (k < ORDO_N_RUN_OPS && (strlen(ordo_run_op_name[k]) != n || strncmp(line, ordo_run_op_name[k], n)))
                k++;
            if (k == ORDO_N_RUN_OPS)
                return false;
            op->kind = (enum ordo_run_kind)k;
        }
        line += n;
    }
    return line[strspn(line, " \t\r\n")] == '\0';
}

static bool append(struct ordo_run_list *list, const struct ordo_run_op *op, uint64_t *room)
{
    if (list->n == *room) {
        struct ordo_run_op *grown;

        *room = *room ? *room * 2 : 1024;
        grown = realloc(list->op, *room * sizeof *grown);
        if (!grown)
            return false;
        list->op = grown;
    }
    list->op[list->n++] = *op;
    return true;
}

enum ordo_status ordo_run_read(const char *path, struct ordo_run_list *list, struct ordo_err *err)
{
    FILE *in = fopen(path, "r");
    enum ordo_status status = ORDO_OK;
    uint64_t room = 0;
    char line[256], field[40];

    *list = (struct ordo_run_list){NULL, 0};
    if (!in)
        return ordo_fail_errno(err, ORDO_BAD_INPUT, errno, path, NULL, "cannot be read");
    while (status == ORDO_OK && fgets(line, sizeof line, in)) {
        struct ordo_run_op op;

        (void)snprintf(field, sizeof field, "line %" PRIu64, list->n + 1);
        if (!parse_op(line, &op))
            status = ordo_fail(err, ORDO_BAD_INPUT, path, field,
                               "wants `wave head_block plane rank op row` with op one of set wait add clear");
        else if (list->n == ORDO_MAX_RUN_OPS)
            status = ordo_fail(err, ORDO_BAD_INPUT, path, field, "more than %d operations", ORDO_MAX_RUN_OPS);
        else if (!append(list, &op, &room))
            status = ordo_fail(err, ORDO_ENVIRONMENT, path, NULL, "no memory for its operations");
    }
    if (status == ORDO_OK && ferror(in))
        status = ordo_fail_errno(err, ORDO_BAD_INPUT, errno, path, NULL, "cannot be read");
    (void)fclose(in);
    return status;
}
