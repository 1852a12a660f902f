/* t_run.c - a run as a list: the plan's own is proved, and every edit of every line is violated and named. */
#include "sim/design.h"
#include "sim/run_op.h"
#include "tests/run_instance.h"

/* --- the plan's own run ----------------------------------------------------------------------------------------- */

static void own_run(int32_t n_query, int32_t topk, int32_t n_kv, int32_t cluster, int32_t wave, int32_t n_head)
{
    struct instance in = instance(n_query, topk, n_kv, cluster, wave, n_head);
    struct naive_order naive = naive_order(&in.plan, &in.p);
    struct ordo_run_difference d;
    struct ordo_proof proof;
    struct ordo_err err = {0};

    assert_int_equal(in.list.n, naive.n * (cluster == 1 ? 1 : 4));
    assert_ok(ordo_run_prove(&in.list, &in.plan, &in.p, &proof, &d, &err), err);
    assert_int_equal(proof.verdict, ORDO_PROVED);
    assert_int_equal(d.line, 0);
    assert_int_equal(proof.updates, naive.n);
    assert_int_equal(proof.waits, naive.waits);
    assert_memory_equal(&proof.order_digest, &naive.digest, sizeof naive.digest);
    ordo_proof_free(&proof);
    free(naive.add);
    instance_free(&in);
}

static void own_runs(void **state)
{
    (void)state;
    own_run(45, 70, 90, 1, 0, 128);
    own_run(45, 70, 90, 1, 16, 64);
    own_run(45, 70, 90, 4, 0, 64);
    own_run(45, 70, 90, 8, 24, 128);
    own_run(45, 130, 200, 16, 16, 128);
    own_run(0, 4, 8, 8, 0, 64);
}

/* --- edits ------------------------------------------------------------------------------------------------------ */

enum edit { DROP, DOUBLE, SWAP, GIVE };

/* `at` is the line's index; other is the rank that it is given to. */
static struct ordo_run_list edited(const struct ordo_run_list *list, enum edit edit, uint64_t at, int32_t other)
{
    struct ordo_run_list out = {malloc((list->n + 1) * sizeof *list->op), 0};

    assert_non_null(out.op);
    for (uint64_t i = 0; i < list->n; i++) {
        if (i != at || edit != DROP)
            out.op[out.n++] = list->op[i];
        if (i == at && edit == DOUBLE)
            out.op[out.n++] = list->op[i];
    }
    if (edit == SWAP) {
        out.op[at] = list->op[at + 1];
        out.op[at + 1] = list->op[at];
    }
    if (edit == GIVE)
        out.op[at].rank = other;
    return out;
}

/* Whether a rank above of the same group touches the row too: then a bit that stays blocks it. */
static bool has_successor(const struct ordo_run_list *list, const struct ordo_run_op *op)
{
    for (uint64_t i = 0; i < list->n; i++) {
        const struct ordo_run_op *o = &list->op[i];

        if (o->kind == ORDO_RUN_ADD && o->row == op->row && o->wave == op->wave && o->plane == op->plane &&
            o->head_block == op->head_block && o->rank > op->rank)
            return true;
    }
    return false;
}

/* The rule that a dropped or doubled line breaks; for the others any rule will do. */
static enum ordo_violation_kind rule_of(const struct instance *in, enum edit edit, uint64_t at)
{
    static const enum ordo_violation_kind doubled[] = {ORDO_VIOLATION_NOT_THE_PROGRAM, ORDO_VIOLATION_NOT_THE_PROGRAM,
                                                       ORDO_VIOLATION_DOUBLE_ADD, ORDO_VIOLATION_DOUBLE_CLEAR};
    static const enum ordo_violation_kind dropped[] = {ORDO_VIOLATION_MISSING_BIT, ORDO_VIOLATION_NO_WAIT,
                                                       ORDO_VIOLATION_EARLY_CLEAR, ORDO_VIOLATION_EXTRA_BIT};
    const struct ordo_run_op *op = &in->list.op[at];

    if (edit == DOUBLE)
        return doubled[op->kind];
    if (edit != DROP)
        return ORDO_VIOLATION_NONE;
    if (in->plan.cluster == 1)
        return ORDO_VIOLATION_LOST_ADD;
    if (op->kind == ORDO_RUN_CLEAR && has_successor(&in->list, op))
        return ORDO_VIOLATION_BLOCKED;
    return dropped[op->kind];
}

/* The line where the edited list first differs from the plan's. */
static uint64_t first_difference(const struct ordo_run_list *a, const struct ordo_run_list *b)
{
    uint64_t i = 0;

    while (i < a->n && i < b->n && same(&a->op[i], &b->op[i]))
        i++;
    return i + 1;
}

static struct ordo_prover prover; /* E4 speaks once for all edits */

