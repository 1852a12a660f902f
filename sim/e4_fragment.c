/* e4_fragment.c - E4: the additions of two warpgroups' fragments, record by record, at their size in production.
 *
 * States again, by division, which slot and column an accumulator holds (PTX ISA, figure of the wgmma m64nNk16
 * accumulator fragment) and where that column lies in a plane.  Unlike reducers column by column, a thread has
 * several copies of plane elements under way while it stores others.  So its ring is followed place by place: what a
 * place gets must be an element that the thread adds to, not stored yet; it must have landed, by a wait that covers
 * its group, before it is added to; and it must be used up before the place gets another.  No other thread may use
 * it.  A copy of nothing writes zeros (PTX ISA, cp.async): its place must be free too, and is not before they
 * landed.  A plane of the CTA's own is added to in the same way, with no barriers around it. */
#include "sim/e4_tile_impl.h"

#include "base/size.h"
#include "protocol/fragment.h"

#include <stdlib.h>

enum {
    WARPGROUP = 128,
    GROUPS = 2,
    ELEMENTS = 32,
    CHUNK = 64,
    QUAD = 4,
    MOST_TURNS = 16,
    PLACES = MOST_TURNS * WARPGROUP * GROUPS,
    IN_RINGS = ORDO_FRAGMENT_GROUPS * ORDO_FRAGMENT_TURNS * ORDO_FRAGMENT_THREADS
};

/* Where an accumulator's element lies, relative to the row: 16 columns as 4 of each quad's thread. */
static int64_t place_of(int32_t column)
{
    int32_t within = column % 16, pair = within % 8 / 2;

    return column - within + 4 * pair + (within < 8 ? 0 : 2) + within % 2;
}

/* A place of the ring: which elements are in it, or on their way.  Free: none left, and what was copied has
 * landed. */
struct place {
    int64_t element;  /* the first of four */
    uint32_t left;    /* one bit for each that is not added to yet; 0 from the first where nothing was there */
    uint32_t group;   /* of copies, counted from 0 */
    uint32_t user;    /* one more than the thread whose place it is; 0: nobody's yet */
};

struct fragment {
    struct ordo_e4_tile *t;
    int32_t chunk, end; /* the 64 columns that the thread is at, and those behind its last */
    bool made;          /* their products are in x */
    bool relayed;       /* between two barriers; else the plane is the CTA's own */
    int32_t passed;     /* barriers */
    uint32_t looked_at; /* records */
    bool holds;
    uint32_t committed, landed; /* groups: how many there are, how many of them were waited for */
    struct place place[PLACES];
};

/* The slot and column of the thread's accumulator, of 64 columns number `chunk`. */
static uint32_t slot_of(const struct ordo_e4_tile *t, uint32_t accumulator)
{
    return (uint32_t)t->thread % WARPGROUP / 32 * 16 + (uint32_t)t->thread % 32 / 4 + accumulator / 2 % 2 * 8;
}

static int32_t column_of(const struct ordo_e4_tile *t, int32_t chunk, uint32_t accumulator)
{
    return chunk * CHUNK + (int32_t)(accumulator / 4 * 8 + accumulator % 2) + t->thread % 4 * 2;
}

static int64_t element_of(const struct ordo_e4_tile *t, int32_t chunk, uint32_t accumulator)
{
    return t->row[slot_of(t, accumulator)] * t->d8 + place_of(column_of(t, chunk, accumulator));
}

static bool is_alive(const struct ordo_e4_tile *t, uint32_t accumulator)
{
    return accumulator < ELEMENTS && t->row[slot_of(t, accumulator)] >= 0;
}

/* The place at a staging address that holds whole elements; NULL: there is none, in what a kernel sets aside. */
static struct place *place_at(struct fragment *f, uint32_t address)
{
    uint32_t at = (address - STAGE) / 16;

    return address % 4 == 0 && address >= STAGE && at < IN_RINGS && at < PLACES ? &f->place[at] : NULL;
}

/* Whether the last copy into the thread's place is under way still. */
static bool is_under_way(const struct fragment *f, const struct place *p)
{
    return p->user == (uint32_t)f->t->thread + 1 && p->group >= f->landed;
}

/* Whether the thread adds to this element in a chunk that is not behind it, and has not done so yet. */
static bool is_wanted(const struct fragment *f, int64_t element)
{
    const struct ordo_e4_tile *t = f->t;

    for (uint32_t a = 0; a < ELEMENTS; a++) {
        int64_t column = element - (is_alive(t, a) ? t->row[slot_of(t, a)] * t->d8 : element + 1);
        int32_t chunk = (int32_t)(column >= 0 && column < t->d8 ? column / CHUNK : -1);

        if (chunk >= f->chunk && chunk < f->end && element_of(t, chunk, a) == element)
            return !t->seen[slot_of(t, a) * (uint32_t)t->d8 + (uint32_t)column_of(t, chunk, a)];
    }
    return false;
}

static bool check_copy(struct fragment *f, uint32_t i)
{
    const struct ordo_record *r = &f->t->tape.record[i];
    struct place *p = place_at(f, r->source);
    uint32_t thread = (uint32_t)f->t->thread + 1;

    if (!p || r->source % 16 || (r->value != 16 && r->value != 0) || p->left || (p->user && p->user != thread) ||
        is_under_way(f, p))
        return breaks(f->t, ORDO_E4_DATA, i);
    for (int64_t e = 0; r->value && e < QUAD; e++)
        if (!is_wanted(f, r->index + e))
            return breaks(f->t, ORDO_E4_DATA, i);
    *p = (struct place){r->index, r->value ? (1 << QUAD) - 1 : 0, f->committed, thread};
    return true;
}

