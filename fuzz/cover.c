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

enum ordo_status ordo_cover_init(struct ordo_cover *c, struct ordo_err *err)
{
    bool ok;

    memset(c, 0, sizeof *c);
    c->trace.slot = ordo_alloc_zero(ORDO_COVER_SLOTS, sizeof *c->trace.slot);
    c->shape.slot = ordo_alloc_zero(ORDO_COVER_SLOTS, sizeof *c->shape.slot);
    ok = c->trace.slot && c->shape.slot;
    for (int kind = 0; kind < ORDO_N_COVER_KINDS; kind++)
        for (int i = 0; i < ORDO_COVER_CLUSTERS; i++) {
            /* the numbering of targets below may leave gaps: at most 2^C or 512 */
            c->bit[kind][i] = ordo_alloc_zero((ordo_cover_targets((enum ordo_cover_kind)kind, 4 << i) + 512) / 64 + 1,
                                              sizeof *c->bit[kind][i]);
            ok = ok && c->bit[kind][i];
        }
    return ok ? ORDO_OK : ordo_fail(err, ORDO_ENVIRONMENT, NULL, "coverage", "no memory for its counters");
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

static inline void reach(struct ordo_cover *c, enum ordo_cover_kind kind, int cluster, uint64_t target)
{
    uint64_t *word = &c->bit[kind][cluster][target / 64], bit = UINT64_C(1) << target % 64;

    if (*word & bit)
        return;
    *word |= bit;
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

    pct->most_threads = n > pct->most_threads ? n : pct->most_threads;
    pct->most_steps = k > pct->most_steps ? k : pct->most_steps;
    pct->missed = (pct->n_run ? pct->missed : 1) * (1 - met);
    pct->n_run++;
}

double ordo_cover_unseen(const struct ordo_cover_census *census)
{
    return census->n_draw ? (double)census->n_once / (double)census->n_draw : 1;
}

double ordo_cover_rule_of_three(uint64_t n)
{
    return n > 3 ? 3 / (double)n : 1;
}
