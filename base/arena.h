/* arena.h - memory that is taken piece by piece and given back at once: for work that repeats many times a second.
 *
 * Where an arena is an argument, NULL stands for the heap, so that one text serves both. */
#ifndef ORDO_BASE_ARENA_H
#define ORDO_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct ordo_arena_spill; /* a piece that did not fit, until the next reset makes room */

/* A fresh one is all zero.  Pieces are aligned to 64 bytes and at least 64 bytes apart. */
struct ordo_arena {
    uint8_t *block;
    size_t size, used; /* used counts what spilled too */
    struct ordo_arena_spill *spill;
};

/* As ordo_alloc and ordo_alloc_zero; the second zeroes the gap behind the piece too. */
void *ordo_arena_alloc(struct ordo_arena *arena, uint64_t count, size_t size);
void *ordo_arena_alloc_zero(struct ordo_arena *arena, uint64_t count, size_t size);
/* Frees a piece of the heap; a piece of an arena waits for the reset. */
void ordo_arena_drop(struct ordo_arena *arena, void *piece);

/* Takes all pieces back; the block grows to what was used. */
void ordo_arena_reset(struct ordo_arena *arena);
void ordo_arena_free(struct ordo_arena *arena);

#endif
