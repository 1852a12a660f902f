/* tape_cta.h - the tapes of one cluster: the shipped role headers, recorded for all threads of all its CTAs.
 *
 * A small instance: a few ranks, waves, tiles, slots and columns.  Every thread is a straight line, so its tape is
 * its program.  A rank's CTA is its slot lanes and reducers, or slot lanes, stagers and one bulk lane; earlier
 * kernels add two builders a rank and two threads that clear the plane.  Masks of later waves follow those of the
 * first, wave_words apart, which is added here. */
#ifndef ORDO_SIM_TAPE_CTA_H
#define ORDO_SIM_TAPE_CTA_H

#include "protocol/tape.h"

#include <stdbool.h>

enum ordo_thread_kind {
    ORDO_THREAD_CLEAR, /* of kernels that end before the launch */
    ORDO_THREAD_BUILD,
    ORDO_THREAD_SLOT,
    ORDO_THREAD_TURN, /* waits for a ticket */
    ORDO_THREAD_REDUCER,
    ORDO_THREAD_STAGER,
    ORDO_THREAD_BULK,
};

static inline bool ordo_thread_of_launch(enum ordo_thread_kind kind)
{
    return kind > ORDO_THREAD_BUILD;
}

enum ordo_cta_program {
    ORDO_CTA_RELAY,
    ORDO_CTA_TICKET, /* a counter for each row instead of mask bits; one slot */
    ORDO_CTA_FIRST,  /* no clear: in the first wave first writers store, then a relay */
};

struct ordo_cta_shape {
    const char *name;
    int32_t cluster; /* 1: private shards, neither masks nor waits */
    int32_t n_rank, n_wave, n_tile, n_slot;
    int32_t n_row, n_column;
    int32_t n_reducer, n_stager; /* a stager: bulk copies instead of reducers */
    enum ordo_cta_program program;
    const int32_t *idx;          /* [wave][rank][tile][slot]; dead where no row of n_row */
    int32_t go, done;            /* the ids of the CTA's barriers */
    uint32_t stage;              /* where the staging tile lies */
};

enum { ORDO_CTA_WAVES = 8 };

struct ordo_thread {
    enum ordo_thread_kind kind;
    int32_t rank;
    uint32_t wave_end[ORDO_CTA_WAVES]; /* one past the last record of each wave, its hand-over with it */
    struct ordo_tape tape;
};

struct ordo_cluster_tapes {
    struct ordo_cta_shape shape;
    int64_t wave_words; /* mask words of a wave */
    int32_t n_thread;
    struct ordo_thread *thread;
    struct ordo_record *pool;
};

/* The slots of a tile. */
static inline const int32_t *ordo_tile_of(const struct ordo_cta_shape *s, int32_t wave, int32_t rank, int32_t tile)
{
    return s->idx + (((int64_t)wave * s->n_rank + rank) * s->n_tile + tile) * s->n_slot;
}

/* False without memory.  Each tape has room for a few records more; shape->idx must live as long.  Free with
 * ordo_cluster_tapes_free, also then. */
bool ordo_cluster_tapes_record(struct ordo_cluster_tapes *tapes, const struct ordo_cta_shape *shape);
void ordo_cluster_tapes_free(struct ordo_cluster_tapes *tapes);

/* Where a slot lane or reducer of rank 1 has the operation, for a live row; leaves both alone where neither has. */
void ordo_tape_place(enum ordo_op op, const char **file, int *line);

#endif
