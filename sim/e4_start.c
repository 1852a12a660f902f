/* e4_start.c - E4: how a plane starts.  Each of its elements is cleared to +0.0, once, by a kernel before; or a first
 * writer stores to it, once, in a wave before anybody adds, which the order of accesses (e4_order.c) then decides. */
#include "sim/e4_impl.h"

static bool check_start(struct ordo_e4 *e4, uint32_t at)
{
    const struct ordo_record *r = ordo_e4_record(e4, at);

    if (ordo_e4_first(e4, at)) {
        if (r->op != ORDO_OP_STORE || r->data != ORDO_DATA_OPAQUE ||
            r->source != (uint32_t)(r->index % e4->tapes->shape.n_column))
            return ordo_e4_breaks(e4, ORDO_E4_FIRST_VALUE, at);
    } else if (r->data != ORDO_DATA_CONSTANT || r->value != 0) {
        return ordo_e4_breaks(e4, ORDO_E4_CLEAR_VALUE, at);
    }
    if (e4->start[r->index] >= 0)
        return ordo_e4_breaks_pair(e4, ORDO_E4_STARTED_TWICE, at, e4->start[r->index]);
    e4->start[r->index] = (int32_t)at;
    return true;
}

bool ordo_e4_starts(struct ordo_e4 *e4)
{
    int64_t n_element = (int64_t)e4->tapes->shape.n_row * e4->tapes->shape.n_column, last = -1;

    for (uint32_t at = 0; at < e4->n; at++) {
        bool starts = ordo_e4_thread(e4, at)->kind == ORDO_THREAD_CLEAR || ordo_e4_first(e4, at);

        if (!starts || ordo_e4_record(e4, at)->space != ORDO_SPACE_PLANE)
            continue;
        if (!check_start(e4, at))
            return false;
        last = at;
    }
    for (int64_t i = 0; i < n_element; i++)
        if (e4->start[i] < 0)
            return ordo_e4_breaks(e4, ORDO_E4_NOT_STARTED, last);
    return true;
}
