/* e4_fragment.c - E4: the additions of a warpgroup's fragments, record by record, at their size in production.
 *
 * States again, by division, which slot and column an accumulator holds (PTX ISA, figure of the wgmma m64nNk16
 * accumulator fragment) and where that column lies in a plane.  Unlike reducers column by column, a thread loads
 * several vectors before it stores the first: each element must be loaded by the thread that stores it, between the
 * barriers, and not be stored in between. */
#include "sim/e4_tile_impl.h"

#include "protocol/fragment.h"

enum { WARPGROUP = 128, ELEMENTS = 32, CHUNK = 64 };

/* Where an accumulator's element lies, relative to the row: 16 columns as 4 of each quad's thread. */
static int64_t place_of(int32_t column)
{
    int32_t within = column % 16, pair = within % 8 / 2;

    return column - within + 4 * pair + (within < 8 ? 0 : 2) + within % 2;
}

/* Whose additions the records are: those of chunk number `chunk` of the thread. */
struct fragment {
    struct ordo_e4_tile *t;
    int32_t chunk;
    int64_t loaded[ELEMENTS]; /* by accumulator: one more than the element, 0: not loaded, or stored since */
};

/* The slot and column of the thread's accumulator. */
static uint32_t slot_of(const struct ordo_e4_tile *t, uint32_t accumulator)
{
    return (uint32_t)t->thread / 32 * 16 + (uint32_t)t->thread % 32 / 4 + accumulator / 2 % 2 * 8;
}

static int32_t column_of(const struct fragment *f, uint32_t accumulator)
{
    return f->chunk * CHUNK + (int32_t)(accumulator / 4 * 8 + accumulator % 2) + f->t->thread % 4 * 2;
}

static int64_t element_of(const struct fragment *f, uint32_t accumulator)
{
    return f->t->row[slot_of(f->t, accumulator)] * f->t->d8 + place_of(column_of(f, accumulator));
}

static bool check_load(struct fragment *f, uint32_t i)
{
    const struct ordo_record *r = &f->t->tape.record[i];

    for (uint32_t a = 0; a < ELEMENTS; a++)
        if (f->t->row[slot_of(f->t, a)] >= 0 && element_of(f, a) == r->index) {
            f->loaded[a] = r->index + 1;
            return true;
        }
    return breaks(f->t, ORDO_E4_DATA, i);
}

static bool check_store(struct fragment *f, uint32_t i)
{
    const struct ordo_record *r = &f->t->tape.record[i];
    uint32_t a = r->source;

    if (r->data != ORDO_DATA_ADDED || a >= ELEMENTS || f->t->row[slot_of(f->t, a)] < 0 ||
        r->index != element_of(f, a) || f->loaded[a] != r->index + 1)
        return breaks(f->t, ORDO_E4_DATA, i);
    f->loaded[a] = 0;
    return see(f->t, slot_of(f->t, a) * (uint32_t)f->t->d8 + (uint32_t)column_of(f, a), ORDO_E4_DOUBLE_ADD, i);
}

/* What the tape has of one chunk, from record `from` on. */
static bool check_chunk(struct fragment *f, uint32_t from)
{
    memset(f->loaded, 0, sizeof f->loaded);
    for (uint32_t i = from; i < f->t->tape.n && i < f->t->tape.size; i++) {
        const struct ordo_record *r = &f->t->tape.record[i];

        if (r->op != ORDO_OP_LOAD && r->op != ORDO_OP_STORE)
            return breaks(f->t, ORDO_E4_STRANGE_OP, i);
        if (!(r->op == ORDO_OP_LOAD ? check_load(f, i) : check_store(f, i)))
            return false;
    }
    return true;
}

static bool any(struct ordo_e4_tile *t, uint32_t i)
{
    (void)t;
    (void)i; /* judged chunk by chunk */
    return true;
}

bool ordo_e4_fragments(struct ordo_e4_tile *t, int32_t d8)
{
    const struct ordo_mem plane = {ORDO_SPACE_PLANE};
    struct fragment f = {.t = t};

    t->d8 = d8;
    forget(t);
    t->hand.n_thread = WARPGROUP + SLOTS;
    for (t->thread = 0; t->thread < WARPGROUP; t->thread++) {
        t->tape.n = 0;
        ordo_fragment_go(&t->tape, t->hand);
        for (f.chunk = 0; f.chunk < d8 / CHUNK; f.chunk++) {
            uint32_t from = t->tape.n;

            ordo_fragment_add(&t->tape, plane, t->row[slot_of(t, 0)], t->row[slot_of(t, 2)],
                              (struct ordo_unread){0}, d8, f.chunk * CHUNK, t->thread % 32);
            if (!check_chunk(&f, from))
                return false;
        }
        ordo_fragment_done(&t->tape, t->hand);
        if (!check_tape(t, true, any))
            return false;
    }
    return check_all_seen(t);
}
