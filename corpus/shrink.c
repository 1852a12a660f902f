/* shrink.c - see shrink.h.  Every pass edits a copy in place and asks; a copy that still fails becomes the case. */
#include "corpus/shrink_impl.h"

#include <string.h>

bool ordo_shrink_begin(struct ordo_shrink_state *st)
{
    if (st->status != ORDO_OK || st->s->tries >= st->s->most)
        return false;
    ordo_case_free(&st->trial);
    st->status = ordo_case_copy(st->best, &st->trial, st->err);
    return st->status == ORDO_OK;
}

/* Behind the ids of every candidate stands the same, as behind those of a copy (corpus/case.h). */
static void clear_behind(struct ordo_problem *p)
{
    memset(p->idx + (int64_t)p->n_query * p->topk, 0, (size_t)p->topk * sizeof *p->idx);
}

bool ordo_shrink_ask(struct ordo_shrink_state *st)
{
    struct ordo_case old = *st->best;
    uint64_t own = st->trial.value_seed;
    bool fails = false;

    if (!st->trial.is_virtual)
        clear_behind(&st->trial.problem);
    for (uint32_t seed = 0; !fails && seed <= st->s->n_seed; seed++) {
        st->trial.value_seed = seed ? seed : own;
        st->s->tries++;
        fails = st->s->still(st->s->ctx, &st->trial);
    }
    if (!fails)
        return false;
    *st->best = st->trial;
    st->trial = old;
    st->helped = true;
    return true;
}

enum ordo_status ordo_shrink_case(struct ordo_shrink *s, struct ordo_case *c, struct ordo_err *err)
{
    struct ordo_shrink_state st = {.s = s, .best = c, .err = err, .status = ORDO_OK, .helped = true};

    s->most = s->most ? s->most : 10000;
    ordo_case_init(&st.trial);
    while (st.helped && st.status == ORDO_OK && s->tries < s->most) {
        st.helped = false;
        ordo_shrink_queries(&st);
        ordo_shrink_ids(&st);
        ordo_shrink_lanes(&st);
        ordo_shrink_plain(&st);
    }
    ordo_case_free(&st.trial);
    return st.status;
}
