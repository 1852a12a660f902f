/* t_referees.c - the relay and every published way to break it, as edits of the shipped tapes, by three referees.
 *
 * Two ranks, one row, one thread a role; where the variant has one, an environment thread that clears another row's
 * bit in the same word.  Each line of the table is one of R01 to R31 (project facts on verification, 5.2) with its
 * verdict; E3 enumerates all executions of its litmus form, E2 explores every interleaving of the same tapes, E4
 * checks its side conditions.  All must give the row's verdict, or the table says why one does not speak. */
#include "tests/test.h"

#include "protocol/mask.h"
#include "protocol/relay.h"
#include "sim/e2.h"
#include "sim/e4.h"
#include "sim/ptx_litmus.h"
#include "sim/tape_litmus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLUSTER = 8, ROW = 1, OTHER = 0, ROOM = 24 };

/* The threads that an edit may touch.  fourth: for E4, a second reducer or the stager; env: rank 2's lane, which
 * clears the bit of row OTHER. */
struct view {
    struct ordo_tape *lane[2], *adder[2], *fourth[2], *env;
};

/* --- edits ------------------------------------------------------------------------------------------------------ */

static struct ordo_record *find(struct ordo_tape *t, enum ordo_op op)
{
    for (uint32_t i = 0; i < t->n; i++)
        if (t->record[i].op == op)
            return &t->record[i];
    fail_msg("the tape has no such operation");
    return NULL;
}

static void drop(struct ordo_tape *t, const struct ordo_record *r)
{
    uint32_t at = (uint32_t)(r - t->record);

    memmove(&t->record[at], &t->record[at + 1], (t->n - at - 1) * sizeof *r);
    t->n--;
}

/* Makes room in front of r; returns where r is then. */
static struct ordo_record *shift(struct ordo_tape *t, struct ordo_record *r)
{
    assert_true(t->n < t->size);
    memmove(r + 1, r, (t->n++ - (size_t)(r - t->record)) * sizeof *r);
    return r + 1;
}

/* Puts a fence in front of r. */
static void fence(struct ordo_tape *t, struct ordo_record *r, enum ordo_op op, enum ordo_sem sem,
                  enum ordo_scope scope)
{
    uint32_t at = (uint32_t)(r - t->record);

    r = shift(t, r);
    t->record[at] = (struct ordo_record){op, sem, scope, ORDO_WIDTH_b32, ORDO_SPACE_NONE, ORDO_DATA_NONE,
                                         0, 0, 0, r->file, r->line};
}

static void drop_barrier(struct view *v, int rank, int nth)
{
    struct ordo_tape *tape[3] = {v->lane[rank], v->adder[rank], v->fourth[rank]};

    for (int i = 0; i < 3 && tape[i]; i++) {
        struct ordo_record *r = find(tape[i], ORDO_OP_BAR_SYNC);

        while (nth == 1 && r[1].op != ORDO_OP_BAR_SYNC)
            r++;
        drop(tape[i], nth == 1 ? r + 1 : r);
    }
}

static void order(struct view *v, enum ordo_sem poll, enum ordo_scope poll_scope, enum ordo_sem clear,
                  enum ordo_scope clear_scope)
{
    for (int rank = 0; rank < 2; rank++) {
        find(v->lane[rank], ORDO_OP_AWAIT_CLEAR)->sem = poll;
        find(v->lane[rank], ORDO_OP_AWAIT_CLEAR)->scope = poll_scope;
        find(v->lane[rank], ORDO_OP_RED_AND)->sem = clear;
        find(v->lane[rank], ORDO_OP_RED_AND)->scope = clear_scope;
    }
}

#define SEM(s) ORDO_SEM_##s
#define SC(s) ORDO_SCOPE_##s

