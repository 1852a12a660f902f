/* t_tape.c - E4: the shipped role headers hold, with pinned counts; and each rule fires, with its line, on tapes that
 * are spoiled in memory. */
#include "sim/e4.h"
#include "tests/test.h"

static const int32_t IDX[] = {0, 1, 2, -1, 2, 0, -1, -1, 1, -1, 0, 2, -1, 2, 1, 0};
static const struct ordo_cta_shape RELAY = {"relay", 4, 4, 1, 2, 2, 3, 2, 2, 0, ORDO_CTA_RELAY, IDX, 1, 2, 0};
static const struct ordo_cta_shape BULK = {"bulk", 4, 4, 1, 2, 2, 3, 2, 0, 2, ORDO_CTA_RELAY, IDX, 1, 2, 0};
static const int32_t TURNS[] = {0, 1, 1, 0, 0, 1, 1, 0};
static const struct ordo_cta_shape TICKET = {"ticket", 4, 4, 1, 2, 1, 2, 2, 2, 0, ORDO_CTA_TICKET, TURNS, 1, 2, 0};
static const int32_t WAVES[] = {0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1};
static const int32_t FIRST_IDX[] = {0, -1, 1, -1, -1, -1, -1, -1, 1, 0, 0, 1, 1, 0, 0, 1};
static const struct ordo_cta_shape FIRST = {"first", 4, 4, 2, 1, 2, 2, 2, 1, 0, ORDO_CTA_FIRST, FIRST_IDX, 1, 2, 0};
static const struct ordo_cta_shape PERSISTENT = {"waves", 4, 4, 2, 1, 2, 2, 2, 1, 0, ORDO_CTA_RELAY, WAVES, 1, 2, 0};

/* --- places and edits ------------------------------------------------------------------------------------------- */

struct place {
    struct ordo_tape *tape;
    uint32_t i;
};

/* The nth record of the operation in the nth thread of the kind and rank. */
static struct place find(struct ordo_cluster_tapes *tapes, enum ordo_thread_kind kind, int32_t rank, int lane,
                         enum ordo_op op, int nth)
{
    for (int32_t t = 0; t < tapes->n_thread; t++) {
        struct ordo_tape *tape = &tapes->thread[t].tape;

        if (tapes->thread[t].kind != kind || tapes->thread[t].rank != rank || lane-- > 0)
            continue;
        for (uint32_t i = 0; i < tape->n; i++)
            if (tape->record[i].op == op && nth-- == 0)
                return (struct place){tape, i};
    }
    fail_msg("no such record");
    return (struct place){NULL, 0};
}

static struct ordo_record *at(struct place p)
{
    return &p.tape->record[p.i];
}

static void drop(struct place p)
{
    for (uint32_t i = p.i + 1; i < p.tape->n; i++)
        p.tape->record[i - 1] = p.tape->record[i];
    p.tape->n--;
}

static void insert(struct place p, struct ordo_record r)
{
    assert_true(p.tape->n < p.tape->size);
    for (uint32_t i = p.tape->n++; i > p.i; i--)
        p.tape->record[i] = p.tape->record[i - 1];
    p.tape->record[p.i] = r;
}

static struct ordo_record fence(enum ordo_sem sem, enum ordo_scope scope)
{
    return (struct ordo_record){ORDO_OP_FENCE, sem, scope, ORDO_WIDTH_b32, ORDO_SPACE_NONE,
                                ORDO_DATA_NONE, 0, 0, 0, "planted", 1};
}

static struct ordo_cluster_tapes recorded(const struct ordo_cta_shape *shape)
{
    struct ordo_cluster_tapes tapes;

    assert_true(ordo_cluster_tapes_record(&tapes, shape));
    return tapes;
}

/* The rule, and the line unless it is 0. */
static void assert_rule(struct ordo_cluster_tapes *tapes, enum ordo_e4_rule rule, int line)
{
    struct ordo_e4_finding f;

    if (ordo_e4_check(tapes, &f) != ordo_e4_rule_info[rule].verdict || f.rule != rule || (line && f.line != line))
        fail_msg("%s at line %d (rank %d, record %d), not %s at %d", ordo_e4_rule_info[f.rule].name, f.line, f.rank,
                 f.record, ordo_e4_rule_info[rule].name, line);
    ordo_cluster_tapes_free(tapes);
}

/* --- the shipped headers ---------------------------------------------------------------------------------------- */

static void assert_holds(const struct ordo_e4_protocol *p)
{
    for (int c = 0; c < p->n_claim; c++) {
        const struct ordo_e4_finding *f = &p->claim[c].finding;

        if (f->other_file)
            print_error("%s: the other of %s at %s:%d\n", p->claim[c].name, ordo_e4_rule_info[f->rule].name,
                        f->other_file, f->other_line);
        if (f->rule != ORDO_E4_NONE)
            fail_msg("%s: %s at %s:%d", p->claim[c].name, ordo_e4_rule_info[f->rule].name, f->file ? f->file : "",
                     f->line);
    }
    assert_int_equal(p->verdict, ORDO_E4_HOLDS);
}

