/* e2_impl.h - E2's inside: fields of a packed state, and the table of steps that works on them by masks alone.
 *
 * A state is W 64-bit words.  A step of an actor at a position is enabled iff (s & need) == want; it does harm unless
 * (s & must) == is; then joins (destination |= source, of views), then s = ((s + add) & keep) | set.  What that
 * cannot say (the last arrival at a barrier, lists of writes) is a step of another kind (e2_step.h). */
#ifndef ORDO_SIM_E2_IMPL_H
#define ORDO_SIM_E2_IMPL_H

#include "sim/e2.h"

enum { ORDO_E2_WORDS = 32, ORDO_E2_ACTORS = 160, ORDO_E2_CELLS = 64, ORDO_E2_HISTORIES = 4, ORDO_E2_WRITES = 16 };

enum ordo_e2_mask {
    ORDO_E2_NEED,
    ORDO_E2_WANT,
    ORDO_E2_MUST,
    ORDO_E2_IS,
    ORDO_E2_ADD,
    ORDO_E2_KEEP,
    ORDO_E2_SET,
    ORDO_E2_N_MASKS
};

/* width 0: there is none. */
struct ordo_e2_field {
    uint8_t word, shift, width;
};

struct ordo_e2_join {
    struct ordo_e2_field to, from; /* of one width */
};

enum ordo_e2_kind {
    ORDO_E2_PLAIN,
    ORDO_E2_END,
    ORDO_E2_ARRIVE,
    ORDO_E2_WAITING,
    ORDO_E2_CLUSTER_ARRIVE,
    ORDO_E2_READ,
    ORDO_E2_UPDATE,
    ORDO_E2_FETCH,
    ORDO_E2_PUT /* of a list of writes */
};

struct ordo_e2_step {
    enum ordo_e2_kind kind;
    bool local, safe, weak_poll, last;
    bool more;          /* than masks: joins, another kind, or the end of a thread that holds a slot */
    int16_t thread, op; /* the operation; op -1 at the end */
    int16_t object;     /* barrier, cluster barrier or history */
    uint32_t join, n_join;
    uint32_t reads; /* READ: first of its joins by write, one range a write */
    uint32_t value; /* of a history: bits or number */
    uint8_t write;  /* its number among the history's writes */
};

/* A CTA barrier or a warp's: a number of threads, counted. */
struct ordo_e2_barrier {
    int32_t cta, id, n_user; /* id < 0: the warp's */
    struct ordo_e2_field count, gathered;
    bool regular; /* its arrivals commute */
};

struct ordo_e2_cluster_barrier {
    int32_t cluster, n_user;
    struct ordo_e2_field count, parity, gathered, published;
    bool regular;
};

/* A word as the list of its writes so far; entry 0 is the oldest.  Under SC only the last is kept. */
struct ordo_e2_history {
    enum ordo_space space;
    int64_t index;
    int32_t n_write, cap, fact; /* fact: of write 1 in the views */
    uint32_t tracked;           /* mask words: the bits that are kept */
    struct ordo_e2_field n, id[ORDO_E2_WRITES], value[ORDO_E2_WRITES];
    int16_t thread[ORDO_E2_WRITES + 1], op[ORDO_E2_WRITES + 1]; /* by write, from 1 */
    bool link[ORDO_E2_WRITES + 1][ORDO_E2_WRITES + 1]; /* [a][b]: b directly after a carries a's releases on */
};

struct ordo_e2_cell {
    int64_t element;
    int32_t n_add;
    struct ordo_e2_field count;
};

/* A view: of which facts, and where it lies. */
struct ordo_e2_view {
    int32_t first, n;
    struct ordo_e2_field field;
};

struct ordo_e2_actor {
    struct ordo_e2_field at;
    int32_t thread, segment; /* segment -1: a bulk copy */
    uint32_t base;           /* its first step */
    int32_t n_position;
};

/* A CTA or cluster that takes slots. */
struct ordo_e2_unit {
    struct ordo_e2_field started;
    int32_t id, n_cta;
    uint64_t mask[ORDO_E2_WORDS], want[ORDO_E2_WORDS]; /* finished iff (s & mask) == want */
};

/* A bit of a mask word that is only cleared. */
struct ordo_e2_bit {
    int64_t index; /* of the mask word */
    int32_t bit, n_set;
    struct ordo_e2_field field;
};

