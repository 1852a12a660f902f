/* t_tape_data.c - E4: the rules of data, plane starts, bulk copies and tickets fire, with their line, on tapes that
 * are spoiled in memory. */
#include "tests/tape_edit.h"

/* What is added, and where. */
static void data(void **state)
{
    static const struct {
        const struct ordo_cta_shape *shape;
        enum ordo_thread_kind kind;
        enum ordo_op op;
        enum ordo_data data;
        int64_t index;
        uint32_t value, source;
        enum ordo_e4_rule rule;
    } edit[] = {
        /* Rank 1's first tile has rows 2 and 0; a row has two columns.  Reducer 0 has column 0. */
        {&RELAY, ORDO_THREAD_REDUCER, ORDO_OP_STORE, ORDO_DATA_ADDED, 4, 0, 0, ORDO_E4_NONE},
        {&RELAY, ORDO_THREAD_REDUCER, ORDO_OP_STORE, ORDO_DATA_OPAQUE, 4, 0, 0, ORDO_E4_DATA},
        {&RELAY, ORDO_THREAD_REDUCER, ORDO_OP_STORE, ORDO_DATA_CONSTANT, 4, 0, 0, ORDO_E4_DATA},
        {&RELAY, ORDO_THREAD_REDUCER, ORDO_OP_STORE, ORDO_DATA_ADDED, 4, 0, 1, ORDO_E4_DATA}, /* column 1 */
        {&RELAY, ORDO_THREAD_REDUCER, ORDO_OP_STORE, ORDO_DATA_ADDED, 4, 0, 2, ORDO_E4_DATA}, /* slot 1 */
        {&RELAY, ORDO_THREAD_REDUCER, ORDO_OP_STORE, ORDO_DATA_ADDED, 4, 0, 4, ORDO_E4_DATA}, /* slot 2 */
        {&RELAY, ORDO_THREAD_REDUCER, ORDO_OP_STORE, ORDO_DATA_ADDED, 5, 0, 1, ORDO_E4_DATA}, /* not what it loaded */
        {&RELAY, ORDO_THREAD_REDUCER, ORDO_OP_STORE, ORDO_DATA_ADDED, 6, 0, 0, ORDO_E4_WORD_RANGE},
        {&RELAY, ORDO_THREAD_REDUCER, ORDO_OP_STORE, ORDO_DATA_ADDED, -1, 0, 0, ORDO_E4_WORD_RANGE},
        {&BULK, ORDO_THREAD_BULK, ORDO_OP_BULK_ADD, ORDO_DATA_OPAQUE, 4, 8, 0, ORDO_E4_NONE},
        {&BULK, ORDO_THREAD_BULK, ORDO_OP_BULK_ADD, ORDO_DATA_OPAQUE, 4, 8, 8, ORDO_E4_DATA},
        {&BULK, ORDO_THREAD_BULK, ORDO_OP_BULK_ADD, ORDO_DATA_OPAQUE, 4, 8, 2, ORDO_E4_DATA},
        {&BULK, ORDO_THREAD_BULK, ORDO_OP_BULK_ADD, ORDO_DATA_OPAQUE, 4, 4, 0, ORDO_E4_LOST_ADD},
        {&BULK, ORDO_THREAD_BULK, ORDO_OP_BULK_ADD, ORDO_DATA_OPAQUE, 5, 8, 0, ORDO_E4_LOST_ADD},
    };

    (void)state;
    for (size_t i = 0; i < sizeof edit / sizeof *edit; i++) {
        struct ordo_cluster_tapes tapes = recorded(edit[i].shape);
        struct ordo_record *r = at(find(&tapes, edit[i].kind, 1, 0, edit[i].op, 0));

        r->data = edit[i].data;
        r->index = edit[i].index;
        r->value = edit[i].value;
        r->source = edit[i].source;
        assert_rule(&tapes, edit[i].rule, edit[i].rule == ORDO_E4_NONE ? 0 : r->line);
    }
}

