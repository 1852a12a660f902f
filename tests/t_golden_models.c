/* t_golden_models.c - no wrong model of the tensor core passes on the golden outputs, and by how much.
 *
 * A suite that a wrong model passes is too weak.  The counts are golden too: they are a property of the inputs. */
#include "tests/golden_predict.h"
#include "tests/naive_mma.h"

/* The right one first.  Each wrong one: words that differ in the probes (of all units), and by family in the cases
 * below. */
static const struct {
    struct naive_model model;
    uint64_t probes, family[ORDO_FAMILIES];
} models[] = {
    {{"right", 25, 16, -133, false, false}, 0, {0}},
    {{"24 fraction bits", 24, 16, -133, false, false}, 24,
     {484, 7696, 24675, 5654, 1772, 13862, 2294, 942, 13433, 13908}},
    {{"26 fraction bits", 26, 16, -133, false, false}, 24,
     {293, 3082, 23139, 2969, 929, 7033, 1060, 270, 6798, 9263}},
    {{"two steps of 8", 25, 8, -133, false, false}, 8,
     {6799, 12634, 13179, 11681, 14477, 16353, 9094, 2032, 18000, 8009}},
    {{"a zero product takes part", 25, 16, -133, true, false}, 4, {0, 0, 0, 0, 0, 67324, 0, 0, 0, 289}},
    {{"floor -126", 25, 16, -126, false, false}, 8, {0, 0, 0, 3387, 6729, 0, 0, 0, 0, 0}},
    {{"floor -131", 25, 16, -131, false, false}, 4, {0, 0, 0, 109, 214, 0, 0, 0, 0, 0}},
    {{"floor -132", 25, 16, -132, false, false}, 4, {0, 0, 0, 52, 76, 0, 0, 0, 0, 0}},
    {{"floor -134", 25, 16, -134, false, false}, 4, {0, 0, 0, 23, 33, 0, 0, 0, 0, 0}},
    {{"no floor", 25, 16, -1000, false, false}, 4, {0, 0, 0, 27, 48, 0, 0, 0, 0, 0}},
    {{"rounded to nearest", 25, 16, -133, false, true}, 16,
     {1574, 21644, 644, 20799, 22989, 26505, 3067, 3590, 24089, 12641}},
};
enum { MODELS = sizeof models / sizeof models[0] };

/* Chains of at most four k16 steps: all of mma.sync, and those of wgmma that are stored in full. */
static bool is_short(const struct ordo_golden_case *item)
{
    const uint64_t *v = item->value;

    return v[ORDO_KEY_KIND] == ORDO_GOLDEN_MMA && v[ORDO_KEY_UNIT] < ORDO_UNIT_MMA_SYNC_FP16 &&
           v[ORDO_KEY_GROUP] == 16 && v[ORDO_KEY_GROUPS] <= 4 &&
           (item->word != NULL || v[ORDO_KEY_UNIT] == ORDO_UNIT_MMA_SYNC);
}

/* Elements of a tile that a model gets wrong. */
static uint64_t wrong_elements(const struct naive_model *model, const struct tile *t, const uint32_t *word)
{
    uint64_t n = 0;

    for (int32_t at = 0; at < t->m * t->n; at++) {
        uint32_t c = t->c[at];

        for (int32_t k = 0; k < t->k; k += 16)
            c = naive_step(model, t->a + at / t->n * t->k + k, t->b + at % t->n * t->k + k, c);
        n += c != word[at];
    }
    return n;
}

static void count_chain(const struct ordo_golden_case *item, uint64_t wrong[MODELS][ORDO_FAMILIES])
{
    const uint64_t *v = item->value;
    uint64_t digest;
    uint32_t *word = predict(item, &digest); /* digests are equal, so these are the card's */

    assert_int_equal(digest, item->digest);
    for (uint64_t i = 0; i < v[ORDO_KEY_TILES]; i++) {
        struct tile t = make_tile(v, i);

        for (size_t j = 0; j < MODELS; j++)
            wrong[j][v[ORDO_KEY_FAMILY]] +=
                wrong_elements(&models[j].model, &t, word + i * v[ORDO_KEY_ROWS] * v[ORDO_KEY_COLS]);
        free_tile(&t);
    }
    free(word);
}

