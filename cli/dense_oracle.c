/* dense_oracle.c - see dense_oracle.h. */
#include "cli/dense_oracle.h"

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
