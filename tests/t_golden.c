/* t_golden.c - the twin predicts every stored word of the golden outputs.
 *
 * tests/golden/ has what a card returned; nothing here needs one.  The digests are t_golden_digests.c's. */
#include "tests/golden_predict.h"

/* Cases and words that are stored in full. */
static const struct golden_count stored[ORDO_GOLDEN_KINDS] = {
    [ORDO_GOLDEN_MMA] = {60, 21760}, [ORDO_GOLDEN_PROBE] = {4, 132}, [ORDO_GOLDEN_UNARY] = {48, 12288},
    [ORDO_GOLDEN_ADD] = {14, 3584}};

static void every_word_is_predicted(void **state)
{
    (void)state;
    every_case_is_predicted(true, stored);
}

/* base/probes.h says itself what a step returns; the card said the same, whatever the instruction. */
static void probes_are_the_tables(void **state)
{
    struct ordo_golden golden;

    (void)state;
    read_golden(&golden, "sm90_h200.txt");
    for (size_t i = 0; i < golden.n; i++)
        for (size_t p = 0; golden.item[i].value[ORDO_KEY_KIND] == ORDO_GOLDEN_PROBE && p < ORDO_PROBES; p++)
            assert_int_equal(golden.item[i].word[p], ordo_probe[p].want);
    ordo_golden_free(&golden);
}

/* Single sums that an H200 returned (driver 580, CUDA 13.0): red.global flushes, red.shared, bulk and FADD do not. */
static const struct {
    uint32_t a, b, red, plain;
} sums[] = {
    {0x00000001, 0x00000001, 0x00000000, 0x00000002}, {0x00400000, 0x00400000, 0x00000000, 0x00800000},
    {0x80000001, 0x00000000, 0x00000000, 0x80000001}, {0x3f800000, 0x33800000, 0x3f800000, 0x3f800000},
    {0x3f800000, 0x33800001, 0x3f800001, 0x3f800001}, {0x80000000, 0x80000000, 0x80000000, 0x80000000},
    {0x80000000, 0x00000000, 0x00000000, 0x00000000},
};

static void sums_of_each_kind(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) {
        assert_int_equal(add(true, sums[i].a, sums[i].b), sums[i].red);
        assert_int_equal(add(false, sums[i].a, sums[i].b), sums[i].plain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_word_is_predicted),
        cmocka_unit_test(probes_are_the_tables),
        cmocka_unit_test(sums_of_each_kind),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
