/* plan.c - see plan.h. */
#include "sim/plan.h"

#include "base/size.h"
#include "protocol/index.h"
#include "sim/contract.h"
#include "sim/policy.h"

#include <inttypes.h>
#include <stdlib.h>

const char *const ordo_target_name[2] = {"sm100", "sm90"};

static const char *or_dash(const char *segments)
{
    return segments[0] ? segments : "-";
}

static void fill_launches(struct ordo_plan *p)
{
    p->n_launch = p->design->n_launch;
    for (int i = 0; i < p->n_launch; i++) {
        p->launch[i] = p->design->launch[i];
        if (p->launch[i].count == 0)
            p->launch[i].count = (uint64_t)p->waves * (uint64_t)p->head_blocks;
    }
}

void ordo_plan_print(const struct ordo_plan *p, FILE *out)
{
    const struct ordo_request *r = &p->request;
    struct ordo_contract_line line;

    fprintf(out, "ordo-plan/1\nq %d\nkv %d\ntopk %d\nheads %d\ndqk %d\ndv %d\ntarget %s\ndesign %s\n",
            (int)r->n_query, (int)r->n_kv, (int)r->topk, (int)r->n_head, (int)r->d_qk, (int)r->d_v,
            ordo_target_name[r->target], p->design->name);
    fprintf(out, "wave %d\ncluster %d\nplanes %d\nhead_blocks %d\nwaves %d\n", (int)p->wave, (int)p->cluster,
            (int)p->planes, (int)p->head_blocks, (int)p->waves);
    fprintf(out, "workspace_bytes %" PRIu64 "\nmask_words_per_plane %" PRIu64 "\nmask_rows %" PRIu64 "\n",
            p->workspace_bytes, p->mask_words_per_plane, p->mask_rows);
    for (int i = 0; i < p->n_launch; i++)
        fprintf(out, "launch %s %" PRIu64 " reads %s writes %s clears %s\n", p->launch[i].kernel, p->launch[i].count,
                or_dash(p->launch[i].reads), or_dash(p->launch[i].writes), or_dash(p->launch[i].clears));
    for (int i = 0; ordo_contract_line(p->contract, i, &line); i++)
        fprintf(out, "contract %s %s\n", line.name, line.value);
}

static enum ordo_status fill_digest(struct ordo_plan *p, struct ordo_err *err)
{
    struct ordo_hasher h;
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);

    if (out)
        ordo_plan_print(p, out);
    if (!out || fclose(out) != 0)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "plan", "no memory for its text");
    ordo_hasher_init(&h);
    ordo_hasher_bytes(&h, text, n);
    p->digest = ordo_hasher_done(&h);
    free(text);
    return ORDO_OK;
}

enum ordo_status ordo_plan_make(const struct ordo_request *request, struct ordo_plan *plan, struct ordo_err *err)
{
    struct ordo_choice choice;
    struct ordo_workspace private_need;
    enum ordo_status status = ordo_policy_choose(request, &choice, err);

    if (status != ORDO_OK)
        return status;
    if (request->d_v > request->d_qk)
        return ordo_fail(err, ORDO_USAGE, NULL, "dv", "V is the first %d columns of a K row that has only %d",
                         (int)request->d_v, (int)request->d_qk);
    if (!ordo_workspace_private(request, ordo_policy_private_planes(request->n_query), &private_need))
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "private_workspace_bytes", "leaves 64 bits");
    *plan = (struct ordo_plan){
        .request = *request,
        .design = choice.design,
        .contract = &ordo_contract_sparse,
        .wave = choice.wave,
        .cluster = choice.cluster,
        .planes = choice.planes,
        .head_blocks = (int32_t)ordo_div_up((uint64_t)request->n_head, ORDO_HEAD_BLOCK),
        .waves = (int32_t)ordo_div_up((uint64_t)request->n_query, (uint64_t)choice.wave),
        .workspace_bytes = choice.workspace.total,
        .private_workspace_bytes = private_need.total,
        .mask_words_per_plane = choice.workspace.words,
        .mask_rows = choice.workspace.mask_rows,
    };
    fill_launches(plan);
    return fill_digest(plan, err);
}