static void r01(struct view *v)
{
    (void)v;
}
static void r02(struct view *v)
{
    drop_barrier(v, 1, 0);
}
static void r03(struct view *v)
{
    drop_barrier(v, 0, 1);
}
static void r04(struct view *v)
{
    order(v, SEM(relaxed), SC(gpu), SEM(release), SC(gpu));
}
static void r05(struct view *v)
{
    order(v, SEM(acquire), SC(gpu), SEM(relaxed), SC(gpu));
}
static void r06(struct view *v)
{
    order(v, SEM(acquire), SC(gpu), SEM(release), SC(cta));
}
static void r07(struct view *v)
{
    order(v, SEM(acquire), SC(cta), SEM(release), SC(gpu));
}
static void r08(struct view *v)
{
    order(v, SEM(acquire), SC(cluster), SEM(release), SC(cluster));
}
static void r10(struct view *v)
{
    order(v, SEM(weak), SC(gpu), SEM(release), SC(gpu));
}
static void r11(struct view *v)
{
    r05(v);
    for (int rank = 0; rank < 2; rank++)
        fence(v->lane[rank], find(v->lane[rank], ORDO_OP_RED_AND), ORDO_OP_FENCE, SEM(acq_rel), SC(gpu));
}
/* Rank 0 clears without release, and its reducer fences before `done`. */
static void reducer_fence(struct view *v, enum ordo_sem sem)
{
    find(v->lane[0], ORDO_OP_RED_AND)->sem = SEM(relaxed);
    fence(v->adder[0], &v->adder[0]->record[v->adder[0]->n - 1], ORDO_OP_FENCE, sem, SC(gpu));
}
/* Rank 1 polls without acquire, and fences after. */
static void relaxed_poll_fence(struct view *v, enum ordo_sem sem)
{
    find(v->lane[1], ORDO_OP_AWAIT_CLEAR)->sem = SEM(relaxed);
    fence(v->lane[1], find(v->lane[1], ORDO_OP_AWAIT_CLEAR) + 1, ORDO_OP_FENCE, sem, SC(gpu));
}
static void r12(struct view *v)
{
    reducer_fence(v, SEM(acq_rel));
}
static void r13(struct view *v)
{
    reducer_fence(v, SEM(sc));
}
static void r14(struct view *v)
{
    reducer_fence(v, SEM(sc));
    relaxed_poll_fence(v, SEM(sc));
}
static void r15(struct view *v)
{
    relaxed_poll_fence(v, SEM(acq_rel));
}
/* The tape's clear as a load and a store. */
static void clear_in_two(struct ordo_tape *t, enum ordo_sem load, enum ordo_sem store, enum ordo_scope scope)
{
    struct ordo_record *r = find(t, ORDO_OP_RED_AND), *at = shift(t, r);

    *r = *at;
    r->op = ORDO_OP_LOAD;
    r->sem = load;
    at->op = ORDO_OP_STORE;
    at->sem = store;
    r->scope = at->scope = scope;
}
static void r16(struct view *v)
{
    for (int rank = 0; rank < 2; rank++)
        clear_in_two(v->lane[rank], SEM(relaxed), SEM(release), SC(gpu));
}
/* Volatile is relaxed over the system; fence.sc before the clear and after the poll. */
static void r18(struct view *v)
{
    for (int rank = 0; rank < 2; rank++) {
        struct ordo_record *poll = find(v->lane[rank], ORDO_OP_AWAIT_CLEAR);

        poll->sem = SEM(relaxed);
        poll->scope = SC(sys);
        fence(v->lane[rank], poll + 1, ORDO_OP_FENCE, SEM(sc), SC(gpu));
        fence(v->lane[rank], find(v->lane[rank], ORDO_OP_RED_AND), ORDO_OP_FENCE, SEM(sc), SC(gpu));
        clear_in_two(v->lane[rank], SEM(relaxed), SEM(relaxed), SC(sys));
    }
}
static void r19(struct view *v)
{
    find(v->env, ORDO_OP_RED_AND)->sem = SEM(relaxed);
}
static void r20(struct view *v)
{
    r19(v);
    find(v->env, ORDO_OP_RED_AND)->scope = SC(cta);
}
static void r21(struct view *v)
{
    clear_in_two(v->env, SEM(relaxed), SEM(relaxed), SC(gpu));
}
static void r22(struct view *v)
{
    r16(v);
    clear_in_two(v->env, SEM(relaxed), SEM(release), SC(gpu));
}
static void r24(struct view *v)
{
    find(v->adder[0], ORDO_OP_BULK_WAIT)->op = ORDO_OP_BULK_WAIT_READ;
}
static void r26(struct view *v)
{
    drop(v->adder[1], find(v->adder[1], ORDO_OP_PROXY_FENCE));
}
static void r28(struct view *v)
{
    for (int rank = 0; rank < 2; rank++)
        find(v->lane[rank], ORDO_OP_AWAIT_CLEAR)->width = ORDO_WIDTH_u8;
}

