/* dense_hang.h - who waits for whom in a dense run that hangs: from one CTA along the turns that do not come. */
#ifndef ORDO_SIM_DENSE_HANG_H
#define ORDO_SIM_DENSE_HANG_H

#include "sim/dense_time.h"

/* X(id, sentence): of the CTA whose turn it is */
#define ORDO_DENSE_TURNS(X)                                                                                          \
    X(WAITS, "waits itself")                                                                                         \
    X(LATER, "waits itself, in a tile before that one")                                                              \
    X(UNSTARTED, "has not started: no slot is free")                                                                 \
    X(NOBODY, "nobody takes")
enum ordo_dense_turn {
#define ORDO_X(id, text) ORDO_DENSE_TURN_##id,
    ORDO_DENSE_TURNS(ORDO_X)
#undef ORDO_X
        ORDO_N_DENSE_TURNS
};
extern const char *const ordo_dense_turn_text[ORDO_N_DENSE_TURNS];

/* `who` waits; in its row it is the turn of KV tile turn_kv, the work of CTA turn_cta (-1 and -1: nobody). */
struct ordo_dense_hang {
    struct ordo_dense_blocked who;
    enum ordo_dense_turn turn;
    int32_t turn_kv;
    int64_t turn_cta;
};

/* From the blocked CTA on the lowest slot along the turns, until one has not started, is nobody's, or stands in
 * the list already: then the last waits for list[*back].  *back is -1 otherwise.  Returns how many, at most
 * `most`. */
int ordo_dense_hang(const struct ordo_dense *d, const struct ordo_dense_model *model,
                    const struct ordo_dense_time *time, struct ordo_dense_hang *list, int most, int *back);

#endif