/* Rank 0's reducer stores row 0, whose elements are 0 and 1; clearer 0 has column 0 of rows 0, 1 and 2. */
static void starts(void **state)
{
    static const struct {
        const struct ordo_cta_shape *shape;
        enum ordo_thread_kind kind;
        enum ordo_data data;
        int64_t index;
        uint32_t value, source;
        enum ordo_e4_rule rule;
    } edit[] = {
        {&RELAY, ORDO_THREAD_CLEAR, ORDO_DATA_CONSTANT, 0, 0, 0, ORDO_E4_NONE},
        {&RELAY, ORDO_THREAD_CLEAR, ORDO_DATA_CONSTANT, 0, 0x3F800000, 0, ORDO_E4_CLEAR_VALUE},
        {&RELAY, ORDO_THREAD_CLEAR, ORDO_DATA_CONSTANT, 0, 0x80000000, 0, ORDO_E4_CLEAR_VALUE}, /* -0.0 */
        {&RELAY, ORDO_THREAD_CLEAR, ORDO_DATA_OPAQUE, 0, 0, 0, ORDO_E4_CLEAR_VALUE},
        {&RELAY, ORDO_THREAD_CLEAR, ORDO_DATA_CONSTANT, 6, 0, 0, ORDO_E4_WORD_RANGE},
        {&FIRST, ORDO_THREAD_REDUCER, ORDO_DATA_OPAQUE, 0, 0, 0, ORDO_E4_NONE},
        {&FIRST, ORDO_THREAD_REDUCER, ORDO_DATA_ADDED, 0, 0, 0, ORDO_E4_FIRST_VALUE},
        {&FIRST, ORDO_THREAD_REDUCER, ORDO_DATA_CONSTANT, 0, 0, 0, ORDO_E4_FIRST_VALUE},
        {&FIRST, ORDO_THREAD_REDUCER, ORDO_DATA_OPAQUE, 0, 0, 1, ORDO_E4_FIRST_VALUE},
    };
    struct ordo_cluster_tapes t;
    struct ordo_record r;

    (void)state;
    for (size_t i = 0; i < sizeof edit / sizeof *edit; i++) {
        struct ordo_record *e;

        t = recorded(edit[i].shape);
        e = at(find(&t, edit[i].kind, 0, 0, ORDO_OP_STORE, 0));
        e->data = edit[i].data;
        e->index = edit[i].index;
        e->value = edit[i].value;
        e->source = edit[i].source;
        assert_rule(&t, edit[i].rule, edit[i].rule == ORDO_E4_NONE ? 0 : e->line);
    }
    t = recorded(&RELAY); /* another column again: one twice */
    at(find(&t, ORDO_THREAD_CLEAR, 0, 0, ORDO_OP_STORE, 0))->index = 1;
    assert_rule(&t, ORDO_E4_STARTED_TWICE, at(find(&t, ORDO_THREAD_CLEAR, 0, 1, ORDO_OP_STORE, 0))->line);
    t = recorded(&RELAY);
    drop(find(&t, ORDO_THREAD_CLEAR, 0, 0, ORDO_OP_STORE, 1));
    assert_rule(&t, ORDO_E4_NOT_STARTED, at(find(&t, ORDO_THREAD_CLEAR, 0, 0, ORDO_OP_STORE, 0))->line);
    t = recorded(&RELAY); /* a clear that waits */
    at(find(&t, ORDO_THREAD_CLEAR, 0, 0, ORDO_OP_STORE, 0))->op = ORDO_OP_LOAD;
    assert_rule(&t, ORDO_E4_STRANGE_OP, 0);
    t = recorded(&FIRST);
    drop(find(&t, ORDO_THREAD_REDUCER, 0, 0, ORDO_OP_STORE, 1));
    assert_rule(&t, ORDO_E4_NOT_STARTED, 0);
    t = recorded(&FIRST); /* two first writers of a row */
    r = *at(find(&t, ORDO_THREAD_REDUCER, 0, 0, ORDO_OP_STORE, 0));
    insert(find(&t, ORDO_THREAD_REDUCER, 1, 0, ORDO_OP_STORE, 0), r);
    assert_rule(&t, ORDO_E4_STARTED_TWICE, r.line);
    for (int wait = 0; wait < 2; wait++) { /* a hand-over that orders nothing */
        struct place p;

        t = recorded(&FIRST);
        p = find(&t, ORDO_THREAD_REDUCER, 0, 0, wait ? ORDO_OP_CLUSTER_WAIT : ORDO_OP_CLUSTER_ARRIVE, 0);
        at(p)->sem = ORDO_SEM_relaxed;
        assert_rule(&t, ORDO_E4_CLUSTER_RELAXED, at(p)->line);
    }
    t = recorded(&FIRST); /* stored after the hand-over, that is in a wave of additions */
    r = *at(find(&t, ORDO_THREAD_REDUCER, 0, 0, ORDO_OP_STORE, 1));
    drop(find(&t, ORDO_THREAD_REDUCER, 0, 0, ORDO_OP_STORE, 1));
    insert(find(&t, ORDO_THREAD_REDUCER, 0, 0, ORDO_OP_CLUSTER_WAIT, 0), r);
    assert_rule(&t, ORDO_E4_NOT_STARTED, 0);
}

static void bulk_copies(void **state)
{
    struct ordo_cluster_tapes t = recorded(&BULK);

    (void)state;
    at(find(&t, ORDO_THREAD_BULK, 1, 0, ORDO_OP_BULK_WAIT, 0))->op = ORDO_OP_BULK_WAIT_READ; /* R24 */
    assert_rule(&t, ORDO_E4_BULK_READ, at(find(&t, ORDO_THREAD_BULK, 0, 0, ORDO_OP_BULK_WAIT, 0))->line);
    t = recorded(&BULK);
    at(find(&t, ORDO_THREAD_BULK, 1, 0, ORDO_OP_BULK_WAIT, 0))->value = 1;
    assert_rule(&t, ORDO_E4_BULK_OPEN, 0);
    t = recorded(&BULK); /* the fence on the wrong side of `go` */
    move(&t, ORDO_THREAD_BULK, 0, ORDO_OP_PROXY_FENCE, 0, ORDO_OP_BAR_SYNC, 0);
    assert_rule(&t, ORDO_E4_NO_PROXY_FENCE, at(find(&t, ORDO_THREAD_BULK, 0, 0, ORDO_OP_BULK_ADD, 0))->line);
}

