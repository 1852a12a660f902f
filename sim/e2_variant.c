/* e2_variant.c - the table of variants.  R: two CTAs of slot lane and adder, what the memory model decides.  D: logic
 * and scheduling.  D16, D20 and R28 are errors of one tape and belong to E4. */
#include "sim/e2_variant.h"

#include <string.h>

#define SEM(s) ORDO_SEM_##s
#define SC(s) ORDO_SCOPE_##s
#define OP(o) ORDO_OP_##o
#define RACE (1u << ORDO_E2_RACE)
#define ORDER (1u << ORDO_E2_ORDER)
#define STUCK (1u << ORDO_E2_DEADLOCK)
#define LEFT (1u << ORDO_E2_RESIDUAL)
#define WHOLE(n) ORDO_SCHED_CLUSTER, n
#define PASS(n) WHOLE(n), ORDO_E2_PROVED, 0, false
#define FAIL(n, bad) WHOLE(n), ORDO_E2_VIOLATED, bad, false
#define WEAK(n, bad) WHOLE(n), ORDO_E2_VIOLATED, bad, true

/* Edits of all ranks, or of one. */
#define POLLS(action, a, b) {ORDO_EDIT_##action, NULL, -1, OP(AWAIT_CLEAR), -1, a, b}
#define CLEARS(action, a, b) {ORDO_EDIT_##action, NULL, -1, OP(RED_AND), -1, a, b}
#define AT(action, role, rank, op, nth, a, b) {ORDO_EDIT_##action, role, rank, OP(op), nth, a, b}

/* stride, ranks, rows, reducers of a CTA */
#define PAIR {.design = ORDO_E2_RELAY, .stride = 8, .ranks = 2, .rows = 1, .reducers = 1}
#define PAIR_BULK(which) {.design = ORDO_E2_RELAY, .stride = 8, .ranks = 2, .rows = 1, .reducers = 1, .bulk = which}
#define THIRD {.design = ORDO_E2_RELAY, .stride = 8, .ranks = 3, .rows = 2, .reducers = 1, .writes = 0x23}
#define APART {.design = ORDO_E2_RELAY, .stride = 8, .ranks = 2, .rows = 2, .reducers = 1, .writes = 0x9}
#define FOUR(n_rows, walk) {.design = ORDO_E2_RELAY, .stride = 4, .rows = n_rows, .order = ORDO_E2_##walk}

