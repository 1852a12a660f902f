/* schedule.c - see schedule.h: the tapes of a launch, and their execution. */
#include "sim/schedule_impl.h"

#include "protocol/mask.h"
#include "protocol/relay.h"

enum { GO = 1, DONE = 2, BARRIERS = 4 };

const char *const ordo_schedule_end_text[ORDO_N_SCHEDULE_ENDS] = {
#define ORDO_X(id, text) text,
    ORDO_SCHEDULE_ENDS(ORDO_X)
#undef ORDO_X
};
const char *const ordo_schedule_end_name[ORDO_N_SCHEDULE_ENDS] = {
#define ORDO_X(id, text) #id,
    ORDO_SCHEDULE_ENDS(ORDO_X)
#undef ORDO_X
};

struct machine {
    const struct ordo_problem *problem;
    int32_t cluster, lanes, tiles;
    int64_t n_word;
    uint32_t *word;
    uint16_t *active, *todo; /* per row: ranks with a live slot of it, and those that have not added */
    struct ordo_step_thread *thread;
    int32_t *ready; /* threads that can be picked */
    int32_t n_thread, n_ready, n_done;
    int32_t *arrived; /* [worker][barrier] */
    struct ordo_picker picker;
    const struct ordo_schedule_watch *watch;
    struct ordo_schedule_outcome *out;
};

/* --- recording -------------------------------------------------------------------------------------------------- */

static int64_t row_of(const struct machine *m, const struct ordo_worker *w, int32_t column)
{
    const struct ordo_problem *p = m->problem;
    int32_t clamped = ordo_clamp_length(ordo_problem_length(p, w->query), p->topk);
    int32_t id = column < p->topk ? ordo_problem_row(p, w->query)[column] : -1;

    return ordo_slot_live(id, p->n_kv, column, clamped) ? id : -1;
}

static void record_lane(struct machine *m, const struct ordo_worker *w, struct ordo_tape *tape, int32_t lane)
{
    const struct ordo_handoff hand = {GO, DONE, m->lanes + 1};

    for (int32_t tile = 0; tile < m->tiles; tile++)
        ordo_relay_slot(tape, (struct ordo_mem){ORDO_SPACE_MASK}, m->cluster, w->rank,
                        row_of(m, w, tile * ORDO_TILE + lane), hand);
}

static void record_reducer(struct machine *m, const struct ordo_worker *w, struct ordo_tape *tape)
{
    const struct ordo_handoff hand = {GO, DONE, m->lanes + 1};

    for (int32_t tile = 0; tile < m->tiles; tile++) {
        int64_t row[ORDO_TILE];

        for (int32_t i = 0; i < m->lanes; i++)
            row[i] = row_of(m, w, tile * ORDO_TILE + i);
        ordo_relay_reduce(tape, (struct ordo_mem){ORDO_SPACE_PLANE}, row, m->lanes, (struct ordo_unread){0}, 1, 0, 1,
                          hand);
    }
}

/* The setup kernel has ended before the launch, so its marks are made at once. */
static void build(struct machine *m, const struct ordo_worker *w, struct ordo_tape *tape)
{
    const struct ordo_problem *p = m->problem;

    ordo_mask_build(tape, (struct ordo_mem){ORDO_SPACE_MASK}, ordo_problem_row(p, w->query), p->topk,
                    ordo_problem_length(p, w->query), p->n_kv, m->cluster, w->rank, 0, 1);
    for (uint32_t i = 0; i < tape->n && i < tape->size; i++)
        if (tape->record[i].index >= 0 && tape->record[i].index < m->n_word)
            m->word[tape->record[i].index] |= tape->record[i].value;
    for (int32_t column = 0; column < p->topk; column++) {
        int64_t row = row_of(m, w, column);

        if (row >= 0)
            m->active[row] |= (uint16_t)(1u << w->rank);
    }
}