static void tickets(void **state)
{
    struct ordo_cluster_tapes t = recorded(&TICKET);

    (void)state;
    at(find(&t, ORDO_THREAD_TURN, 1, 0, ORDO_OP_RED_ADD, 0))->value = 2;
    assert_rule(&t, ORDO_E4_TICKET, at(find(&t, ORDO_THREAD_TURN, 0, 0, ORDO_OP_RED_ADD, 0))->line);
    t = recorded(&TICKET);
    at(find(&t, ORDO_THREAD_TURN, 1, 0, ORDO_OP_AWAIT_GE, 0))->value = 0;
    assert_rule(&t, ORDO_E4_TICKET_NUMBER, at(find(&t, ORDO_THREAD_TURN, 0, 0, ORDO_OP_AWAIT_GE, 0))->line);
    t = recorded(&TICKET);
    at(find(&t, ORDO_THREAD_TURN, 1, 0, ORDO_OP_RED_ADD, 0))->sem = ORDO_SEM_relaxed;
    assert_rule(&t, ORDO_E4_CLEAR_RELAXED, 0);
    t = recorded(&TICKET); /* counted up before `done` */
    move(&t, ORDO_THREAD_TURN, 0, ORDO_OP_RED_ADD, 0, ORDO_OP_BAR_SYNC, 1);
    assert_rule(&t, ORDO_E4_EARLY_CLEAR, 0);
    for (int clear = 0; clear < 2; clear++) { /* writers of a tile share no cluster */
        struct ordo_record *r;

        t = recorded(&TICKET);
        r = at(find(&t, ORDO_THREAD_TURN, 1, 0, clear ? ORDO_OP_RED_ADD : ORDO_OP_AWAIT_GE, 0));
        r->scope = ORDO_SCOPE_cluster;
        assert_rule(&t, clear ? ORDO_E4_CLEAR_SCOPE : ORDO_E4_WAIT_SCOPE, r->line);
    }
    t = recorded(&TICKET);
    at(find(&t, ORDO_THREAD_TURN, 1, 0, ORDO_OP_RED_ADD, 0))->width = ORDO_WIDTH_b32;
    assert_rule(&t, ORDO_E4_SPELLING, 0);
}

/* Barriers of the CTA that it was not given, and warp barriers that not all lanes reach. */
static void other_barriers(void **state)
{
    struct ordo_cta_shape elsewhere = BULK;
    struct ordo_cluster_tapes t = recorded(&RELAY);
    struct ordo_record r;

    (void)state;
    for (int32_t i = 0; i < t.n_thread; i++)
        for (uint32_t j = 0; j < t.thread[i].tape.n; j++)
            if (t.thread[i].tape.record[j].op == ORDO_OP_BAR_SYNC)
                t.thread[i].tape.record[j].index += 8;
    assert_rule(&t, ORDO_E4_BAR_ID, at(find(&t, ORDO_THREAD_SLOT, 0, 0, ORDO_OP_BAR_SYNC, 0))->line);
    t = recorded(&RELAY);
    r = *at(find(&t, ORDO_THREAD_SLOT, 1, 0, ORDO_OP_WARP_SYNC, 0));
    insert(find(&t, ORDO_THREAD_REDUCER, 1, 1, ORDO_OP_BAR_SYNC, 1), r);
    assert_rule(&t, ORDO_E4_WARP_SEQUENCE, r.line);
    t = recorded(&RELAY); /* after `go` instead */
    move(&t, ORDO_THREAD_SLOT, 1, ORDO_OP_WARP_SYNC, 0, ORDO_OP_BAR_SYNC, 1);
    drop(find(&t, ORDO_THREAD_SLOT, 1, 1, ORDO_OP_AWAIT_CLEAR, 0));
    assert_rule(&t, ORDO_E4_WARP_SEQUENCE, r.line);
    t = recorded(&BULK);
    insert(find(&t, ORDO_THREAD_BULK, 1, 0, ORDO_OP_BULK_COMMIT, 0), r);
    assert_rule(&t, ORDO_E4_WARP_SEQUENCE, r.line);
    elsewhere.stage = 4096; /* another place of the staging tile */
    t = recorded(&elsewhere);
    at(find(&t, ORDO_THREAD_BULK, 1, 0, ORDO_OP_BULK_ADD, 0))->source -= 4096;
    assert_rule(&t, ORDO_E4_DATA, at(find(&t, ORDO_THREAD_BULK, 0, 0, ORDO_OP_BULK_ADD, 0))->line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data),
        cmocka_unit_test(starts),
        cmocka_unit_test(bulk_copies),
        cmocka_unit_test(tickets),
        cmocka_unit_test(other_barriers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