/* The mask build of rank 0 runs beside the launch. */
static void r29(struct view *v)
{
    struct ordo_record record[1];
    struct ordo_tape tape = {record, 0, 1};
    const int32_t idx[1] = {ROW};

    ordo_mask_build(&tape, (struct ordo_mem){ORDO_SPACE_MASK}, idx, 1, 1, ROW + 1, CLUSTER, 0, 0, 1);
    assert_int_equal(tape.n, 1);
    (void)shift(v->lane[0], v->lane[0]->record);
    v->lane[0]->record[0] = record[0];
}

/* --- the table -------------------------------------------------------------------------------------------------- */

enum verdict { HOLDS, VIOLATED, REFUSED };

/* Whether a referee applies to a row. */
enum speaks {
    SPEAKS,   /* gives the row's verdict */
    REFUSES,  /* says itself that it does not */
    UNSTATED, /* cannot be asked */
    ORDERS,   /* holds where the row is convicted by policy */
};

static const char IN_TWO[] = "a clear in two steps is outside the one-run class";

static const struct row {
    const char *id;
    void (*edit)(struct view *v);
    enum verdict verdict;
    enum speaks e3, e4, e2;
    const char *why;         /* one does not speak */
    bool bulk[2], env;       /* the rank adds in bulk; there is an environment thread */
    int32_t cluster_of_rank_1;
    uint32_t unset;          /* bits of the mask that are not set at first */
    const char *exists;      /* the bad outcome; NULL: rank 1 does not find rank 0's sum */
    const char *poll, *poll_as; /* words of the program that are exchanged */
} rows[] = {
    {"R01", r01, HOLDS, SPEAKS, SPEAKS, .why = NULL},
    {"R02", r02, VIOLATED, SPEAKS, SPEAKS, .why = NULL},
    {"R03", r03, VIOLATED, SPEAKS, SPEAKS, .why = NULL},
    {"R04", r04, VIOLATED, SPEAKS, SPEAKS, .why = NULL},
    {"R05", r05, VIOLATED, SPEAKS, SPEAKS, .why = NULL},
    {"R06", r06, VIOLATED, SPEAKS, SPEAKS, .why = NULL},
    {"R07", r07, VIOLATED, SPEAKS, SPEAKS, .why = NULL},
    {"R08", r08, HOLDS, SPEAKS, SPEAKS, .why = NULL},
    {"R09", r08, VIOLATED, SPEAKS, UNSTATED, .cluster_of_rank_1 = 1, .why = "its tapes are those of one cluster"},
    {"R10", r10, VIOLATED, SPEAKS, SPEAKS, .why = NULL},
    {"R11", r11, HOLDS, SPEAKS, SPEAKS, .why = NULL},
    {"R12", r12, VIOLATED, SPEAKS, SPEAKS, .why = NULL},
    {"R13", r13, VIOLATED, SPEAKS, SPEAKS, .why = NULL},
    {"R14", r14, HOLDS, SPEAKS, REFUSES, .why = "rests on the order among fence.sc"},
    {"R15", r15, HOLDS, SPEAKS, SPEAKS, .why = NULL},
    {"R16", r16, HOLDS, SPEAKS, REFUSES, .why = IN_TWO},
    {"R17", r01, HOLDS, SPEAKS, UNSTATED, UNSTATED, .why = "op.h has no poll by an atomic, so no tape has",
     .poll = "ld.acquire.gpu r0, m", .poll_as = "atom.acquire.gpu.or r0, m, 0"},
    {"R18", r18, HOLDS, SPEAKS, REFUSES, .why = IN_TWO},
    {"R19", r19, HOLDS, SPEAKS, SPEAKS, .why = NULL, .env = true},
    {"R20", r20, VIOLATED, SPEAKS, SPEAKS, .why = NULL, .env = true},
    {"R21", r21, VIOLATED, SPEAKS, REFUSES, .env = true, .why = IN_TWO},
    {"R22", r22, VIOLATED, SPEAKS, REFUSES, .env = true, .exists = "m != 0", .why = IN_TWO},
    {"R23", r01, HOLDS, SPEAKS, SPEAKS, .why = NULL, .env = true, .exists = "m != 0"},
    {"R24", r24, VIOLATED, SPEAKS, SPEAKS, .why = NULL, .bulk = {1, 0}},
    {"R24 in bulk", r24, VIOLATED, ORDERS, SPEAKS, .bulk = {1, 1},
     .why = "two bulk additions of one value commute, so their sum tells nothing"},
    {"R25", r01, HOLDS, SPEAKS, SPEAKS, .why = NULL, .bulk = {1, 0}},
    {"R26", r26, VIOLATED, SPEAKS, SPEAKS, .why = NULL, .bulk = {0, 1}},
    {"R27", r01, HOLDS, SPEAKS, SPEAKS, .why = NULL, .bulk = {0, 1}},
    {"R28", r28, VIOLATED, REFUSES, SPEAKS, REFUSES, .why = "a mixed-size race switches the model off"},
    {"R29", r29, VIOLATED, SPEAKS, REFUSES, .unset = 1u << (ROW * CLUSTER),
     .why = "bits set in the launch are outside the one-run class"},
    {"R30", r26, VIOLATED, ORDERS, SPEAKS, .bulk = {1, 1},
     .why = "the axioms order it; \"not derivable\" is E4's policy"},
    {"R31", r01, HOLDS, SPEAKS, SPEAKS, .why = NULL, .bulk = {1, 1}},
};

