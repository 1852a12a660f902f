/* cover.c - see cover.h. */
#include "fuzz/cover.h"

#include "base/size.h"

#include <stdlib.h>
#include <string.h>

const char *const ordo_cover_name[ORDO_N_COVER_KINDS] = {
#define ORDO_X(id, name, ...) name,
    ORDO_COVER_KINDS(ORDO_X)
#undef ORDO_X
};

static int index_of(int32_t cluster)
{
    return cluster == 4 ? 0 : cluster == 8 ? 1 : 2;
}

uint64_t ordo_cover_targets(enum ordo_cover_kind kind, int32_t cluster)
{
    const uint64_t c = (uint64_t)cluster;
    const uint64_t targets[ORDO_N_COVER_KINDS] = {
#define ORDO_X(id, name, n) n,
        ORDO_COVER_KINDS(ORDO_X)
#undef ORDO_X
    };

    return targets[kind];
}

static bool make_bits(struct ordo_cover *c)
{
    bool ok = true;

    for (int kind = 0; kind < ORDO_N_COVER_KINDS; kind++)
        for (int i = 0; i < ORDO_COVER_CLUSTERS; i++) {
            /* the numbering of targets below may leave gaps: at most 2^C or 512 */
            c->bit[kind][i] = ordo_alloc_zero((ordo_cover_targets((enum ordo_cover_kind)kind, 4 << i) + 512) / 64 + 1,
                                              sizeof *c->bit[kind][i]);
            ok = ok && c->bit[kind][i];
        }
    return ok;
}

static enum ordo_status no_memory(struct ordo_err *err)
{
    return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "coverage", "no memory for its counters");
}

enum ordo_status ordo_cover_init(struct ordo_cover *c, struct ordo_err *err)
{
    memset(c, 0, sizeof *c);
    c->trace.slot = ordo_alloc_zero(ORDO_COVER_SLOTS, sizeof *c->trace.slot);
    c->shape.slot = ordo_alloc_zero(ORDO_COVER_SLOTS, sizeof *c->shape.slot);
    return make_bits(c) && c->trace.slot && c->shape.slot ? ORDO_OK : no_memory(err);
}

enum ordo_status ordo_cover_init_log(struct ordo_cover *c, struct ordo_err *err)
{
    memset(c, 0, sizeof *c);
    return make_bits(c) ? ORDO_OK : no_memory(err);
}

void ordo_cover_free(struct ordo_cover *c)
{
    free(c->trace.slot);
    free(c->shape.slot);
    for (int kind = 0; kind < ORDO_N_COVER_KINDS; kind++)
        for (int i = 0; i < ORDO_COVER_CLUSTERS; i++)
            free(c->bit[kind][i]);
    memset(c, 0, sizeof *c);
}

static void note(struct ordo_cover_log *log, struct ordo_cover_event event)
{
    uint32_t room = log->room ? 2 * log->room : 256;
    struct ordo_cover_event *more;

    if (log->n == log->room) {
        more = room > log->room ? realloc(log->event, room * sizeof *more) : NULL;
        log->lost = log->lost || !more;
        if (!more)
            return;
        log->event = more;
        log->room = room;
    }
    log->event[log->n++] = event;
}

static inline void reach(struct ordo_cover *c, enum ordo_cover_kind kind, int cluster, uint64_t target)
{
    uint64_t *word = &c->bit[kind][cluster][target / 64], bit = UINT64_C(1) << target % 64;

    if (*word & bit)
        return;
    *word |= bit;
    if (c->log) {
        note(c->log, (struct ordo_cover_event){target, 0, (uint8_t)kind, (uint8_t)cluster});
        return;
    }
    c->reached[kind][cluster]++;
    c->novel++;
}

void ordo_cover_masks(struct ordo_cover *c, int32_t cluster, const uint32_t *word, int64_t n_word)
{
    uint32_t row_bits = cluster == 32 ? UINT32_MAX : (UINT32_C(1) << cluster) - 1;
    int at = index_of(cluster);

    for (int64_t w = 0; w < n_word; w++) {
        uint64_t together = 0;

        for (int32_t shift = 0; shift < 32; shift += cluster) {
            uint32_t value = word[w] >> shift & row_bits;

            reach(c, ORDO_COVER_MASKS, at, value);
            together |= (uint64_t)(value != 0) << shift / cluster;
        }
        reach(c, ORDO_COVER_NEIGHBOURS, at, together);
    }
}

