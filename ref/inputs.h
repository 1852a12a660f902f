/* inputs.h - seeded Q, KV, dO and sink for a sparse attention problem: the same bytes on every machine.
 *
 * Integers alone.  An element is a function of seed, class, tensor and coordinates, never of the extents: a larger
 * problem has the smaller one's values.  Two classes (ref/contribution.h names them):
 *
 *   rough  any sign and fraction; |q| in [2^-4, 4), |kv| in [2^-5, 2), |dO| in [2^-6, 1), each binade as often as the
 *          next; of 64 elements one is a zero of either sign, one subnormal.  With scale 1/sqrt(Dqk) the logits then
 *          have standard deviation about 1.  sink: multiples of 2^-20 in [-4, 4).
 *   exact  integers from -4 to 4, times 1 or 2.  q has only even columns, kv only odd ones, so all logits are exactly
 *          0; every product and sum of S, dP and of dO^T P's integers is exact in any order, and with 2^n - 1 live
 *          slots so is p = 2^-n.  What is wrong then is wrong by a whole unit.  sink: 0.
 *
 * The sink may be made of another kind whatever the class. */
#ifndef ORDO_REF_INPUTS_H
#define ORDO_REF_INPUTS_H

#include "base/digest.h"
#include "base/status.h"
#include "ref/contribution.h"
#include "sim/plan.h"

#include <stdbool.h>
#include <stdint.h>

enum ordo_sink_kind {
    ORDO_SINK_SEEDED, /* as the class says */
    ORDO_SINK_OFF,    /* -Inf: no sink */
    ORDO_SINK_INF,    /* +Inf: all mass on the sink */
    ORDO_SINK_HUGE,   /* 2.4e38: finite, but not in units of log2 */
    ORDO_SINK_MIXED   /* of eight heads one each: -Inf, +Inf, 2.4e38, -2.4e38, -400, 0; two seeded */
};
extern const char *const ordo_sink_kind_name[5];

struct ordo_values {
    uint64_t seed;
    enum ordo_input_class kind;
    enum ordo_sink_kind sink;
    bool tiny; /* dO times 2^-120, where it is not subnormal before: gradients of subnormal terms; sparse only */
};

/* BF16 q [Q][H][Dqk], kv [KV][Dqk], dout [Q][H][Dv]; fp32 sink [H].  Owned. */
struct ordo_tensors {
    uint16_t *q, *kv, *dout;
    float *sink;
};

/* Fills *t, which the caller frees.  ORDO_BAD_INPUT for an extent below 1 or Dv above Dqk, ORDO_ENVIRONMENT
 * without memory; *t is then zero. */
enum ordo_status ordo_tensors_seed(const struct ordo_request *r, const struct ordo_values *values,
                                   struct ordo_tensors *t, struct ordo_err *err);
void ordo_tensors_free(struct ordo_tensors *t);

/* Dense attention: BF16 q [q_rows][q_heads][d], k and v [kv_rows][kv_heads][d], dout like q; rows are batch * length.
 * Classes as above, k as kv, v in every column.  Owned. */
struct ordo_dense_extents {
    int32_t q_rows, kv_rows, q_heads, kv_heads, d;
};
struct ordo_dense_tensors {
    uint16_t *q, *k, *v, *dout;
};

/* As ordo_tensors_seed. */
enum ordo_status ordo_dense_tensors_seed(const struct ordo_dense_extents *e, const struct ordo_values *values,
                                         struct ordo_dense_tensors *t, struct ordo_err *err);
void ordo_dense_tensors_free(struct ordo_dense_tensors *t);

/* BLAKE2b-256 of "ordo-tensors/1\n", then as little-endian uint32 Q, KV, H, Dqk, Dv, then q, kv, dout and sink, each
 * element as a uint32 of its bits.  No sink (NULL) is -Inf for every head: the same inputs. */
struct ordo_digest ordo_tensors_digest(const struct ordo_request *r, const struct ordo_tensors *t);

#endif
