/* t_judge.c - the oracle's verdicts: honest rows pass, planted faults are found, MPFR is asked when it should be. */
#include "tests/test.h"

#include "oracle/bench_oracle.h"
#include "oracle/judge.h"
#include "ref/fp.h"
#include "ref/ordered.h"

#include <math.h>
#include <string.h>

enum { PLANES = 24, N_ADD = 48, WIDTH = 8, ROWS = 40 };

/* A row of two leaves a plane, its terms and its sum. */
struct fixture {
    struct ordo_add add[N_ADD];
    struct ordo_row row;
    float term[N_ADD * WIDTH], tree[WIDTH];
};

static void make(struct fixture *f, enum ordo_input_class kind, int32_t row)
{
    struct ordo_inputs in = {kind, 21, WIDTH};

    for (uint32_t i = 0; i < N_ADD; i++)
        f->add[i] = (struct ordo_add){(uint32_t)row * 100 + i, i / 2};
    f->row = (struct ordo_row){row, N_ADD, f->add};
    ordo_ref_terms(&in, &f->row, f->term);
    ordo_ref_sum(&f->row, PLANES, f->term, WIDTH, f->tree);
}

static void open_oracle(struct ordo_oracle *o, bool exact, uint32_t period)
{
    struct ordo_err err = {0};

    assert_ok(ordo_oracle_init(o, exact, PLANES, period, &err), err);
}

static void judge(struct ordo_oracle *o, const struct fixture *f, struct ordo_judgement *j)
{
    struct ordo_err err = {0};

    assert_ok(ordo_judge_row(o, &f->row, (uint64_t)f->row.row, f->term, WIDTH, f->tree, j, &err), err);
}

static void honest_rows_are_clean(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        struct ordo_oracle o;
        struct fixture f;

        open_oracle(&o, kind == ORDO_EXACT, 4);
        for (int32_t r = 0; r < ROWS; r++) {
            make(&f, (enum ordo_input_class)kind, r);
            judge(&o, &f, NULL);
        }
        assert_true(ordo_oracle_clean(&o.summary));
        assert_int_equal(o.summary.rows, ROWS);
        assert_int_equal(o.summary.columns, ROWS * WIDTH);
        assert_int_equal(o.summary.terms, ROWS * WIDTH * N_ADD);
        assert_int_equal(o.summary.sampled, ROWS / 4 * WIDTH);
        if (kind == ORDO_EXACT) {
            assert_int_equal(o.summary.correctly_rounded, o.summary.columns);
            assert_int_equal(o.summary.worst_row, -1);
        } else {
            assert_true(o.summary.correctly_rounded < o.summary.columns);
            assert_true(o.summary.worst_ratio > 0 && o.summary.worst_ratio < 1 && o.summary.worst_row >= 0);
        }
        ordo_oracle_free(&o);
    }
}

/* The fixture is judged with its tree's column 5 set to bits; returns that judgement and the summary. */
static struct ordo_judgement planted(const struct fixture *f, bool exact, uint32_t bits,
                                     struct ordo_oracle_summary *s)
{
    struct ordo_judgement j[WIDTH];
    struct fixture bad = *f;
    struct ordo_oracle o;

    bad.row.add = bad.add;
    bad.tree[5] = ordo_fp32(bits);
    open_oracle(&o, exact, 0);
    judge(&o, &bad, j);
    *s = o.summary;
    ordo_oracle_free(&o);
    return j[5];
}

static void faults_of_the_sum(void **state)
{
    static const uint32_t special[] = {0x7fc00000, 0xffffffff, 0x7f800000, 0xff800000};
    struct ordo_oracle_summary s;
    struct ordo_judgement j;
    struct fixture f;
    float lost;

    (void)state;
    make(&f, ORDO_ROUGH, 3);
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) {
        j = planted(&f, false, special[i], &s);
        assert_true(!j.inside && j.mpfr_checked && j.mpfr_agrees && !j.equals_exact);
        assert_true(s.outside_bound == 1 && s.sampled == 1 && s.failed && s.failed_row == 3 && s.failed_column == 5);
        assert_true(isinf(s.worst_ratio) && s.worst_column == 5 && !ordo_oracle_clean(&s));
    }
    lost = f.tree[5] - f.term[5] - f.term[WIDTH + 5]; /* a plane that was left out */
    j = planted(&f, false, ordo_fp32_bits(lost), &s);
    assert_true(!j.inside && s.outside_bound == 1 && s.worst_ratio > 1);
    j = planted(&f, false, ordo_fp32_bits(f.tree[5]) + 1, &s); /* one ulp: no bound can see that */
    assert_true(j.inside && ordo_oracle_clean(&s) && s.sampled == 0);
}

