/* one_run.c - see one_run.h.
 *
 * ORDO_EMIT is an inlined check here: nothing is recorded.  Roles of one tile run one after the other, each to its
 * end; what orders them on the device are the two CTA barriers, so every operation is checked against its phase,
 * which is the number of barriers its role has passed: waits in phase 0, additions in 1, clears in 2.  E4 checks that
 * these are the same two barriers for all.  One reducer with the last of COLUMNS columns stands for all of them.
 *
 * The masks of a launch must be clear at its end, which bits set minus bits cleared decides, since only set bits can
 * be cleared. */
#include "sim/one_run.h"

#include "protocol/index.h"
#include "sim/design.h"

/* An operation of a role header. */
struct place {
    const char *file;
    int line;
};
static const struct place NOWHERE = {NULL, 0};

struct lane {
    struct ordo_tape tape; /* first: what the roles are handed is this lane */
    struct ordo_one_run *run;
    const struct ordo_worker *worker;
    const int32_t *idx;
    int32_t clamped;
    uint64_t key, launch_first_key; /* with the plane above */
    uint32_t leaf;
    int32_t row;                    /* the slot's, for messages */
    int32_t phase, n_waited, n_added;
    bool unacquired, fenced; /* waited by a relaxed load, and no fence yet; a fence since the additions */
    struct place relaxed;    /* that load */
    bool stop;
};

enum { GO = 5, DONE = 9, THREADS = 96, COLUMNS = 1024 }; /* any; the roles must use what they are given */

static void violate(struct lane *lane, enum ordo_violation_kind kind, struct place at)
{
    if (!lane->stop)
        lane->run->proof->violation = (struct ordo_violation){kind, *lane->worker, lane->row, 0, at.file, at.line};
    lane->stop = true;
}

/* --- one operation ---------------------------------------------------------------------------------------------- */

/* Where a mask word lies in the compact table; NULL, and a violation, where no live slot has a row in it. */
static inline uint32_t *mask_word(struct lane *lane, int64_t word, int32_t cluster, struct place at)
{
    const struct ordo_domain *d = &lane->run->rows->domain;
    int64_t row = word * ordo_mask_rows_per_word(cluster);

    if (ordo_domain_has(d, row)) {
        word = d->live ? ordo_mask_word(ordo_domain_compact(d, (int32_t)row), cluster) : word;
        if (word >= 0 && word < lane->run->n_word)
            return &lane->run->mask[word];
    }
    violate(lane, ORDO_VIOLATION_STRANGER, at);
    return NULL;
}

static inline void check_mark(struct lane *lane, uint32_t *word, uint32_t bits)
{
    if (!word)
        return;
    lane->run->n_bits += !(*word & bits);
    *word |= bits;
}

static inline void check_wait(struct lane *lane, const uint32_t *word, uint32_t bits, struct place at)
{
    if (!word)
        return;
    if (lane->phase != 0)
        violate(lane, ORDO_VIOLATION_NO_WAIT, at);
    else if (*word & bits)
        violate(lane, ORDO_VIOLATION_BLOCKED, at);
    lane->n_waited++;
}

static inline void check_clear(struct lane *lane, uint32_t *word, uint32_t keep, struct place at)
{
    if (!word)
        return;
    if (lane->phase != 2)
        violate(lane, ORDO_VIOLATION_EARLY_CLEAR, at);
    else if ((~keep & (~keep - 1)) != 0 || !(*word & ~keep))
        violate(lane, ORDO_VIOLATION_MISSING_BIT, at);
    *word &= keep;
    lane->run->n_bits--;
}

