/* run_card.h - one problem on a card: tensors up, executions, outputs back in the twin's layout. */
#ifndef ORDO_CLI_RUN_CARD_H
#define ORDO_CLI_RUN_CARD_H

#include "kernels/card.h"
#include "kernels/dsa_tensor.h"
#include "ref/attention.h"

/* A fresh one is all zero. */
struct ordo_rig_card {
    struct ordo_card *card; /* the caller's */
    const struct ordo_plan *plan;
    struct ordo_kernels_tensors tensors;
    bool saved;   /* O and LSE came with the inputs: no forward */
    double limit; /* seconds that an execution may take */
    bool hung;    /* it took longer: the card is lost */
    void *room[ORDO_DSA_TENSORS + 1];
};

/* Device memory for all tensors and the workspace; card and plan are set.  ORDO_ENVIRONMENT where the card has not
 * enough. */
enum ordo_status ordo_rig_reserve(struct ordo_rig_card *r, struct ordo_err *err);
/* Then inputs into it.  Lengths are always there: Top-K where the problem has none; inputs that are NULL are left as
 * they are. */
enum ordo_status ordo_rig_upload(struct ordo_rig_card *r, const struct ordo_problem *problem,
                                 const struct ordo_attention_inputs *in, struct ordo_err *err);
void ordo_rig_release(struct ordo_rig_card *r);

/* Other ids and lengths of the same extents; length NULL: all of Top-K. */
enum ordo_status ordo_rig_set_index(struct ordo_rig_card *r, const int32_t *idx, const int32_t *length,
                                    struct ordo_err *err);

/* Fills every output, and the workspace, with a word. */
enum ordo_status ordo_rig_poison(struct ordo_rig_card *r, uint32_t word, struct ordo_err *err);

/* Starts forward, unless O and LSE were given, and backward. */
enum ordo_status ordo_rig_start(struct ordo_rig_card *r, struct ordo_err *err);
/* Waits; sets hung. */
enum ordo_status ordo_rig_wait(struct ordo_rig_card *r, struct ordo_err *err);

/* Outputs as the twin has them, each allocated: the caller frees with ordo_rig_outputs_free.  Planes in the order of
 * columns, if wanted. */
enum ordo_status ordo_rig_read(struct ordo_rig_card *r, bool planes, struct ordo_attention_outputs *out,
                               struct ordo_err *err);
void ordo_rig_outputs_free(struct ordo_attention_outputs *out);

/* Mask words that are not zero, behind an execution: 0, or the relay left a bit. */
enum ordo_status ordo_rig_residue(struct ordo_rig_card *r, uint64_t *words, struct ordo_err *err);

#endif
