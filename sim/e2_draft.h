/* e2_draft.h - a step under construction, and how each operation makes one. */
#ifndef ORDO_SIM_E2_DRAFT_H
#define ORDO_SIM_E2_DRAFT_H

#include "sim/e2_impl.h"

/* Masks by word of the state. */
struct ordo_draft {
    struct ordo_e2 *e2;
    struct ordo_e2_step step;
    uint64_t mask[ORDO_E2_N_MASKS][ORDO_E2_WORDS];
};

static inline const struct ordo_record *ordo_e2_record_of(const struct ordo_e2 *e2, int32_t t, int32_t i)
{
    return &e2->p->thread[t].op[i].record;
}

static inline uint64_t ordo_e2_bits_of(struct ordo_e2_field f)
{
    return f.width ? ~UINT64_C(0) >> (64 - f.width) << f.shift : 0;
}

/* e2_draft.c: its parts.  A draft is begun, filled and ended, which appends the step. */
struct ordo_draft ordo_draft_begin(struct ordo_e2 *e2, int32_t thread, int32_t op);
void ordo_draft_has(struct ordo_draft *d, enum ordo_e2_mask kind, struct ordo_e2_field f, uint64_t value);
void ordo_draft_adds(struct ordo_draft *d, struct ordo_e2_field f, uint64_t n);
void ordo_draft_clears(struct ordo_draft *d, struct ordo_e2_field f);
void ordo_draft_sets(struct ordo_draft *d, struct ordo_e2_field f);
struct ordo_e2_field ordo_draft_fact(const struct ordo_draft *d, int32_t view, int32_t which);
void ordo_draft_forget(struct ordo_draft *d, int32_t cell);
void ordo_draft_end(struct ordo_draft *d);
void ordo_draft_end_blocked(struct ordo_draft *d, enum ordo_e2_kind kind);

/* e2_op.c: what an operation needs and does; the part of a bulk copy that comes later. */
void ordo_draft_op(struct ordo_draft *d, const struct ordo_record *r);
void ordo_draft_run_copy(struct ordo_draft *d, int32_t cell);

/* e2_word.c: operations on synchronisation words; a value as a history keeps it. */
void ordo_draft_word(struct ordo_draft *d, const struct ordo_record *r);
uint32_t ordo_e2_compress(const struct ordo_e2_history *h, uint32_t value);

#endif