static inline __attribute__((always_inline)) void check_add(struct lane *lane, int64_t element, struct place at)
{
    struct ordo_one_run *run = lane->run;
    int64_t row = (int64_t)((uint64_t)element / COLUMNS); /* a negative one is far beyond */
    uint32_t c;
    struct ordo_row_slot *slot;
    uint64_t last;
    bool same_launch, relay = run->plan->design->sync == ORDO_SYNC_RELAY;

    if (element - row * COLUMNS != COLUMNS - 1 || !ordo_domain_has(&run->rows->domain, row)) {
        violate(lane, ORDO_VIOLATION_STRANGER, at);
        return;
    }
    c = ordo_domain_compact(&run->rows->domain, (int32_t)row);
    slot = &run->rows->slot[c];
    last = slot->last;
    same_launch = last >= lane->launch_first_key;
    lane->row = (int32_t)row;
    if (relay && lane->phase != 1)
        violate(lane, ORDO_VIOLATION_NO_WAIT, at);
    if (last >= lane->key)
        violate(lane, last == lane->key ? ORDO_VIOLATION_DOUBLE_ADD : ORDO_VIOLATION_DESCENDING, at);
    else if (same_launch && !relay)
        violate(lane, ORDO_VIOLATION_SHARED_PLANE, at);
    slot->last = lane->key;
    run->proof->waits += same_launch;
    run->proof->accumulators += last >> 32 != lane->key >> 32 || last == 0;
    run->proof->updates++;
    lane->n_added++;
    if (!ordo_rows_append(run->rows, c, (struct ordo_add){lane->leaf, (uint32_t)lane->worker->plane}))
        violate(lane, ORDO_VIOLATION_STRANGER, at);
}

/* Every argument but index, value and bits is a constant where a role is inlined, so each call is one of the
 * checks. */
static inline __attribute__((always_inline)) void check(struct lane *lane, enum ordo_op op, enum ordo_sem sem,
                                                       enum ordo_scope scope, enum ordo_width width, int64_t index,
                                                       uint32_t value, enum ordo_data data, struct place at)
{
    struct ordo_one_run *run = lane->run;
    int32_t cluster = run->plan->cluster;
    bool wide = scope >= ORDO_SCOPE_cluster; /* the ranks of a row share a cluster */
    bool whole = width == ORDO_WIDTH_u32 || width == ORDO_WIDTH_b32;

    switch (op) {
    case ORDO_OP_RED_OR:
        check_mark(lane, mask_word(lane, index, cluster, at), value);
        break;
    case ORDO_OP_AWAIT_CLEAR:
        if ((sem != ORDO_SEM_acquire && sem != ORDO_SEM_relaxed) || !wide || !whole)
            violate(lane, ORDO_VIOLATION_WEAK_WAIT, at);
        if (sem == ORDO_SEM_relaxed) {
            lane->unacquired = true;
            lane->relaxed = at;
        }
        check_wait(lane, mask_word(lane, index, cluster, at), value, at);
        break;
    case ORDO_OP_RED_AND:
        if ((sem != ORDO_SEM_release && (sem != ORDO_SEM_relaxed || !lane->fenced)) || !wide || !whole)
            violate(lane, ORDO_VIOLATION_WEAK_CLEAR, at);
        check_clear(lane, mask_word(lane, index, cluster, at), value, at);
        break;
    case ORDO_OP_STORE:
        if (data != ORDO_DATA_ADDED)
            violate(lane, ORDO_VIOLATION_NOT_THE_PROGRAM, at);
        check_add(lane, index, at);
        break;
    case ORDO_OP_BAR_SYNC:
        if (index != (lane->phase == 0 ? GO : DONE) || value != THREADS)
            violate(lane, ORDO_VIOLATION_NOT_THE_PROGRAM, at);
        if (lane->unacquired)
            violate(lane, ORDO_VIOLATION_WEAK_WAIT, lane->relaxed);
        lane->phase++;
        break;
    case ORDO_OP_FENCE:
        if (sem != ORDO_SEM_acq_rel && sem != ORDO_SEM_sc)
            violate(lane, ORDO_VIOLATION_NOT_THE_PROGRAM, at);
        lane->unacquired = lane->unacquired && !wide;
        lane->fenced = lane->fenced || (wide && lane->phase == 2);
        break;
    case ORDO_OP_LOAD:
    case ORDO_OP_WARP_SYNC:
        break;
    default:
        violate(lane, ORDO_VIOLATION_OUTSIDE, at);
    }
}

#undef ORDO_EMIT
#define ORDO_EMIT(op, sem, scope, width, space, index, value, data, source, line)                                    \
    ((void)(space), (void)(source),                                                                                  \
     check((struct lane *)(void *)tape_, op, sem, scope, width, index, (uint32_t)(value), data,                      \
           (struct place){__FILE__, line}))
