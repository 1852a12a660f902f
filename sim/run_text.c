/* run_text.c - a run as text, to a file and back; see run_op.h. */
#include "sim/run_op.h"

#include "base/replace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const ordo_run_op_name[ORDO_N_RUN_OPS] = {
#define ORDO_X(id, name) name,
    ORDO_RUN_OPS(ORDO_X)
#undef ORDO_X
};

/* --- to a file ----------------------------------------------------------------------------------------------- */

struct writer {
    const struct ordo_plan *plan;
    const struct ordo_problem *problem;
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

/* EFBIG stands for "too many operations". */
static int fill(int fd, void *ctx)
{
    struct writer *w = ctx;
    int copy = dup(fd), why = 0;

    w->out = copy >= 0 ? fdopen(copy, "w") : NULL;
    if (!w->out)
        return errno;
    if (ordo_run_stream(w->plan, w->problem, write_op, w))
        why = EFBIG;
    if (fflush(w->out) != 0 && !why)
        why = errno;
    if (fclose(w->out) != 0 && !why)
        why = errno;
    return why;
}

enum ordo_status ordo_run_write(const char *path, const struct ordo_plan *plan, const struct ordo_problem *problem,
                                struct ordo_err *err)
{
    struct writer w = {plan, problem, NULL, 0};
    enum ordo_status status = ordo_replace_file(path, "--emit-run", fill, &w, err);

    if (w.n > ORDO_MAX_RUN_OPS)
        return ordo_fail(err, ORDO_USAGE, path, "--emit-run",
                         "the run has more than %d operations; runs are for small instances", ORDO_MAX_RUN_OPS);
    return status;
}

/* --- and back ------------------------------------------------------------------------------------------------- */

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

/* A regular file, never waited for. */
static FILE *open_run(const char *path, enum ordo_status *status, struct ordo_err *err)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    FILE *in = NULL;

    *status = ORDO_BAD_INPUT;
    if (fd < 0 || fstat(fd, &st) != 0)
        (void)ordo_fail_errno(err, *status, errno, path, "--run", "cannot be read");
    else if (!S_ISREG(st.st_mode))
        (void)ordo_fail(err, *status, path, "--run", "is not a regular file");
    else if (!(in = fdopen(fd, "r")))
        *status = ordo_fail_errno(err, ORDO_ENVIRONMENT, errno, path, "--run", "cannot be read");
    if (in)
        *status = ORDO_OK;
    else if (fd >= 0)
        (void)close(fd);
    return in;
}

static enum ordo_status read_line(const char *path, const char *line, size_t n, struct ordo_run_list *list,
                                  uint64_t *room, struct ordo_err *err)
{
    struct ordo_run_op op;
    char field[40];

    (void)snprintf(field, sizeof field, "line %" PRIu64, list->n + 1);
    if (strlen(line) != n || !parse_op(line, &op))
        return ordo_fail(err, ORDO_BAD_INPUT, path, field,
                         "wants `wave head_block plane rank op row` with op one of set wait add clear");
    if (list->n == ORDO_MAX_RUN_OPS)
        return ordo_fail(err, ORDO_BAD_INPUT, path, field, "more than %d operations", ORDO_MAX_RUN_OPS);
    if (!append(list, &op, room))
        return ordo_fail(err, ORDO_ENVIRONMENT, path, "--run", "no memory for its operations");
    return ORDO_OK;
}

enum ordo_status ordo_run_parse(const char *name, FILE *in, struct ordo_run_list *list, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;
    uint64_t room = 0;
    size_t size = 0;
    char *line = NULL;
    ssize_t n;

    *list = (struct ordo_run_list){NULL, 0};
    while (status == ORDO_OK && (n = getline(&line, &size, in)) >= 0)
        status = read_line(name, line, (size_t)n, list, &room, err);
    if (status == ORDO_OK && ferror(in))
        status = ordo_fail_errno(err, ORDO_BAD_INPUT, errno, name, "--run", "cannot be read");
    free(line);
    return status;
}

enum ordo_status ordo_run_read(const char *path, struct ordo_run_list *list, struct ordo_err *err)
{
    enum ordo_status status;
    FILE *in = open_run(path, &status, err);

    *list = (struct ordo_run_list){NULL, 0};
    if (!in)
        return status;
    status = ordo_run_parse(path, in, list, err);
    (void)fclose(in);
    return status;
}