static bool check_store(struct fragment *f, uint32_t i)
{
    const struct ordo_record *r = &f->t->tape.record[i];
    struct place *p = place_at(f, r->value);
    uint32_t a = r->source, nth = r->value % 16 / 4;

    if (r->data != ORDO_DATA_COPIED || !f->made || !is_alive(f->t, a) || column_of(f->t, f->chunk, a) >= f->t->d8 ||
        r->index != element_of(f->t, f->chunk, a))
        return breaks(f->t, ORDO_E4_DATA, i);
    if (!see(f->t, slot_of(f->t, a) * (uint32_t)f->t->d8 + (uint32_t)column_of(f->t, f->chunk, a), ORDO_E4_DOUBLE_ADD,
             i))
        return false;
    if (!p || p->user != (uint32_t)f->t->thread + 1 || p->element + nth != r->index || !(p->left >> nth & 1) ||
        p->group >= f->landed)
        return breaks(f->t, ORDO_E4_DATA, i);
    p->left &= ~(1u << nth);
    return true;
}

/* Nothing may be under way when the row is handed on. */
static bool check_empty(struct fragment *f, uint32_t i)
{
    for (int32_t k = 0; k < PLACES; k++)
        if (f->place[k].left || is_under_way(f, &f->place[k]))
            return breaks(f->t, ORDO_E4_DATA, i);
    return true;
}

static bool check_record(struct fragment *f, uint32_t i)
{
    const struct ordo_record *r = &f->t->tape.record[i];

    if (f->passed != (int32_t)f->relayed && r->space != ORDO_SPACE_NONE) /* a relay's: between go and done */
        return breaks(f->t, ORDO_E4_BAR_SEQUENCE, i);
    switch (r->op) {
    case ORDO_OP_COPY:
        return check_copy(f, i);
    case ORDO_OP_STORE:
        return check_store(f, i);
    case ORDO_OP_COPY_COMMIT:
        f->committed++;
        return true;
    case ORDO_OP_COPY_WAIT:
        if (r->value < f->committed && f->committed - r->value > f->landed)
            f->landed = f->committed - r->value;
        return r->value < MOST_TURNS || breaks(f->t, ORDO_E4_SPELLING, i);
    case ORDO_OP_BAR_SYNC: /* which one, check_tape says */
        return ++f->passed == 1 || check_empty(f, i);
    default:
        return breaks(f->t, ORDO_E4_STRANGE_OP, i);
    }
}

/* What the tape has that was not looked at. */
static void check_records(struct fragment *f)
{
    for (; f->looked_at < f->t->tape.n && f->looked_at < f->t->tape.size; f->looked_at++)
        f->holds = f->holds && check_record(f, f->looked_at);
}

/* What a kernel's product stands for: from here on x is of these columns. */
static void go_on(struct fragment *f, int32_t chunk)
{
    check_records(f);
    f->chunk = chunk;
    f->made = true;
}

static bool any(struct ordo_e4_tile *t, uint32_t i)
{
    (void)t;
    (void)i; /* judged by check_records */
    return true;
}

/* All that a thread adds: the first warpgroup the first half of the columns, and what is left of them by 64. */
static bool check_thread(struct fragment *f)
{
    const struct ordo_mem plane = {ORDO_SPACE_PLANE};
    struct ordo_e4_tile *t = f->t;
    struct ordo_tape *tape_ = &t->tape; /* what a role's operations go to */
    int32_t group = t->thread / WARPGROUP, chunks = t->d8 / CHUNK, first = group * (chunks - chunks / 2);
    struct ordo_fragment role = ordo_fragment_of(plane, t->row[slot_of(t, 0)], t->row[slot_of(t, 2)], STAGE, t->d8,
                                                 group, t->thread % WARPGROUP);

    t->tape.n = 0;
    f->committed = f->landed = f->looked_at = 0;
    f->passed = 0;
    f->made = false;
    f->holds = true;
    f->chunk = first;
    f->end = group == 0 ? chunks - chunks / 2 : chunks;
    ORDO_FRAGMENT_TILE(f->relayed, role, t->hand, (struct ordo_unread){0}, chunk, go_on(f, first + chunk));
    check_records(f);
    return f->holds && check_empty(f, t->tape.n - 1) && check_tape(t, f->relayed, any);
}

static bool check_threads(struct ordo_e4_tile *t, bool relayed)
{
    struct fragment *f = ordo_alloc(1, sizeof *f);
    bool holds = true;

    *f = (struct fragment){.t = t, .relayed = relayed};
    forget(t);
    t->hand.n_thread = GROUPS * WARPGROUP + SLOTS;
    for (t->thread = 0; t->thread < GROUPS * WARPGROUP && holds; t->thread++)
        holds = check_thread(f);
    free(f);
    return holds && check_all_seen(t);
}

bool ordo_e4_fragments(struct ordo_e4_tile *t, int32_t d8)
{
    t->d8 = d8;
    return check_threads(t, true) && check_threads(t, false);
}
