/* t_referees.c - the relay and every published way to break it, as edits of the shipped tapes, by three referees.
 *
 * Two ranks, one row, one thread a role.  Each line of the table is a variant R01 to R31 (project facts on verification,
 * 5.2) that tapes can state; E3 enumerates all executions of its litmus form, E4 checks its side conditions, E2 explores
 * every interleaving of the same tapes. */
#include "tests/test.h"

#include "protocol/relay.h"
#include "sim/e2.h"
#include "sim/e4.h"
#include "sim/ptx_litmus.h"
#include "sim/tape_litmus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLUSTER = 8, ROW = 1, ROOM = 24 };

/* The four threads that an edit may touch. */
struct view {
    struct ordo_tape *lane[2], *adder[2];
};

/* --- edits ---------------------------------------------------------------------------------------------------------- */

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

/* Puts a fence in front of r. */
static void fence(struct ordo_tape *t, struct ordo_record *r, enum ordo_op op, enum ordo_sem sem, enum ordo_scope scope)
{
    uint32_t at = (uint32_t)(r - t->record);

    assert_true(t->n < t->size);
    memmove(&t->record[at + 1], &t->record[at], (t->n - at) * sizeof *r);
    t->record[at] = (struct ordo_record){op, sem, scope, ORDO_WIDTH_b32, ORDO_SPACE_NONE, 0, 0, r->file, r->line};
    t->n++;
}

