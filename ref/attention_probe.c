/* attention_probe.c - the twin's sums, shown to whoever wants to hold each against its exact value.
 *
 * Looking moves no bit: the product is the same with a running bound beside it (ref/mma.h), and the terms of the fp32
 * sums are only read. */
#include "ref/attention_impl.h"

#include "base/size.h"

#include <stdlib.h>
#include <string.h>

static bool looks(const struct ordo_twin *t, bool product)
{
    const struct ordo_attention_probe *probe = t->a->probe;

    return probe && (product ? probe->product != NULL : probe->sum != NULL);
}

enum ordo_status ordo_twin_product(const struct ordo_twin *t, enum ordo_stage stage, const struct ordo_product *p,
                                   struct ordo_err *err)
{
    uint64_t n = (uint64_t)p->m * (uint64_t)p->c_row;
    struct ordo_product bounded = *p;
    uint32_t *before;
    enum ordo_status status;

    if (!looks(t, true))
        return ordo_mma(t->model, t->isa, p, err);
    before = ordo_alloc(n, sizeof *before);
    bounded.bound = ordo_alloc_zero(n, sizeof *bounded.bound);
    if (!before || !bounded.bound) {
        free(before);
        free(bounded.bound);
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room to watch a product");
    }
    memcpy(before, p->c, n * sizeof *before);
    status = ordo_mma(t->model, t->isa, &bounded, err);
    if (status == ORDO_OK)
        status = t->a->probe->product(t->a->probe->ctx, stage, &bounded, before, err);
    free(before);
    free(bounded.bound);
    return status;
}

enum ordo_status ordo_twin_show_delta(const struct ordo_twin *t, const uint16_t *o, const uint16_t *dout, float delta,
                                      struct ordo_err *err)
{
    float *a;
    enum ordo_status status;

    if (!looks(t, false))
        return ORDO_OK;
    a = ordo_alloc(2 * (uint64_t)t->d_v, sizeof *a);
    if (!a)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for the terms of delta");
    for (int32_t d = 0; d < t->d_v; d++) {
        a[d] = ordo_fp32(ordo_bf16_to_fp32_bits(o[d]));
        a[t->d_v + d] = ordo_fp32(ordo_bf16_to_fp32_bits(dout[d]));
    }
    /* a lane's columns, 8 of every 256, and five levels of the tree */
    status = t->a->probe->sum(t->a->probe->ctx, ORDO_STAGE_DELTA, a, a + t->d_v, t->d_v, (t->d_v / 256 + 1) * 8 + 5,
                              delta, err);
    free(a);
    return status;
}

enum ordo_status ordo_twin_show_dsink(const struct ordo_twin *t, const float *share, const float *delta, int64_t n,
                                      float dsink, struct ordo_err *err)
{
    return t->a->probe->sum(t->a->probe->ctx, ORDO_STAGE_DSINK, share, delta, n, (int32_t)(n / 32) + 1 + 5, dsink,
                            err);
}
