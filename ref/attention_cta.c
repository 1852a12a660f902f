/* attention_cta.c - a CTA's slots gathered, and its scores. */
#include "ref/attention_impl.h"

#include "base/size.h"

#include <stdlib.h>
#include <string.h>

enum { GROUPS_OF_TILE = ORDO_TILE / ORDO_K_GROUP };

enum ordo_status ordo_cta_make(const struct ordo_twin *t, bool one_slot, struct ordo_cta *c, struct ordo_err *err)
{
    uint64_t topk = (uint64_t)t->a->problem->topk, dqk = (uint64_t)t->d_qk, dv = (uint64_t)t->d_v;
    uint64_t tiles = one_slot ? 1 : ordo_div_up(topk, ORDO_TILE), slots = one_slot ? ORDO_K_GROUP : tiles * ORDO_TILE;
    uint64_t heads = t->n_head < ORDO_HEAD_BLOCK ? (uint64_t)t->n_head : ORDO_HEAD_BLOCK;
    uint64_t orders = tiles * GROUPS_OF_TILE + dqk / ORDO_K_GROUP + ORDO_HEAD_BLOCK;

    *c = (struct ordo_cta){
        .column = ordo_alloc(slots, sizeof *c->column),
        .row = ordo_alloc(slots, sizeof *c->row),
        .tile = ordo_alloc(tiles, sizeof *c->tile),
        .order = ordo_alloc(orders, sizeof *c->order),
        .kv = ordo_alloc(slots * dqk, sizeof *c->kv),
        .s = ordo_alloc(slots * heads, sizeof *c->s),
        .dp = ordo_alloc(slots * heads, sizeof *c->dp),
        .p = ordo_alloc(slots * heads, sizeof *c->p),
        .ds = ordo_alloc(slots * heads, sizeof *c->ds),
        .acc = ordo_alloc(heads * dqk, sizeof *c->acc),
        .o = ordo_alloc(heads * dv, sizeof *c->o),
        .contribution = ordo_alloc(slots * dqk, sizeof *c->contribution),
    };
    if (!c->column || !c->row || !c->tile || !c->order || !c->kv || !c->s || !c->dp || !c->p || !c->ds || !c->acc ||
        !c->o || !c->contribution)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for the work of one CTA");
    return ORDO_OK;
}

void ordo_cta_free(struct ordo_cta *c)
{
    free(c->column);
    free(c->row);
    free(c->tile);
    free(c->order);
    free(c->kv);
    free(c->s);
    free(c->dp);
    free(c->p);
    free(c->ds);
    free(c->acc);
    free(c->o);
    free(c->contribution);
    *c = (struct ordo_cta){0};
}

/* Appends the group of slots from `first` on, if one of them is live and wanted. */
static void gather_group(const struct ordo_twin *t, int32_t first, int32_t clamped, int32_t only, struct ordo_cta *c)
{
    const int32_t *idx = ordo_problem_row(t->a->problem, c->query);
    struct ordo_tile_groups *tile = &c->tile[c->n_tile];
    bool any = false;

    for (int32_t i = 0; i < ORDO_K_GROUP; i++) {
        int32_t j = first + i, *row = &c->row[c->n_slot + i];
        uint16_t *kv = c->kv + (int64_t)(c->n_slot + i) * t->d_qk;
        bool live = j < clamped && ordo_slot_live(idx[j], t->a->problem->n_kv, j, clamped);

        c->column[c->n_slot + i] = j;
        *row = live && (only == ORDO_ALL_ROWS || idx[j] == only) ? idx[j] : -1;
        any |= *row >= 0;
        if (*row >= 0)
            memcpy(kv, t->a->in.kv + (int64_t)*row * t->d_qk, (size_t)t->d_qk * sizeof *kv);
        else
            memset(kv, 0, (size_t)t->d_qk * sizeof *kv);
    }
    if (any) {
        tile->n++;
        c->n_slot += ORDO_K_GROUP;
    }
}

void ordo_cta_gather(const struct ordo_twin *t, int32_t query, int32_t head_block, int32_t only, struct ordo_cta *c)
{
    const struct ordo_problem *p = t->a->problem;
    int32_t clamped = ordo_clamp_length(ordo_problem_length(p, query), p->topk), rest;
    bool one = only != ORDO_ALL_ROWS; /* then its first group is all */

    c->query = query;
    c->first_head = head_block * ORDO_HEAD_BLOCK;
    rest = t->n_head - c->first_head;
    c->n_head = rest < ORDO_HEAD_BLOCK ? rest : ORDO_HEAD_BLOCK;
    c->n_slot = c->n_tile = 0;
    for (int32_t first = 0; first < clamped && !(one && c->n_slot); first += ORDO_TILE) {
        c->tile[c->n_tile] = (struct ordo_tile_groups){c->n_slot / ORDO_K_GROUP, 0};
        for (int32_t g = 0; g < GROUPS_OF_TILE && !(one && c->n_slot); g++)
            gather_group(t, first + g * ORDO_K_GROUP, clamped, only, c);
        c->n_tile += c->tile[c->n_tile].n > 0;
    }
}

enum ordo_status ordo_cta_scores(const struct ordo_twin *t, struct ordo_cta *c, struct ordo_err *err)
{
    int32_t groups = (int32_t)ordo_div_up((uint64_t)t->d_qk, ORDO_K_GROUP);
    struct ordo_product s = {
        .format = &ordo_format_bf16,
        .m = c->n_head, .n = c->n_slot, .k = t->d_qk,
        .a = t->a->in.q + ordo_cta_at(t, c, t->d_qk), .a_row = t->d_qk, .a_k = 1,
        .b = c->kv, .b_k = 1, .b_column = t->d_qk,
        .c = c->s, .c_row = c->n_slot,
        .group = ordo_walk_list(t->contract->s_groups, groups, c->order), .n_group = groups,
    };

    if (c->n_slot == 0)
        return ORDO_OK;
    memset(c->s, 0, (size_t)c->n_head * (size_t)c->n_slot * sizeof *c->s);
    return ordo_twin_product(t, ORDO_STAGE_S, &s, err);
}