static void drop_barrier(struct view *v, int rank, int nth)
{
    struct ordo_tape *tape[2] = {v->lane[rank], v->adder[rank]};

    for (int i = 0; i < 2; i++) {
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
/* The clear as a load and a store. */
static void r16(struct view *v)
{
    for (int rank = 0; rank < 2; rank++) {
        struct ordo_record *r = find(v->lane[rank], ORDO_OP_RED_AND);

        fence(v->lane[rank], r, ORDO_OP_LOAD, SEM(relaxed), SC(gpu));
        r->space = ORDO_SPACE_MASK;
        r->index = r[1].index;
        r[1].op = ORDO_OP_STORE;
    }
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

/* --- the table ------------------------------------------------------------------------------------------------------ */

enum verdict { HOLDS, VIOLATED, REFUSED, NOT_ASKED };

static const struct row {
    const char *id;
    void (*edit)(struct view *v);
    bool bulk[2]; /* the rank adds in bulk */
    int32_t cluster_of_rank_1;
    enum verdict e3, e4; /* E4 knows either reducers or bulk copies, in one cluster */
} rows[] = {
    {"R01", r01, {0, 0}, 0, HOLDS, HOLDS},
    {"R02", r02, {0, 0}, 0, VIOLATED, VIOLATED},
    {"R03", r03, {0, 0}, 0, VIOLATED, VIOLATED},
    {"R04", r04, {0, 0}, 0, VIOLATED, VIOLATED},
    {"R05", r05, {0, 0}, 0, VIOLATED, VIOLATED},
    {"R06", r06, {0, 0}, 0, VIOLATED, VIOLATED},
    {"R07", r07, {0, 0}, 0, VIOLATED, VIOLATED},
    {"R08", r08, {0, 0}, 0, HOLDS, HOLDS},
    {"R09", r08, {0, 0}, 1, VIOLATED, NOT_ASKED},
    {"R10", r10, {0, 0}, 0, VIOLATED, VIOLATED},
    {"R11", r11, {0, 0}, 0, HOLDS, HOLDS},
    {"R12", r12, {0, 0}, 0, VIOLATED, VIOLATED},
    {"R13", r13, {0, 0}, 0, VIOLATED, VIOLATED},
    {"R14", r14, {0, 0}, 0, HOLDS, REFUSED},
    {"R15", r15, {0, 0}, 0, HOLDS, HOLDS},
    {"R16", r16, {0, 0}, 0, HOLDS, REFUSED},
    {"R24", r24, {1, 0}, 0, VIOLATED, NOT_ASKED},
    {"R24 both", r24, {1, 1}, 0, NOT_ASKED, VIOLATED},
    {"R25", r01, {1, 0}, 0, HOLDS, NOT_ASKED},
    {"R26", r26, {0, 1}, 0, VIOLATED, NOT_ASKED},
    {"R27", r01, {0, 1}, 0, HOLDS, NOT_ASKED},
    {"R28", r28, {0, 0}, 0, REFUSED, VIOLATED},
    {"R30", r26, {1, 1}, 0, NOT_ASKED, VIOLATED},
    {"R31", r01, {1, 1}, 0, HOLDS, HOLDS},
};

/* --- E3 --------------------------------------------------------------------------------------------------------------- */

static void record_pair(const struct row *row, struct ordo_record record[4][ROOM], struct ordo_tape tape[4])
{
    const struct ordo_handoff hand = {1, 2, 2};
    const struct ordo_mem mask = {ORDO_SPACE_MASK}, plane = {ORDO_SPACE_PLANE};
    const int64_t at[1] = {ROW};

    for (int t = 0; t < 4; t++)
        tape[t] = (struct ordo_tape){record[t], 0, ROOM};
    for (int rank = 0; rank < 2; rank++) {
        ordo_relay_slot(&tape[rank * 2], mask, CLUSTER, rank, ROW, hand);
        if (row->bulk[rank])
            ordo_relay_bulk(&tape[rank * 2 + 1], plane, at, 1, 0, 1, hand);
        else
            ordo_relay_reduce(&tape[rank * 2 + 1], plane, at, 1, NULL, 1, 0, 1, hand);
    }
}

/* The text of a row's program, to be freed; NULL if the tapes have none. */
static char *program_of(const struct row *row)
{
    struct ordo_record record[4][ROOM];
    struct ordo_tape tape[4];
    struct ordo_litmus_thread thread[4];
    struct view v = {{&tape[0], &tape[2]}, {&tape[1], &tape[3]}};
    char *text = NULL;
    const char *wrong;
    size_t n;
    FILE *out = open_memstream(&text, &n);

    assert_non_null(out);
    record_pair(row, record, tape);
    row->edit(&v);
    for (int t = 0; t < 4; t++)
        thread[t] = (struct ordo_litmus_thread){&tape[t], t / 2, t < 2 ? 0 : row->cluster_of_rank_1, t < 2 ? 1 : 10};
    wrong = ordo_tape_litmus(row->id, thread, 4, ordo_mask_own(ROW, CLUSTER, 0) | ordo_mask_own(ROW, CLUSTER, 1),
                             row->bulk[1] ? "p != 11" : "P3:r0 != 1", out);
    (void)fclose(out);
    if (!wrong)
        return text;
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

/* --- E2: as E3, and where E3 is not asked as E4 ----------------------------------------------------------------------- */

static enum verdict by_e2(const struct row *row)
{
    static const char *const role[4] = {"slot", "adder", "slot", "adder"};
    struct ordo_record record[4][ROOM];
    struct ordo_tape tape[4];
    struct view v = {{&tape[0], &tape[2]}, {&tape[1], &tape[3]}};
    struct ordo_e2_options grid = {.scheduler = ORDO_SCHED_GRID};
    struct ordo_e2_program p;
    struct ordo_e2_result r;
    enum verdict verdict;

    record_pair(row, record, tape);
    row->edit(&v);
    assert_true(ordo_e2_program_begin(&p));
    for (int t = 0; t < 4; t++)
        assert_non_null(ordo_e2_add(&p, role[t], &tape[t], t / 2, t / 2, t < 2 ? 0 : row->cluster_of_rank_1));
    p.stride = CLUSTER;
    *ordo_e2_value(&p, ORDO_SPACE_MASK, 0) = ordo_mask_own(ROW, CLUSTER, 0) | ordo_mask_own(ROW, CLUSTER, 1);
    assert_true(ordo_e2_decide(&p, &grid, &r));
    verdict = r.verdict == ORDO_E2_PROVED ? HOLDS : r.verdict == ORDO_E2_VIOLATED ? VIOLATED : REFUSED;
    ordo_e2_result_free(&r);
    ordo_e2_program_free(&p);
    return verdict;
}

/* --- E4 --------------------------------------------------------------------------------------------------------------- */

static struct ordo_tape *tape_of(const struct ordo_cluster_tapes *t, int32_t rank, enum ordo_thread_kind kind)
{
    for (int32_t i = 0; i < t->n_thread; i++)
        if (t->thread[i].rank == rank && t->thread[i].kind == kind)
            return &t->thread[i].tape;
    fail_msg("no such thread");
    return NULL;
}

static enum verdict by_e4(const struct row *row)
{
    static const int32_t idx[2] = {ROW, ROW};
    struct ordo_cta_shape shape = {
        .name = "pair", .cluster = CLUSTER, .n_rank = 2, .n_wave = 1, .n_tile = 1, .n_slot = 1, .n_row = ROW + 1,
        .n_column = 1, .n_reducer = row->bulk[0] ? 0 : 1, .n_stager = row->bulk[0] ? 1 : 0, .idx = idx,
    };
    enum ordo_thread_kind adder = row->bulk[0] ? ORDO_THREAD_BULK : ORDO_THREAD_REDUCER;
    struct ordo_cluster_tapes tapes;
    struct ordo_e4_finding finding;
    enum ordo_e4_verdict verdict;
    struct view v;

    assert_true(ordo_cluster_tapes_record(&tapes, &shape));
    for (int32_t rank = 0; rank < 2; rank++) {
        v.lane[rank] = tape_of(&tapes, rank, ORDO_THREAD_SLOT);
        v.adder[rank] = tape_of(&tapes, rank, adder);
    }
    row->edit(&v);
    verdict = ordo_e4_check(&tapes, &finding);
    ordo_cluster_tapes_free(&tapes);
    return verdict == ORDO_E4_HOLDS ? HOLDS : verdict == ORDO_E4_VIOLATED ? VIOLATED : REFUSED;
}

static void every_row(void **state)
{
    static const char *const name[] = {"holds", "violated", "refused"};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *r = &rows[i];
        enum verdict e3 = r->e3 == NOT_ASKED ? NOT_ASKED : by_e3(r), e4 = r->e4 == NOT_ASKED ? NOT_ASKED : by_e4(r);

        if (by_e2(r) != (r->e3 == NOT_ASKED ? r->e4 : r->e3))
            print_error("%s: E2 says %s\n", r->id, name[by_e2(r)]);
        if (e3 != r->e3)
            print_error("%s: E3 says %s, not %s\n", r->id, name[e3], name[r->e3]);
        if (e4 != r->e4)
            print_error("%s: E4 says %s, not %s\n", r->id, name[e4], name[r->e4]);
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(by_e2(&rows[i]) == (rows[i].e3 == NOT_ASKED ? rows[i].e4 : rows[i].e3));
        assert_true(rows[i].e3 == NOT_ASKED || by_e3(&rows[i]) == rows[i].e3);
        assert_true(rows[i].e4 == NOT_ASKED || by_e4(&rows[i]) == rows[i].e4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_row)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
