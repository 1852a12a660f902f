/* ordo_kernels.h - sparse attention on an sm_90 card: forward and deterministic backward, by a plan.
 *
 *     struct ordo_request request = {n_query, n_kv, topk, n_head, d_qk, d_v, ORDO_TARGET_SM90, NULL, 0, 0};
 *     struct ordo_plan plan;
 *     struct ordo_kernels *kernels;
 *
 *     ordo_plan_make(&request, &plan, &err);         what, and in which order: from declared extents alone
 *     ordo_kernels_open(&kernels, &err);             loads the device code into the thread's current context
 *     allocate ordo_kernels_workspace(&plan, ORDO_BACKWARD) bytes
 *     ordo_kernels_execute(kernels, &plan, &tensors, ORDO_BACKWARD, stream, &err);
 *
 * Execution launches kernels on the stream and returns.  It allocates nothing, compiles nothing, reads no device
 * data, and may be captured into a graph: ids, lengths and values may then change from replay to replay.  The
 * workspace may hold anything before and holds nothing of use behind.  Two executions that overlap need two
 * workspaces.
 *
 * The bits of O, LSE, dQ, dKV and dSink are those of `ordo ref` for the same plan, on every run; of the design
 * `atomic` all but dKV.  No query may name a KV row twice in its live slots.
 *
 * Every function returns ORDO_OK, or a status with one sentence in err: ORDO_BAD_INPUT for an argument, whose name is
 * err->field; ORDO_ENVIRONMENT where driver or card fail, or where the library was built without device code. */
#ifndef ORDO_KERNELS_ORDO_KERNELS_H
#define ORDO_KERNELS_ORDO_KERNELS_H

#include "base/status.h"
#include "sim/plan.h"

#include <stdint.h>

enum ordo_dtype { ORDO_DTYPE_BF16, ORDO_DTYPE_F32, ORDO_DTYPE_I32, ORDO_DTYPES };

/* A tensor in device memory.  Contiguous and row-major is all that is taken; stride counts elements. */
struct ordo_tensor {
    void *data; /* NULL: not there */
    enum ordo_dtype dtype;
    int32_t n_dim; /* 1 to 3 */
    int64_t extent[3], stride[3];
};

/* Q queries, KV rows, T = Top-K slots, H heads.  BF16 tensors and fp32 dkv start at 16 bytes, others at 4. */
struct ordo_kernels_tensors {
    struct ordo_tensor q;        /* BF16 [Q][H][Dqk] */
    struct ordo_tensor kv;       /* BF16 [KV][Dqk]; V is the first Dv columns */
    struct ordo_tensor sink;     /* fp32 [H], natural logarithm; may be missing */
    struct ordo_tensor idx;      /* int32 [Q][T]: rows of kv; anything else is a dead slot */
    struct ordo_tensor length;   /* int32 [Q]: live slots are below; may be missing: T */
    struct ordo_tensor o;        /* BF16 [Q][H][Dv]: the forward writes it, the backward reads it */
    struct ordo_tensor lse;      /* fp32 [Q][H], natural, without the sink: likewise */
    struct ordo_tensor dout;     /* BF16 [Q][H][Dv]; of the backward, as all that follows */
    struct ordo_tensor dq;       /* BF16 [Q][H][Dqk] */
    struct ordo_tensor dkv;      /* BF16 [KV][Dqk] */
    struct ordo_tensor dkv_fp32; /* fp32 [KV][Dqk], before it rounds; may be missing */
    struct ordo_tensor dsink;    /* fp32 [H]; may be missing */
    void *workspace;             /* of the backward; starts at 128 bytes */
    uint64_t workspace_bytes;    /* at least ordo_kernels_workspace */
    float scale;                 /* of the logits, > 0 */
};

enum ordo_pass { ORDO_FORWARD, ORDO_BACKWARD };

struct ordo_kernels; /* the device code in one context */

/* Needs a current context of an sm_90 card.  Released by ordo_kernels_close, which takes NULL. */
enum ordo_status ordo_kernels_open(struct ordo_kernels **kernels, struct ordo_err *err);
void ordo_kernels_close(struct ordo_kernels *kernels);

/* Bytes that a pass of the plan needs: none for the forward; for the backward plan->workspace_bytes, and behind them
 * what the kernels keep for a wave. */
uint64_t ordo_kernels_workspace(const struct ordo_plan *plan, enum ordo_pass pass);

/* Whether there are kernels for it: what ordo_kernels_check wants of the plan's request, before there is a plan. */
enum ordo_status ordo_kernels_check_request(const struct ordo_request *request, struct ordo_err *err);

/* What execution checks before it launches anything; needs no card. */
enum ordo_status ordo_kernels_check(const struct ordo_plan *plan, const struct ordo_kernels_tensors *tensors,
                                    enum ordo_pass pass, struct ordo_err *err);

/* stream: a CUstream or cudaStream_t of the context, NULL for the default one. */
enum ordo_status ordo_kernels_execute(struct ordo_kernels *kernels, const struct ordo_plan *plan,
                                      const struct ordo_kernels_tensors *tensors, enum ordo_pass pass, void *stream,
                                      struct ordo_err *err);

#endif
