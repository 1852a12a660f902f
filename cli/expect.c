/* expect.c - see expect.h. */
#include "cli/expect.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 10000 };

/* The next field of a line, and the rest; quotes are not known here. */
static const char *field(char **rest)
{
    char *start = *rest, *comma = start ? strchr(start, ',') : NULL;

    if (comma)
        *comma = 0;
    *rest = comma ? comma + 1 : NULL;
    return start ? start : "";
}

/* Copies what fits; a longer text is no expectation of ours. */
static bool copy(char *out, size_t size, const char *text)
{
    size_t n = strlen(text);

    if (n >= size)
        return false;
    memcpy(out, text, n + 1);
    return true;
}

static bool parse(char *line, struct ordo_expectation *x)
{
    const char *file = field(&line), *property;

    (void)field(&line); /* model */
    property = field(&line);
    x->liveness = strcmp(property, "liveness") == 0;
    if (!x->liveness && strcmp(property, "condition") != 0)
        return false;
    return copy(x->file, sizeof x->file, file) && copy(x->holds, sizeof x->holds, field(&line)) &&
           copy(x->race, sizeof x->race, field(&line)) && copy(x->executions, sizeof x->executions, field(&line));
}

enum ordo_status ordo_expect_read(const char *path, struct ordo_expectations *e, struct ordo_err *err)
{
    FILE *f = fopen(path, "r");
    char line[512];

    *e = (struct ordo_expectations){0};
    if (!f)
        return ordo_fail_errno(err, ORDO_BAD_INPUT, errno, path, "--expect", "cannot be opened");
    e->line = calloc(MOST, sizeof *e->line);
    while (e->line && e->n < MOST && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\r\n")] = 0;
        e->n += parse(line, &e->line[e->n]);
    }
    (void)fclose(f);
    if (!e->line)
        return ordo_fail(err, ORDO_ENVIRONMENT, path, "--expect", "no memory for the expectations");
    if (e->n == 0)
        return ordo_fail(err, ORDO_BAD_INPUT, path, "--expect", "no line with a property condition or liveness");
    return ORDO_OK;
}

void ordo_expect_free(struct ordo_expectations *e)
{
    free(e->line);
    *e = (struct ordo_expectations){0};
}

/* Whether two texts agree, where something is expected at all. */
static bool agree(const char *path, const char *what, const char *expected, const char *found)
{
    if (!expected[0] || strcmp(expected, found) == 0)
        return true;
    fprintf(stderr, "%s: %s is %s, expected %s\n", path, what, found, expected);
    return false;
}

bool ordo_expect_is_about(const struct ordo_expectation *x, const char *path)
{
    const char *slash = strrchr(path, '/');

    return strcmp(x->file, slash ? slash + 1 : path) == 0;
}

bool ordo_expect_compare(const struct ordo_expectation *x, const char *path, const struct ordo_ptx_verdict *v)
{
    const char *holds = !v->decided ? "refused" : v->holds ? "1" : "0";
    char executions[24];
    bool same = agree(path, x->liveness ? "liveness" : "the condition", x->holds, holds);

    (void)snprintf(executions, sizeof executions, "%llu", (unsigned long long)v->tally.executions);
    same &= agree(path, "race", x->race, !v->race_known ? "null" : v->tally.race ? "1" : "0");
    return agree(path, "the number of executions", x->executions, executions) && same;
}