static uint64_t wrong_probes(const struct naive_model *model, const uint32_t *word)
{
    uint64_t n = 0;

    for (size_t i = 0; i < ORDO_PROBES; i++) {
        uint16_t a[16], b[16];

        ordo_probe_operands(&ordo_probe[i], a, b);
        n += naive_step(model, a, b, ordo_probe[i].c) != word[i];
    }
    return n;
}

static void no_wrong_model_passes(void **state)
{
    struct ordo_golden golden;
    uint64_t probes[MODELS] = {0}, wrong[MODELS][ORDO_FAMILIES] = {{0}};

    (void)state;
    read_golden(&golden, "sm90_h200.txt");
    for (size_t i = 0; i < golden.n; i++)
        if (golden.item[i].value[ORDO_KEY_KIND] == ORDO_GOLDEN_PROBE)
            for (size_t j = 0; j < MODELS; j++)
                probes[j] += wrong_probes(&models[j].model, golden.item[i].word);
        else if (is_short(&golden.item[i]))
            count_chain(&golden.item[i], wrong);
    ordo_golden_free(&golden);
    for (size_t j = 0; j < MODELS; j++) {
        printf("golden: %-26s probes %3" PRIu64 ", families", models[j].model.name, probes[j]);
        for (int f = 0; f < ORDO_FAMILIES; f++)
            printf(" %" PRIu64, wrong[j][f]);
        printf("\n");
    }
    for (size_t j = 0; j < MODELS; j++) {
        assert_int_equal(probes[j], models[j].probes);
        assert_memory_equal(wrong[j], models[j].family, sizeof wrong[j]);
    }
}

/* --- FP16 ------------------------------------------------------------------------------------------------------- */

/* The right one first; words of the single steps and chains of four that differ. */
static const struct {
    int32_t fraction, chunk;
    uint64_t wrong;
} fp16_models[] = {{25, 16, 0}, {24, 16, 271}, {26, 16, 166}, {25, 8, 329}, {25, 4, 466}};
enum { FP16_MODELS = sizeof fp16_models / sizeof fp16_models[0] };

/* The chain of element `at` by a model of other constants. */
static uint32_t fp16_chain(const struct ordo_mma_model *model, const struct tile *t, int32_t at)
{
    uint32_t c = t->c[at];

    for (int32_t k = 0; k < t->k; k += model->chunk) {
        struct ordo_mma_operands x = {&ordo_format_fp16, t->a + at / t->n * t->k + k, t->b + at % t->n * t->k + k,
                                      1, 1};
        struct ordo_mma_loss loss;

        c = ordo_mma_step(model, &x, c, &loss);
    }
    return c;
}

static void no_wrong_model_of_fp16_passes(void **state)
{
    struct ordo_golden golden;
    uint64_t wrong[FP16_MODELS] = {0};

    (void)state;
    read_golden(&golden, "sm90_h200.txt");
    for (size_t i = 0; i < golden.n; i++) {
        const uint64_t *v = golden.item[i].value;
        struct tile t;

        if (v[ORDO_KEY_KIND] != ORDO_GOLDEN_MMA || v[ORDO_KEY_UNIT] < ORDO_UNIT_MMA_SYNC_FP16 ||
            golden.item[i].word == NULL)
            continue;
        for (uint64_t tile = 0; tile < v[ORDO_KEY_TILES]; tile++) {
            t = make_tile(v, tile);
            for (size_t j = 0; j < FP16_MODELS; j++) {
                struct ordo_mma_model model = model_of(16);

                model.fraction = fp16_models[j].fraction;
                model.chunk = fp16_models[j].chunk;
                for (int32_t at = 0; at < t.m * t.n; at++)
                    wrong[j] += fp16_chain(&model, &t, at) !=
                                golden.item[i].word[tile * (uint64_t)(t.m * t.n) + (uint64_t)at];
            }
            free_tile(&t);
        }
    }
    ordo_golden_free(&golden);
    for (size_t j = 0; j < FP16_MODELS; j++)
        printf("golden: FP16, %d bits, steps of %d: %" PRIu64 " words differ\n", fp16_models[j].fraction,
               fp16_models[j].chunk, wrong[j]);
    for (size_t j = 0; j < FP16_MODELS; j++)
        assert_int_equal(wrong[j], fp16_models[j].wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_wrong_model_passes),
        cmocka_unit_test(no_wrong_model_of_fp16_passes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
