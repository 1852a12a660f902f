/* e2_why.h - the missing edge of a race or wrong order, the cycle of a deadlock. */
#ifndef ORDO_SIM_E2_WHY_H
#define ORDO_SIM_E2_WHY_H

#include "sim/e2_impl.h"
#include "sim/e2_trail.h"

/* Fills in trail->reason for trail->bad. */
void ordo_e2_why(const struct ordo_e2 *e2, struct ordo_e2_trail *trail);
void ordo_e2_why_blocked(const struct ordo_e2 *e2, struct ordo_e2_trail *trail);
void ordo_e2_why_unordered(const struct ordo_e2 *e2, struct ordo_e2_trail *trail);

/* The hand-over between two additions of different waves; false, and nothing said, if nothing of it is missing. */
bool ordo_e2_why_hand_over(const struct ordo_e2 *e2, struct ordo_e2_trail *trail, const struct ordo_e2_event *early,
                           const struct ordo_e2_event *late);

/* One more line; room for ORDO_E2_REASONS. */
void ordo_e2_say(struct ordo_e2_trail *trail, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* "CTA 1 reducer, ld.weak.global.f32 plane[0][0] (protocol/relay.h:40)" */
const char *ordo_e2_at(const struct ordo_e2 *e2, int32_t thread, int32_t op, char out[256]);

#endif