struct ordo_e2 {
    const struct ordo_e2_program *p;
    struct ordo_e2_options o;
    char refused[160];
    int w, used[ORDO_E2_WORDS];
    int32_t n_actor, n_unit, n_barrier, n_cluster_barrier, n_history, n_cell, n_view, n_bit, n_fact;
    struct ordo_e2_actor actor[ORDO_E2_ACTORS];
    struct ordo_e2_unit *unit;
    struct ordo_e2_barrier barrier[ORDO_E2_ACTORS];
    struct ordo_e2_cluster_barrier cluster_barrier[16];
    struct ordo_e2_history history[ORDO_E2_HISTORIES];
    struct ordo_e2_cell cell[ORDO_E2_CELLS];
    struct ordo_e2_view *view; /* the first n_thread: of the threads */
    struct ordo_e2_bit *bit;
    struct ordo_e2_field register_of[ORDO_E2_MAX_THREADS], active[ORDO_E2_MAX_THREADS], free_slots;
    int16_t snapshot[ORDO_E2_MAX_THREADS][ORDO_E2_MAX_OPS]; /* view that a release point keeps, -1: nobody asks */
    int16_t pending[ORDO_E2_MAX_THREADS][ORDO_E2_MAX_OPS];  /* view that a fence will acquire */
    int16_t barrier_of[ORDO_E2_MAX_THREADS][ORDO_E2_MAX_OPS];
    int16_t copy_of[ORDO_E2_MAX_THREADS][ORDO_E2_MAX_OPS]; /* actor of a bulk copy */
    int32_t
        first_actor[ORDO_E2_MAX_THREADS + 1]; /* of a thread, without its bulk copies, which follow all threads' */
    bool views, async;                        /* something must be known; also by the async proxy */
    struct ordo_e2_step *step;
    uint64_t *mask; /* step x ORDO_E2_N_MASKS x w */
    uint32_t n_step, step_room;
    struct ordo_e2_join *join;
    uint32_t n_join, join_room;
    uint32_t *read; /* READ steps: n_write + 1 bounds of joins each, then reachable directly or not */
    uint32_t n_read, read_room;
    uint64_t init[ORDO_E2_WORDS], end_mask[ORDO_E2_WORDS], end_want[ORDO_E2_WORDS], residual[ORDO_E2_WORDS];
    uint64_t facts[ORDO_E2_WORDS];
    int32_t *orbit, n_orbit, n_row; /* symmetry: row x n_orbit bits of the state */
    bool lacks_memory;
};

static inline uint64_t ordo_e2_get(const uint64_t *s, struct ordo_e2_field f)
{
    return f.width ? s[f.word] >> f.shift & (~UINT64_C(0) >> (64 - f.width)) : 0;
}

static inline void ordo_e2_put(uint64_t *s, struct ordo_e2_field f, uint64_t value)
{
    uint64_t mask = f.width ? ~UINT64_C(0) >> (64 - f.width) << f.shift : 0;

    s[f.word] = (s[f.word] & ~mask) | (value << f.shift & mask);
}

static inline const struct ordo_e2_op *ordo_e2_op_of(const struct ordo_e2 *e2, const struct ordo_e2_step *step)
{
    return &e2->p->thread[step->thread].op[step->op];
}

/* e2_layout.c: what stands in a state, and where. */
void ordo_e2_lay_out(struct ordo_e2 *e2);
struct ordo_e2_field ordo_e2_field(struct ordo_e2 *e2, uint64_t most); /* holds 0..most */
struct ordo_e2_view *ordo_e2_new_view(struct ordo_e2 *e2, int32_t first, int32_t n);
bool ordo_e2_refuse(struct ordo_e2 *e2, const char *why); /* returns false */

/* e2_facts.c: what a program touches. */
void ordo_e2_survey(struct ordo_e2 *e2);
int32_t ordo_e2_cell_of(const struct ordo_e2 *e2, const struct ordo_record *r, int32_t nth); /* -1: no more */
int32_t ordo_e2_turn_of(const struct ordo_e2 *e2, int32_t thread, int32_t op, int32_t cell); /* adds before it */
struct ordo_e2_history *ordo_e2_history_of(struct ordo_e2 *e2, const struct ordo_record *r);
struct ordo_e2_bit *ordo_e2_bit_of(struct ordo_e2 *e2, const struct ordo_record *r, int32_t bit);
uint32_t ordo_e2_initial(const struct ordo_e2 *e2, const struct ordo_record *r);
bool ordo_e2_strong_pair(const struct ordo_e2 *e2, int32_t t, int32_t a, int32_t u, int32_t b);

/* e2_sync.c: who learns what from whom.  pair_up finds the release points that somebody acquires from. */
void ordo_e2_pair_up(struct ordo_e2 *e2);
/* Joins of an await (t, a) that reads write (u, w), into the views of its acquire points. */
void ordo_e2_acquire(struct ordo_e2 *e2, int32_t t, int32_t a, int32_t u, int32_t w);
void ordo_e2_join_views(struct ordo_e2 *e2, const struct ordo_e2_view *to, const struct ordo_e2_view *from);
/* The facts [first, first + n) of a view that has them. */
struct ordo_e2_field ordo_e2_part(const struct ordo_e2_view *v, int32_t first, int32_t n);

/* e2_compile.c: the steps. */
void ordo_e2_compile(struct ordo_e2 *e2);

/* e2_symmetry.c: the bits that a permutation of rows permutes; and the least state of its class. */
void ordo_e2_find_orbit(struct ordo_e2 *e2);
void ordo_e2_sort_rows(const struct ordo_e2 *e2, uint64_t *s);

#endif
