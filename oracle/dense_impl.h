/* dense_impl.h - between the files of the dense oracle: one KV head of one sequence as a sparse problem. */
#ifndef ORDO_ORACLE_DENSE_IMPL_H
#define ORDO_ORACLE_DENSE_IMPL_H

#include "oracle/dense.h"

/* Which KV rows stand in a query's list: those that it sees, those of all tiles of which it or a neighbour in its
 * tile sees one, or all; and where a query's length ends. */
enum ordo_dense_reach { ORDO_DENSE_REACH_SEEN, ORDO_DENSE_REACH_TILES, ORDO_DENSE_REACH_ALL };

struct ordo_dense_piece {
    const struct ordo_dense_attend *a;
    int32_t b, kv_head, group;
    struct ordo_problem problem;
    uint16_t *q, *kv, *dout, *o; /* o and lse only where saved ones are given */
    float *lse;
    struct ordo_attend attend;
    int64_t *place[ORDO_DENSE_GRADIENTS]; /* of a unit of the piece: its number in the dense set, or -1 */
    int64_t *unit[2], n_unit[2];          /* of the sparse dQ and dKV: those that are wanted */
};

/* The lists, once for all pieces.  top_left: see ORDO_DENSE_WRONG_TOP_LEFT.  Free with ordo_dense_piece_free, also
 * after a failure. */
enum ordo_status ordo_dense_piece_make(const struct ordo_dense_attend *a, enum ordo_dense_reach reach, bool top_left,
                                       bool saved, struct ordo_dense_piece *p, struct ordo_err *err);
void ordo_dense_piece_free(struct ordo_dense_piece *p);

/* The tensors of piece number `number` of batch * kv_heads; saved may be NULL. */
void ordo_dense_piece_take(struct ordo_dense_piece *p, int64_t number, const struct ordo_near_saved *saved);
/* Which units of dense sets are in the piece, of n[output] units each; false: none. */
bool ordo_dense_piece_want(struct ordo_dense_piece *p, const int64_t *const unit[ORDO_DENSE_GRADIENTS],
                           const int64_t n[ORDO_DENSE_GRADIENTS]);
/* A unit of the piece (query * group + head, or a KV row) as a dense unit of the output. */
int64_t ordo_dense_piece_unit(const struct ordo_dense_piece *p, int output, int64_t unit);

#endif
