/* e2_program.h - E2's input: recorded threads, where each runs, and what memory holds at first.
 *
 * A program is made from tapes of the shipped role headers and nothing else: a broken variant is an edit of its
 * operations (e2_edit.h), never another model.  A thread is a straight line, or several straight lines (segments)
 * that it takes in any order, one after the other. */
#ifndef ORDO_SIM_E2_PROGRAM_H
#define ORDO_SIM_E2_PROGRAM_H

#include "protocol/tape.h"

#include <stdbool.h>
#include <stddef.h>

struct ordo_e2_op {
    struct ordo_record record;
    int32_t wave;
    bool exact; /* an AWAIT_GE that wants its value and no other: only edits say so */
};

enum { ORDO_E2_MAX_OPS = 96, ORDO_E2_MAX_SEGMENTS = 8, ORDO_E2_MAX_THREADS = 96, ORDO_E2_MAX_WORDS = 32 };

struct ordo_e2_thread {
    const char *role;     /* "slot"; "" for a CTA that is one thread */
    int32_t rank, cta, cluster;
    int32_t key;          /* additions to a cell belong in ascending order of (wave, key) */
    int32_t warp;         /* threads of a CTA with one warp number pass warp barriers together */
    bool setup;           /* of the kernel before */
    int32_t n_op, n_segment;
    int32_t end[ORDO_E2_MAX_SEGMENTS]; /* one past the last operation of each segment */
    struct ordo_e2_op op[ORDO_E2_MAX_OPS];
};

/* A synchronisation word and its value at first. */
struct ordo_e2_word {
    enum ordo_space space;
    int64_t index;
    uint32_t value;
};

struct ordo_e2_program {
    int32_t n_thread;
    int32_t n_column; /* elements of a plane row */
    struct ordo_e2_thread *thread; /* ORDO_E2_MAX_THREADS of them */
    int32_t n_word;
    struct ordo_e2_word word[ORDO_E2_MAX_WORDS]; /* those not named are zero */
    bool overlap;      /* the launch does not wait for the setup kernel */
    bool hands_over;   /* several waves of a launch, ordo_launch_hand_over between them */
    int32_t stride;    /* C of the packing, 0 without masks */
    const char *wrong; /* a sentence where the program cannot be stated */
};

/* An empty program; false without memory.  Free with ordo_e2_program_free, also then. */
bool ordo_e2_program_begin(struct ordo_e2_program *p);
void ordo_e2_program_free(struct ordo_e2_program *p);

/* A thread with the tape's operations as its one segment; NULL, with p->wrong, if there is no room. */
struct ordo_e2_thread *ordo_e2_add(struct ordo_e2_program *p, const char *role, const struct ordo_tape *tape,
                                   int32_t rank, int32_t cta, int32_t cluster);
/* One more operation at the thread's end, of the same wave as the one before. */
void ordo_e2_append(struct ordo_e2_program *p, struct ordo_e2_thread *t, const struct ordo_record *r);

/* The value of a word at first. */
uint32_t *ordo_e2_value(struct ordo_e2_program *p, enum ordo_space space, int64_t index);

/* A plane operation's elements, n of them from the first, and its row, of n_column elements: the one place that
 * knows how a record says them. */
struct ordo_e2_place {
    int64_t first, row;
    int32_t n;
};
static inline struct ordo_e2_place ordo_e2_place_of(const struct ordo_record *r, int32_t n_column)
{
    return (struct ordo_e2_place){r->index, r->index / n_column,
                                  r->op == ORDO_OP_BULK_ADD ? (int32_t)(r->value / sizeof(float)) : 1};
}

/* "CTA 1 reducer", or "CTA 1" where it is one thread. */
void ordo_e2_name(const struct ordo_e2_thread *t, char *out, size_t size);
/* As PTX spells it, with its operand: "red.release.gpu.and.b32 mask[0], ~0x2". */
void ordo_e2_spell(const struct ordo_e2_op *op, char *out, size_t size);
/* "protocol/relay.h:23", from the room on. */
void ordo_e2_source(const struct ordo_record *r, char *out, size_t size);

#endif
