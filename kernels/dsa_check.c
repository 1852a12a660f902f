/* dsa_check.c - what is refused before anything is launched: plans that no kernel runs, tensors of another kind. */
#include "kernels/ordo_kernels.h"

#include "base/size.h"
#include "kernels/dsa_tensor.h"
#include "sim/contract.h"
#include "sim/design.h"

#include <inttypes.h>
#include <math.h>

static const char *const dtype_name[ORDO_DTYPES] = {"bfloat16", "float32", "int32"};

enum { WORKSPACE_ALIGN = 128 };

/* The plan's segments, then the kernels' own: at most 2^17 lanes x 2^31 slots x 256 bytes. */
uint64_t ordo_kernels_workspace(const struct ordo_plan *plan, enum ordo_pass pass)
{
    uint64_t bytes, weights = ordo_dsa_weights(plan);

    if (pass == ORDO_FORWARD)
        return 0;
    return ordo_round_up(plan->workspace_bytes, WORKSPACE_ALIGN, &bytes) && ordo_add(bytes, weights, &bytes)
               ? bytes
               : UINT64_MAX;
}

/* --- the plan --------------------------------------------------------------------------------------------------- */

static enum ordo_status check_heads(int32_t n_head, struct ordo_err *err)
{
    static const int32_t known[] = {16, 32, 64, 96, 128};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (n_head == known[i])
            return ORDO_OK;
    return ordo_fail(err, ORDO_BAD_INPUT, NULL, "heads", "there are kernels for 16, 32, 64, 96 and 128, not for %d",
                     (int)n_head);
}

enum ordo_status ordo_kernels_check_request(const struct ordo_request *r, struct ordo_err *err)
{
    if (r->target != ORDO_TARGET_SM90)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "target", "the kernels are for sm90, the plan is for %s",
                         ordo_target_name[r->target]);
    if (r->n_query < 1 || r->n_kv < 1 || r->topk < 1)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "extents",
                         "%d queries, %d KV rows, %d slots: each must be at least 1", (int)r->n_query, (int)r->n_kv,
                         (int)r->topk);
    if (r->d_v != 512 || (r->d_qk != 576 && r->d_qk != 512))
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, r->d_v != 512 ? "dv" : "dqk",
                         "there are kernels for 576/512 and 512/512, not for %d/%d", (int)r->d_qk, (int)r->d_v);
    return check_heads(r->n_head, err);
}

static enum ordo_status check_plan(const struct ordo_plan *plan, struct ordo_err *err)
{
    enum ordo_status status = ordo_kernels_check_request(&plan->request, err);

    if (status == ORDO_OK && plan->contract != &ordo_contract_sparse)
        status = ordo_fail(err, ORDO_BAD_INPUT, NULL, "contract", "the kernels follow another numeric contract");
    return status;
}

/* --- one tensor ------------------------------------------------------------------------------------------------- */

static enum ordo_status check_shape(const struct ordo_plan *plan, const struct ordo_dsa_tensor *want,
                                    const struct ordo_tensor *t, struct ordo_err *err)
{
    int64_t stride = 1;

    if (t->n_dim != want->n_dim)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, want->name, "has %d dimensions, not %d", (int)t->n_dim,
                         (int)want->n_dim);
    for (int i = 0; i < want->n_dim; i++)
        if (t->extent[i] != ordo_dsa_extent(plan, want->extent[i]))
            return ordo_fail(err, ORDO_BAD_INPUT, NULL, want->name,
                             "its extent %d is %" PRId64 ", the plan's is %" PRId64, i, t->extent[i],
                             ordo_dsa_extent(plan, want->extent[i]));
    for (int i = want->n_dim - 1; i >= 0; i--) {
        if (t->extent[i] > 1 && t->stride[i] != stride)
            return ordo_fail(err, ORDO_BAD_INPUT, NULL, want->name,
                             "its stride %d is %" PRId64 " elements, not %" PRId64
                             ": only contiguous tensors are taken",
                             i, t->stride[i], stride);
        stride *= t->extent[i];
    }
    return ORDO_OK;
}

static enum ordo_status check_tensor(const struct ordo_plan *plan, const struct ordo_dsa_tensor *want,
                                     const struct ordo_tensor *t, struct ordo_err *err)
{
    if (!t->data && want->optional)
        return ORDO_OK;
    if (!t->data)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, want->name, "is missing");
    if (t->dtype != want->dtype)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, want->name, "is %s, not %s",
                         t->dtype < ORDO_DTYPES ? dtype_name[t->dtype] : "of an unknown type",
                         dtype_name[want->dtype]);
    if ((uintptr_t)t->data % want->align != 0)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, want->name, "does not start at a multiple of %u bytes",
                         (unsigned)want->align);
    return check_shape(plan, want, t, err);
}

static enum ordo_status check_workspace(const struct ordo_plan *plan, const struct ordo_kernels_tensors *t,
                                        struct ordo_err *err)
{
    uint64_t need = ordo_kernels_workspace(plan, ORDO_BACKWARD);

    if (!t->workspace)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "workspace", "is missing");
    if ((uintptr_t)t->workspace % WORKSPACE_ALIGN != 0)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "workspace", "does not start at a multiple of %d bytes",
                         WORKSPACE_ALIGN);
    if (t->workspace_bytes < need)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "workspace", "has %" PRIu64 " bytes, the plan needs %" PRIu64,
                         t->workspace_bytes, need);
    return ORDO_OK;
}

enum ordo_status ordo_kernels_check(const struct ordo_plan *plan, const struct ordo_kernels_tensors *tensors,
                                    enum ordo_pass pass, struct ordo_err *err)
{
    enum ordo_status status = check_plan(plan, err);

    if (status == ORDO_OK && !(tensors->scale > 0 && tensors->scale < HUGE_VALF))
        status = ordo_fail(err, ORDO_BAD_INPUT, NULL, "scale", "must be a positive number");
    for (int i = 0; i < ORDO_DSA_TENSORS && status == ORDO_OK; i++)
        if (pass == ORDO_BACKWARD || ordo_dsa_tensor[i].forward)
            status = check_tensor(plan, &ordo_dsa_tensor[i], ordo_dsa_tensor_of(tensors, i), err);
    if (status == ORDO_OK && pass == ORDO_BACKWARD)
        status = check_workspace(plan, tensors, err);
    return status;
}
