/* policy.c - see policy.h.
 *
 * Published policy (project facts on cudnn-frontend #1770): private shards while they fit 16 GiB, else relay with
 * C = 8 below 8,192 queries and C = 4 from there on, else (more than 32 GiB) C = 16.  Thresholds compare the total
 * bytes. */
#include "sim/policy.h"

#include <stdbool.h>

#define GIB (UINT64_C(1) << 30)
#define ANY UINT64_MAX

/* First row that matches the request and whose total bytes fit.  The last is never reached unasked: the one before it
 * always fits. */
static const struct rule {
    const struct ordo_design *design;
    int32_t cluster;
    int64_t min_query, end_query;
    uint64_t max_bytes;
} rules[] = {
    {&ordo_design_private_shards, 1, 0, INT64_MAX, 16 * GIB},
    {&ordo_design_cluster_relay, 8, 0, 8192, 32 * GIB},
    {&ordo_design_cluster_relay, 4, 8192, INT64_MAX, 32 * GIB},
    {&ordo_design_cluster_relay, 16, 0, INT64_MAX, ANY},
    {&ordo_design_atomic, 1, 0, INT64_MAX, ANY},
};

/* A multiple of C that the target holds at once (sm_90: 132 SMs, GPCs of 16 or 18; sm_100: as published, and 148
 * SMs).  C = 1 is for the atomic design: a CTA for each SM. */
static const struct {
    enum ordo_target target;
    int32_t cluster, wave;
} waves[] = {
    {ORDO_TARGET_SM100, 1, 148}, {ORDO_TARGET_SM100, 4, 128}, {ORDO_TARGET_SM100, 8, 128},
    {ORDO_TARGET_SM90, 1, 132},  {ORDO_TARGET_SM90, 4, 120},  {ORDO_TARGET_SM90, 8, 120},
    {ORDO_TARGET_SM90, 16, 112}, {ORDO_TARGET_SM100, 16, 128},
};

static const struct {
    int64_t end_query;
    int32_t planes;
} private_planes[] = {{129, 32}, {257, 64}, {INT64_MAX, 128}};

int32_t ordo_policy_private_planes(int32_t n_query)
{
    int i = 0;

    while (n_query >= private_planes[i].end_query)
        i++;
    return private_planes[i].planes;
}

static int32_t resident_wave(enum ordo_target target, int32_t cluster)
{
    for (size_t i = 0; i < sizeof waves / sizeof waves[0]; i++)
        if (waves[i].target == target && waves[i].cluster == cluster)
            return waves[i].wave;
    return 0;
}

/* Fills wave and workspace of out, whose design and cluster are set. */
static enum ordo_status complete(const struct ordo_request *r, struct ordo_choice *out, struct ordo_err *err)
{
    enum ordo_sync sync = out->design->sync;
    bool fits;

    out->wave = r->wave                  ? r->wave
                : sync == ORDO_SYNC_NONE ? ordo_policy_private_planes(r->n_query)
                                         : resident_wave(r->target, out->cluster);
    if (out->wave % out->cluster != 0)
        return ordo_fail(err, ORDO_USAGE, NULL, "wave", "a wave of %d lanes is not divisible into clusters of %d",
                         (int)out->wave, (int)out->cluster);
    out->planes = sync == ORDO_SYNC_ATOMIC ? 1 : out->wave / out->cluster;
    fits = sync == ORDO_SYNC_RELAY ? ordo_workspace_relay(r, out->wave, out->cluster, &out->workspace)
                                   : ordo_workspace_private(r, out->planes, &out->workspace);
    if (!fits)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "workspace_bytes", "the workspace of %s leaves 64 bits",
                         out->design->name);
    return ORDO_OK;
}

static bool matches(const struct rule *rule, const struct ordo_request *r)
{
    if (r->design && r->design != rule->design)
        return false;
    if (r->cluster)
        return r->cluster == rule->cluster;
    return r->n_query >= rule->min_query && r->n_query < rule->end_query;
}

enum ordo_status ordo_policy_choose(const struct ordo_request *r, struct ordo_choice *out, struct ordo_err *err)
{
    bool forced = r->cluster || (r->design && r->design->sync != ORDO_SYNC_RELAY);

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (!matches(&rules[i], r))
            continue;
        *out = (struct ordo_choice){.design = rules[i].design, .cluster = rules[i].cluster};
        enum ordo_status status = complete(r, out, err);
        if (status != ORDO_OK || forced || out->workspace.total <= rules[i].max_bytes)
            return status;
    }
    if (r->cluster)
        return ordo_fail(err, ORDO_USAGE, NULL, "cluster", "%s has no clusters of %d",
                         r->design ? r->design->name : "no design", (int)r->cluster);
    return ordo_fail(err, ORDO_USAGE, NULL, "design", "no row of the policy fits");
}
