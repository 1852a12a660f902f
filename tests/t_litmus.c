/* t_litmus.c - E3 on every file of litmus/, against verdict, race and number of executions in expected.csv.
 *
 * With ORDO_LITMUS the same for another folder with such a table, whose later columns may be missing. */
#include "tests/test.h"

#include "sim/ptx_litmus.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct line {
    char file[200], model[32], property[32], holds[16], race[8], executions[24];
};

static int n_wrong, n_line;

/* The next column of at most size - 1 characters. */
static void column(const char **at, char *out, size_t size)
{
    size_t n = strcspn(*at, ",\r\n");

    assert_true(n < size);
    memcpy(out, *at, n);
    out[n] = 0;
    *at += n + ((*at)[n] == ',');
}

static struct line split(const char *text)
{
    struct line l;

    column(&text, l.file, sizeof l.file);
    column(&text, l.model, sizeof l.model);
    column(&text, l.property, sizeof l.property);
    column(&text, l.holds, sizeof l.holds);
    column(&text, l.race, sizeof l.race);
    column(&text, l.executions, sizeof l.executions);
    return l;
}

static size_t read_text(const char *folder, const char *file, char *text, size_t size)
{
    char path[1024];
    FILE *f;
    size_t n;

    (void)snprintf(path, sizeof path, "%s/%s", folder, file);
    f = fopen(path, "rb");
    if (!f)
        fail_msg("%s cannot be opened", path);
    n = fread(text, 1, size, f);
    (void)fclose(f);
    return n;
}

static void compare(const struct line *l, const char *what, const char *expected, const char *found)
{
    if (!expected[0] || strcmp(expected, found) == 0)
        return;
    fprintf(stderr, "%s: %s of %s: %s, expected %s\n", l->file, what, l->property, found, expected);
    n_wrong++;
}

static void decide(const char *folder, const struct line *l)
{
    static char text[1 << 16];
    static struct ordo_ptx_program p;
    struct ordo_ptx_verdict v = {0};
    struct ordo_err err = {0};
    size_t n = read_text(folder, l->file, text, sizeof text);
    char executions[24];

    if (ordo_ptx_parse(l->file, text, n, &p, &err) == ORDO_OK)
        assert_true(ordo_ptx_decide(&p, strcmp(l->property, "liveness") == 0, &v));
    (void)snprintf(executions, sizeof executions, "%llu", (unsigned long long)v.tally.executions);
    compare(l, "holds", l->holds, !v.decided ? "refused" : v.holds ? "1" : "0");
    compare(l, "race", l->race, !v.race_known ? "null" : v.tally.race ? "1" : "0");
    compare(l, "executions", l->executions, executions);
    ordo_ptx_verdict_free(&v);
    n_line++;
}

/* Every line of the folder's table. */
static void run(const char *folder)
{
    char path[1024], text[512];
    FILE *f;

    n_wrong = n_line = 0;
    (void)snprintf(path, sizeof path, "%s/expected.csv", folder);
    f = fopen(path, "r");
    if (!f)
        fail_msg("%s cannot be opened", path);
    while (fgets(text, sizeof text, f)) {
        struct line l = split(text);

        if (strcmp(l.property, "condition") == 0 || strcmp(l.property, "liveness") == 0)
            decide(folder, &l);
    }
    (void)fclose(f);
    printf("%s: %d of %d lines agree\n", folder, n_line - n_wrong, n_line);
    assert_int_equal(n_wrong, 0);
    assert_true(n_line > 0);
}

static void own_folder(char *out, size_t size)
{
    const char *srcdir = getenv("srcdir");

    (void)snprintf(out, size, "%s/litmus", srcdir ? srcdir : ".");
}

static void own(void **state)
{
    char folder[512];

    (void)state;
    own_folder(folder, sizeof folder);
    run(folder);
}

static void other(void **state)
{
    const char *folder = getenv("ORDO_LITMUS");

    (void)state;
    if (folder && folder[0])
        run(folder);
    else
        printf("ORDO_LITMUS is not set: no other folder\n");
}

/* No file of ours without a verdict. */
static void listed(void **state)
{
    static char table[1 << 16];
    char folder[512];
    struct dirent *entry;
    DIR *d;
    size_t n;

    (void)state;
    own_folder(folder, sizeof folder);
    n = read_text(folder, "expected.csv", table, sizeof table - 1);
    table[n] = 0;
    d = opendir(folder);
    assert_non_null(d);
    while ((entry = readdir(d))) {
        char name[300];

        (void)snprintf(name, sizeof name, "\n%s,", entry->d_name);
        if (strstr(entry->d_name, ".litmus") && !strstr(table, name))
            fail_msg("%s is not in expected.csv", entry->d_name);
    }
    (void)closedir(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own),
        cmocka_unit_test(listed),
        cmocka_unit_test(other),
    };

    return cmocka_run_group_tests_name("litmus", tests, NULL, NULL);
}
