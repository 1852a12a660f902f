/* report_plan.c - the plan; see report.h. */
#include "cli/out.h"
#include "cli/report.h"
#include "sim/contract.h"
#include "sim/design.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void ordo_report_plan(const struct ordo_plan *p)
{
    char hex[ORDO_DIGEST_HEX];

    printf("plan     %s for %s: wave %" PRId32 ", cluster %" PRId32 ", %" PRId32 " planes, %" PRId32
           " waves x %" PRId32 " head blocks\n",
           p->design->name, ordo_target_name[p->request.target], p->wave, p->cluster, p->planes, p->waves,
           p->head_blocks);
    printf("         workspace %" PRIu64 " bytes (private shards: %" PRIu64 ")", p->workspace_bytes,
           p->private_workspace_bytes);
    if (p->mask_rows)
        printf(", of it %" PRIu64 " mask rows a plane", p->mask_rows);
    printf("\n         launches");
    for (int i = 0; i < p->n_launch; i++)
        printf("%s %s %" PRIu64, i ? "," : "", p->launch[i].kernel, p->launch[i].count);
    printf("\n         digest %s\n", ordo_digest_hex(&p->digest, hex));
}

void ordo_report_contract(const struct ordo_plan *p)
{
    struct ordo_contract_line line;

    for (int i = 0; ordo_contract_line(p->contract, i, &line); i++)
        printf("%-8s %-13s %s\n", i ? "" : "contract", line.name, line.value);
}

/* "a,b" -> ["a","b"] */
static json_t *segments_json(const char *segments)
{
    json_t *list = ordo_need(json_array());

    while (*segments) {
        size_t n = strcspn(segments, ",");

        (void)json_array_append_new(list, ordo_need(json_stringn(segments, n)));
        segments += n + (segments[n] == ',');
    }
    return list;
}

static json_t *launches_json(const struct ordo_plan *p)
{
    json_t *list = ordo_need(json_array());

    for (int i = 0; i < p->n_launch; i++) {
        json_t *o = ordo_need(json_object());

        ordo_json_text(o, "kernel", p->launch[i].kernel);
        ordo_json_u64(o, "count", p->launch[i].count);
        ordo_json_set(o, "reads", segments_json(p->launch[i].reads));
        ordo_json_set(o, "writes", segments_json(p->launch[i].writes));
        ordo_json_set(o, "clears", segments_json(p->launch[i].clears));
        (void)json_array_append_new(list, o);
    }
    return list;
}

void ordo_report_plan_json(json_t *o, const struct ordo_plan *p)
{
    json_t *contract = ordo_need(json_object());
    struct ordo_contract_line line;

    ordo_json_text(o, "design", p->design->name);
    ordo_json_text(o, "target", ordo_target_name[p->request.target]);
    ordo_json_int(o, "q", p->request.n_query);
    ordo_json_int(o, "kv", p->request.n_kv);
    ordo_json_int(o, "topk", p->request.topk);
    ordo_json_int(o, "heads", p->request.n_head);
    ordo_json_int(o, "dqk", p->request.d_qk);
    ordo_json_int(o, "dv", p->request.d_v);
    ordo_json_int(o, "wave", p->wave);
    ordo_json_int(o, "cluster", p->cluster);
    ordo_json_int(o, "planes", p->planes);
    ordo_json_int(o, "head_blocks", p->head_blocks);
    ordo_json_int(o, "waves", p->waves);
    ordo_json_u64(o, "workspace_bytes", p->workspace_bytes);
    ordo_json_u64(o, "private_workspace_bytes", p->private_workspace_bytes);
    ordo_json_u64(o, "mask_words_per_plane", p->mask_words_per_plane);
    ordo_json_u64(o, "mask_rows", p->mask_rows);
    ordo_json_set(o, "launches", launches_json(p));
    for (int i = 0; ordo_contract_line(p->contract, i, &line); i++)
        ordo_json_text(contract, line.name, line.value);
    ordo_json_set(o, "contract", contract);
    ordo_json_digest(o, "plan_digest", &p->digest);
}
