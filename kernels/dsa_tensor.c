/* dsa_tensor.c - see dsa_tensor.h. */
#include "kernels/dsa_tensor.h"

#include "base/size.h"
#include "protocol/index.h"
#include "sim/design.h"

#define Q  ORDO_EXTENT_Q
#define KV ORDO_EXTENT_KV
#define T  ORDO_EXTENT_T
#define H  ORDO_EXTENT_H
#define DK ORDO_EXTENT_DQK
#define DV ORDO_EXTENT_DV
#define AT(name) offsetof(struct ordo_kernels_tensors, name)

const struct ordo_dsa_tensor ordo_dsa_tensor[ORDO_DSA_TENSORS] = {
    [ORDO_DSA_Q] = {"q", ORDO_DTYPE_BF16, 16, false, true, false, 3, {Q, H, DK}, AT(q)},
    [ORDO_DSA_KV] = {"kv", ORDO_DTYPE_BF16, 16, false, true, false, 2, {KV, DK}, AT(kv)},
    [ORDO_DSA_SINK] = {"sink", ORDO_DTYPE_F32, 4, true, true, false, 1, {H}, AT(sink)},
    [ORDO_DSA_IDX] = {"idx", ORDO_DTYPE_I32, 4, false, true, false, 2, {Q, T}, AT(idx)},
    [ORDO_DSA_LENGTH] = {"length", ORDO_DTYPE_I32, 4, true, true, false, 1, {Q}, AT(length)},
    [ORDO_DSA_O] = {"o", ORDO_DTYPE_BF16, 16, false, true, false, 3, {Q, H, DV}, AT(o)},
    [ORDO_DSA_LSE] = {"lse", ORDO_DTYPE_F32, 4, false, true, false, 2, {Q, H}, AT(lse)},
    [ORDO_DSA_DOUT] = {"do", ORDO_DTYPE_BF16, 16, false, false, false, 3, {Q, H, DV}, AT(dout)},
    [ORDO_DSA_DQ] = {"dq", ORDO_DTYPE_BF16, 16, false, false, true, 3, {Q, H, DK}, AT(dq)},
    [ORDO_DSA_DKV] = {"dkv", ORDO_DTYPE_BF16, 16, false, false, true, 2, {KV, DK}, AT(dkv)},
    [ORDO_DSA_DKV_FP32] = {"dkv_fp32", ORDO_DTYPE_F32, 16, true, false, true, 2, {KV, DK}, AT(dkv_fp32)},
    [ORDO_DSA_DSINK] = {"dsink", ORDO_DTYPE_F32, 4, true, false, true, 1, {H}, AT(dsink)},
};

int64_t ordo_dsa_extent(const struct ordo_plan *plan, enum ordo_dsa_extent extent)
{
    const struct ordo_request *r = &plan->request;
    const int32_t of[] = {1, r->n_query, r->n_kv, r->topk, r->n_head, r->d_qk, r->d_v};

    return of[extent];
}

uint64_t ordo_dsa_count(const struct ordo_plan *plan, int id)
{
    uint64_t n = 1;

    for (int i = 0; i < 3; i++)
        if (!ordo_mul(n, (uint64_t)ordo_dsa_extent(plan, ordo_dsa_tensor[id].extent[i]), &n))
            return 0;
    return n;
}

uint64_t ordo_dsa_bytes(const struct ordo_plan *plan, int id)
{
    uint64_t n = ordo_dsa_count(plan, id);

    return ordo_mul(n, ordo_dsa_tensor[id].dtype == ORDO_DTYPE_BF16 ? 2 : 4, &n) ? n : 0;
}

uint64_t ordo_dsa_weights(const struct ordo_plan *plan)
{
    uint64_t slots = ordo_div_up((uint64_t)plan->request.topk, ORDO_TILE) * ORDO_TILE;

    return plan->design->sync == ORDO_SYNC_ATOMIC ? 0 : (uint64_t)plan->wave * slots * 2 * ORDO_HEAD_BLOCK * 2;
}

struct ordo_tensor ordo_dsa_make(const struct ordo_plan *plan, int id, void *data)
{
    const struct ordo_dsa_tensor *want = &ordo_dsa_tensor[id];
    struct ordo_tensor t = {.data = data, .dtype = want->dtype, .n_dim = want->n_dim};
    int64_t stride = 1;

    for (int i = want->n_dim - 1; i >= 0; i--) {
        t.extent[i] = ordo_dsa_extent(plan, want->extent[i]);
        t.stride[i] = stride;
        stride *= t.extent[i];
    }
    return t;
}