static bool prepare(struct machine *m, struct ordo_arena *arena, const struct ordo_worker *worker, int n)
{
    uint64_t n_row = ((uint64_t)m->problem->n_kv + 7) / 8 * 8, topk = (uint64_t)m->problem->topk;
    uint32_t lane_size = 8 * (uint32_t)m->tiles, size = (uint32_t)m->tiles * (4 + 4 * (uint32_t)m->lanes);
    uint64_t per_cta = (uint64_t)m->lanes * lane_size + size;
    struct ordo_record *pool = ordo_arena_alloc(arena, (uint64_t)n * per_cta, sizeof *pool);
    struct ordo_record *marks = ordo_arena_alloc(arena, topk, sizeof *marks);

    m->n_word = ordo_mask_words((int64_t)n_row, m->cluster);
    m->n_thread = n * (m->lanes + 1);
    m->word = ordo_arena_alloc_zero(arena, (uint64_t)m->n_word, sizeof *m->word);
    m->active = ordo_arena_alloc_zero(arena, n_row, sizeof *m->active);
    m->todo = ordo_arena_alloc(arena, n_row, sizeof *m->todo);
    m->thread = ordo_arena_alloc_zero(arena, (uint64_t)m->n_thread, sizeof *m->thread);
    m->ready = ordo_arena_alloc(arena, (uint64_t)m->n_thread, sizeof *m->ready);
    m->arrived = ordo_arena_alloc_zero(arena, (uint64_t)n * BARRIERS, sizeof *m->arrived);
    if (!pool || !marks || !m->word || !m->active || !m->todo || !m->thread || !m->ready || !m->arrived)
        return false;
    for (int i = 0, t = 0; i < n; i++) {
        struct ordo_tape setup = {marks, 0, (uint32_t)topk};

        build(m, &worker[i], &setup);
        for (int32_t lane = 0; lane <= m->lanes; lane++, t++) {
            m->thread[t] = (struct ordo_step_thread){
                .tape = {pool, 0, lane < m->lanes ? lane_size : size}, .cta = i, .rank = worker[i].rank};
            pool += m->thread[t].tape.size;
            if (lane < m->lanes)
                record_lane(m, &worker[i], &m->thread[t].tape, lane);
            else
                record_reducer(m, &worker[i], &m->thread[t].tape);
            if (m->thread[t].tape.n > m->thread[t].tape.size)
                m->thread[t].tape.n = m->thread[t].tape.size; /* room for twice the relay's own program */
        }
    }
    for (uint64_t r = 0; r < n_row; r++)
        m->todo[r] = m->active[r];
    return true;
}

/* --- one step --------------------------------------------------------------------------------------------------- */

static int end(struct machine *m, enum ordo_schedule_end how, const struct ordo_step_thread *t, int64_t row)
{
    const struct ordo_record *r = t && t->at < t->tape.n ? &t->tape.record[t->at] : NULL;

    if (m->out->end == ORDO_SCHEDULE_CLEAN) {
        m->out->end = how;
        m->out->rank = t ? t->rank : -1;
        m->out->row = (int32_t)row;
        m->out->file = r ? r->file : NULL;
        m->out->line = r ? r->line : 0;
    }
    return 1;
}

/* The thread's next operation that others can see; a thread at its end leaves. */
static void advance(struct machine *m, int32_t t)
{
    struct ordo_step_thread *s = &m->thread[t];
    enum ordo_op op = ORDO_N_OPS;

    s->polled = false;
    while (s->at < s->tape.n) {
        op = s->tape.record[s->at].op;
        if (op != ORDO_OP_WARP_SYNC && op != ORDO_OP_LOAD && op != ORDO_OP_FENCE)
            break; /* a fence orders what is in order here anyway */
        s->at++;
    }
    if (s->at < s->tape.n)
        m->ready[m->n_ready++] = t;
    else
        m->n_done++;
}

static void pass_barrier(struct machine *m, int32_t t, const struct ordo_record *r)
{
    int32_t cta = m->thread[t].cta, *arrived = &m->arrived[cta * BARRIERS + (r->index & (BARRIERS - 1))];
    int32_t first = cta * (m->lanes + 1);

    m->thread[t].polled = true; /* parked */
    if ((uint32_t)++*arrived != r->value)
        return;
    *arrived = 0;
    for (int32_t i = first; i <= first + m->lanes; i++) {
        struct ordo_step_thread *s = &m->thread[i];
        const struct ordo_record *at = &s->tape.record[s->at];

        if (s->at < s->tape.n && at->op == ORDO_OP_BAR_SYNC && at->index == r->index && s->polled) {
            s->at++;
            advance(m, i);
        }
    }
}

/* Bits of the word that belong to the row: by the packing that the mask is defined with, not by the roles'. */
static void note_wait(struct machine *m, const struct ordo_step_thread *s, const struct ordo_record *r)
{
    uint32_t found = m->word[r->index] & r->value;

    m->out->trace +=
        ordo_mix((uint64_t)r->index << 37 ^ (uint64_t)r->value << 5 ^ ordo_mix(found) ^ (uint64_t)s->rank);
    m->out->n_wait += r->value != 0;
    if (m->watch && r->value) {
        int shift = __builtin_ctz(r->value) / m->cluster * m->cluster;
        int64_t row = r->index * (32 / m->cluster) + shift / m->cluster;
        uint32_t all = row < m->problem->n_kv ? m->active[row] : 0;

        m->watch->wait(m->watch->ctx, m->cluster, s->rank, all & ((1u << s->rank) - 1), found >> shift);
    }
}

