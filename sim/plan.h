/* plan.h - the plan: everything that is decided from declared extents and target alone.
 *
 * Never from index values, the device found or free memory: two machines with the same declaration get the same plan,
 * and with it the same bits.  Sources: facts of cudnn-frontend #810 (private shards) and #1770 (cluster relay). */
#ifndef ORDO_SIM_PLAN_H
#define ORDO_SIM_PLAN_H

#include "base/digest.h"
#include "base/status.h"

#include <stdint.h>
#include <stdio.h>

enum ordo_target { ORDO_TARGET_SM100, ORDO_TARGET_SM90 };
extern const char *const ordo_target_name[2];

struct ordo_design;   /* sim/design.h */
struct ordo_contract; /* sim/contract.h */

/* What is asked for.  Zero means "let the policy choose" for design, cluster and wave. */
struct ordo_request {
    int32_t n_query, n_kv, topk;
    int32_t n_head, d_qk, d_v;
    enum ordo_target target;
    const struct ordo_design *design;
    int32_t cluster, wave;
};

enum { ORDO_MAX_LAUNCH_KINDS = 8 };

/* One line of the launch list: `count` launches of `kernel` in stream order, and the segments they touch. */
struct ordo_launch {
    const char *kernel;
    uint64_t count;
    const char *reads, *writes, *clears; /* comma-separated segment names, "" for none */
};

struct ordo_plan {
    struct ordo_request request;
    const struct ordo_design *design;
    const struct ordo_contract *contract;
    int32_t wave;        /* query lanes of a wave */
    int32_t cluster;     /* CTAs of a cluster; 1 where none is needed */
    int32_t planes;      /* wave / cluster; 1 where nobody orders the additions */
    int32_t head_blocks; /* ceil(H / 64) */
    int32_t waves;       /* ceil(Q / wave) */
    uint64_t workspace_bytes, private_workspace_bytes;
    uint64_t mask_words_per_plane, mask_rows; /* 0 without masks */
    int n_launch;
    struct ordo_launch launch[ORDO_MAX_LAUNCH_KINDS];
    struct ordo_digest digest;
};

/* Fills *plan.  ORDO_USAGE when design, cluster and wave do not go together, ORDO_BAD_INPUT when a byte count leaves
 * 64 bits; err->field names the quantity. */
enum ordo_status ordo_plan_make(const struct ordo_request *request, struct ordo_plan *plan, struct ordo_err *err);

/* The canonical text whose digest is plan->digest: one `name value` a line, launches and contract included. */
void ordo_plan_print(const struct ordo_plan *plan, FILE *out);

#endif
