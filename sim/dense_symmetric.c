/* dense_symmetric.c - DASH's symmetric shift, for causal masks: one CTA takes KV s, then KV n - 1 - s of the same
 * head.
 *
 * Of the a pairs of a head in one wave, pair i's first tile goes round in the rows that all a first tiles see, the
 * rectangle, then through the triangle above it ascending; its second tile goes from the last row up.  dQ of a row:
 * what earlier waves added, then the first tiles of this wave as they come by, then its second tiles.
 *
 * Two readings of where the rectangle begins, both without a stall: the published code begins at the row in which
 * the last first tile has its diagonal, the text one KV tile later, so that triangle and rectangle have n / 2 rows
 * each. Waits go round: all CTAs of a wave must be resident, and the orders depend on how waves cut a head. */
#include "sim/dense_impl.h"

/* What a tile of a head needs: its pair's wave, rows a KV tile, first row of the rectangle. */
struct place {
    struct ordo_dense_wave wave;
    int32_t unit, first, pair, rectangle;
    bool second;
};

static struct place place_of(const struct ordo_dense *d, int32_t head, int32_t kv, int32_t later)
{
    const struct ordo_dense_mask *m = d->launch.mask;
    struct place p = {.unit = m->n_q / m->n_kv, .second = kv >= m->n_kv / 2};

    p.pair = p.second ? m->n_kv - 1 - kv : kv;
    p.wave = ordo_dense_wave_of(d->launch.sms, m->n_kv / 2, head, p.pair);
    p.first = p.wave.before;
    p.rectangle = (p.first + p.wave.active - 1 + later) * p.unit;
    return p;
}

static int32_t query_of(const struct ordo_dense *d, int32_t head, int32_t kv, int32_t step, int32_t later)
{
    struct place p = place_of(d, head, kv, later);
    int32_t n_q = d->launch.mask->n_q, high = n_q - p.rectangle;

    if (p.second)
        return n_q - 1 - step;
    if (step < high)
        return p.rectangle + (p.wave.at + step) % high;
    return kv * p.unit + (step - high);
}

/* Contributions of earlier waves to row q: p.first first tiles, and those of their second tiles that see it. */
static int32_t finished(const struct ordo_dense *d, const struct place *p, int32_t q)
{
    int32_t second = p->first - (d->launch.mask->n_q - 1 - q) / p->unit;

    return p->first + (second > 0 ? second : 0);
}

static int32_t rank_of(const struct ordo_dense *d, int32_t head, int32_t q, int32_t kv, int32_t later)
{
    struct place p = place_of(d, head, kv, later);
    int32_t f = finished(d, &p, q), a = p.wave.active, last = q - p.rectangle;

    if (p.second)
        return f + a + (a - 1 - p.wave.at);
    if (last < 0)
        return f + (q - kv * p.unit) / p.unit;
    return f + ((last < a - 1 ? last : a - 1) - p.wave.at + a) % a;
}

static enum ordo_status fits(const struct ordo_dense *d, struct ordo_err *err)
{
    const struct ordo_dense_mask *m = d->launch.mask;

    if (m->n_kv % 2)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "KV tiles", "%d are odd, so the middle one has no partner",
                         (int)m->n_kv);
    if (m->n_q % m->n_kv)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "query tiles", "%d are no multiple of the %d KV tiles",
                         (int)m->n_q, (int)m->n_kv);
    for (int32_t kv = 0; kv < m->n_kv; kv++)
        if (ordo_dense_steps(m, kv) != m->n_q - kv * (m->n_q / m->n_kv) ||
            ordo_dense_seen_by(m, kv, 0) != kv * (m->n_q / m->n_kv))
            return ordo_fail(err, ORDO_BAD_INPUT, NULL, "mask",
                             "symmetric shift folds the causal mask, and no other");
    if (d->launch.section > 1)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "section", "symmetric shift counts on one head after the other");
    return ORDO_OK;
}

static int64_t items(const struct ordo_dense *d)
{
    return (int64_t)d->launch.heads * (d->launch.mask->n_kv / 2);
}

static int item(const struct ordo_dense *d, int64_t number, struct ordo_dense_tile tile[2])
{
    int32_t n = d->launch.mask->n_kv, head = (int32_t)(number / (n / 2)), pair = (int32_t)(number % (n / 2));

    tile[0] = (struct ordo_dense_tile){head, pair};
    tile[1] = (struct ordo_dense_tile){head, n - 1 - pair};
    return 2;
}

/* --- the two readings ------------------------------------------------------------------------------------------- */

static int32_t query_code(const struct ordo_dense *d, int32_t head, int32_t kv, int32_t step)
{
    return query_of(d, head, kv, step, 0);
}

static int32_t rank_code(const struct ordo_dense *d, int32_t head, int32_t q, int32_t kv)
{
    return rank_of(d, head, q, kv, 0);
}

static int32_t query_text(const struct ordo_dense *d, int32_t head, int32_t kv, int32_t step)
{
    return query_of(d, head, kv, step, 1);
}

static int32_t rank_text(const struct ordo_dense *d, int32_t head, int32_t q, int32_t kv)
{
    return rank_of(d, head, q, kv, 1);
}

const struct ordo_dense_schedule ordo_dense_symmetric = {
    .name = "symmetric",
    .about = "KV s round its rectangle, its triangle, then KV n-1-s from below (DASH's code, causal)",
    .heads_per_item = 1,
    .classes = 1,
    .fits = fits,
    .items = items,
    .item = item,
    .query = query_code,
    .rank = rank_code,
};

const struct ordo_dense_schedule ordo_dense_symmetric_text = {
    .name = "symmetric-text",
    .about = "symmetric shift with the rectangle one KV tile shorter (DASH's text, causal)",
    .heads_per_item = 1,
    .classes = 1,
    .fits = fits,
    .items = items,
    .item = item,
    .query = query_text,
    .rank = rank_text,
};
