/* attention_row.c - one KV row's contributions along its proved order: the other way to the same bits.
 *
 * A contribution needs one slot of its CTA, not the tile around it: S, dP, P and dS are per slot, and dKV contracts
 * over heads.  So a row can be had alone, from the prover's list and not from the plan's walk. */
#include "ref/attention_impl.h"

#include <string.h>

/* The statistics of the add's CTA, then the contribution of its one slot. */
static enum ordo_status term_of(const struct ordo_twin *t, int32_t row, int32_t query, int32_t head_block,
                                struct ordo_cta *all, struct ordo_cta *one, float *term, struct ordo_err *err)
{
    int64_t at;
    enum ordo_status status = ORDO_OK;

    if (!t->a->in.o) {
        ordo_cta_gather(t, query, head_block, ORDO_ALL_ROWS, all);
        status = ordo_twin_stats(t, all, err);
    }
    ordo_cta_gather(t, query, head_block, row, one);
    ORDO_BUG_ON(one->n_slot != ORDO_K_GROUP); /* the order names it, so it is live there, and once */
    if (status == ORDO_OK && t->a->in.o)
        status = ordo_twin_stats(t, one, err);
    else if (status == ORDO_OK)
        status = ordo_cta_scores(t, one, err);
    at = ordo_cta_at(t, one, 1);
    if (status == ORDO_OK)
        status = ordo_cta_weights(t, one, t->lse + at, t->delta + at, err);
    if (status == ORDO_OK)
        status = ordo_cta_contribution(t, one, err);
    for (int32_t i = 0; i < ORDO_K_GROUP && status == ORDO_OK; i++)
        if (one->row[i] == row)
            memcpy(term, one->contribution + (int64_t)i * t->d_qk, (size_t)t->d_qk * sizeof *term);
    return status;
}

enum ordo_status ordo_attention_terms(const struct ordo_attention *a, const struct ordo_row *row, float *term,
                                      struct ordo_err *err)
{
    static const struct ordo_attention_outputs none;
    struct ordo_cta all = {0}, one = {0};
    uint32_t blocks = (uint32_t)a->plan->head_blocks;
    struct ordo_twin t;
    enum ordo_status status = ordo_twin_make(a, &none, &t, err);

    if (status == ORDO_OK)
        status = ordo_cta_make(&t, false, &all, err);
    if (status == ORDO_OK)
        status = ordo_cta_make(&t, true, &one, err);
    for (uint32_t i = 0; i < row->n_add && status == ORDO_OK; i++) {
        uint32_t leaf = row->add[i].leaf;

        status = term_of(&t, row->row, (int32_t)(leaf / blocks), (int32_t)(leaf % blocks), &all, &one,
                         term + (size_t)i * (size_t)t.d_qk, err);
    }
    ordo_cta_free(&all);
    ordo_cta_free(&one);
    ordo_twin_free(&t);
    return status;
}
