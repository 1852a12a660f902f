/* dense_ticks.h - a model's weights as integers; dense_time.c runs on them. */
#ifndef ORDO_SIM_DENSE_TICKS_H
#define ORDO_SIM_DENSE_TICKS_H

#include "sim/dense_time.h"

struct ordo_dense_ticks {
    int64_t den, c, r, edge, start, swing; /* swing: jitter * c, 0 without */
    uint64_t seed;
    enum ordo_dense_jitter distribution;
};

enum ordo_status ordo_dense_ticks(const struct ordo_dense_model *model, const struct ordo_dense_launch *launch,
                                  struct ordo_dense_ticks *ticks, struct ordo_err *err);

/* What a task's products cost beyond c, in [-swing, swing]. */
int64_t ordo_dense_jitter_ticks(const struct ordo_dense_ticks *ticks, int32_t head, int32_t kv, int32_t query);

#endif