static void shipped_headers_hold(void **state)
{
    (void)state;
    for (int32_t cluster = 1; cluster <= 16; cluster += cluster == 1 ? 3 : cluster) {
        struct ordo_e4_protocol p;

        ordo_e4_protocol(cluster, &p);
        assert_holds(&p);
    }
}

/* Starts and folds, from one plane to several groups, in few columns and in more than 2^32 elements. */
static void planes_hold(void **state)
{
    static const struct {
        struct ordo_e4_planes planes;
        uint64_t records, folded;
    } want[] = {
        {{1, 1, 8}, 4, 2},         {{2, 8, 8}, 5, 3},          {{8, 4096, 576}, 11, 9},
        {{9, 4104, 576}, 14, 11},  {{16, 64, 104}, 21, 18},    {{17, 64, 96}, 24, 20},
        {{128, 1 << 20, 576}, 161, 144}, {{16, 1 << 28, 1024}, 21, 18},
    };

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct ordo_e4_protocol p = {.verdict = ORDO_E4_HOLDS};

        ordo_e4_launch(&want[i].planes, &p);
        assert_holds(&p);
        assert_int_equal(p.n_claim, 3);
        for (int c = 0; c < 2; c++) { /* four rows */
            assert_int_equal(p.claim[c].finding.pairs, 4 * want[i].planes.d8);
            assert_int_equal(p.claim[c].finding.records, 4 * want[i].planes.d8);
        }
        /* A whole row, and three columns of three: each plane, then each group, is loaded once; each group and the
         * sum are stored. */
        assert_int_equal(p.claim[2].finding.pairs, (uint64_t)(want[i].planes.d8 + 9) * want[i].folded);
        assert_int_equal(p.claim[2].finding.records, (uint64_t)(want[i].planes.d8 + 9) * want[i].records);
    }
}

static void as_much_is_looked_at(void **state)
{
    static const struct {
        int32_t cluster;
        int n_claim;
        uint64_t records, pairs;
    } want[] = {{1, 4, 108, 0}, {4, 10, 1543, 2086}, {8, 10, 2991, 8740}, {16, 10, 5915, 36738}};
    /* A tile of 51 live slots: by reducers in 104 and 8 columns, in bulk in 576, in fragments in 576 and 512; of 8: in
     * 576 and 1152, in bulk in 1152.  Each rank clears the bits of 51; one's builders have 3280 live columns. */
    const uint64_t added = 51 * (104 + 8 + 576 + 576 + 512) + 8 * (576 + 1152 + 1152);

    (void)state;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        struct ordo_e4_protocol p;
        uint64_t records = 0, pairs = 0;

        ordo_e4_protocol(want[i].cluster, &p);
        assert_int_equal(p.n_claim, want[i].n_claim);
        for (int c = 0; c + 1 < p.n_claim; c++) {
            records += p.claim[c].finding.records;
            pairs += p.claim[c].finding.pairs;
        }
        assert_int_equal(p.claim[p.n_claim - 1].finding.pairs,
                         want[i].cluster == 1 ? added : added + 51 * (uint64_t)want[i].cluster + 3280);
        if (records != want[i].records || pairs != want[i].pairs)
            fail_msg("C=%d: %d records, %d pairs", want[i].cluster, (int)records, (int)pairs);
    }
}

static void own_instances_hold(void **state)
{
    const struct ordo_cta_shape *shape[] = {&RELAY, &BULK, &TICKET, &PERSISTENT, &FIRST};

    (void)state;
    for (int i = 0; i < 5; i++) {
        struct ordo_cluster_tapes tapes = recorded(shape[i]);

        assert_rule(&tapes, ORDO_E4_NONE, 0);
    }
}

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

/* Moves a record of every thread of the kind in rank 1 to the front of another of its tape. */
static void move(struct ordo_cluster_tapes *tapes, enum ordo_thread_kind kind, int lane, enum ordo_op op, int nth,
                 enum ordo_op front, int front_nth)
{
    struct place from = find(tapes, kind, 1, lane, op, nth);
    struct ordo_record r = *at(from);

    drop(from);
    insert(find(tapes, kind, 1, lane, front, front_nth), r);
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
        cmocka_unit_test(shipped_headers_hold),
        cmocka_unit_test(planes_hold),
        cmocka_unit_test(as_much_is_looked_at),
        cmocka_unit_test(own_instances_hold),
        cmocka_unit_test(one_changed_token),
        cmocka_unit_test(one_changed_value),
        cmocka_unit_test(dropped_records),
        cmocka_unit_test(moved_records),
        cmocka_unit_test(fences),
        cmocka_unit_test(data),
        cmocka_unit_test(starts),
        cmocka_unit_test(bulk_copies),
        cmocka_unit_test(tickets),
        cmocka_unit_test(other_barriers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
