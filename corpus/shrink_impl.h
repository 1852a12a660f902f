/* shrink_impl.h - what the passes of shrink.h share: the case so far, and the edited copy that is asked about. */
#ifndef ORDO_CORPUS_SHRINK_IMPL_H
#define ORDO_CORPUS_SHRINK_IMPL_H

#include "corpus/shrink.h"

struct ordo_shrink_state {
    struct ordo_shrink *s;
    struct ordo_case *best;
    struct ordo_case trial; /* a copy of best, to be edited */
    struct ordo_err *err;
    enum ordo_status status;
    bool helped; /* in this round */
};

/* A fresh copy in st->trial; false without memory or when tries have ended. */
bool ordo_shrink_begin(struct ordo_shrink_state *st);
/* Asks about st->trial; takes it over if it still fails. */
bool ordo_shrink_ask(struct ordo_shrink_state *st);

/* The passes, in their order: each makes every edit of its kind once. */
void ordo_shrink_queries(struct ordo_shrink_state *st); /* waves, queries, columns */
void ordo_shrink_ids(struct ordo_shrink_state *st);     /* rows, slots */
void ordo_shrink_lanes(struct ordo_shrink_state *st);   /* places of queries, wave, cluster */
void ordo_shrink_plain(struct ordo_shrink_state *st);   /* order, names, KV, lengths, heads, seeds */

#endif
