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

static const char *word(const char *holds)
{
    return strcmp(holds, "1") == 0 ? "true" : strcmp(holds, "0") == 0 ? "false" : "refused";
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
    return copy(x->file, sizeof x->file, file) && copy(x->holds, sizeof x->holds, word(field(&line))) &&
           copy(x->race, sizeof x->race, field(&line));
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

bool ordo_expect_compare(const struct ordo_expectations *e, const char *path, bool liveness, const char *holds,
                         bool race)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

    for (int i = 0; i < e->n; i++) {
        const struct ordo_expectation *x = &e->line[i];
        bool race_fits = !x->race[0] || (x->race[0] == '1') == race;

        if (x->liveness != liveness || strcmp(x->file, name) != 0)
            continue;
        if (strcmp(x->holds, holds) != 0)
            fprintf(stderr, "%s: %s is %s, expected %s\n", path, liveness ? "liveness" : "the condition", holds,
                    x->holds);
        if (!race_fits)
            fprintf(stderr, "%s: %s\n", path, race ? "a race that was not expected" : "no race, but one was expected");
        return strcmp(x->holds, holds) == 0 && race_fits;
    }
    fprintf(stderr, "%s: nothing is expected of it\n", path);
    return false;
}
