/* dense_prove.c - see dense_prove.h: progress, and the four questions together. */
#include "sim/dense_prove.h"

/* Whether the launch comes to an end with so many CTAs resident. */
static enum ordo_status ends_with(const struct ordo_dense *d, const struct ordo_dense_model *model, int64_t slots,
                                  bool *ends, struct ordo_err *err)
{
    struct ordo_dense_model m = *model;
    struct ordo_dense_time t;
    enum ordo_status status;

    m.slots = (int32_t)slots;
    status = ordo_dense_time(d, &m, NULL, &t, err);
    *ends = status == ORDO_OK && !t.hangs;
    ordo_dense_time_free(&t);
    return status;
}

enum ordo_status ordo_dense_least_slots(const struct ordo_dense *d, const struct ordo_dense_model *model,
                                        int64_t *least, struct ordo_err *err)
{
    int64_t most = model->grid ? model->grid : d->schedule->items(d), low = 0, high = 1;
    bool ends = false;
    enum ordo_status status = ORDO_OK;

    *least = 0;
    most = most < INT32_MAX ? most : INT32_MAX;
    while (status == ORDO_OK && high <= most) { /* low does not suffice */
        status = ends_with(d, model, high, &ends, err);
        if (ends || high == most)
            break;
        low = high;
        high = 2 * high < most ? 2 * high : most;
    }
    while (status == ORDO_OK && ends && high - low > 1) { /* high does */
        int64_t middle = low + (high - low) / 2;
        bool enough;

        status = ends_with(d, model, middle, &enough, err);
        if (enough)
            high = middle;
        else
            low = middle;
    }
    *least = ends ? high : 0;
    return status;
}

static bool visits_are_bad(const struct ordo_dense_conviction *c)
{
    return c->fault == ORDO_DENSE_FAULT_QUERY_RANGE || c->fault == ORDO_DENSE_FAULT_QUERY_MASKED ||
           c->fault == ORDO_DENSE_FAULT_QUERY_TWICE || c->fault == ORDO_DENSE_FAULT_TWO_ITEMS;
}

enum ordo_status ordo_dense_prove(const struct ordo_dense *d, const struct ordo_dense_model *model,
                                  struct ordo_dense_proof *proof, struct ordo_err *err)
{
    enum ordo_status status;

    *proof = (struct ordo_dense_proof){.finishes = false};
    status = ordo_dense_check_cover(d, &proof->conviction, err);
    if (status == ORDO_OK && !visits_are_bad(&proof->conviction))
        status = ordo_dense_time(d, model, NULL, &proof->run, err);
    proof->finishes = status == ORDO_OK && proof->run.den && !proof->run.hangs;
    if (status != ORDO_OK || proof->conviction.fault != ORDO_DENSE_FAULT_NONE)
        return status;
    status = ordo_dense_wait_cycle(d, false, &proof->tiles, err);
    if (status == ORDO_OK)
        status = ordo_dense_wait_cycle(d, true, &proof->items, err);
    if (status == ORDO_OK)
        status = ordo_dense_least_slots(d, model, &proof->least, err);
    return status == ORDO_OK ? ordo_dense_count_signatures(d, &proof->signatures, err) : status;
}

void ordo_dense_proof_free(struct ordo_dense_proof *proof)
{
    ordo_dense_time_free(&proof->run);
}

bool ordo_dense_proved(const struct ordo_dense_proof *proof)
{
    return proof->conviction.fault == ORDO_DENSE_FAULT_NONE && proof->finishes;
}