static void wake(struct machine *m, int64_t index)
{
    for (int32_t t = 0; t < m->n_thread; t++) {
        struct ordo_step_thread *s = &m->thread[t];
        const struct ordo_record *r = &s->tape.record[s->at];

        if (s->polled && s->at < s->tape.n && r->op == ORDO_OP_AWAIT_CLEAR && r->index == index &&
            !(m->word[index] & r->value)) {
            s->at++;
            advance(m, t);
        }
    }
}

static int add(struct machine *m, const struct ordo_step_thread *s, int64_t row)
{
    uint32_t own = 1u << s->rank;

    if (row < 0 || row >= m->problem->n_kv || !(m->todo[row] & own))
        return end(m, ORDO_SCHEDULE_STRANGER, s, row);
    if (m->todo[row] & (own - 1))
        return end(m, ORDO_SCHEDULE_ORDER, s, row);
    m->todo[row] &= (uint16_t)~own;
    return 0;
}

/* Thread t has left the ready list; it returns there unless it parks or ends. */
static int step(struct machine *m, int32_t t)
{
    struct ordo_step_thread *s = &m->thread[t];
    const struct ordo_record *r = &s->tape.record[s->at];
    bool in_masks = r->index >= 0 && r->index < m->n_word;

    switch (r->op) {
    case ORDO_OP_AWAIT_CLEAR:
        if (!in_masks)
            return end(m, ORDO_SCHEDULE_STRANGE_OP, s, -1);
        note_wait(m, s, r);
        if (m->word[r->index] & r->value) {
            s->polled = true; /* parked until the bits are clear */
            return 0;
        }
        break;
    case ORDO_OP_RED_AND:
        if (!in_masks)
            return end(m, ORDO_SCHEDULE_STRANGE_OP, s, -1);
        m->word[r->index] &= r->value;
        wake(m, r->index);
        break;
    case ORDO_OP_STORE:
        if (add(m, s, r->index))
            return 1;
        break;
    case ORDO_OP_BAR_SYNC:
        pass_barrier(m, t, r);
        return 0;
    default:
        return end(m, ORDO_SCHEDULE_STRANGE_OP, s, -1);
    }
    s->at++;
    advance(m, t);
    return 0;
}

/* --- the launch ------------------------------------------------------------------------------------------------- */

static void conclude(struct machine *m)
{
    for (int32_t t = 0; t < m->n_thread; t++)
        if (m->thread[t].at < m->thread[t].tape.n)
            (void)end(m, ORDO_SCHEDULE_DEADLOCK, &m->thread[t], -1);
    for (int32_t row = 0; row < m->problem->n_kv; row++)
        if (m->todo[row])
            (void)end(m, ORDO_SCHEDULE_LOST, NULL, row);
    for (int64_t w = 0; w < m->n_word; w++)
        if (m->word[w])
            (void)end(m, ORDO_SCHEDULE_RESIDUAL, NULL, w * (32 / m->cluster));
}

enum ordo_status ordo_schedule_run(struct ordo_arena *arena, const struct ordo_plan *plan,
                                   const struct ordo_problem *problem, const struct ordo_worker *worker, int n,
                                   enum ordo_scheduler scheduler, uint64_t seed,
                                   const struct ordo_schedule_watch *watch, struct ordo_schedule_outcome *outcome,
                                   struct ordo_err *err)
{
    struct machine m = {.problem = problem, .cluster = plan->cluster, .watch = watch, .out = outcome};
    int32_t topk = problem->topk;
    uint64_t steps = 0;
    int stop = 0;

    *outcome = (struct ordo_schedule_outcome){.rank = -1, .row = -1};
    m.lanes = topk < ORDO_TILE ? topk : ORDO_TILE;
    m.tiles = (topk + ORDO_TILE - 1) / ORDO_TILE;
    if (!prepare(&m, arena, worker, n))
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "schedule", "no memory for the tapes");
    for (int32_t t = 0; t < m.n_thread; t++) {
        steps += m.thread[t].tape.n;
        advance(&m, t);
    }
    outcome->n_thread = m.n_thread;
    outcome->most_steps = steps + 1;
    ordo_picker_start(&m.picker, scheduler, seed, m.thread, m.n_thread, steps);
    while (m.n_ready && !stop) {
        int32_t i = ordo_picker_next(&m.picker, m.thread, m.ready, m.n_ready), t = m.ready[i];
        const struct ordo_record made = m.thread[t].tape.record[m.thread[t].at];

        m.ready[i] = m.ready[--m.n_ready];
        stop = step(&m, t);
        outcome->steps++;
        ordo_picker_stepped(&m.picker, m.thread, t, m.ready, m.n_ready, &made);
    }
    if (!stop)
        conclude(&m);
    return ORDO_OK;
}