/* --- E3 --------------------------------------------------------------------------------------------------------- */

enum { THREADS = 5, ENV = 4 };

static void record_pair(const struct row *row, struct ordo_record record[THREADS][ROOM],
                        struct ordo_tape tape[THREADS])
{
    const struct ordo_handoff hand = {1, 2, 2};
    const struct ordo_mem mask = {ORDO_SPACE_MASK}, plane = {ORDO_SPACE_PLANE};
    const int64_t at[1] = {ROW};

    for (int t = 0; t < THREADS; t++)
        tape[t] = (struct ordo_tape){record[t], 0, ROOM};
    for (int rank = 0; rank < 2; rank++) {
        ordo_relay_slot(&tape[rank * 2], mask, CLUSTER, rank, ROW, hand);
        if (row->bulk[rank])
            ordo_relay_bulk(&tape[rank * 2 + 1], plane, at, 1, 0, 1, hand);
        else
            ordo_relay_reduce(&tape[rank * 2 + 1], plane, at, 1, (struct ordo_unread){0}, 1, 0, 1, hand);
    }
    ordo_relay_slot(&tape[ENV], mask, CLUSTER, 2, OTHER, hand);
    while (tape[ENV].record[0].op != ORDO_OP_RED_AND) /* its clear alone: what it waits for is not here */
        drop(&tape[ENV], tape[ENV].record);
}

/* The program with the row's words exchanged. */
static char *exchange(const struct row *row, char *text)
{
    char *at = strstr(text, row->poll), *out = malloc(strlen(text) + strlen(row->poll_as) + 1);

    assert_non_null(at);
    assert_non_null(out);
    (void)sprintf(out, "%.*s%s%s", (int)(at - text), text, row->poll_as, at + strlen(row->poll));
    free(text);
    return strstr(out, row->poll) ? exchange(row, out) : out;
}

