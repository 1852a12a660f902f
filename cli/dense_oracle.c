/* dense_oracle.c - see dense_oracle.h. */
#include "cli/dense_oracle.h"

#include "cli/tensors.h"

#include <inttypes.h>

const char *const ordo_dense_unit_name[ORDO_DENSE_GRADIENTS] = {"query rows", "KV rows", "KV rows"};
const enum ordo_dense_output ordo_dense_gradient_output[ORDO_DENSE_GRADIENTS] = {
    ORDO_DENSE_OUTPUT_DQ, ORDO_DENSE_OUTPUT_DK, ORDO_DENSE_OUTPUT_DV};
const enum ordo_dense_output ordo_dense_gradient_fp32[ORDO_DENSE_GRADIENTS] = {
    ORDO_DENSE_OUTPUT_DQ_FP32, ORDO_DENSE_OUTPUT_DK_FP32, ORDO_DENSE_OUTPUT_DV_FP32};

struct ordo_dense_attend ordo_dense_attend_of(const struct ordo_dense_case *c)
{
    const struct ordo_dense_problem *p = &c->problem;

    return (struct ordo_dense_attend){
        .batch = p->batch, .q_len = p->q_len, .kv_len = p->kv_len, .q_heads = p->q_heads, .kv_heads = p->kv_heads,
        .d = p->d, .tile_q = p->tile_q, .tile_kv = p->tile_kv, .causal = p->causal, .q = c->tensors.q,
        .k = c->tensors.k, .v = c->tensors.v, .dout = c->tensors.dout, .scale = c->scale};
}

enum ordo_status ordo_dense_oracle_fits(const struct ordo_dense_case *c, struct ordo_err *err)
{
    uint64_t bytes = 4 * (uint64_t)c->problem.q_len * (uint64_t)c->problem.kv_len; /* below 2^62 by their ranges */

    if (bytes > ordo_memory_bytes() / 2)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "the oracle's lists of pairs need %" PRIu64 " bytes",
                         bytes);
    return ORDO_OK;
}
