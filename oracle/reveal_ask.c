/* reveal_ask.c - see reveal_impl.h. */
#include "oracle/reveal_impl.h"

#include "base/progress.h"
#include "base/size.h"

#include <stdlib.h>
#include <string.h>

enum ordo_status ordo_asker_make(struct ordo_reveal_box *box, struct ordo_reveal *out, struct ordo_asker *a,
                                 struct ordo_err *err)
{
    uint64_t n;

    ORDO_BUG_ON(box->capacity == 0 || box->n_leaf < 2 || box->exact < 2);
    *a = (struct ordo_asker){.box = box, .out = out};
    if (ordo_mul(box->capacity, box->n_leaf, &n)) {
        a->value = ordo_alloc(n, sizeof *a->value);
        a->sum = ordo_alloc(box->capacity, sizeof *a->sum);
        a->asked = ordo_alloc(box->capacity, sizeof *a->asked);
    }
    if (!a->value || !a->sum || !a->asked)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for %u probes of %u terms",
                         (unsigned)box->capacity, (unsigned)box->n_leaf);
    return ORDO_OK;
}

void ordo_asker_free(struct ordo_asker *a)
{
    free(a->value);
    free(a->sum);
    free(a->asked);
    *a = (struct ordo_asker){0};
}

void ordo_reveal_contradiction(struct ordo_reveal *out, uint32_t plus, uint32_t minus, float got, float want)
{
    if (out->verdict != ORDO_REVEAL_TREE)
        return;
    out->verdict = ORDO_REVEAL_NO_TREE;
    out->term[0] = plus;
    out->term[1] = minus;
    out->got = got;
    out->want = want;
}

static void deliver(struct ordo_asker *a, const struct ordo_asked *asked, float sum)
{
    if (asked->raw) {
        *asked->raw = sum;
        return;
    }
    if (!(sum >= 0 && sum <= (float)asked->n_unit) || sum != (float)(uint32_t)sum) { /* a NaN too */
        ordo_reveal_contradiction(a->out, asked->plus, asked->minus, sum, -1);
        return;
    }
    *asked->into += (uint32_t)sum;
}

enum ordo_status ordo_ask_all(struct ordo_asker *a, struct ordo_err *err)
{
    enum ordo_status status;

    if (a->n == 0)
        return ORDO_OK;
    status = a->box->run(a->box, a->value, a->n, a->sum, err);
    if (status != ORDO_OK)
        return status;
    for (uint32_t i = 0; i < a->n; i++)
        deliver(a, &a->asked[i], a->sum[i]);
    a->out->vectors += a->n;
    a->out->runs++;
    a->n = 0;
    ordo_progress("reveal: vector", a->out->vectors, 0);
    return ORDO_OK;
}

/* The next vector, all zeros; runs the box if there is no room for one more. */
static enum ordo_status next(struct ordo_asker *a, const struct ordo_asked *asked, uint16_t **value,
                             struct ordo_err *err)
{
    enum ordo_status status = a->n == a->box->capacity ? ordo_ask_all(a, err) : ORDO_OK;

    if (status != ORDO_OK)
        return status;
    *value = a->value + (size_t)a->n * a->box->n_leaf;
    memset(*value, 0, a->box->n_leaf * sizeof **value);
    a->asked[a->n++] = *asked;
    return ORDO_OK;
}

enum ordo_status ordo_ask_units(struct ordo_asker *a, const uint32_t *unit, uint32_t n_unit, float *raw,
                                struct ordo_err *err)
{
    uint16_t *value;
    enum ordo_status status = next(a, &(struct ordo_asked){.n_unit = n_unit, .raw = raw}, &value, err);

    for (uint32_t i = 0; i < n_unit && status == ORDO_OK; i++)
        value[unit[i]] = ORDO_REVEAL_ONE;
    return status;
}

/* In pieces of as many units as come back exactly. */
enum ordo_status ordo_ask_pair(struct ordo_asker *a, uint32_t plus, uint32_t minus, const uint32_t *unit,
                               uint32_t n_unit, uint32_t *into, struct ordo_err *err)
{
    struct ordo_asked asked = {plus, minus, 0, into, NULL};
    enum ordo_status status = ORDO_OK;
    uint32_t at = 0;
    uint16_t *value;

    a->out->pairs++;
    do {
        struct ordo_asked *kept;

        status = next(a, &asked, &value, err);
        if (status != ORDO_OK)
            break;
        kept = &a->asked[a->n - 1];
        for (; at < n_unit && kept->n_unit < a->box->exact; at++)
            if (unit[at] != plus && unit[at] != minus) {
                value[unit[at]] = ORDO_REVEAL_ONE;
                kept->n_unit++;
            }
        value[plus] = ORDO_REVEAL_MASK;
        value[minus] = ORDO_REVEAL_MINUS;
    } while (at < n_unit);
    return status;
}
