/* t_cases.c - the seeds of corpus/cases, each by name: the shipped code gives what the case promises, the file is
 * canonical, and its name ends with the first 16 digits of its digest. */
#include "fuzz/campaign.h"

#include "tests/test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[512];

static char *slurp(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);

    assert_non_null(f);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
    (void)fclose(f);
    return text;
}

static void one(void **state)
{
    const char *name = *state;
    char path[1024], broken[200], hex[ORDO_DIGEST_HEX], *text, *printed;
    struct ordo_trial_result r = {.verdict = ORDO_REFUSED};
    struct ordo_err err = {0};
    struct ordo_digest digest;
    struct ordo_case c;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_ok(ordo_case_read(path, &c, &err), err);
    assert_true(c.expect[0] && c.link[0] && c.report[0] && c.note[0]);
    assert_ok(ordo_replay_case(&c, &r, &err), err);
    assert_string_equal(r.finding.signature, "");
    if (ordo_trial_breaks_promise(&c, &r, broken, sizeof broken))
        fail_msg("%s: %s", name, broken);
    assert_ok(ordo_case_digest(&c, &digest, &err), err);
    assert_non_null(strrchr(name, '-'));
    assert_memory_equal(strrchr(name, '-') + 1, ordo_digest_hex(&digest, hex), 16);
    text = slurp(path);
    printed = ordo_case_print(&c, false);
    assert_string_equal(text, printed);
    free(text);
    free(printed);
    ordo_case_free(&c);
}

static int is_case(const struct dirent *e)
{
    size_t n = strlen(e->d_name);

    return n > 5 && strcmp(e->d_name + n - 5, ".case") == 0;
}

int main(void)
{
    const char *srcdir = getenv("srcdir");
    struct dirent **entry;
    struct CMUnitTest *test;
    int n, failed;

    (void)snprintf(folder, sizeof folder, "%s/corpus/cases", srcdir ? srcdir : ".");
    n = scandir(folder, &entry, is_case, alphasort);
    test = calloc(n > 0 ? (size_t)n : 1, sizeof *test);
    if (n <= 0 || !test) {
        fprintf(stderr, "%s: no cases\n", folder);
        return 1;
    }
    for (int i = 0; i < n; i++)
        test[i] = (struct CMUnitTest){entry[i]->d_name, one, NULL, NULL, entry[i]->d_name};
    failed = _cmocka_run_group_tests("cases", test, (size_t)n, NULL, NULL);
    for (int i = 0; i < n; i++)
        free(entry[i]);
    free(entry);
    free(test);
    return failed;
}
