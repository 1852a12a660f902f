/* t_tape_order.c - E4: the rules of waits, barriers, fences and clears fire, with their line, on tapes that are
 * spoiled in memory. */
#include "tests/tape_edit.h"

/* --- one token -------------------------------------------------------------------------------------------------- */

struct token {
    enum ordo_thread_kind kind;
    enum ordo_op op;
    enum ordo_sem sem;
    enum ordo_scope scope;
    enum ordo_width width;
    enum ordo_e4_rule rule;
};

#define TOKEN(kind, op, sem, scope, width, rule)                                                                     \
    {ORDO_THREAD_##kind, ORDO_OP_##op, ORDO_SEM_##sem, ORDO_SCOPE_##scope, ORDO_WIDTH_##width, ORDO_E4_##rule}

static void one_changed_token(void **state)
{
    static const struct token token[] = {
        TOKEN(SLOT, AWAIT_CLEAR, relaxed, gpu, u32, WAIT_RELAXED), /* R04 */
        TOKEN(SLOT, RED_AND, relaxed, gpu, b32, CLEAR_RELAXED),    /* R05 */
        TOKEN(SLOT, RED_AND, release, cta, b32, CLEAR_SCOPE),      /* R06 */
        TOKEN(SLOT, AWAIT_CLEAR, acquire, cta, u32, WAIT_SCOPE),   /* R07 */
        TOKEN(SLOT, AWAIT_CLEAR, acquire, cluster, u32, NONE),     /* R08 */
        TOKEN(SLOT, RED_AND, release, cluster, b32, NONE),         /* R08 */
        TOKEN(SLOT, AWAIT_CLEAR, acquire, sys, b32, NONE),
        TOKEN(SLOT, AWAIT_CLEAR, weak, cta, u32, WAIT_WEAK),       /* R10, D20 */
        TOKEN(SLOT, AWAIT_CLEAR, acquire, gpu, u8, MIXED_WIDTH),   /* R28 */
        TOKEN(SLOT, RED_AND, release, gpu, u8, MIXED_WIDTH),
        TOKEN(BUILD, RED_OR, relaxed, cta, b32, CLEAR_SCOPE),
        TOKEN(BUILD, RED_OR, relaxed, gpu, u32, SPELLING),
        TOKEN(BUILD, RED_OR, weak, gpu, b32, SPELLING),
        TOKEN(SLOT, RED_AND, release, gpu, u32, SPELLING),
        TOKEN(SLOT, RED_AND, acq_rel, gpu, b32, SPELLING),
        TOKEN(REDUCER, STORE, relaxed, cta, f32, SPELLING),
        TOKEN(REDUCER, LOAD, relaxed, cta, f32, SPELLING),
        TOKEN(REDUCER, STORE, weak, cta, u32, MIXED_WIDTH),
    };

    (void)state;
    for (size_t i = 0; i < sizeof token / sizeof *token; i++) {
        struct ordo_cluster_tapes tapes = recorded(&RELAY);
        struct ordo_record *r = at(find(&tapes, token[i].kind, 1, 0, token[i].op, 0));

        r->sem = token[i].sem;
        r->scope = token[i].scope;
        r->width = token[i].width;
        assert_rule(&tapes, token[i].rule, token[i].rule == ORDO_E4_NONE ? 0 : r->line);
    }
}

static void one_changed_value(void **state)
{
    static const struct {
        enum ordo_op op;
        int64_t index;
        uint32_t value;
        enum ordo_e4_rule rule;
    } edit[] = {
        /* Rank 1's first slot has row 2, whose bits are 8 .. 11 of word 0. */
        {ORDO_OP_AWAIT_CLEAR, 0, 0x300, ORDO_E4_LATER_WAIT}, /* D05: ((2 << r) - 1) */
        {ORDO_OP_AWAIT_CLEAR, 0, 0x800, ORDO_E4_LATER_WAIT}, /* D07 */
        {ORDO_OP_AWAIT_CLEAR, 0, 0x101, ORDO_E4_WAIT_ROW},
        {ORDO_OP_AWAIT_CLEAR, 0, 0x010, ORDO_E4_WAIT_ROW},   /* row 1, not its own */
        {ORDO_OP_AWAIT_CLEAR, 0, 0x001, ORDO_E4_TWO_WAITS},  /* row 0, its other slot's */
        {ORDO_OP_AWAIT_CLEAR, 0, 0, ORDO_E4_NOT_NAMED},
        {ORDO_OP_AWAIT_CLEAR, 1, 0x100, ORDO_E4_WORD_RANGE}, /* D16 */
        {ORDO_OP_AWAIT_CLEAR, -1, 0x100, ORDO_E4_WORD_RANGE},
        {ORDO_OP_RED_AND, 0, ~UINT32_C(0x100), ORDO_E4_FOREIGN_BIT},
        {ORDO_OP_RED_AND, 0, ~UINT32_C(0x300), ORDO_E4_AND_MASK},
        {ORDO_OP_RED_AND, 0, ~UINT32_C(0), ORDO_E4_AND_MASK},
        {ORDO_OP_RED_AND, 0, ~UINT32_C(0x020), ORDO_E4_UNSET_CLEAR},
        {ORDO_OP_BAR_SYNC, 1, 3, ORDO_E4_BAR_COUNT},
        {ORDO_OP_BAR_SYNC, 2, 4, ORDO_E4_BAR_SEQUENCE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof edit / sizeof *edit; i++) {
        struct ordo_cluster_tapes tapes = recorded(&RELAY);
        struct place p = find(&tapes, ORDO_THREAD_SLOT, 1, 0, edit[i].op, 0);
        bool place = edit[i].rule != ORDO_E4_BAR_SEQUENCE && edit[i].rule != ORDO_E4_NOT_NAMED; /* named elsewhere */

        at(p)->index = edit[i].index;
        at(p)->value = edit[i].value;
        assert_rule(&tapes, edit[i].rule, place ? at(p)->line : 0);
    }
}

/* --- records dropped and moved ---------------------------------------------------------------------------------- */

static void dropped_records(void **state)
{
    static const struct {
        const struct ordo_cta_shape *shape;
        enum ordo_thread_kind kind;
        enum ordo_op op;
        int nth;
        enum ordo_e4_rule rule;
    } edit[] = {
        {&RELAY, ORDO_THREAD_SLOT, ORDO_OP_BAR_SYNC, 0, ORDO_E4_BAR_SEQUENCE}, /* R02 */
        {&RELAY, ORDO_THREAD_SLOT, ORDO_OP_BAR_SYNC, 1, ORDO_E4_BAR_SEQUENCE}, /* R03 */
        {&RELAY, ORDO_THREAD_REDUCER, ORDO_OP_BAR_SYNC, 0, ORDO_E4_BAR_SEQUENCE},
        {&RELAY, ORDO_THREAD_REDUCER, ORDO_OP_BAR_SYNC, 3, ORDO_E4_BAR_SEQUENCE},
        {&RELAY, ORDO_THREAD_SLOT, ORDO_OP_WARP_SYNC, 0, ORDO_E4_DIVERGED},
        {&TICKET, ORDO_THREAD_TURN, ORDO_OP_WARP_SYNC, 1, ORDO_E4_DIVERGED},
        {&RELAY, ORDO_THREAD_SLOT, ORDO_OP_AWAIT_CLEAR, 0, ORDO_E4_NOT_NAMED},
        {&RELAY, ORDO_THREAD_SLOT, ORDO_OP_RED_AND, 0, ORDO_E4_NEVER_CLEARED}, /* D03 */
        {&RELAY, ORDO_THREAD_BUILD, ORDO_OP_RED_OR, 0, ORDO_E4_UNSET_CLEAR},   /* D15 */
        {&RELAY, ORDO_THREAD_REDUCER, ORDO_OP_STORE, 0, ORDO_E4_LOST_ADD},
        {&PERSISTENT, ORDO_THREAD_REDUCER, ORDO_OP_CLUSTER_ARRIVE, 0, ORDO_E4_CLUSTER_SEQUENCE},
        {&PERSISTENT, ORDO_THREAD_SLOT, ORDO_OP_CLUSTER_WAIT, 0, ORDO_E4_CLUSTER_SEQUENCE},
        {&BULK, ORDO_THREAD_BULK, ORDO_OP_PROXY_FENCE, 0, ORDO_E4_NO_PROXY_FENCE}, /* R30 */
        {&BULK, ORDO_THREAD_BULK, ORDO_OP_BULK_COMMIT, 0, ORDO_E4_BULK_OPEN},
        {&BULK, ORDO_THREAD_BULK, ORDO_OP_BULK_WAIT, 0, ORDO_E4_BULK_OPEN},
        {&BULK, ORDO_THREAD_STAGER, ORDO_OP_SHARED_FENCE, 0, ORDO_E4_NO_SHARED_FENCE},
        {&TICKET, ORDO_THREAD_TURN, ORDO_OP_AWAIT_GE, 0, ORDO_E4_TICKET},
        {&TICKET, ORDO_THREAD_TURN, ORDO_OP_RED_ADD, 0, ORDO_E4_TICKET},
    };

    (void)state;
    for (size_t i = 0; i < sizeof edit / sizeof *edit; i++) {
        struct ordo_cluster_tapes tapes = recorded(edit[i].shape);

        drop(find(&tapes, edit[i].kind, 1, 0, edit[i].op, edit[i].nth));
        assert_rule(&tapes, edit[i].rule, 0);
    }
}

static void moved_records(void **state)
{
    struct ordo_cluster_tapes t;
    struct ordo_record r;

    (void)state;
    t = recorded(&RELAY); /* the addition before `go`: R02 */
    move(&t, ORDO_THREAD_REDUCER, 0, ORDO_OP_LOAD, 0, ORDO_OP_BAR_SYNC, 0);
    move(&t, ORDO_THREAD_REDUCER, 0, ORDO_OP_STORE, 0, ORDO_OP_BAR_SYNC, 0);
    assert_rule(&t, ORDO_E4_EARLY_ADD, at(find(&t, ORDO_THREAD_REDUCER, 1, 0, ORDO_OP_LOAD, 0))->line);
    t = recorded(&RELAY); /* the clear before `done`: R03, D09 */
    move(&t, ORDO_THREAD_SLOT, 0, ORDO_OP_RED_AND, 0, ORDO_OP_BAR_SYNC, 1);
    assert_rule(&t, ORDO_E4_EARLY_CLEAR, at(find(&t, ORDO_THREAD_SLOT, 1, 0, ORDO_OP_RED_AND, 0))->line);
    t = recorded(&RELAY); /* the wait after `go` */
    move(&t, ORDO_THREAD_SLOT, 0, ORDO_OP_WARP_SYNC, 0, ORDO_OP_BAR_SYNC, 1);
    move(&t, ORDO_THREAD_SLOT, 1, ORDO_OP_WARP_SYNC, 0, ORDO_OP_BAR_SYNC, 1);
    move(&t, ORDO_THREAD_SLOT, 0, ORDO_OP_AWAIT_CLEAR, 0, ORDO_OP_WARP_SYNC, 0);
    move(&t, ORDO_THREAD_SLOT, 1, ORDO_OP_AWAIT_CLEAR, 0, ORDO_OP_WARP_SYNC, 0);
    assert_rule(&t, ORDO_E4_EARLY_ADD, 0);
    t = recorded(&RELAY); /* cleared twice */
    r = *at(find(&t, ORDO_THREAD_SLOT, 1, 0, ORDO_OP_RED_AND, 0));
    insert(find(&t, ORDO_THREAD_SLOT, 1, 0, ORDO_OP_RED_AND, 0), r);
    assert_rule(&t, ORDO_E4_DOUBLE_CLEAR, 0);
    t = recorded(&RELAY); /* by a thread of another rank */
    r = *at(find(&t, ORDO_THREAD_SLOT, 1, 0, ORDO_OP_RED_AND, 0));
    drop(find(&t, ORDO_THREAD_SLOT, 1, 0, ORDO_OP_RED_AND, 0));
    insert(find(&t, ORDO_THREAD_SLOT, 0, 0, ORDO_OP_RED_AND, 0), r);
    assert_rule(&t, ORDO_E4_FOREIGN_BIT, r.line);
    t = recorded(&RELAY); /* set again in the launch */
    r = *at(find(&t, ORDO_THREAD_BUILD, 1, 0, ORDO_OP_RED_OR, 0));
    insert(find(&t, ORDO_THREAD_SLOT, 1, 0, ORDO_OP_RED_AND, 0), r);
    assert_rule(&t, ORDO_E4_SETS_BITS, r.line);
    t = recorded(&RELAY); /* cleared by a store: R21, D13 */
    at(find(&t, ORDO_THREAD_SLOT, 1, 0, ORDO_OP_RED_AND, 0))->op = ORDO_OP_STORE;
    assert_rule(&t, ORDO_E4_STRANGE_OP, at(find(&t, ORDO_THREAD_SLOT, 0, 0, ORDO_OP_RED_AND, 0))->line);
    t = recorded(&PERSISTENT); /* a cluster barrier before a clear: D06 */
    move(&t, ORDO_THREAD_SLOT, 0, ORDO_OP_CLUSTER_ARRIVE, 0, ORDO_OP_RED_AND, 0);
    assert_rule(&t, ORDO_E4_CLUSTER_BARRIER, at(find(&t, ORDO_THREAD_SLOT, 1, 0, ORDO_OP_RED_AND, 0))->line);
    t = recorded(&RELAY); /* added twice */
    r = *at(find(&t, ORDO_THREAD_REDUCER, 1, 0, ORDO_OP_STORE, 0));
    insert(find(&t, ORDO_THREAD_REDUCER, 1, 0, ORDO_OP_LOAD, 0), r);
    insert(find(&t, ORDO_THREAD_REDUCER, 1, 0, ORDO_OP_STORE, 0),
           *at(find(&t, ORDO_THREAD_REDUCER, 1, 0, ORDO_OP_LOAD, 0)));
    assert_rule(&t, ORDO_E4_DOUBLE_ADD, r.line);
}

static void fences(void **state)
{
    struct ordo_cluster_tapes t;
    struct place p;

    (void)state;
    t = recorded(&RELAY); /* R11 */
    p = find(&t, ORDO_THREAD_SLOT, 1, 0, ORDO_OP_RED_AND, 0);
    at(p)->sem = ORDO_SEM_relaxed;
    insert(p, fence(ORDO_SEM_acq_rel, ORDO_SCOPE_gpu));
    assert_rule(&t, ORDO_E4_NONE, 0);
    t = recorded(&RELAY); /* R11 with a fence of the CTA only */
    p = find(&t, ORDO_THREAD_SLOT, 1, 0, ORDO_OP_RED_AND, 0);
    at(p)->sem = ORDO_SEM_relaxed;
    insert(p, fence(ORDO_SEM_acq_rel, ORDO_SCOPE_cta));
    assert_rule(&t, ORDO_E4_CLEAR_RELAXED, 0);
    for (int sc = 0; sc < 2; sc++) { /* R12, R13 */
        t = recorded(&RELAY);
        at(find(&t, ORDO_THREAD_SLOT, 1, 0, ORDO_OP_RED_AND, 0))->sem = ORDO_SEM_relaxed;
        insert(find(&t, ORDO_THREAD_REDUCER, 1, 0, ORDO_OP_BAR_SYNC, 1),
               fence(sc ? ORDO_SEM_sc : ORDO_SEM_acq_rel, ORDO_SCOPE_gpu));
        assert_rule(&t, ORDO_E4_CLEAR_RELAXED, at(find(&t, ORDO_THREAD_SLOT, 1, 0, ORDO_OP_RED_AND, 0))->line);
    }
    t = recorded(&RELAY); /* R15 */
    p = find(&t, ORDO_THREAD_SLOT, 1, 0, ORDO_OP_AWAIT_CLEAR, 0);
    at(p)->sem = ORDO_SEM_relaxed;
    p.i++;
    insert(p, fence(ORDO_SEM_acq_rel, ORDO_SCOPE_gpu));
    assert_rule(&t, ORDO_E4_NONE, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_changed_token),
        cmocka_unit_test(one_changed_value),
        cmocka_unit_test(dropped_records),
        cmocka_unit_test(moved_records),
        cmocka_unit_test(fences),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
