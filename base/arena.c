/* arena.c - see arena.h. */
#include "base/arena.h"

#include "base/size.h"

#include <stdlib.h>
#include <string.h>

enum { UNIT = 64 };

struct ordo_arena_spill {
    struct ordo_arena_spill *next;
    _Alignas(64) uint8_t byte[];
};

/* Bytes of a piece with its gap; false when they leave size_t. */
static bool extent(uint64_t count, size_t size, size_t *out)
{
    uint64_t n;

    if (!ordo_mul(count, size, &n) || !ordo_round_up(n, UNIT, &n) || !ordo_add(n, UNIT, &n) || n > SIZE_MAX / 2)
        return false;
    *out = (size_t)n;
    return true;
}

static void *spill(struct ordo_arena *a, size_t n)
{
    struct ordo_arena_spill *s = aligned_alloc(UNIT, sizeof *s + n);

    if (!s)
        return NULL;
    s->next = a->spill;
    a->spill = s;
    return s->byte;
}

static void *take(struct ordo_arena *a, size_t n)
{
    void *piece = n <= a->size && a->used <= a->size - n ? a->block + a->used : spill(a, n);

    a->used += piece ? n : 0;
    return piece;
}

void *ordo_arena_alloc(struct ordo_arena *a, uint64_t count, size_t size)
{
    size_t n;

    if (!a)
        return ordo_alloc(count, size);
    return extent(count, size, &n) ? take(a, n) : NULL;
}

void *ordo_arena_alloc_zero(struct ordo_arena *a, uint64_t count, size_t size)
{
    size_t n;
    void *piece;

    if (!a)
        return ordo_alloc_zero(count, size);
    piece = extent(count, size, &n) ? take(a, n) : NULL;
    return piece ? memset(piece, 0, n) : NULL;
}

void ordo_arena_drop(struct ordo_arena *a, void *piece)
{
    if (!a)
        free(piece);
}

static void free_spill(struct ordo_arena *a)
{
    while (a->spill) {
        struct ordo_arena_spill *next = a->spill->next;

        free(a->spill);
        a->spill = next;
    }
}

void ordo_arena_reset(struct ordo_arena *a)
{
    if (a->spill) {
        size_t size = 2 * a->used;

        free_spill(a);
        free(a->block);
        a->block = aligned_alloc(UNIT, size);
        a->size = a->block ? size : 0;
    }
    a->used = 0;
}

void ordo_arena_free(struct ordo_arena *a)
{
    free_spill(a);
    free(a->block);
    memset(a, 0, sizeof *a);
}