/* The text of a row's program, to be freed; NULL if the tapes have none. */
static char *program_of(const struct row *row)
{
    uint32_t mask = ordo_mask_own(ROW, CLUSTER, 0) | ordo_mask_own(ROW, CLUSTER, 1);
    const char *exists = row->exists ? row->exists : row->bulk[1] ? "p != 11" : "P3:r0 != 1";
    struct ordo_record record[THREADS][ROOM];
    struct ordo_tape tape[THREADS];
    struct ordo_litmus_thread thread[THREADS];
    struct view v = {{&tape[0], &tape[2]}, {&tape[1], &tape[3]}, {NULL, NULL}, &tape[ENV]};
    char *text = NULL;
    const char *wrong;
    size_t n;
    FILE *out = open_memstream(&text, &n);

    assert_non_null(out);
    record_pair(row, record, tape);
    row->edit(&v);
    for (int t = 0; t < THREADS; t++)
        thread[t] = (struct ordo_litmus_thread){&tape[t], t / 2, t / 2 == 1 ? row->cluster_of_rank_1 : 0,
                                                t < 2 ? 1 : 10};
    if (row->env)
        mask |= ordo_mask_own(OTHER, CLUSTER, 2);
    wrong = ordo_tape_litmus(row->id, thread, row->env ? THREADS : ENV, mask & ~row->unset, exists, out);
    (void)fclose(out);
    if (!wrong)
        return row->poll ? exchange(row, text) : text;
    free(text);
    return NULL;
}

static enum verdict by_e3(const struct row *row)
{
    struct ordo_err err = {0};
    struct ordo_ptx_program *p = malloc(sizeof *p);
    struct ordo_ptx_verdict v;
    enum verdict verdict = REFUSED;
    char *text = program_of(row);

    assert_non_null(p);
    if (text) {
        assert_ok(ordo_ptx_parse(row->id, text, strlen(text), p, &err), err);
        assert_true(ordo_ptx_decide(p, false, &v));
        verdict = !v.decided ? REFUSED : v.holds || v.tally.race || v.tally.executions == 0 ? VIOLATED : HOLDS;
        ordo_ptx_verdict_free(&v);
    }
    free(text);
    free(p);
    return verdict;
}

/* --- E2 --------------------------------------------------------------------------------------------------------- */

static enum verdict by_e2(const struct row *row)
{
    static const char *const role[THREADS] = {"slot", "adder", "slot", "adder", "slot"};
    uint32_t mask = ordo_mask_own(ROW, CLUSTER, 0) | ordo_mask_own(ROW, CLUSTER, 1);
    struct ordo_record record[THREADS][ROOM];
    struct ordo_tape tape[THREADS];
    struct view v = {{&tape[0], &tape[2]}, {&tape[1], &tape[3]}, {NULL, NULL}, &tape[ENV]};
    struct ordo_e2_options grid = {.scheduler = ORDO_SCHED_GRID};
    struct ordo_e2_program p;
    struct ordo_e2_result r;
    enum verdict verdict;

    record_pair(row, record, tape);
    row->edit(&v);
    if (row->env)
        mask |= ordo_mask_own(OTHER, CLUSTER, 2);
    assert_true(ordo_e2_program_begin(&p));
    for (int t = 0; t < (row->env ? THREADS : ENV); t++)
        assert_non_null(ordo_e2_add(&p, role[t], &tape[t], t / 2, t / 2, t / 2 == 1 ? row->cluster_of_rank_1 : 0));
    p.stride = CLUSTER;
    *ordo_e2_value(&p, ORDO_SPACE_MASK, 0) = mask & ~row->unset;
    assert_true(ordo_e2_decide(&p, &grid, &r));
    verdict = r.verdict == ORDO_E2_PROVED ? HOLDS : r.verdict == ORDO_E2_VIOLATED ? VIOLATED : REFUSED;
    ordo_e2_result_free(&r);
    ordo_e2_program_free(&p);
    return verdict;
}

/* --- E4 --------------------------------------------------------------------------------------------------------- */

/* The nth such tape. */
static struct ordo_tape *tape_of(const struct ordo_cluster_tapes *t, int32_t rank, enum ordo_thread_kind kind,
                                 int nth)
{
    for (int32_t i = 0; i < t->n_thread; i++)
        if (t->thread[i].rank == rank && t->thread[i].kind == kind && nth-- == 0)
            return &t->thread[i].tape;
    fail_msg("no such thread");
    return NULL;
}

