/* t_golden_cases.c - the golden files hold what capture's tables say, case by case in their order: none that was
 * added is unrecorded, none that was recorded is lost. */
#include "kernels/cases.h"
#include "kernels/golden.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct walk {
    struct ordo_golden golden;
    size_t at;
};

static enum ordo_status next_is(void *context, const struct ordo_golden_case *item, bool words, struct ordo_err *err)
{
    struct walk *walk = context;
    const struct ordo_golden_case *recorded = &walk->golden.item[walk->at];

    (void)err;
    if (walk->at == walk->golden.n)
        fail_msg("%s and what follows it is not recorded", item->name);
    assert_string_equal(recorded->name, item->name);
    assert_memory_equal(recorded->value, item->value, sizeof item->value);
    assert_int_equal(recorded->word != NULL, words);
    walk->at++;
    return ORDO_OK;
}

static void compare(const char *name, enum ordo_status (*cases)(ordo_case_fn *, void *, struct ordo_err *))
{
    const char *srcdir = getenv("srcdir");
    struct walk walk = {.at = 0};
    struct ordo_err err = {.file = ""};
    char path[4096];

    snprintf(path, sizeof path, "%s/tests/golden/%s", srcdir != NULL ? srcdir : ".", name);
    assert_ok(ordo_golden_read(&walk.golden, path, &err), err);
    assert_int_equal(cases(next_is, &walk, &err), ORDO_OK);
    assert_int_equal(walk.at, walk.golden.n);
    print_message("%s: %zu cases\n", name, walk.at);
    ordo_golden_free(&walk.golden);
}

static void main_cases(void **state)
{
    (void)state;
    compare("sm90_h200.txt", ordo_cases_main);
}

static void all_inputs(void **state)
{
    (void)state;
    compare("sm90_h200_all.txt", ordo_cases_all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(main_cases),
        cmocka_unit_test(all_inputs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
