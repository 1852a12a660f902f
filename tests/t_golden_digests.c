/* t_golden_digests.c - the twin predicts every golden digest: all instructions, layouts and families, and functions.
 *
 * Wants seconds.  With ORDO_GOLDEN_ALL set also each function on all 2^32 inputs by pieces, which takes minutes. */
#include "tests/golden_predict.h"

/* Cases and words behind the digests. */
static const struct golden_count digested[ORDO_GOLDEN_KINDS] = {
    [ORDO_GOLDEN_MMA] = {1240, 10780672}, [ORDO_GOLDEN_UNARY] = {24, 17301504}, [ORDO_GOLDEN_ADD] = {70, 1146880}};

static void every_digest_is_predicted(void **state)
{
    (void)state;
    every_case_is_predicted(false, digested);
}

/* One piece in 128 of each function; all of them where ORDO_GOLDEN_ALL is set. */
static void functions_on_all_inputs(void **state)
{
    struct ordo_golden golden;
    uint64_t n_bad = 0, n = 0;

    (void)state;
    read_golden(&golden, "sm90_h200_all.txt");
    for (size_t i = 0; i < golden.n; i++) {
        const uint64_t *v = golden.item[i].value;

        if (getenv("ORDO_GOLDEN_ALL") != NULL ? v[ORDO_KEY_N] == UINT64_C(1) << 32
                                              : v[ORDO_KEY_FIRST] != 0x3e000000 || v[ORDO_KEY_X_FORM] != 0)
            continue; /* the whole is its pieces once more */
        n_bad += differing(&golden.item[i]);
        n++;
    }
    ordo_golden_free(&golden);
    printf("golden: %" PRIu64 " pieces of 2^25 inputs\n", n);
    assert_int_equal(n_bad, 0);
    assert_true(n == 6 || n == 8 * 128);
}

/* twin_all.txt has the twin's digests of all 2^32 inputs, which take minutes to make; check-long makes them. */
static void the_twins_own_digests(void **state)
{
    const char *srcdir = getenv("srcdir");
    struct ordo_golden golden;
    char path[4096], name[32];
    uint64_t digest;
    int n = 0;
    FILE *file;

    (void)state;
    snprintf(path, sizeof path, "%s/tests/twin_all.txt", srcdir != NULL ? srcdir : ".");
    file = fopen(path, "r");
    assert_non_null(file);
    read_golden(&golden, "sm90_h200_all.txt");
    while (fscanf(file, "all %31s %" SCNx64 "\n", name, &digest) == 2)
        for (size_t i = 0; i < golden.n; i++) {
            const uint64_t *v = golden.item[i].value;

            if (v[ORDO_KEY_N] != UINT64_C(1) << 32 ||
                strcmp(ordo_golden_value_name(ORDO_KEY_OP, v[ORDO_KEY_OP]), name) != 0)
                continue;
            assert_int_equal(golden.item[i].digest, digest);
            n++;
        }
    ordo_golden_free(&golden);
    fclose(file);
    assert_int_equal(n, 8); /* six functions, two of them in two forms */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_digest_is_predicted),
        cmocka_unit_test(functions_on_all_inputs),
        cmocka_unit_test(the_twins_own_digests),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