#include "protocol/mask.h"
#include "protocol/relay.h"

/* --- tiles ------------------------------------------------------------------------------------------------------ */

static inline __attribute__((always_inline)) void build(struct lane *lane, int32_t cluster)
{
    const struct ordo_problem *p = lane->run->problem;

    ordo_mask_build(&lane->tape, (struct ordo_mem){ORDO_SPACE_MASK}, lane->idx, p->topk,
                    ordo_problem_length(p, lane->worker->query), p->n_kv, cluster, lane->worker->rank, 0, 1);
}

/* The rows of a tile's slots, -1 for dead ones; returns how many live.  Rows are scattered: asks for their lines
 * ahead, which is no part of the argument. */
static inline int32_t gather(const struct lane *lane, int32_t from, int32_t n, int64_t *row)
{
    const struct ordo_rows *rows = lane->run->rows;
    int32_t n_live = 0;

    for (int32_t i = 0; i < n; i++) {
        int32_t id = lane->idx[from + i];

        row[i] = ordo_slot_live(id, lane->run->problem->n_kv, from + i, lane->clamped) ? id : -1;
        if (row[i] < 0)
            continue;
        n_live++;
        __builtin_prefetch(&rows->slot[ordo_domain_compact(&rows->domain, id)], 1);
    }
    return n_live;
}

static inline __attribute__((always_inline)) void wait_and_clear(struct lane *lane, const int64_t *row, int32_t n,
                                                                 int32_t cluster)
{
    const struct ordo_handoff hand = {GO, DONE, THREADS};
    const struct ordo_rows *rows = lane->run->rows;

    for (int32_t i = 0; i < n && !lane->stop; i++) {
        if (row[i] >= 0)
            __builtin_prefetch(&rows->add[rows->slot[ordo_domain_compact(&rows->domain, (int32_t)row[i])].cursor], 1);
        lane->row = (int32_t)row[i];
        lane->phase = 0;
        lane->unacquired = lane->fenced = false;
        ordo_relay_slot(&lane->tape, (struct ordo_mem){ORDO_SPACE_MASK}, cluster, lane->worker->rank, row[i], hand);
        if (lane->phase != 2)
            violate(lane, ORDO_VIOLATION_NOT_THE_PROGRAM, NOWHERE);
    }
}

static inline __attribute__((always_inline)) void run_tile(struct lane *lane, int32_t from, int32_t n,
                                                           int32_t cluster)
{
    const struct ordo_handoff hand = {GO, DONE, THREADS};
    bool relay = cluster > 1;
    int64_t row[ORDO_TILE];
    int32_t n_live = gather(lane, from, n, row);

    lane->n_waited = lane->n_added = 0;
    if (relay)
        wait_and_clear(lane, row, n, cluster);
    lane->phase = 0;
    lane->unacquired = false;
    if (!lane->stop)
        ordo_relay_reduce(&lane->tape, (struct ordo_mem){ORDO_SPACE_PLANE}, row, n, (struct ordo_unread){0},
                          COLUMNS, COLUMNS - 1, 1, hand);
    if (lane->phase != 2)
        violate(lane, ORDO_VIOLATION_NOT_THE_PROGRAM, NOWHERE);
    if (lane->n_added != n_live)
        violate(lane, ORDO_VIOLATION_LOST_ADD, NOWHERE);
    if (relay && lane->n_waited > n_live)
        violate(lane, ORDO_VIOLATION_OUTSIDE, NOWHERE);
    if (relay && lane->n_waited < n_live && lane->worker->rank > 0) /* rank 0 has nobody to wait for */
        violate(lane, ORDO_VIOLATION_NO_WAIT, NOWHERE);
}

/* --- workers and launches --------------------------------------------------------------------------------------- */

static struct lane lane_of(struct ordo_one_run *run, const struct ordo_worker *w)
{
    uint64_t key = (uint64_t)w->plane << 32 | ordo_worker_key(run->plan, w);

