/* ptx_live.h - liveness of programs whose loops write: threads as machines over values instead of executions.
 *
 * A loop that writes visibly has executions of any length, so enumerating them (ptx_search.c) comes to no end.  Two
 * searches over values do:
 *
 * - ptx_fair.c runs the threads one access at a time.  What such a run can do, the axioms allow: the order of its
 *   accesses serves as every order that they ask for.  A circle of states in which every thread that has not ended
 *   takes part is an execution that never ends and is fair.  Weak loads may besides miss all writes where nothing
 *   could make them see one.
 * - ptx_limit.c asks what could go on for ever if reads were bound by next to nothing.  If nothing can, everything
 *   ends.
 *
 * Neither knows barriers; ptx_liveness.c says which of the two answers counts. */
#ifndef ORDO_SIM_PTX_LIVE_H
#define ORDO_SIM_PTX_LIVE_H

#include "sim/ptx_impl.h"

enum { ORDO_PTX_ROUND = -1 }; /* in place of pc: goes round for ever without an access that matters */

/* A thread between two accesses to memory; registers that nobody will read are 0. */
struct ordo_ptx_local {
    int16_t pc;
    int64_t reg[ORDO_PTX_REGS];
};

struct ordo_ptx_machine {
    const struct ordo_ptx_program *p;
    struct ordo_ptx_facts facts;
    uint16_t observed; /* places whose value some thread may use; accesses to others are no steps */
    uint16_t stale[ORDO_PTX_THREADS]; /* places of which the thread may read the initial value for ever */
};

/* What an access does; `old` is the value of its place. */
struct ordo_ptx_access {
    int place;
    bool reads, writes;
    int64_t read, written;
};

/* ptx_machine.c.  False: the program has barriers. */
bool ordo_ptx_machine(const struct ordo_ptx_program *p, struct ordo_ptx_machine *m);
/* Runs thread t to its next access or end.  False: that takes too long. */
bool ordo_ptx_settle(const struct ordo_ptx_machine *m, int t, struct ordo_ptx_local *l);
bool ordo_ptx_local_start(const struct ordo_ptx_machine *m, int t, struct ordo_ptx_local *l);
/* The access at which l stands, its place holding `old`; l settles at the next one.  False: that takes too long. */
bool ordo_ptx_access(const struct ordo_ptx_machine *m, int t, struct ordo_ptx_local *l, int64_t old,
                     struct ordo_ptx_access *a);
/* The operation at which l stands, NULL if it has ended or goes round. */
const struct ordo_ptx_op *ordo_ptx_stands_at(const struct ordo_ptx_machine *m, int t,
                                             const struct ordo_ptx_local *l);

/* ptx_component.c: numbers the strongly connected components of a graph whose node i has the edges
 * edge[i * degree .. i * degree + degree - 1], -1 for none.  Returns their number, -1 without memory. */
int32_t ordo_ptx_components(int32_t n, int degree, const int32_t *edge, int32_t *component);

enum ordo_ptx_answer { ORDO_PTX_NO, ORDO_PTX_YES, ORDO_PTX_UNKNOWN };

/* ptx_fair.c: whether some run, one access at a time, goes on for ever with every thread taking its turns; then
 * which operations of each thread repeat.  Unknown: more states than are followed. */
enum ordo_ptx_answer ordo_ptx_fair_circle(const struct ordo_ptx_machine *m, struct ordo_ptx_circle *circle);
/* ptx_limit.c.  NO: nothing can go on for ever.  Never YES. */
enum ordo_ptx_answer ordo_ptx_limit(const struct ordo_ptx_machine *m);

/* Whether accesses a of thread t and b of another thread u, by one proxy to one address, are morally strong. */
bool ordo_ptx_always_strong(const struct ordo_ptx_program *p, const struct ordo_ptx_op *a, int t,
                            const struct ordo_ptx_op *b, int u);

/* ptx_liveness.c: whether some path of a thread leads to its end; without one it never ends, whatever others do. */
bool ordo_ptx_end_is_reachable(const struct ordo_ptx_thread *th);
/* ptx_liveness.c: whether every fair execution ends, for a program whose executions came to no end; where it is NO,
 * with the circle that does not. */
enum ordo_ptx_answer ordo_ptx_always_ends(const struct ordo_ptx_program *p, struct ordo_ptx_circle *circle);

#endif