/* Where no addition rounds, one ulp is a fault, and so is the sign of a zero. */
static void faults_of_exact_sums(void **state)
{
    struct ordo_oracle_summary s;
    struct ordo_judgement j;
    struct fixture f;

    (void)state;
    make(&f, ORDO_EXACT, 7);
    j = planted(&f, true, ordo_fp32_bits(f.tree[5]), &s);
    assert_true(j.equals_exact && !(j.error > 0) && ordo_oracle_clean(&s));
    j = planted(&f, true, ordo_fp32_bits(f.tree[5]) + 1, &s);
    assert_true(!j.equals_exact && j.mpfr_checked && j.mpfr_agrees);
    assert_true(s.not_exact == 1 && s.failed && s.failed_judgement.tree == j.tree && !ordo_oracle_clean(&s));
    memset(f.term, 0, sizeof f.term);
    memset(f.tree, 0, sizeof f.tree);
    j = planted(&f, true, ORDO_FP32_SIGN, &s);
    assert_true(j.inside && !j.equals_exact && s.not_exact == 1);
}

/* Terms that are not finite have no bound and no exact sum: never clean, even if the tree agrees. */
static void special_terms_are_not_clean(void **state)
{
    struct ordo_oracle_summary s;
    struct ordo_judgement j;
    struct fixture f;

    (void)state;
    make(&f, ORDO_ROUGH, 1);
    f.term[2 * WIDTH + 5] = INFINITY;
    j = planted(&f, false, 0x7f800000, &s);
    assert_true(j.equals_exact && !j.inside && j.mpfr_agrees && s.outside_bound == 1);
}

static void summaries_merge_in_any_order(void **state)
{
    struct ordo_oracle part[3], whole;
    struct ordo_oracle_summary up = ordo_oracle_summary_none(), down = up;

    (void)state;
    open_oracle(&whole, false, 5);
    for (int k = 0; k < 3; k++)
        open_oracle(&part[k], false, 5);
    for (int32_t r = 0; r < ROWS; r++) {
        struct fixture f;

        make(&f, ORDO_ROUGH, r);
        if (r % 11 == 10)
            f.tree[r % WIDTH] = NAN;
        judge(&whole, &f, NULL);
        judge(&part[r * 7 % 3], &f, NULL);
    }
    for (int k = 0; k < 3; k++) {
        ordo_oracle_summary_merge(&up, &part[k].summary);
        ordo_oracle_summary_merge(&down, &part[2 - k].summary);
    }
    assert_true(up.failed_row == 10 && up.outside_bound == 3 && up.worst_row == 10);
    assert_true(up.columns == whole.summary.columns && up.sampled == whole.summary.sampled);
    assert_true(up.failed_row == whole.summary.failed_row && up.failed_column == whole.summary.failed_column);
    assert_true(down.failed_row == up.failed_row && down.failed_column == up.failed_column);
    assert_true(down.worst_row == up.worst_row && down.worst_column == up.worst_column);
    assert_true(whole.summary.worst_row == up.worst_row && down.correctly_rounded == up.correctly_rounded);
    for (int k = 0; k < 3; k++)
        ordo_oracle_free(&part[k]);
    ordo_oracle_free(&whole);
}

static void empty_row(void **state)
{
    struct ordo_row row = {0, 0, NULL};
    struct ordo_err err = {0};
    struct ordo_judgement j;
    struct ordo_oracle o;
    float zero = 0, term = 0;

    (void)state;
    open_oracle(&o, true, 1);
    assert_ok(ordo_judge_row(&o, &row, 0, &term, 1, &zero, &j, &err), err);
    assert_true(j.equals_exact && j.inside && j.mpfr_agrees && ordo_oracle_clean(&o.summary));
    ordo_oracle_free(&o);
}

static void benchmark_runs(void **state)
{
    struct ordo_bench_oracle b;
    struct ordo_err err = {0};

    (void)state;
    assert_ok(ordo_bench_oracle(&b, &err), err);
    for (int i = 0; i < ORDO_BENCH_RANGES; i++) {
        assert_int_equal(b.range[i].disagreements, 0);
        assert_true(b.range[i].chain > 0 && b.range[i].exact > 0 && b.range[i].mpfr > 0);
    }
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(honest_rows_are_clean), cmocka_unit_test(faults_of_the_sum),
        cmocka_unit_test(faults_of_exact_sums),  cmocka_unit_test(special_terms_are_not_clean),
        cmocka_unit_test(summaries_merge_in_any_order), cmocka_unit_test(empty_row), cmocka_unit_test(benchmark_runs),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