/* Rank by rank reducers or bulk copies: both are recorded, with as many threads, and the ranks picked. */
static void pick(const struct row *row, const int32_t idx[3], struct ordo_cluster_tapes tapes[2])
{
    struct ordo_cta_shape shape = {
        .name = "pair", .cluster = CLUSTER, .n_rank = 3, .n_wave = 1, .n_tile = 1, .n_slot = 1, .n_row = ROW + 1,
        .n_column = 1, .idx = idx, .go = 1, .done = 2,
    };

    for (int bulk = 0; bulk < 2; bulk++) {
        shape.n_reducer = bulk ? 0 : 2;
        shape.n_stager = bulk ? 1 : 0;
        assert_true(ordo_cluster_tapes_record(&tapes[bulk], &shape));
    }
    assert_int_equal(tapes[0].n_thread, tapes[1].n_thread);
    for (int32_t i = 0; i < tapes[0].n_thread; i++) {
        int32_t rank = tapes[0].thread[i].rank;

        assert_int_equal(tapes[1].thread[i].rank, rank);
        if (rank < 2 && row->bulk[rank])
            tapes[0].thread[i] = tapes[1].thread[i];
    }
}

static enum verdict by_e4(const struct row *row)
{
    const int32_t idx[3] = {ROW, ROW, row->env ? OTHER : -1};
    struct ordo_cluster_tapes tapes[2];
    struct ordo_e4_finding finding;
    enum ordo_e4_verdict verdict;
    struct view v;

    pick(row, idx, tapes);
    for (int32_t rank = 0; rank < 2; rank++) {
        bool bulk = row->bulk[rank];

        v.lane[rank] = tape_of(&tapes[0], rank, ORDO_THREAD_SLOT, 0);
        v.adder[rank] = tape_of(&tapes[0], rank, bulk ? ORDO_THREAD_BULK : ORDO_THREAD_REDUCER, 0);
        v.fourth[rank] = tape_of(&tapes[0], rank, bulk ? ORDO_THREAD_STAGER : ORDO_THREAD_REDUCER, !bulk);
    }
    v.env = tape_of(&tapes[0], 2, ORDO_THREAD_SLOT, 0);
    row->edit(&v);
    verdict = ordo_e4_check(&tapes[0], &finding);
    for (int bulk = 0; bulk < 2; bulk++)
        ordo_cluster_tapes_free(&tapes[bulk]);
    return verdict == ORDO_E4_HOLDS ? HOLDS : verdict == ORDO_E4_VIOLATED ? VIOLATED : REFUSED;
}

/* --- every row -------------------------------------------------------------------------------------------------- */

/* Whether the referee says of the row what it should. */
static bool agrees(const struct row *r, const char *engine, enum speaks speaks,
                   enum verdict (*judge)(const struct row *))
{
    static const char *const name[] = {"holds", "violated", "refused"};
    enum verdict want = speaks == SPEAKS ? r->verdict : speaks == REFUSES ? REFUSED : HOLDS, got;

    if (speaks == UNSTATED)
        return true;
    got = judge(r);
    if (got != want)
        print_error("%s: %s says %s, not %s\n", r->id, engine, name[got], name[want]);
    return got == want;
}

static void every_row(void **state)
{
    int n_wrong = 0, all = 0, n_e2 = 0;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *r = &rows[i];

        n_wrong += !agrees(r, "E2", r->e2, by_e2) + !agrees(r, "E3", r->e3, by_e3) + !agrees(r, "E4", r->e4, by_e4);
        all += r->e2 == SPEAKS && r->e3 == SPEAKS && r->e4 == SPEAKS;
        n_e2 += r->e2 == SPEAKS;
        assert_true(r->e3 == SPEAKS || r->e4 == SPEAKS); /* one at least gives the verdict */
        assert_true((r->e2 == SPEAKS && r->e3 == SPEAKS && r->e4 == SPEAKS) == (r->why == NULL)); /* or why not */
    }
    assert_int_equal(n_wrong, 0);
    assert_int_equal(all, 21);
    assert_int_equal(n_e2, 30);
}

/* R01 to R31 all stand there, in order. */
static void no_row_is_missing(void **state)
{
    int last = 0;

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int number = atoi(rows[i].id + 1);

        assert_true(number == last || number == last + 1);
        last = number;
    }
    assert_int_equal(last, 31);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row), cmocka_unit_test(no_row_is_missing)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
