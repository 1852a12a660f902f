/* ptx_litmus.h - engine E3: all executions of a litmus test that the axioms of the PTX memory model allow.
 *
 * Follows the chapter "Memory Consistency Model" of the PTX ISA (7.5 and later) with the proxies of its mixed-proxy
 * extension.  Where the text is silent, the choice is in litmus/README.md. */
#ifndef ORDO_SIM_PTX_LITMUS_H
#define ORDO_SIM_PTX_LITMUS_H

#include "sim/ptx_program.h"

#include <stdio.h>

#define ORDO_PTX_MODEL "ptx-7.5"

struct ordo_ptx_witness; /* one execution, for a history or a picture */

/* What the enumeration found. */
struct ordo_ptx_tally {
    uint64_t executions; /* consistent and complete, and in the filter */
    uint64_t blocked;    /* complete but for threads that wait at a barrier for ever */
    uint64_t satisfied;  /* executions in which the condition can hold */
    uint64_t failed;     /* executions in which it can fail */
    uint64_t stuck;      /* liveness: fair executions that never end */
    bool race;
    bool race_open;      /* a dropped loop iteration had an access that may race: without `race`, it is not known */
    bool cut;            /* a loop was followed no further */
    bool exhausted;      /* the budget of steps ended */
    int32_t cut_line;
    const char *cut_why; /* NULL: it is too long */
    struct ordo_ptx_witness *witness; /* an execution that decides, NULL if none does; freed by the caller */
};

/* An endless fair execution that was found by running threads one access at a time, or by a thread without an end. */
struct ordo_ptx_circle {
    bool found;
    bool any_no_end;                    /* found by that alone */
    bool no_end[ORDO_PTX_THREADS];      /* no path of the thread leads to its end */
    bool round[ORDO_PTX_THREADS];       /* goes round without an access whose value matters */
    uint64_t repeats[ORDO_PTX_THREADS]; /* operations that the thread repeats for ever, by index */
};

struct ordo_ptx_verdict {
    bool decided, holds;
    bool race_known; /* tally.race is the whole truth, or true */
    char refused[520]; /* why not decided */
    struct ordo_ptx_tally tally;
    struct ordo_ptx_circle circle;
};

/* Decides the final condition, or with liveness whether every fair execution ends.  False only without memory. */
bool ordo_ptx_decide(const struct ordo_ptx_program *p, bool liveness, struct ordo_ptx_verdict *v);
/* For a condition that no execution decides: finds an execution that would, and the first axiom without which it
 * would be allowed, as the witness; none if more than one axiom forbids it. */
void ordo_ptx_why_not(const struct ordo_ptx_program *p, struct ordo_ptx_verdict *v);
void ordo_ptx_verdict_free(struct ordo_ptx_verdict *v);

/* ptx_explain.c: the deciding execution, one column of text a thread, then the edges by name. */
void ordo_ptx_explain(const struct ordo_ptx_program *p, const struct ordo_ptx_witness *w, FILE *out);
/* Which operations each thread repeats for ever. */
void ordo_ptx_explain_circle(const struct ordo_ptx_program *p, const struct ordo_ptx_circle *c, FILE *out);
/* ptx_picture.c: the same as SVG; what repeats for ever has a thick frame. */
void ordo_ptx_picture(const struct ordo_ptx_program *p, const struct ordo_ptx_witness *w, FILE *out);
void ordo_ptx_picture_circle(const struct ordo_ptx_program *p, const struct ordo_ptx_circle *c, FILE *out);

#endif
