/* dense_shift.c - DASH's shift, for the full mask: the active KV tiles of a head start in different rows and go
 * round.
 *
 * Of the a tiles of a head in one wave, tile i visits i, i + 1, ..., n_q - 1, 0, ..., i - 1; in every slot they
 * are in different rows.  dQ of row q is added by the tiles in the order in which they come by: after those of
 * earlier waves, (min(q, a - 1) - i) mod a.  Waits go round too, so all CTAs of a wave must be resident; and the
 * orders depend on how waves cut a head, that is on the SM count and on the head's place in the grid. */
#include "sim/dense_impl.h"

static struct ordo_dense_wave wave_of(const struct ordo_dense *d, int32_t head, int32_t kv)
{
    return ordo_dense_wave_of(d->launch.sms, d->launch.mask->n_kv, head, kv);
}

static enum ordo_status fits(const struct ordo_dense *d, struct ordo_err *err)
{
    const struct ordo_dense_mask *m = d->launch.mask;
    int32_t active = d->launch.sms < m->n_kv ? d->launch.sms : m->n_kv;

    if (m->pairs != (int64_t)m->n_q * m->n_kv)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "mask",
                         "shift goes round in all rows, so it wants the full mask");
    if (active > m->n_q)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "query tiles",
                         "%d KV tiles of a head run at once and cannot be in different rows of %d", (int)active,
                         (int)m->n_q);
    if (d->launch.section > 1)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "section", "shift counts on one head after the other");
    return ORDO_OK;
}

static int32_t query(const struct ordo_dense *d, int32_t head, int32_t kv, int32_t step)
{
    int32_t n_q = d->launch.mask->n_q;

    return (wave_of(d, head, kv).at + step) % n_q;
}

static int32_t rank(const struct ordo_dense *d, int32_t head, int32_t q, int32_t kv)
{
    struct ordo_dense_wave w = wave_of(d, head, kv);
    int32_t last = q < w.active - 1 ? q : w.active - 1;

    return w.before + (last - w.at + w.active) % w.active;
}

const struct ordo_dense_schedule ordo_dense_shift = {
    .name = "shift",
    .about = "query tiles from the CTA's own place round, dQ as they come by (DASH, full mask)",
    .heads_per_item = 1,
    .classes = 1,
    .fits = fits,
    .items = ordo_dense_tile_items,
    .item = ordo_dense_tile_item,
    .query = query,
    .rank = rank,
};
