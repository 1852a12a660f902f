/* t_dense_time.c - the closed forms of dense schedules come out of the simulator, equal as fractions.
 *
 * Source of the forms: DASH (arXiv 2601.21824) and exact simulation; n tiles a side, m heads, weights c and r. */
#include "tests/dense_case.h"

#include <stdlib.h>

static const struct ordo_rational weights[][2] = {
    {{3, 1}, {1, 1}}, {{1, 1}, {1, 1}}, {{1, 1}, {3, 1}}, {{5, 1}, {0, 1}}, {{3, 2}, {2, 3}}, {{7, 10}, {9, 4}}};
static const int32_t sides[] = {2, 4, 6, 8, 16}, head_counts[] = {1, 2, 3, 4, 8};

/* a * c + b * r, where a and b may be halves. */
static struct ordo_rational combine(int64_t a2, struct ordo_rational c, int64_t b2, struct ordo_rational r)
{
    struct ordo_rational x, y;

    assert_true(ordo_rational_mul(c, ordo_rational_of(a2, 2), &x));
    assert_true(ordo_rational_mul(r, ordo_rational_of(b2, 2), &y));
    assert_true(ordo_rational_add(x, y, &x));
    return x;
}

#define assert_rational(got, want, ...)                                                                     \
    do {                                                                                                    \
        char got_[ORDO_RATIONAL_TEXT], want_[ORDO_RATIONAL_TEXT];                                           \
        if (ordo_rational_compare(got, want))                                                               \
            fail_msg("%s n=%d m=%d: %s, not %s", __VA_ARGS__, ordo_rational_text(got, got_),                \
                     ordo_rational_text(want, want_));                                                      \
    } while (0)

/* What the closed form gives, twice the counts of c and of r, and whether anybody may stall and the work bound is
 * met. */
struct form {
    const char *schedule;
    enum ordo_dense_mask_kind mask;
    bool even_heads, one_head, optimal;
};

static const struct form forms[] = {
    {"ascending", ORDO_DENSE_MASK_FULL, false, false, false},
    {"shift", ORDO_DENSE_MASK_FULL, false, false, true},
    {"ascending", ORDO_DENSE_MASK_CAUSAL, false, false, false},
    {"descending-pair", ORDO_DENSE_MASK_CAUSAL, true, false, false},
    {"symmetric", ORDO_DENSE_MASK_CAUSAL, true, false, true},
    {"symmetric-text", ORDO_DENSE_MASK_CAUSAL, true, false, true},
    {"spt", ORDO_DENSE_MASK_CAUSAL, false, true, false},
    {"alternating", ORDO_DENSE_MASK_CAUSAL, true, false, true},
};

static struct ordo_rational predicted(const struct form *f, int64_t n, int64_t m, struct ordo_rational c,
                                      struct ordo_rational r)
{
    int64_t full = 2 * m * n, half = m * (n + 1), ramp = 2 * (n - 1);

    if (f->optimal)
        return f->mask == ORDO_DENSE_MASK_FULL ? combine(full, c, full, r) : combine(half, c, half, r);
    if (f->one_head)
        return combine(2 * n, c, 2 * n, r);
    if (!f->even_heads)
        return combine(full, c, full + ramp, r);
    if (ordo_rational_compare(r, c) <= 0)
        return combine(half, c, half + ramp, r);
    return combine(half - (m / 2 - 1) * ramp, c, half + ramp + (m / 2 - 1) * ramp, r);
}

static void one_form(const struct form *f, int32_t n, int32_t m, struct ordo_rational c, struct ordo_rational r)
{
    struct dense_timed t = dense_time((struct dense_case){.schedule = f->schedule, .mask = f->mask, .n_q = n,
                                                          .n_kv = n, .heads = m, .c = c, .r = r});

    assert_false(t.time.hangs);
    assert_int_equal(t.time.done, t.time.tasks);
    assert_rational(ordo_dense_makespan(&t.time), predicted(f, n, m, c, r), f->schedule, (int)n, (int)m);
    assert_true(ordo_rational_compare(ordo_dense_makespan(&t.time), t.bounds.most) >= 0);
    if (f->optimal || f->one_head)
        assert_int_equal(t.time.stall, 0);
    if (f->optimal)
        assert_rational(ordo_dense_makespan(&t.time), t.bounds.work, f->schedule, (int)n, (int)m);
    dense_timed_free(&t);
}

static void closed_forms(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++)
        for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++)
            for (size_t j = 0; j < sizeof head_counts / sizeof head_counts[0]; j++)
                for (size_t w = 0; w < sizeof weights / sizeof weights[0]; w++) {
                    if ((forms[f].even_heads && head_counts[j] % 2) || (forms[f].one_head && head_counts[j] > 1))
                        continue;
                    one_form(&forms[f], sides[i], head_counts[j], weights[w][0], weights[w][1]);
                }
}

/* The sample values of the sources, as numbers: n = 16, m = 8. */
static void samples(void **state)
{
    static const int64_t want[2][8] = {{527, 512, 527, 287, 272, 272, 64, 272},
                                       {557, 512, 557, 407, 272, 272, 64, 272}};

    (void)state;
    for (int w = 0; w < 2; w++)
        for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
            struct dense_timed t = dense_time((struct dense_case){
                .schedule = forms[f].schedule, .mask = forms[f].mask, .n_q = 16, .n_kv = 16,
                .heads = forms[f].one_head ? 1 : 8, .c = weights[2 * w][0], .r = weights[2 * w][1]});

            assert_rational(ordo_dense_makespan(&t.time), ordo_rational_of(want[w][f], 1), forms[f].schedule, 16, 8);
            dense_timed_free(&t);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(closed_forms), cmocka_unit_test(samples)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
