/* dense_order.c - a dense case's mask of tiles and its schedule. */
#include "base/size.h"
#include "cli/dense_twin.h"

#include <stdlib.h>

static enum ordo_status make_mask(const struct ordo_dense_problem *p, struct ordo_dense_mask *mask,
                                  struct ordo_err *err)
{
    int32_t n_q = ordo_dense_tiles_q(p), n_kv = ordo_dense_tiles_kv(p);
    int32_t *value = NULL;
    enum ordo_status status;

    if (n_q > ORDO_DENSE_MOST_TILES || n_kv > ORDO_DENSE_MOST_TILES)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "tiles", "%d x %d tiles are more than %d of a side", (int)n_q,
                         (int)n_kv, (int)ORDO_DENSE_MOST_TILES);
    value = ordo_alloc((uint64_t)n_q * (uint64_t)n_kv, sizeof *value);
    if (!value)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for the mask");
    ordo_dense_problem_tiles(p, value);
    status = ordo_dense_mask_take(value, n_q, n_kv, mask, err);
    free(value);
    return status;
}

enum ordo_status ordo_dense_case_order(struct ordo_dense_case *c, const char *order, int32_t sms, int32_t section,
                                       struct ordo_err *err)
{
    const struct ordo_dense_schedule *schedule = ordo_dense_find(order);
    struct ordo_dense_launch launch = {.mask = &c->mask, .sms = sms, .section = section};
    int64_t heads = (int64_t)c->problem.batch * c->problem.q_heads;
    enum ordo_status status;

    if (!schedule)
        return ordo_fail(err, ORDO_USAGE, NULL, "schedule", "there is no '%s' (ordo help sim names them)", order);
    if (heads > INT32_MAX)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "heads", "batch times heads leaves 32 bits");
    launch.heads = (int32_t)heads;
    status = make_mask(&c->problem, &c->mask, err);
    return status == ORDO_OK ? ordo_dense_make(schedule, &launch, true, &c->schedule, err) : status;
}
