/* e2_edit.h - edits of a recorded program: every broken variant is a few of them, on the same program as the sound
 * one. */
#ifndef ORDO_SIM_E2_EDIT_H
#define ORDO_SIM_E2_EDIT_H

#include "sim/e2_design.h"

/* What an edit does to each operation that it matches; a and b are its arguments. */
enum ordo_e2_action {
    ORDO_EDIT_NONE,
    ORDO_EDIT_DROP,
    ORDO_EDIT_ORDER,        /* sem a, scope b */
    ORDO_EDIT_FENCE_BEFORE, /* sem a, scope b */
    ORDO_EDIT_FENCE_AFTER,
    ORDO_EDIT_OP,           /* becomes operation a */
    ORDO_EDIT_COUNT,        /* value += a */
    ORDO_EDIT_VALUE,        /* value = a, index = b */
    ORDO_EDIT_LOAD_STORE,   /* an update as a load and a store, both relaxed before any ORDER edit */
    ORDO_EDIT_REPEAT,       /* once more behind it */
    ORDO_EDIT_EARLY,        /* moved in front of the nearest earlier operation a of its thread */
    ORDO_EDIT_INTO,         /* moved out of the slot lane, into each reducer, before its nth barrier, n = a */
    ORDO_EDIT_ADD_AGAIN,    /* behind a clear: the additions since the last await once more */
    ORDO_EDIT_CLUSTER_SYNC, /* a cluster barrier behind it */
    ORDO_EDIT_EXACT,        /* an await wants its value and no other */
    ORDO_EDIT_OWN_BIT,      /* waits for its own bit too */
    ORDO_EDIT_HIGHER,       /* on odd rows waits for the higher ranks, not the lower */
    ORDO_EDIT_STRIDE,       /* packing with a stride one too small, also in what memory holds at first */
    ORDO_EDIT_AS_RANK,      /* waits and clears as rank a does */
    ORDO_EDIT_INITIAL,      /* matches nothing: flips bit a of word b at first (a counter: b < 0, counter -1 - b) */
    ORDO_EDIT_OVERLAP,      /* matches nothing: the launch does not wait for the setup kernel */
};

/* Matches operations `op` of threads of a rank (-1: each) and role (NULL: each); of a thread's matches the nth from 0
 * (-1: each). */
struct ordo_e2_edit {
    enum ordo_e2_action action;
    const char *role;
    int32_t rank;
    enum ordo_op op;
    int32_t nth, a, b;
};

/* Applies it; p->wrong says if it matched nothing. */
void ordo_e2_edit(const struct ordo_e2_spec *spec, struct ordo_e2_program *p, const struct ordo_e2_edit *edit);

#endif