    return (struct lane){
        .run = run,
        .worker = w,
        .idx = ordo_problem_row(run->problem, w->query),
        .clamped = ordo_clamp_length(ordo_problem_length(run->problem, w->query), run->problem->topk),
        .key = key,
        .launch_first_key = key - (uint64_t)w->rank,
        .leaf = ordo_leaf((uint32_t)w->query, (uint32_t)w->head_block, (uint32_t)run->plan->head_blocks),
        .row = -1,
    };
}

static inline __attribute__((always_inline)) int run_group(struct ordo_one_run *run, const struct ordo_worker *worker,
                                                           int n, int32_t cluster)
{
    int32_t topk = run->problem->topk;

    for (int i = 0; i < n && cluster > 1; i++) {
        struct lane lane = lane_of(run, &worker[i]);

        build(&lane, cluster);
        if (lane.stop)
            return 1;
    }
    if (cluster > 1 && run->watch)
        run->watch->masks(run->watch->ctx, worker, n, run->mask, run->n_word);
    for (int i = 0; i < n; i++) {
        struct lane lane = lane_of(run, &worker[i]);

        for (int32_t from = 0; from < topk && !lane.stop; from += ORDO_TILE)
            run_tile(&lane, from, topk - from < ORDO_TILE ? topk - from : ORDO_TILE, cluster);
        if (lane.stop)
            return 1;
    }
    return 0;
}

/* Which worker of the group still owns a bit, and of which row: the place of a residual bit. */
static int find_residual(struct ordo_one_run *run, const struct ordo_worker *worker, int n)
{
    int32_t cluster = run->plan->cluster, row = -1;
    int at = 0;

    for (uint32_t c = 0; c < run->rows->domain.n && row < 0; c++)
        for (int i = 0; i < n && row < 0; i++)
            if (ordo_mask_word(c, cluster) < run->n_word &&
                run->mask[ordo_mask_word(c, cluster)] & ordo_mask_own(c, cluster, worker[i].rank)) {
                row = ordo_domain_row(&run->rows->domain, c);
                at = i;
            }
    run->proof->violation = (struct ordo_violation){ORDO_VIOLATION_EXTRA_BIT, worker[at], row, 0, NULL, 0};
    return 1;
}

/* The plan's own map, asked the other way round: no two workers share a query or swap planes. */
static bool placed(const struct ordo_plan *plan, const struct ordo_worker *w)
{
    int32_t lane = ordo_lane_of(w->query, plan->wave);

    return ordo_lane_wave(w->query, plan->wave) == w->wave && ordo_lane_plane(lane, plan->cluster) == w->plane &&
           ordo_lane_rank(lane, plan->cluster) == w->rank;
}

/* A leaf says its query and its head block, so no two have one number. */
static bool numbered(const struct ordo_plan *plan, const struct ordo_worker *w)
{
    uint32_t n = (uint32_t)plan->head_blocks, leaf = ordo_leaf((uint32_t)w->query, (uint32_t)w->head_block, n);

    return leaf / n == (uint32_t)w->query && leaf % n == (uint32_t)w->head_block;
}

int ordo_one_run_group(void *one_run, const struct ordo_worker *worker, int n)
{
    struct ordo_one_run *run = one_run;
    int stop;

    for (int i = 0; i < n; i++)
        if (!placed(run->plan, &worker[i]) || !numbered(run->plan, &worker[i])) {
            run->proof->violation = (struct ordo_violation){
                placed(run->plan, &worker[i]) ? ORDO_VIOLATION_LEAF : ORDO_VIOLATION_WRONG_PLANE, worker[i], -1, 0,
                NULL, 0};
            return 1;
        }
    /* A copy for each cluster size: packing then is shifts, not divisions. */
    switch (run->plan->design->sync == ORDO_SYNC_RELAY ? run->plan->cluster : 1) {
    case 1:
        return run_group(run, worker, n, 1);
    case 4:
        stop = run_group(run, worker, n, 4);
        break;
    case 8:
        stop = run_group(run, worker, n, 8);
        break;
    default:
        stop = run_group(run, worker, n, 16);
    }
    return stop || run->n_bits == 0 ? stop : find_residual(run, worker, n);
}
