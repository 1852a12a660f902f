/* e4.c - see e4.h: the rules' table, and the checks in turn.  Each may rely on those before it. */
#include "sim/e4_impl.h"

#include "base/size.h"

#include <stdlib.h>
#include <string.h>

const char *const ordo_e4_verdict_name[3] = {"holds", "violated", "refused"};

const struct ordo_e4_rule_info ordo_e4_rule_info[ORDO_N_E4_RULES] = {
#define ORDO_X(id, verdict, text) {#id, ORDO_E4_##verdict, text},
    ORDO_E4_RULES(ORDO_X)
#undef ORDO_X
};

bool ordo_e4_breaks(struct ordo_e4 *e4, enum ordo_e4_rule rule, int64_t record)
{
    struct ordo_e4_finding *f = e4->finding;

    f->rule = rule;
    if (record < 0)
        return false;
    f->thread = e4->thread_of[record];
    f->rank = e4->tapes->thread[f->thread].rank;
    f->record = (int32_t)(record - e4->base[f->thread]);
    f->file = ordo_e4_record(e4, record)->file;
    f->line = ordo_e4_record(e4, record)->line;
    return false;
}

bool ordo_e4_breaks_pair(struct ordo_e4 *e4, enum ordo_e4_rule rule, int64_t record, int64_t other)
{
    e4->finding->other_file = ordo_e4_record(e4, other)->file;
    e4->finding->other_line = ordo_e4_record(e4, other)->line;
    return ordo_e4_breaks(e4, rule, record);
}

bool ordo_e4_lacks(struct ordo_e4 *e4, enum ordo_e4_rule rule, bool adds, int32_t rank, int64_t other)
{
    for (int32_t t = 0; t < e4->tapes->n_thread; t++) {
        const struct ordo_thread *thread = &e4->tapes->thread[t];
        bool adder = thread->kind == ORDO_THREAD_REDUCER || thread->kind == ORDO_THREAD_BULK;

        if (thread->rank == rank && ordo_thread_of_launch(thread->kind) && adder == adds && thread->tape.n)
            return ordo_e4_breaks_pair(e4, rule, e4->base[t + 1] - 1, other);
    }
    return ordo_e4_breaks(e4, rule, other);
}

/* --- tables ---------------------------------------------------------------------------------------------------- */

static int32_t *none(int64_t n)
{
    int32_t *p = ordo_alloc_zero((uint64_t)n + 1, sizeof *p);

    return p ? memset(p, 0xFF, (size_t)n * sizeof *p) : NULL;
}

static bool allocate(struct ordo_e4 *e4)
{
    const struct ordo_cta_shape *s = &e4->tapes->shape;

    e4->rows = e4->tapes->wave_words * 32 / s->cluster;
    e4->places = e4->rows * s->n_wave;
    e4->n_bits = e4->places * s->cluster;
    e4->words = e4->n / 64 + 1;
    e4->thread_of = none(e4->n);
    e4->epoch = none(e4->n);
    e4->node = ordo_alloc_zero(e4->n + 1, sizeof *e4->node);
    e4->set = none(e4->n_bits);
    e4->clear = none(e4->n_bits);
    e4->await = none(e4->n_bits);
    e4->start = none((int64_t)s->n_row * s->n_column);
    e4->access = ordo_alloc_zero(e4->n + 1, sizeof *e4->access);
    e4->before = ordo_alloc_zero((uint64_t)e4->n + 1, e4->words * sizeof *e4->before);
    return e4->thread_of && e4->epoch && e4->node && e4->set && e4->clear && e4->await && e4->start &&
           e4->access && e4->before;
}

static bool number_records(struct ordo_e4 *e4)
{
    const struct ordo_cluster_tapes *tapes = e4->tapes;

    e4->base = ordo_alloc_zero((uint64_t)tapes->n_thread + 1, sizeof *e4->base);
    if (!e4->base)
        return ordo_e4_breaks(e4, ORDO_E4_NO_MEMORY, -1);
    for (int32_t t = 0; t < tapes->n_thread; t++) {
        if (tapes->thread[t].tape.n > tapes->thread[t].tape.size)
            return ordo_e4_breaks(e4, ORDO_E4_CUT, -1);
        e4->base[t + 1] = e4->n += tapes->thread[t].tape.n;
    }
    e4->finding->records = e4->n;
    if (!allocate(e4))
        return ordo_e4_breaks(e4, ORDO_E4_NO_MEMORY, -1);
    for (int32_t t = 0; t < tapes->n_thread; t++)
        for (uint32_t at = e4->base[t], passed = 0; at < e4->base[t + 1]; at++) {
            e4->thread_of[at] = t;
            e4->node[at] = at;
            e4->epoch[at] = (int32_t)passed;
            passed += ordo_e4_record(e4, at)->op == ORDO_OP_CLUSTER_ARRIVE;
        }
    return true;
}

static void free_tables(struct ordo_e4 *e4)
{
    free(e4->base);
    free(e4->thread_of);
    free(e4->epoch);
    free(e4->node);
    free(e4->set);
    free(e4->clear);
    free(e4->await);
    free(e4->start);
    free(e4->access);
    free(e4->before);
}

/* --- what synchronises ----------------------------------------------------------------------------------------- */

int64_t ordo_e4_release(const struct ordo_e4 *e4, int64_t clear)
{
    int64_t first = e4->base[e4->thread_of[clear]];

    if (ordo_e4_record(e4, clear)->sem >= ORDO_SEM_release)
        return clear;
    for (int64_t at = clear - 1; at >= first; at--)
        if (ordo_e4_is_fence(e4, ordo_e4_record(e4, at)))
            return at;
    return -1;
}

int64_t ordo_e4_acquire(const struct ordo_e4 *e4, int64_t await)
{
    const struct ordo_record *r = ordo_e4_record(e4, await);

    if (r->sem == ORDO_SEM_acquire)
        return await;
    for (int64_t at = await + 1; at < ordo_e4_end(e4, await); at++)
        if (ordo_e4_is_fence(e4, ordo_e4_record(e4, at)))
            return at;
    return -1;
}

enum ordo_e4_verdict ordo_e4_check(const struct ordo_cluster_tapes *tapes, struct ordo_e4_finding *finding)
{
    struct ordo_e4 e4 = {.tapes = tapes, .finding = finding};

    *finding = (struct ordo_e4_finding){.rule = ORDO_E4_NONE, .thread = -1, .rank = -1, .record = -1};
    (void)(number_records(&e4) && ordo_e4_operations(&e4) && ordo_e4_arrivals(&e4) && ordo_e4_bits(&e4) &&
           ordo_e4_turns(&e4) && ordo_e4_barriers(&e4) && ordo_e4_bulk(&e4) && ordo_e4_starts(&e4) &&
           ordo_e4_accesses(&e4) && ordo_e4_graph(&e4) && ordo_e4_order(&e4) && ordo_e4_spelling(&e4));
    free_tables(&e4);
    return ordo_e4_rule_info[finding->rule].verdict;
}
