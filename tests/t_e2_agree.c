/* t_e2_agree.c - engines that share no code, on the same small relays: E1 runs the real tensor, E4 asks its
 * conditions of the tapes, E2 explores.  Every mask of 4 ranks and 2 rows, sound and with one operation left out. */
#include "sim/design.h"
#include "sim/e2_variant.h"
#include "sim/e4.h"
#include "sim/run_op.h"
#include "tests/naive.h"
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>

enum { RANKS = 4, ROWS = 2, MASKS = 1 << (RANKS * ROWS) };

struct small {
    int32_t idx[RANKS * ROWS];
    struct ordo_problem p;
    struct ordo_plan plan;
    struct ordo_run_list run;
};

static int keep(void *ctx, const struct ordo_run_op *op)
{
    struct small *s = ctx;

    s->run.op[s->run.n++] = *op;
    return 0;
}

static void small_of(struct small *s, unsigned mask)
{
    struct ordo_request request;
    struct ordo_err err = {0};

    *s = (struct small){.p = {.n_query = RANKS, .n_kv = ROWS, .topk = ROWS}};
    for (int i = 0; i < RANKS * ROWS; i++)
        s->idx[i] = mask >> (i % ROWS * RANKS + i / ROWS) & 1 ? i % ROWS : -1;
    s->p.idx = s->idx;
    request = request_of(&s->p);
    request.cluster = RANKS;
    request.wave = RANKS;
    s->run.op = calloc(5 * RANKS * ROWS, sizeof *s->run.op);
    assert_non_null(s->run.op);
    assert_ok(ordo_plan_make(&request, &s->plan, &err), err);
    assert_int_equal(ordo_run_stream(&s->plan, &s->p, keep, s), 0);
}

/* Leaves out the nth operation of the kind by the rank; false if there is none. */
static bool leave_out(struct ordo_run_list *run, enum ordo_run_kind kind, int32_t rank)
{
    for (uint64_t i = 0; i < run->n; i++)
        if (run->op[i].kind == kind && run->op[i].rank == rank) {
            memmove(&run->op[i], &run->op[i + 1], (run->n - i - 1) * sizeof *run->op);
            run->n--;
            return true;
        }
    return false;
}

static bool e1_proves(struct small *s)
{
    struct ordo_run_difference d;
    struct ordo_proof proof;
    struct ordo_err err = {0};
    bool proved;

    assert_ok(ordo_run_prove(&s->run, &s->plan, &s->p, &proof, &d, &err), err);
    proved = proof.verdict == ORDO_PROVED;
    ordo_proof_free(&proof);
    return proved;
}

static bool e2_proves(unsigned mask, const struct ordo_e2_edit *edit)
{
    struct ordo_e2_spec spec = {
        .design = ORDO_E2_RELAY, .stride = RANKS, .rows = ROWS, .writes = mask | UINT64_C(1) << 63};
    struct ordo_e2_options o = {.scheduler = ORDO_SCHED_CLUSTER, .slots = RANKS};
    struct ordo_e2_program p;
    struct ordo_e2_result r;

    assert_true(ordo_e2_design(&spec, &p));
    if (edit)
        ordo_e2_edit(&spec, &p, edit);
    assert_null(p.wrong);
    assert_true(ordo_e2_decide(&p, &o, &r));
    assert_true(r.verdict == ORDO_E2_PROVED || r.verdict == ORDO_E2_VIOLATED);
    ordo_e2_program_free(&p);
    ordo_e2_result_free(&r);
    return r.verdict == ORDO_E2_PROVED;
}

static bool e4_holds(const struct small *s)
{
    struct ordo_cta_shape shape = {
        .name = "small",
        .cluster = RANKS,
        .n_rank = RANKS,
        .n_wave = 1,
        .n_tile = ROWS,
        .n_slot = 1,
        .n_row = ROWS,
        .n_column = 1,
        .n_reducer = 1,
        .idx = s->idx,
    };
    struct ordo_cluster_tapes tapes;
    struct ordo_e4_finding finding;
    enum ordo_e4_verdict verdict;

    assert_true(ordo_cluster_tapes_record(&tapes, &shape));
    verdict = ordo_e4_check(&tapes, &finding);
    ordo_cluster_tapes_free(&tapes);
    return verdict == ORDO_E4_HOLDS;
}

static void sound_relays(void **state)
{
    (void)state;
    for (unsigned mask = 0; mask < MASKS; mask++) {
        struct small s;

        small_of(&s, mask);
        if (!e1_proves(&s) || !e2_proves(mask, NULL) || !e4_holds(&s))
            fail_msg("mask 0x%x: E1 %d, E2 %d, E4 %d", mask, e1_proves(&s), e2_proves(mask, NULL), e4_holds(&s));
        free(s.run.op);
    }
}

/* A rank whose first clear is left out keeps its bit: a later rank waits for ever, or the bit is left over. */
static void a_clear_left_out(void **state)
{
    (void)state;
    for (unsigned mask = 1; mask < MASKS; mask++)
        for (int32_t rank = 0; rank < RANKS; rank++) {
            const struct ordo_e2_edit drop = {ORDO_EDIT_DROP, NULL, rank, ORDO_OP_RED_AND, 0, 0, 0};
            struct small s;

            small_of(&s, mask);
            if (leave_out(&s.run, ORDO_RUN_CLEAR, rank) && (e1_proves(&s) || e2_proves(mask, &drop)))
                fail_msg("mask 0x%x, rank %d: E1 %d, E2 %d", mask, rank, e1_proves(&s), e2_proves(mask, &drop));
            free(s.run.op);
        }
}

/* Whether anybody waits for what the rank's first await asks. */
static bool asks(unsigned mask, int32_t rank)
{
    for (int row = 0; row < ROWS; row++)
        if (mask >> (row * RANKS + rank) & 1)
            return mask >> (row * RANKS) & ((1u << rank) - 1);
    return false;
}

/* A rank that does not wait on its first row races iff a lower rank writes that row and nothing else orders them. */
static void a_wait_left_out(void **state)
{
    (void)state;
    for (unsigned mask = 1; mask < MASKS; mask++)
        for (int32_t rank = 0; rank < RANKS; rank++) {
            const struct ordo_e2_edit drop = {ORDO_EDIT_DROP, NULL, rank, ORDO_OP_AWAIT_CLEAR, 0, 0, 0};
            struct small s;

            small_of(&s, mask);
            if (leave_out(&s.run, ORDO_RUN_WAIT, rank)) {
                assert_false(e1_proves(&s)); /* a run that is not the plan's */
                assert_int_equal(e2_proves(mask, &drop), !asks(mask, rank));
            }
            free(s.run.op);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_relays),
        cmocka_unit_test(a_clear_left_out),
        cmocka_unit_test(a_wait_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
