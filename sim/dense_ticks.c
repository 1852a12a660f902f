/* dense_ticks.c - from a model's fractions to integer ticks, and the lower bounds; see dense_time.h. */
#include "sim/dense_ticks.h"

#include "base/rng.h"

const char *const ordo_dense_jitter_name[ORDO_N_DENSE_JITTERS] = {
#define ORDO_X(id, name) name,
    ORDO_DENSE_JITTERS(ORDO_X)
#undef ORDO_X
};

enum { JITTER_STEPS = 1 << 12 }; /* of x between 0 and 1 */

static enum ordo_status too_long(struct ordo_err *err)
{
    return ordo_fail(err, ORDO_BAD_INPUT, NULL, "times", "with these weights and extents a time may leave 64 bits");
}

/* x in ticks of 1/den, of which it is a multiple. */
static bool ticks_of(struct ordo_rational x, int64_t den, int64_t *out)
{
    return !__builtin_mul_overflow(x.num, den / x.den, out);
}

/* All that a run can last is below 2^62 ticks: every task after every other, each with every cost. */
static bool fits(const struct ordo_dense_ticks *t, __int128 tasks, __int128 tiles)
{
    return tasks * ((__int128)t->c + t->swing + t->r + t->edge) + tiles * t->start < (__int128)1 << 62;
}

enum ordo_status ordo_dense_ticks(const struct ordo_dense_model *model, const struct ordo_dense_launch *launch,
                                  struct ordo_dense_ticks *t, struct ordo_err *err)
{
    struct ordo_rational swing = {0, 1};
    const struct ordo_rational *const all[] = {&model->c, &model->r, &model->edge, &model->start};

    *t = (struct ordo_dense_ticks){.den = 1, .seed = model->seed, .distribution = model->distribution};
    for (int i = 0; i < 4; i++)
        if (!ordo_rational_common(*all[i], &t->den))
            return too_long(err);
    if (model->jitter.num && (!ordo_rational_mul(model->c, model->jitter, &swing) ||
                              !ordo_rational_common(swing, &t->den) ||
                              __builtin_mul_overflow(t->den, JITTER_STEPS, &t->den)))
        return too_long(err);
    if (!ticks_of(model->c, t->den, &t->c) || !ticks_of(model->r, t->den, &t->r) ||
        !ticks_of(model->edge, t->den, &t->edge) || !ticks_of(model->start, t->den, &t->start) ||
        !ticks_of(swing, t->den, &t->swing) ||
        !fits(t, (__int128)launch->mask->pairs * launch->heads, (__int128)launch->mask->n_kv * launch->heads))
        return too_long(err);
    return ORDO_OK;
}

int64_t ordo_dense_jitter_ticks(const struct ordo_dense_ticks *t, int32_t head, int32_t kv, int32_t query)
{
    uint64_t x = ordo_mix(ordo_mix(ordo_mix(t->seed + 1) + (uint64_t)head) + ((uint64_t)kv << 32) + (uint64_t)query);
    int64_t a = (int64_t)(x % (2 * JITTER_STEPS + 1)) - JITTER_STEPS;
    int64_t b = (int64_t)((x >> 32) % (2 * JITTER_STEPS + 1)) - JITTER_STEPS;
    int64_t unit = t->swing / JITTER_STEPS;

    switch (t->distribution) {
    case ORDO_DENSE_JITTER_TRIANGULAR:
        return unit * ((a + b) / 2);
    case ORDO_DENSE_JITTER_TWO_POINT:
        return x >> 63 ? t->swing : -t->swing;
    default:
        return unit * a;
    }
}

/* --- bounds ----------------------------------------------------------------------------------------------------- */

/* What n tasks cost one CTA at least: n * (c + r); with overlap n times the greater and once the lesser. */
static bool cost_of(const struct ordo_dense_model *model, struct ordo_rational n, struct ordo_rational *out)
{
    bool c_less = ordo_rational_compare(model->c, model->r) < 0;
    struct ordo_rational less = c_less ? model->c : model->r, greater = c_less ? model->r : model->c, sum;

    if (n.num == 0) {
        *out = (struct ordo_rational){0, 1};
        return true;
    }
    if (!model->overlap)
        return ordo_rational_add(model->c, model->r, &sum) && ordo_rational_mul(sum, n, out);
    return ordo_rational_mul(greater, n, &sum) && ordo_rational_add(sum, less, out);
}

static void raise(struct ordo_rational *most, struct ordo_rational x)
{
    if (ordo_rational_compare(x, *most) > 0)
        *most = x;
}

enum ordo_status ordo_dense_bounds(const struct ordo_dense_launch *launch, const struct ordo_dense_model *model,
                                   struct ordo_dense_bounds *b, struct ordo_err *err)
{
    const struct ordo_dense_mask *m = launch->mask;
    int32_t longest = 0, adds = 0;
    struct ordo_rational tasks, reductions;

    for (int32_t kv = 0; kv < m->n_kv; kv++)
        longest = ordo_dense_steps(m, kv) > longest ? ordo_dense_steps(m, kv) : longest;
    for (int32_t q = 0; q < m->n_q; q++)
        adds = ordo_dense_adds(m, q) > adds ? ordo_dense_adds(m, q) : adds;
    tasks = ordo_rational_of(m->pairs * launch->heads, model->slots);
    if (!cost_of(model, tasks, &b->work) || !cost_of(model, ordo_rational_of(longest, 1), &b->chain) ||
        !ordo_rational_mul(model->r, ordo_rational_of(adds, 1), &reductions) ||
        !ordo_rational_add(model->c, reductions, &b->reduction))
        return too_long(err);
    if (adds == 0)
        b->reduction = (struct ordo_rational){0, 1};
    b->most = b->work;
    raise(&b->most, b->chain);
    raise(&b->most, b->reduction);
    return ORDO_OK;
}
