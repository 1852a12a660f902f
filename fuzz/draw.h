/* draw.h - cases drawn from a seed: swarm testing on the axes of the generator.
 *
 * A swarm fixes shape, plan, pattern and which oddities occur at all (Groce et al., "Swarm testing", ISSTA 2012); its
 * cases differ in ids, dead slots, lengths, values and schedule.  ORDO_SWARM_CASES numbers belong to it, the last of
 * them to its larger case.  Case i depends on the campaign's seed and i alone.  The first swarms walk the boundary
 * shapes, later ones are random.  Axes: project facts on fuzzing, 5.3. */
#ifndef ORDO_FUZZ_DRAW_H
#define ORDO_FUZZ_DRAW_H

#include "corpus/case.h"
#include "corpus/gen.h"

enum { ORDO_SWARM_CASES = 33, ORDO_DRAW_SLOTS = 4096 };

enum ordo_draw_dead { ORDO_DEAD_NONE, ORDO_DEAD_TAIL, ORDO_DEAD_HOLES, ORDO_DEAD_QUERIES, ORDO_N_DEADS };
enum ordo_draw_length { ORDO_LENGTH_ABSENT, ORDO_LENGTH_EDGES, ORDO_LENGTH_ANY, ORDO_N_LENGTHS };

struct ordo_swarm {
    struct ordo_gen_params params; /* seed is the case's */
    const struct ordo_preset *preset;
    int32_t cluster, wave, heads; /* cluster 0: private shards */
    enum ordo_draw_dead dead;
    enum ordo_draw_length length;
    bool duplicates, rough, rotated; /* rotated: rank r begins its row elsewhere */
    uint64_t shape;                  /* hash of its class: cluster, head blocks, extents beside their edges */
};

/* Keeps its arrays from case to case.  A fresh one is all zero. */
struct ordo_drawer {
    struct ordo_gen_space space;
    int32_t room_idx, room_length;
    int32_t *length;
    struct ordo_case c; /* the drawn case */
};

/* larger: the same with more queries, slots and rows, for what a small case has found new. */
struct ordo_swarm ordo_swarm_draw(uint64_t seed, uint64_t number, bool larger);
/* Whether case i is its swarm's larger one. */
static inline bool ordo_case_is_larger(uint64_t i)
{
    return i % ORDO_SWARM_CASES == ORDO_SWARM_CASES - 1;
}

/* Draws case i of the swarm into drawer->c.  ORDO_ENVIRONMENT without memory. */
enum ordo_status ordo_case_draw(struct ordo_drawer *drawer, const struct ordo_swarm *swarm, uint64_t seed, uint64_t i,
                                struct ordo_err *err);
void ordo_drawer_free(struct ordo_drawer *drawer);

#endif