/* Pair (lower, rank, had to wait): target (lower * 16 + rank) * 2 + waited.  Chain: of `length` lower writers, the
 * first poll found `left` to come. */
void ordo_cover_wait(struct ordo_cover *c, int32_t cluster, int32_t rank, uint32_t lower, uint32_t found)
{
    uint64_t length = (uint64_t)__builtin_popcount(lower), left = (uint64_t)__builtin_popcount(found & lower);
    int at = index_of(cluster);

    for (uint32_t rest = lower; rest; rest &= rest - 1) {
        uint64_t r = (uint64_t)__builtin_ctz(rest);

        reach(c, ORDO_COVER_PAIRS, at, (r * 16 + (uint64_t)rank) * 2 + (found >> r & 1));
    }
    if (length)
        reach(c, ORDO_COVER_CHAINS, at, length * 17 + left);
}

void ordo_cover_class(struct ordo_cover *c, struct ordo_cover_census *census, uint64_t hash)
{
    uint64_t at = hash % ORDO_COVER_SLOTS;
    struct ordo_cover_class *slot;

    if (c->log) {
        uint8_t what = census == &c->trace ? ORDO_COVER_TRACE : ORDO_COVER_SHAPE;

        note(c->log, (struct ordo_cover_event){hash, 0, what, 0});
        return;
    }
    census->n_draw++;
    hash += hash == 0;
    while (census->slot[at].hash && census->slot[at].hash != hash)
        at = (at + 1) % ORDO_COVER_SLOTS;
    slot = &census->slot[at];
    if (!slot->hash) {
        if (census->n_class >= ORDO_COVER_SLOTS / 4 * 3) {
            census->full = true;
            return;
        }
        slot->hash = hash;
        census->n_class++;
        c->novel += census == &c->shape; /* nearly every schedule is a new trace */
    }
    census->n_once += (slot->n == 0) - (uint64_t)(slot->n == 1);
    slot->n += slot->n < UINT32_MAX;
}

void ordo_cover_pct(struct ordo_cover *c, int32_t n, uint64_t k)
{
    struct ordo_cover_pct *pct = &c->pct;
    double met = n > 0 && k > 0 ? 1 / ((double)n * (double)k * (double)k) : 0;

    if (c->log) {
        note(c->log, (struct ordo_cover_event){k, n, ORDO_COVER_PCT, 0});
        return;
    }
    pct->most_threads = n > pct->most_threads ? n : pct->most_threads;
    pct->most_steps = k > pct->most_steps ? k : pct->most_steps;
    pct->missed = (pct->n_run ? pct->missed : 1) * (1 - met);
    pct->n_run++;
}

/* --- what a log has --------------------------------------------------------------------------------------------- */

void ordo_cover_count(struct ordo_cover *c, const struct ordo_cover_log *log, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        const struct ordo_cover_event *e = &log->event[i];

        if (e->what == ORDO_COVER_PCT)
            ordo_cover_pct(c, e->n, e->value);
        else if (e->what >= ORDO_N_COVER_KINDS)
            ordo_cover_class(c, e->what == ORDO_COVER_TRACE ? &c->trace : &c->shape, e->value);
        else
            reach(c, (enum ordo_cover_kind)e->what, e->cluster, e->value);
    }
}

void ordo_cover_log_start(struct ordo_cover *c, struct ordo_cover_log *log)
{
    log->n = 0;
    log->lost = false;
    c->log = log;
}

/* --- estimates -------------------------------------------------------------------------------------------------- */

double ordo_cover_unseen(const struct ordo_cover_census *census)
{
    return census->n_draw ? (double)census->n_once / (double)census->n_draw : 1;
}

double ordo_cover_rule_of_three(uint64_t n)
{
    return n > 3 ? 3 / (double)n : 1;
}
