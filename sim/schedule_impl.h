/* schedule_impl.h - threads of a launch and who of them steps next; see schedule.h. */
#ifndef ORDO_SIM_SCHEDULE_IMPL_H
#define ORDO_SIM_SCHEDULE_IMPL_H

#include "base/rng.h"
#include "protocol/tape.h"
#include "sim/schedule.h"

struct ordo_step_thread {
    struct ordo_tape tape;
    uint32_t at;
    int32_t cta; /* index of the worker */
    int32_t rank;
    bool polled; /* its await has been tried */
    uint64_t priority;
};

struct ordo_picker {
    enum ordo_scheduler kind;
    struct ordo_rng rng;
    uint64_t step, demote[2];
    int32_t cursor;
};

/* Before the first step; steps: about how many there will be. */
void ordo_picker_start(struct ordo_picker *p, enum ordo_scheduler kind, uint64_t seed,
                       struct ordo_step_thread *thread, int32_t n_thread, uint64_t steps);
/* Index into ready, which holds n > 0 thread numbers. */
int32_t ordo_picker_next(struct ordo_picker *p, struct ordo_step_thread *thread, const int32_t *ready, int32_t n);
/* After a step of thread t on the word or row `index` of a memory. */
void ordo_picker_stepped(struct ordo_picker *p, struct ordo_step_thread *thread, int32_t t, const int32_t *ready,
                         int32_t n, const struct ordo_record *made);

#endif