static void must_be_violated(const struct instance *in, enum edit edit, uint64_t at, int32_t other)
{
    struct ordo_run_list list = edited(&in->list, edit, at, other);
    enum ordo_violation_kind rule = rule_of(in, edit, at);
    struct ordo_run_difference d;
    struct ordo_proof proof;
    struct ordo_err err = {0};

    assert_ok(ordo_run_prove_by(&prover, &list, &in->plan, &in->p, &proof, &d, &err), err);
    if (proof.verdict != ORDO_VIOLATED || proof.violation.kind == ORDO_VIOLATION_NONE ||
        (rule != ORDO_VIOLATION_NONE && proof.violation.kind != rule))
        fail_msg("edit %d of line %d: %s, %s", (int)edit, (int)at + 1, ordo_verdict_name[proof.verdict],
                 ordo_violation_info[proof.violation.kind].name);
    assert_int_equal(d.line, first_difference(&in->list, &list));
    assert_int_equal(d.has_expected, d.line <= in->list.n);
    assert_int_equal(d.has_found, d.line <= list.n);
    assert_true(!d.has_expected || same(&d.expected, &in->list.op[d.line - 1]));
    assert_true(!d.has_found || same(&d.found, &list.op[d.line - 1]));
    if (rule != ORDO_VIOLATION_NONE && rule != ORDO_VIOLATION_BLOCKED) {
        const struct ordo_run_op *op = &in->list.op[at];

        if (rule != ORDO_VIOLATION_NOT_THE_PROGRAM) { /* that one names the line, see below */
            assert_int_equal(proof.violation.row, op->row);
            assert_int_equal(proof.violation.worker.rank, op->rank);
            assert_int_equal(proof.violation.worker.plane, op->plane);
            assert_int_equal(proof.violation.worker.wave, op->wave);
            assert_int_equal(proof.violation.worker.head_block, op->head_block);
        } else {
            assert_int_equal(proof.violation.line, d.line);
        }
    }
    /* "NULL unless proved", and no scheduler suffices for what is wrong. */
    assert_null(proof.order);
    assert_string_equal(proof.assumption, "");
    ordo_proof_free(&proof);
    free(list.op);
}

/* Every edit of every line. */
static void edit_all(int32_t n_query, int32_t topk, int32_t n_kv, int32_t cluster, int32_t wave, int32_t n_head)
{
    struct instance in = instance(n_query, topk, n_kv, cluster, wave, n_head);

    for (uint64_t i = 0; i < in.list.n; i++) {
        must_be_violated(&in, DROP, i, 0);
        must_be_violated(&in, DOUBLE, i, 0);
        if (i + 1 < in.list.n)
            must_be_violated(&in, SWAP, i, 0);
        for (int32_t rank = 0; rank <= cluster; rank++) /* also one that does not exist */
            if (rank != in.list.op[i].rank)
                must_be_violated(&in, GIVE, i, rank);
    }
    instance_free(&in);
}

static void edits_private(void **state)
{
    (void)state;
    edit_all(13, 5, 9, 1, 8, 128);
}

static void edits_relay_4(void **state)
{
    (void)state;
    edit_all(11, 5, 9, 4, 8, 64);
    edit_all(5, 4, 6, 4, 8, 128);
}

static void edits_relay_8(void **state)
{
    (void)state;
    edit_all(19, 3, 5, 8, 16, 64);
}

static void edits_relay_16(void **state)
{
    (void)state;
    edit_all(17, 2, 3, 16, 16, 64);
}

/* Two tiles: the second waits only after the first has cleared. */
static void edits_across_tiles(void **state)
{
    struct instance in = instance(3, 66, 67, 4, 8, 64);

    (void)state;
    for (uint64_t i = 0; i + 1 < in.list.n; i++) {
        must_be_violated(&in, DROP, i, 0);
        must_be_violated(&in, SWAP, i, 0);
    }
    instance_free(&in);
}

static void strangers(void **state)
{
    struct instance in = instance(11, 5, 9, 4, 8, 64);
    struct ordo_run_list list = edited(&in.list, DOUBLE, 40, 0);
    struct ordo_run_difference d;
    struct ordo_proof proof;
    struct ordo_err err = {0};
    static const struct {
        int32_t wave, head_block, plane, rank, row;
        enum ordo_violation_kind kind;
    } op[] = {
        {2, 0, 0, 0, 0, ORDO_VIOLATION_WRONG_PLANE}, {0, 1, 0, 0, 0, ORDO_VIOLATION_WRONG_PLANE},
        {0, 0, 2, 0, 0, ORDO_VIOLATION_WRONG_PLANE}, {0, 0, 0, 4, 0, ORDO_VIOLATION_WRONG_PLANE},
        {1, 0, 0, 3, 0, ORDO_VIOLATION_WRONG_PLANE}, /* a surplus lane of the tail wave */
        {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX, ORDO_VIOLATION_WRONG_PLANE},
        {0, 0, 0, 0, 9, ORDO_VIOLATION_STRANGER},    {0, 0, 0, 0, INT32_MAX, ORDO_VIOLATION_STRANGER},
    };

    (void)state;
    for (size_t i = 0; i < sizeof op / sizeof op[0]; i++)
        for (int kind = 0; kind < ORDO_N_RUN_OPS; kind++) {
            list.op[40] = (struct ordo_run_op){op[i].wave, op[i].head_block, op[i].plane, op[i].rank,
                                               (enum ordo_run_kind)kind, op[i].row};
            assert_ok(ordo_run_prove(&list, &in.plan, &in.p, &proof, &d, &err), err);
            assert_int_equal(proof.verdict, ORDO_VIOLATED);
            assert_int_equal(proof.violation.kind, op[i].kind);
            assert_int_equal(proof.violation.line, 41);
            ordo_proof_free(&proof);
        }
    list.n = 0; /* nothing at all */
    assert_ok(ordo_run_prove(&list, &in.plan, &in.p, &proof, &d, &err), err);
    assert_int_equal(proof.verdict, ORDO_VIOLATED);
    assert_int_equal(proof.violation.kind, ORDO_VIOLATION_LOST_ADD);
    assert_int_equal(d.line, 1);
    ordo_proof_free(&proof);
    free(list.op);
    instance_free(&in);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(own_runs),      cmocka_unit_test(edits_private),  cmocka_unit_test(edits_relay_4),
        cmocka_unit_test(edits_relay_8), cmocka_unit_test(edits_relay_16), cmocka_unit_test(edits_across_tiles),
        cmocka_unit_test(strangers),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
