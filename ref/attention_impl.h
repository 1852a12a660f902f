/* attention_impl.h - between the files of the attention twin: one CTA's work, step by step.
 *
 * A CTA has one query and one head block.  It gathers its live slots in groups of 16, the unit of a contraction over
 * slots; a group without a live slot is left out, which moves no bit: its terms are zeros, zeros take no part in a
 * step, and a step without terms returns its accumulator. */
#ifndef ORDO_REF_ATTENTION_IMPL_H
#define ORDO_REF_ATTENTION_IMPL_H

#include "ref/attention.h"
#include "ref/mma.h"
#include "sim/contract.h"

#include <stdbool.h>

/* What all CTAs share. */
struct ordo_twin {
    const struct ordo_attention *a;
    const struct ordo_attention_outputs *out;
    const struct ordo_contract *contract;
    const struct ordo_mma_model *model;
    enum ordo_isa isa;
    int32_t n_head, d_qk, d_v;
    float scale_log2;   /* scale log2 e, rounded */
    float *lse, *delta; /* [Q][H], the caller's or ours */
};

/* Groups [first, first + n) of the gathered ones are those of one tile. */
struct ordo_tile_groups {
    int32_t first, n;
};

/* One CTA, with room for any.  Matrices over slots have n_slot columns (n_slot rows where transposed). */
struct ordo_cta {
    int32_t query, first_head, n_head; /* heads that are there; the block's others would be zeros */
    int32_t n_slot;                    /* gathered, 16 a group; dead ones among them */
    int32_t n_tile;
    int32_t *column, *row;             /* of a gathered slot: its place in the index row; its KV row or -1 */
    struct ordo_tile_groups *tile;
    int32_t *order;                    /* scratch: the groups of a product in order */
    uint16_t *kv;                      /* [slot][Dqk], zeros for dead slots */
    uint32_t *s, *dp;                  /* [head][slot] fp32 */
    uint16_t *p, *ds;                  /* [head][slot] BF16 */
    uint32_t *acc;                     /* [head][Dqk]: O's or dQ's */
    uint16_t *o;                       /* [head][Dv], where nobody else keeps it */
    uint32_t *contribution;            /* [slot][Dqk]: what goes to the planes */
};

/* Room for a query's row of the twin's problem, or for one slot of it.  Free with ordo_cta_free, also after a
 * failure. */
enum ordo_status ordo_cta_make(const struct ordo_twin *t, bool one_slot, struct ordo_cta *c, struct ordo_err *err);
void ordo_cta_free(struct ordo_cta *c);

/* Gathers the live slots of a query, all or those that name KV row `only`. */
enum { ORDO_ALL_ROWS = -1 };
void ordo_cta_gather(const struct ordo_twin *t, int32_t query, int32_t head_block, int32_t only, struct ordo_cta *c);

/* S of the gathered slots; needed before the next two. */
enum ordo_status ordo_cta_scores(const struct ordo_twin *t, struct ordo_cta *c, struct ordo_err *err);
/* o: [n_head][Dv] of this CTA; lse: [n_head]. */
enum ordo_status ordo_cta_forward(const struct ordo_twin *t, struct ordo_cta *c, uint16_t *o, float *lse,
                                  struct ordo_err *err);
/* P and dS of the gathered slots. */
enum ordo_status ordo_cta_weights(const struct ordo_twin *t, struct ordo_cta *c, const float *lse, const float *delta,
                                  struct ordo_err *err);
/* From P and dS: dq [n_head][Dqk]; c->contribution. */
enum ordo_status ordo_cta_dq(const struct ordo_twin *t, struct ordo_cta *c, uint16_t *dq, struct ordo_err *err);
enum ordo_status ordo_cta_contribution(const struct ordo_twin *t, struct ordo_cta *c, struct ordo_err *err);

/* ordo_mma of the twin's model and vectors, shown to the probe. */
enum ordo_status ordo_twin_product(const struct ordo_twin *t, enum ordo_stage stage, const struct ordo_product *p,
                                   struct ordo_err *err);
/* Shows delta of BF16 o and dout, d_v columns; dSink's terms, n of them. */
enum ordo_status ordo_twin_show_delta(const struct ordo_twin *t, const uint16_t *o, const uint16_t *dout, float delta,
                                      struct ordo_err *err);
enum ordo_status ordo_twin_show_dsink(const struct ordo_twin *t, const float *share, const float *delta, int64_t n,
                                      float dsink, struct ordo_err *err);

/* exp2 over a row: p[j] = row[j] >= 0 ? exp2(s[j] factor - folded) : +0 (fp32 bits), j < n.  Where the CPU has fused
 * multiply-adds they are used: the same bits, sooner. */
void ordo_attention_exp(enum ordo_exp_kind kind, const uint32_t *s, const int32_t *row, int32_t n, float factor,
                        float folded, uint32_t *p);

/* Element (query, first head of c, 0) of a [Q][H][width] array. */
static inline int64_t ordo_cta_at(const struct ordo_twin *t, const struct ordo_cta *c, int32_t width)
{
    return ((int64_t)c->query * t->n_head + c->first_head) * width;
}

/* Fills order with the n groups walked; NULL where that is the ascending default. */
static inline const int32_t *ordo_walk_list(enum ordo_walk walk, int32_t n, int32_t *order)
{
    for (int32_t i = 0; i < n; i++)
        order[i] = ordo_walk_at(walk, n, i);
    return walk == ORDO_ASCENDING ? NULL : order;
}

/* --- all CTAs --------------------------------------------------------------------------------------------------- */

enum ordo_status ordo_twin_make(const struct ordo_attention *a, const struct ordo_attention_outputs *out,
                                struct ordo_twin *t, struct ordo_err *err);
void ordo_twin_free(struct ordo_twin *t);

/* S, then LSE, O and delta of one CTA: the forward's, or the input's. */
enum ordo_status ordo_twin_stats(const struct ordo_twin *t, struct ordo_cta *c, struct ordo_err *err);
/* That, then P, dS and dQ where they are wanted. */
enum ordo_status ordo_twin_cta(const struct ordo_twin *t, struct ordo_cta *c, struct ordo_err *err);

/* Every CTA, plane by plane; planes and their fold where they are wanted. */
enum ordo_status ordo_twin_planes(const struct ordo_twin *t, int n_thread, struct ordo_err *err);

/* dSink from t->lse and t->delta. */
enum ordo_status ordo_twin_dsink(const struct ordo_twin *t, float *dsink, struct ordo_err *err);

#endif
