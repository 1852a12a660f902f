/* e2_step.h - what a step does to a state, and which steps a state has.  Inlined, with the width of a state constant.
 */
#ifndef ORDO_SIM_E2_STEP_H
#define ORDO_SIM_E2_STEP_H

#include "sim/e2_impl.h"

#define ORDO_E2_INLINE static inline __attribute__((always_inline))

ORDO_E2_INLINE const uint64_t *ordo_e2_masks(const struct ordo_e2 *e2, int w, uint32_t step)
{
    return &e2->mask[(size_t)step * (size_t)(ORDO_E2_N_MASKS * w)];
}

ORDO_E2_INLINE uint32_t ordo_e2_step_at(const struct ordo_e2_actor *a, const uint64_t *s)
{
    return a->base + (uint32_t)ordo_e2_get(s, a->at);
}

/* (s & of) == is, of two neighbouring masks. */
ORDO_E2_INLINE bool ordo_e2_holds(const uint64_t *m, int w, int which, const uint64_t *s)
{
    uint64_t differs = 0;

    for (int i = 0; i < w; i++)
        differs |= (s[i] & m[which * w + i]) ^ m[(which + 1) * w + i];
    return differs == 0;
}

ORDO_E2_INLINE bool ordo_e2_ended(const struct ordo_e2 *e2, int w, const uint64_t *s)
{
    uint64_t differs = 0;

    for (int i = 0; i < w; i++)
        differs |= (s[i] & e2->end_mask[i]) ^ e2->end_want[i];
    return differs == 0;
}

ORDO_E2_INLINE void ordo_e2_change(const uint64_t *m, int w, uint64_t *s)
{
    for (int i = 0; i < w; i++)
        s[i] = ((s[i] + m[ORDO_E2_ADD * w + i]) & m[ORDO_E2_KEEP * w + i]) | m[ORDO_E2_SET * w + i];
}

static inline void ordo_e2_join_range(const struct ordo_e2 *e2, uint64_t *s, uint32_t first, uint32_t n)
{
    for (uint32_t i = first; i < first + n; i++) {
        const struct ordo_e2_join *j = &e2->join[i];

        s[j->to.word] |= ordo_e2_get(s, j->from) << j->to.shift;
    }
}

/* Harm of a step whose `must` does not hold: an unknown last addition is a race, a wrong count a wrong order. */
static inline enum ordo_e2_bad ordo_e2_harm(const struct ordo_e2 *e2, const uint64_t *m, int w, const uint64_t *s)
{
    for (int i = 0; i < w; i++)
        if (((s[i] & m[ORDO_E2_MUST * w + i]) ^ m[ORDO_E2_IS * w + i]) & ~e2->facts[i])
            return ORDO_E2_ORDER;
    return ORDO_E2_RACE;
}

/* e2_special.c: the steps that masks alone cannot say. */
void ordo_e2_special(const struct ordo_e2 *e2, uint64_t *s, const struct ordo_e2_step *step, int choice);
/* Entries of its word that READ or FETCH may read, oldest last, as choices 1...; *newest: the first of them is the
 * last write. */
int ordo_e2_choices(const struct ordo_e2 *e2, const uint64_t *s, const struct ordo_e2_step *step, int *choice,
                    bool *newest);
void ordo_e2_leave(const struct ordo_e2 *e2, uint64_t *s, const struct ordo_e2_step *step);
bool ordo_e2_may_start(const struct ordo_e2 *e2, const uint64_t *s, int32_t unit);
void ordo_e2_start(const struct ordo_e2 *e2, uint64_t *s, int32_t unit);
/* Bits that are left at the end. */
bool ordo_e2_left_over(const struct ordo_e2 *e2, const uint64_t *s);
/* unfair: a CTA that cannot move without the others. */
bool ordo_e2_stuck(const struct ordo_e2 *e2, const uint64_t *s);
/* The actor can move; a read of anything but the last write of a word does not count. */
bool ordo_e2_can_step(const struct ordo_e2 *e2, const uint64_t *s, const struct ordo_e2_actor *a);

/* Does the step at `at` in place. */
ORDO_E2_INLINE enum ordo_e2_bad ordo_e2_apply(const struct ordo_e2 *e2, int w, uint64_t *s, uint32_t at, int choice)
{
    const struct ordo_e2_step *step = &e2->step[at];
    const uint64_t *m = ordo_e2_masks(e2, w, at);

    if (__builtin_expect(!ordo_e2_holds(m, w, ORDO_E2_MUST, s), 0))
        return ordo_e2_harm(e2, m, w, s);
    if (!step->more) {
        ordo_e2_change(m, w, s);
        return ORDO_E2_NONE;
    }
    if (__builtin_expect(step->weak_poll, 0) && !e2->o.sc)
        return ORDO_E2_RACE;
    ordo_e2_join_range(e2, s, step->join, step->n_join);
    ordo_e2_change(m, w, s);
    if (step->kind != ORDO_E2_PLAIN)
        ordo_e2_special(e2, s, step, choice);
    if (step->last && e2->n_unit)
        ordo_e2_leave(e2, s, step);
    return ORDO_E2_NONE;
}

/* Goes on through steps that only the actor's thread can notice. */
ORDO_E2_INLINE enum ordo_e2_bad ordo_e2_fuse(const struct ordo_e2 *e2, int w, uint64_t *s, int32_t actor)
{
    for (;;) {
        uint32_t at = ordo_e2_step_at(&e2->actor[actor], s);
        enum ordo_e2_bad bad;

        if (!e2->step[at].local || !ordo_e2_holds(ordo_e2_masks(e2, w, at), w, ORDO_E2_NEED, s))
            return ORDO_E2_NONE;
        bad = ordo_e2_apply(e2, w, s, at, 0);
        if (bad)
            return bad;
    }
}

#endif
