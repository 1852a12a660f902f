/* cli_json.h - runs ./ordo of the build directory with --json and hands its answer over, for tests from outside. */
#ifndef ORDO_TESTS_CLI_JSON_H
#define ORDO_TESTS_CLI_JSON_H

#include "tests/test.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[64];

/* Runs `./ordo LINE` through sh, where DIR and INDEX are set; returns the exit code, stdout in *out, parsed. */
static int ordo(const char *line, json_t **out)
{
    const char *srcdir = getenv("srcdir");
    char command[1024], text[32768];
    FILE *pipe;
    size_t n;
    int how;

    (void)snprintf(command, sizeof command, "exec 2>%s/err; DIR=%s INDEX=%s/corpus/index; ./ordo %s --json", dir, dir,
                   srcdir ? srcdir : ".", line);
    pipe = popen(command, "r");
    assert_non_null(pipe);
    n = fread(text, 1, sizeof text - 1, pipe);
    text[n] = '\0';
    how = pclose(pipe);
    assert_true(WIFEXITED(how));
    *out = json_loads(text, 0, NULL);
    if (!*out)
        fail_msg("`%s` says no JSON: %s", line, text);
    return WEXITSTATUS(how);
}

/* Runs a line that must end with that code; the caller frees what it says. */
__attribute__((unused)) static json_t *said(const char *line, int want)
{
    json_t *out;
    int code = ordo(line, &out);

    if (code != want)
        fail_msg("`%s` exits with %d, not %d", line, code, want);
    return out;
}

__attribute__((unused)) static void assert_exit(const char *line, int want, const char *field)
{
    json_t *out;
    int code = ordo(line, &out);
    const char *got = json_string_value(json_object_get(out, "field"));

    if (code != want || (field && (!got || strcmp(got, field) != 0)))
        fail_msg("`%s`: exit %d, field %s", line, code, got ? got : "none");
    json_decref(out);
}

static int begin(void **state)
{
    (void)state;
    (void)snprintf(dir, sizeof dir, "/tmp/ordo-cli-XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static int end(void **state)
{
    char command[96];

    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command);
}

#endif