const struct ordo_e2_variant ordo_e2_variants[] = {
    {"R01", "as shipped", PAIR, PASS(2), {{0}}},
    {"R02", "no barrier after the poll", PAIR, FAIL(2, RACE | ORDER), {AT(DROP, NULL, 1, BAR_SYNC, 0, 0, 0)}},
    {"R03", "no barrier before the clear", PAIR, FAIL(2, RACE | ORDER), {AT(DROP, NULL, 0, BAR_SYNC, 1, 0, 0)}},
    {"R04", "poll relaxed", PAIR, WEAK(2, RACE), {POLLS(ORDER, SEM(relaxed), SC(gpu))}},
    {"R05", "clear relaxed", PAIR, WEAK(2, RACE), {CLEARS(ORDER, SEM(relaxed), SC(gpu))}},
    {"R06", "clear release.cta", PAIR, WEAK(2, RACE), {CLEARS(ORDER, SEM(release), SC(cta))}},
    {"R07", "poll acquire.cta", PAIR, WEAK(2, RACE), {POLLS(ORDER, SEM(acquire), SC(cta))}},
    {"R08", "both .cluster, one cluster", PAIR, PASS(2),
     {POLLS(ORDER, SEM(acquire), SC(cluster)), CLEARS(ORDER, SEM(release), SC(cluster))}},
    {"R09", "both .cluster, two clusters",
     {.design = ORDO_E2_RELAY, .stride = 8, .ranks = 2, .rows = 1, .reducers = 1, .spread = 1}, WEAK(2, RACE),
     {POLLS(ORDER, SEM(acquire), SC(cluster)), CLEARS(ORDER, SEM(release), SC(cluster))}},
    {"R10", "poll weak", PAIR, WEAK(2, RACE), {POLLS(ORDER, SEM(weak), SC(gpu))}},
    {"R11", "fence.acq_rel and a relaxed clear, by the clearing thread", PAIR, PASS(2),
     {CLEARS(ORDER, SEM(relaxed), SC(gpu)), CLEARS(FENCE_BEFORE, SEM(acq_rel), SC(gpu))}},
    {"R12", "fence.acq_rel by the reducer, clear relaxed", PAIR, WEAK(2, RACE),
     {AT(ORDER, NULL, 0, RED_AND, -1, SEM(relaxed), SC(gpu)),
      AT(FENCE_BEFORE, "reducer", 0, BAR_SYNC, 1, SEM(acq_rel), SC(gpu))}},
    {"R13", "fence.sc by the reducer, clear relaxed, poll acquire", PAIR, WEAK(2, RACE),
     {AT(ORDER, NULL, 0, RED_AND, -1, SEM(relaxed), SC(gpu)),
      AT(FENCE_BEFORE, "reducer", 0, BAR_SYNC, 1, SEM(sc), SC(gpu))}},
    {"R14", "fence.sc by the reducer, clear relaxed, poll relaxed, fence.sc", PAIR, PASS(2),
     {AT(ORDER, NULL, 0, RED_AND, -1, SEM(relaxed), SC(gpu)),
      AT(FENCE_BEFORE, "reducer", 0, BAR_SYNC, 1, SEM(sc), SC(gpu)),
      AT(ORDER, NULL, 1, AWAIT_CLEAR, -1, SEM(relaxed), SC(gpu)),
      AT(FENCE_AFTER, NULL, 1, AWAIT_CLEAR, -1, SEM(sc), SC(gpu))}},
    {"R15", "poll relaxed, fence.acq_rel", PAIR, PASS(2),
     {AT(ORDER, NULL, 1, AWAIT_CLEAR, -1, SEM(relaxed), SC(gpu)),
      AT(FENCE_AFTER, NULL, 1, AWAIT_CLEAR, -1, SEM(acq_rel), SC(gpu))}},
    {"R16", "clear by load and store, single writer", PAIR, PASS(2), {CLEARS(LOAD_STORE, 0, 0)}},
    {"R17", "poll by an atomic that changes nothing", PAIR, PASS(2), {POLLS(ORDER, SEM(acq_rel), SC(gpu))}},
    {"R18", "volatile flag, fence.sc on both sides", PAIR, PASS(2),
     {POLLS(ORDER, SEM(relaxed), SC(sys)), POLLS(FENCE_AFTER, SEM(sc), SC(gpu)),
      CLEARS(ORDER, SEM(relaxed), SC(sys)), CLEARS(FENCE_BEFORE, SEM(sc), SC(gpu)), CLEARS(LOAD_STORE, 0, 0)}},
    {"R19", "another row's bit cleared by red.relaxed.gpu in between", THIRD, PASS(3),
     {AT(ORDER, NULL, 2, RED_AND, -1, SEM(relaxed), SC(gpu))}},
    {"R20", "same, red.relaxed.cta of another CTA", THIRD, WEAK(3, RACE),
     {AT(ORDER, NULL, 2, RED_AND, -1, SEM(relaxed), SC(cta))}},
    {"R21", "same, st.relaxed", THIRD, FAIL(3, RACE),
     {AT(ORDER, NULL, 2, RED_AND, -1, SEM(relaxed), SC(gpu)), AT(LOAD_STORE, NULL, 2, RED_AND, -1, 0, 0)}},
    {"R22", "two clears of one word by load and store", APART, FAIL(2, LEFT | STUCK), {CLEARS(LOAD_STORE, 0, 0)}},
    {"R23", "two atomic clears of one word", APART, PASS(2), {{0}}},
    {"R24", "bulk copy, wait_group.read, clear", PAIR_BULK(1), WEAK(2, RACE | ORDER),
     {AT(OP, NULL, 0, BULK_WAIT, -1, OP(BULK_WAIT_READ), 0)}},
    {"R25", "bulk copy, wait_group, clear", PAIR_BULK(1), PASS(2), {{0}}},
    {"R26", "store, relay, bulk copy without proxy fence", PAIR_BULK(2), WEAK(2, RACE),
     {AT(DROP, NULL, 1, PROXY_FENCE, -1, 0, 0)}},
    {"R27", "same with proxy fence", PAIR_BULK(2), PASS(2), {{0}}},
    {"R29", "the launch does not wait for the mask build",
     {.design = ORDO_E2_RELAY, .stride = 8, .ranks = 2, .rows = 1, .reducers = 1, .setup = 1}, FAIL(2, RACE | ORDER),
     {{.action = ORDO_EDIT_OVERLAP}}},
    {"R30", "bulk copy, relay, bulk copy without proxy fence: not derivable", PAIR_BULK(3), WEAK(2, RACE),
     {AT(DROP, NULL, 1, PROXY_FENCE, -1, 0, 0)}},
    {"R31", "same with proxy fence", PAIR_BULK(3), PASS(2), {{0}}},

    {"D01", "ranks not started together", FOUR(1, SAME), ORDO_SCHED_OBE, 3, ORDO_E2_VIOLATED, STUCK, false, {{0}}},
    {"D02", "tickets in another order than the CTAs'", {.design = ORDO_E2_PERMUTED, .ranks = 2}, ORDO_SCHED_WINDOW, 1,
     ORDO_E2_VIOLATED, STUCK, false, {{0}}},
    {"D02c", "tickets in the order of the CTAs", {.design = ORDO_E2_TICKET, .ranks = 2}, ORDO_SCHED_WINDOW, 1,
     ORDO_E2_PROVED, 0, false, {{0}}},
    {"D03", "the mask names a rank that never writes",
     {.design = ORDO_E2_RELAY, .stride = 4, .rows = 2, .order = ORDO_E2_ROTATED, .writes = 0x5A}, FAIL(4, STUCK),
     {{.action = ORDO_EDIT_INITIAL, .a = 0}}},
    {"D04", "a counter that does not start at zero", {.design = ORDO_E2_TICKET, .ranks = 3}, FAIL(3, RACE | ORDER),
     {{.action = ORDO_EDIT_INITIAL, .a = 0, .b = -1}}},
    {"D04m", "a stray bit in the mask",
     {.design = ORDO_E2_RELAY, .stride = 4, .rows = 2, .order = ORDO_E2_ROTATED, .writes = 0x5A}, FAIL(4, STUCK),
     {{.action = ORDO_EDIT_INITIAL, .a = 5}}},
    {"D05", "the own bit counted as a predecessor's", FOUR(1, ROTATED), FAIL(4, STUCK), {POLLS(OWN_BIT, 0, 0)}},
    {"D06", "a cluster barrier between rows, orders differ", FOUR(2, ROTATED), FAIL(4, STUCK),
     {CLEARS(CLUSTER_SYNC, 0, 0)}},
    {"D07", "waits for higher ranks on odd rows", FOUR(2, ROTATED), FAIL(4, ORDER), {POLLS(HIGHER, 0, 0)}},
    {"D08", "exact poll of a counter that can pass",
     {.design = ORDO_E2_WAVES, .ranks = 3, .rows = 3}, FAIL(3, STUCK),
     {AT(VALUE, NULL, -1, RED_ADD, -1, 1, 0), AT(VALUE, NULL, 0, AWAIT_GE, -1, 0, 0),
      AT(VALUE, NULL, 1, AWAIT_GE, -1, 1, 0), AT(VALUE, NULL, 2, AWAIT_GE, -1, 1, 0),
      AT(EXACT, NULL, -1, AWAIT_GE, -1, 0, 0)}},
    {"D08c", "the same polls for at least",
     {.design = ORDO_E2_WAVES, .ranks = 3, .rows = 3}, PASS(3),
     {AT(VALUE, NULL, -1, RED_ADD, -1, 1, 0), AT(VALUE, NULL, 0, AWAIT_GE, -1, 0, 0),
      AT(VALUE, NULL, 1, AWAIT_GE, -1, 1, 0), AT(VALUE, NULL, 2, AWAIT_GE, -1, 1, 0)}},
    {"D09", "clear before the plane write", FOUR(2, ROTATED), FAIL(4, ORDER | RACE), {CLEARS(EARLY, OP(LOAD), 0)}},
    {"D10", "a barrier passed once too often in the first of two tiles",
     {.design = ORDO_E2_RELAY, .stride = 4, .ranks = 2, .rows = 2, .reducers = 1}, FAIL(2, STUCK | RACE | ORDER),
     {AT(REPEAT, "slot", 0, BAR_SYNC, 1, 0, 0)}},
    {"D11", "two CTAs with one rank", FOUR(1, ROTATED), FAIL(4, ORDER | RACE),
     {AT(AS_RANK, NULL, 1, AWAIT_CLEAR, -1, 0, 0), AT(AS_RANK, NULL, 1, RED_AND, -1, 0, 0)}},
    {"D12", "packing with stride C - 1", FOUR(2, SAME), FAIL(4, ORDER | RACE),
     {POLLS(STRIDE, 0, 0), CLEARS(STRIDE, 0, 0)}},
    {"D13", "clear by load and store, rows share the word", FOUR(2, SAME), FAIL(4, LEFT | STUCK | RACE),
     {CLEARS(LOAD_STORE, 0, 0)}},
    {"D14", "a second addition after the bit is gone", FOUR(2, SAME), FAIL(4, ORDER | RACE),
     {AT(ADD_AGAIN, NULL, 0, RED_AND, 0, 0, 0)}},
    {"D15", "the mask lacks a rank that writes", FOUR(2, ROTATED), FAIL(4, ORDER | RACE),
     {{.action = ORDO_EDIT_INITIAL, .a = 1}}},
    {"D17", "cleared by each reducer", {.design = ORDO_E2_RELAY, .stride = 4, .ranks = 2, .reducers = 2},
     FAIL(2, ORDER | RACE), {CLEARS(INTO, 1, 0)}},
    {"D18", "barrier count too small", {.design = ORDO_E2_RELAY, .stride = 4, .ranks = 2, .reducers = 2},
     FAIL(2, RACE | ORDER), {AT(COUNT, NULL, -1, BAR_SYNC, -1, -1, 0)}},
    {"D18l", "barrier count too large", {.design = ORDO_E2_RELAY, .stride = 4, .ranks = 2, .reducers = 2},
     FAIL(2, STUCK), {AT(COUNT, NULL, -1, BAR_SYNC, -1, 1, 0)}},
    {"D19", "the next wave on the plane without a hand-over",
     {.design = ORDO_E2_RELAY, .stride = 4, .ranks = 2, .waves = 2}, FAIL(2, ORDER | RACE),
     {AT(DROP, NULL, -1, CLUSTER_ARRIVE, -1, 0, 0), AT(DROP, NULL, -1, CLUSTER_WAIT, -1, 0, 0)}},
};
const size_t ordo_n_e2_variants = sizeof ordo_e2_variants / sizeof ordo_e2_variants[0];

const struct ordo_e2_variant *ordo_e2_variant_find(const char *id)
{
    for (size_t i = 0; i < ordo_n_e2_variants; i++)
        if (strcmp(ordo_e2_variants[i].id, id) == 0)
            return &ordo_e2_variants[i];
    return NULL;
}

bool ordo_e2_variant_program(const struct ordo_e2_variant *variant, const struct ordo_e2_spec *spec,
                             struct ordo_e2_program *p)
{
    const struct ordo_e2_spec *of = spec ? spec : &variant->spec;

    if (!ordo_e2_design(of, p))
        return false;
    for (int i = 0; variant && i < ORDO_E2_MAX_EDITS; i++)
        ordo_e2_edit(of, p, &variant->edit[i]);
    return true;
}

bool ordo_e2_variant_of_e4(const char *id)
{
    return strcmp(id, "D16") == 0 || strcmp(id, "D20") == 0 || strcmp(id, "R28") == 0;
}
