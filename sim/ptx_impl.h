/* ptx_impl.h - what the parts of the enumerator share.
 *
 * A *state* is a partial execution: the events that each thread has issued so far, and for some reads the write that
 * they read.  A thread issues everything up to a branch (or barrier number) whose registers are not known yet, so a
 * read may take its value from a write that stands after it in program order: load buffering.  What could only be
 * justified by itself never becomes known, which is exactly the rule against values out of thin air. */
#ifndef ORDO_SIM_PTX_IMPL_H
#define ORDO_SIM_PTX_IMPL_H

#include "sim/ptx_litmus.h"
#include "sim/ptx_program.h"
#include "sim/ptx_relation.h"

enum {
    ORDO_PTX_NODES = 256, /* values of one execution */
    ORDO_PTX_VISITS = 12, /* arrivals of a thread at heads of loops */
    ORDO_PTX_GROUPS = 8   /* bulk groups of one thread */
};

enum ordo_ptx_event_kind {
    ORDO_PTX_READ,
    ORDO_PTX_WRITE,
    ORDO_PTX_BARRIER_FENCE, /* fence.{acquire,release,acq_rel,sc} */
    ORDO_PTX_PROXY,         /* a proxy fence, explicit or that of a completed bulk group */
    ORDO_PTX_ARRIVE,
    ORDO_PTX_WAIT
};

struct ordo_ptx_event {
    enum ordo_ptx_event_kind kind;
    enum ordo_ptx_sem sem;
    enum ordo_ptx_scope scope;
    enum ordo_ptx_proxy proxy;
    int8_t thread;         /* -1: the initial write */
    int8_t place, address; /* -1: no memory */
    int8_t partner;        /* the other half of an atomic operation, or -1 */
    bool strong;
    bool acquires;         /* a read that may form an acquire pattern: not that of a reduction */
    bool cluster, counted; /* of a barrier */
    bool releases;         /* an arrival that is not .relaxed */
    bool reduces;          /* an arrival with a value: `node`, by `alu` */
    enum ordo_ptx_alu alu;
    uint16_t places;       /* that a proxy fence serves */
    int8_t nth;            /* which use of this barrier by this thread */
    int16_t node;          /* value of a read, a write or a reducing arrival */
    int16_t op;            /* index in the thread's program, -1: none */
    int64_t instance, resource, count;
    uint64_t needs;        /* reads on which a write depends: by value or by control */
};

/* A value: a number, what a read gives, or an operation on nodes. */
struct ordo_ptx_node {
    enum { ORDO_PTX_NUMBER, ORDO_PTX_LOADED, ORDO_PTX_COMPUTED } kind;
    enum ordo_ptx_alu alu;
    int16_t x[3];
    int16_t event;
    int64_t number;
    uint64_t reads; /* all reads it is made of */
};

enum ordo_ptx_end {
    ORDO_PTX_RUNNING,
    ORDO_PTX_DONE,
    ORDO_PTX_BLOCKED, /* waits at a barrier for ever */
    ORDO_PTX_SPINS    /* repeats its last loop iteration for ever */
};

/* An arrival at the head of a loop. */
struct ordo_ptx_visit {
    int16_t pc, effects;
    int16_t reg[ORDO_PTX_REGS];
    uint64_t issued;
};

struct ordo_ptx_run {
    enum ordo_ptx_end end;
    enum { ORDO_PTX_BEFORE, ORDO_PTX_AT, ORDO_PTX_PASSES } gate; /* where it stands at the barrier at pc */
    bool visited; /* the arrival at pc is in the list below */
    bool kept;    /* has gone through an iteration that ended where it began */
    int16_t pc, effects, n_visit;
    int16_t reg[ORDO_PTX_REGS];
    uint64_t control; /* reads that decided a branch so far */
    uint64_t issued;  /* events in program order */
    uint64_t spin;    /* events of the iteration that repeats */
    int n_group;
    uint64_t open, group[ORDO_PTX_GROUPS]; /* bulk operations not committed, and committed ones */
    struct ordo_ptx_visit visit[ORDO_PTX_VISITS];
};

struct ordo_ptx_state {
    int n, n_node;
    struct ordo_ptx_event event[ORDO_PTX_EVENTS];
    int8_t from[ORDO_PTX_EVENTS];     /* the write that a read reads, -1: undecided */
    int8_t later[ORDO_PTX_EVENTS];    /* > 0: reads a write that has this index or a higher one */
    struct ordo_rel po, base;         /* program order; with the order around asynchronous operations */
    struct ordo_ptx_run run[ORDO_PTX_THREADS];
    struct ordo_ptx_node node[ORDO_PTX_NODES];
};

enum ordo_ptx_axiom {
    ORDO_PTX_AXIOM_NONE,
    ORDO_PTX_AXIOM_COHERENCE,
    ORDO_PTX_AXIOM_FENCE_SC,
    ORDO_PTX_AXIOM_ATOMICITY,
    ORDO_PTX_AXIOM_THIN_AIR,
    ORDO_PTX_AXIOM_LOCATION,
    ORDO_PTX_AXIOM_CAUSALITY,
    ORDO_PTX_AXIOMS
};

/* What the events alone say, whoever reads from whom. */
struct ordo_ptx_skeleton {
    const struct ordo_ptx_state *s;
    int n;
    enum ordo_ptx_axiom dropped; /* an axiom that is not asked for, to find out which one forbids */
    uint64_t reads, writes, memory, start, sc, alias, generic;
    struct ordo_rel place, address;   /* of other memory events: overlapping, at the same address */
    struct ordo_rel strong;           /* morally strong */
    struct ordo_rel base;             /* program order and barriers */
    struct ordo_rel close;            /* same proxy and CTA: memory events, and proxy fences of their proxy */
    struct ordo_rel rmw;
    struct ordo_rel turn;             /* coherence order by which threads that are alike are told apart */
    uint64_t releases[ORDO_PTX_EVENTS]; /* by write: first operations of its release patterns */
    uint64_t acquires[ORDO_PTX_EVENTS]; /* by read: last operations of its acquire patterns */
};

static inline bool ordo_ptx_asks(const struct ordo_ptx_skeleton *k, enum ordo_ptx_axiom axiom)
{
    return k->dropped != axiom;
}

/* What follows when reads have their writes. */
struct ordo_ptx_derived {
    struct ordo_rel rf, observed, sync, causes_base, preserved, cause, co;
};

/* Static facts of a program. */
struct ordo_ptx_facts {
    bool head[ORDO_PTX_THREADS][ORDO_PTX_OPS + 1];            /* some jump goes back here */
    uint16_t live[ORDO_PTX_THREADS][ORDO_PTX_OPS + 1];        /* registers that may be read later */
    uint16_t may_write[ORDO_PTX_THREADS][ORDO_PTX_OPS + 1];   /* places that may be written from here on */
    uint16_t shown; /* places in the condition or the filter */
    /* Threads that are alike (ptx_alike.c): the one before in a row of them, -1: none; and the operation by whose
     * writes they are ordered. */
    int8_t alike[ORDO_PTX_THREADS];
    int16_t ordered_by[ORDO_PTX_THREADS];
    uint64_t orders; /* in how many ways such threads can change places */
};

struct ordo_ptx_search {
    const struct ordo_ptx_program *p;
    struct ordo_ptx_facts facts;
    bool liveness;
    bool aims;  /* only at executions that decide: others are left as soon as they cannot, and are not counted */
    bool keeps; /* one iteration of a thread that ends where it began is not left out: to meet its races */
    enum ordo_ptx_axiom dropped;
    uint64_t left; /* of the budget */
    int visits;    /* how many arrivals at heads of loops are followed, at most ORDO_PTX_VISITS */
    struct ordo_ptx_tally *tally;
};

/* For liveness a register of the final condition is not live at the end. */
void ordo_ptx_facts(const struct ordo_ptx_program *p, bool liveness, struct ordo_ptx_facts *f);

/* ptx_alike.c: fills in what facts say of threads that are alike. */
void ordo_ptx_alike(const struct ordo_ptx_program *p, struct ordo_ptx_facts *f);
/* ptx_alike.c: k->turn. */
void ordo_ptx_take_turns(const struct ordo_ptx_facts *f, struct ordo_ptx_skeleton *k);

/* A thread while it issues. */
struct ordo_ptx_issuer {
    const struct ordo_ptx_search *q;
    struct ordo_ptx_state *s;
    int t;
    struct ordo_ptx_run *run;
    const struct ordo_ptx_op *op;
};

/* ptx_event.c.  Adds an event after what the thread has issued; in_order: and before what it will issue.  -1: no
 * room. */
int ordo_ptx_add_event(struct ordo_ptx_issuer *is, struct ordo_ptx_event e, bool in_order);
struct ordo_ptx_event ordo_ptx_plain(enum ordo_ptx_event_kind kind); /* one without memory */
int ordo_ptx_operand(struct ordo_ptx_issuer *is, int i); /* the node of operand i of is->op, -1: no room */
/* The events of is->op, an access or a fence.  False: no room. */
bool ordo_ptx_issue_memory(struct ordo_ptx_issuer *is);
/* wait_group N: all committed groups but the last N are done; without .read their writes are visible from here on. */
bool ordo_ptx_issue_bulk_wait(struct ordo_ptx_issuer *is);

/* ptx_issue.c: lets every thread issue what it can.  False: the state is of no use (a loop that only repeats itself,
 * or an execution too long to follow, which the tally notes). */
void ordo_ptx_start(const struct ordo_ptx_search *q, struct ordo_ptx_state *s);
bool ordo_ptx_issue(const struct ordo_ptx_search *q, struct ordo_ptx_state *s);
/* Whether what a thread waited for is known by now. */
bool ordo_ptx_can_issue(const struct ordo_ptx_search *q, const struct ordo_ptx_state *s);
/* ptx_value.c */
bool ordo_ptx_value(const struct ordo_ptx_state *s, int node, int64_t *out);
int ordo_ptx_node_number(struct ordo_ptx_state *s, int64_t number);
int ordo_ptx_node_read(struct ordo_ptx_state *s, int event);
int ordo_ptx_node_compute(struct ordo_ptx_state *s, enum ordo_ptx_alu alu, int a, int b, int c);

/* ptx_skeleton.c */
void ordo_ptx_skeleton(const struct ordo_ptx_program *p, const struct ordo_ptx_state *s,
                       struct ordo_ptx_skeleton *k);
/* ptx_derive.c: all that follows from the reads decided so far and the extra order (fences, counted barriers). */
void ordo_ptx_derive(const struct ordo_ptx_skeleton *k, const struct ordo_rel *extra, struct ordo_ptx_derived *d);
/* ptx_axioms.c: the axioms that hold or fail whatever is decided later; co is what causality forces so far. */
enum ordo_ptx_axiom ordo_ptx_forced(const struct ordo_ptx_skeleton *k, struct ordo_ptx_derived *d);
/* ptx_coherence.c: adds to a transitive co what the axioms ask of the order of morally strong writes.  False: no
 * order of them satisfies the axioms. */
bool ordo_ptx_saturate(const struct ordo_ptx_skeleton *k, struct ordo_ptx_derived *d);
/* The axioms that depend on coherence, which is complete. */
enum ordo_ptx_axiom ordo_ptx_coherent(const struct ordo_ptx_skeleton *k, const struct ordo_ptx_derived *d,
                                      bool complete);
bool ordo_ptx_thin_air(const struct ordo_ptx_skeleton *k);
enum ordo_ptx_axiom ordo_ptx_fences_agree(const struct ordo_ptx_skeleton *k, const struct ordo_ptx_derived *d,
                                          const struct ordo_rel *fences);
bool ordo_ptx_races(const struct ordo_ptx_skeleton *k, const struct ordo_ptx_derived *d, int *a, int *b);

/* ptx_barrier.c */
struct ordo_ptx_groups {
    int n;
    uint64_t member[ORDO_PTX_EVENTS]; /* arrivals at each counted barrier */
    int count[ORDO_PTX_EVENTS];
};
/* The same use of the same barrier. */
bool ordo_ptx_same_barrier(const struct ordo_ptx_program *p, const struct ordo_ptx_event *a,
                           const struct ordo_ptx_event *b);
/* Whether everyone that the barrier of e waits for has arrived; of thread t the barrier at which it stands. */
bool ordo_ptx_meets_all(const struct ordo_ptx_program *p, const struct ordo_ptx_state *s,
                        const struct ordo_ptx_event *e);
bool ordo_ptx_is_met(const struct ordo_ptx_program *p, const struct ordo_ptx_state *s, int t);
/* ptx_reduction.c: the value that the arrival e brings to a reduction.  False: no room. */
bool ordo_ptx_bring(struct ordo_ptx_issuer *is, struct ordo_ptx_event *e);
/* ptx_reduction.c: the node of what all have brought to the barrier of e; -1: none, and why (NULL: no room). */
int ordo_ptx_reduction(struct ordo_ptx_issuer *is, const struct ordo_ptx_event *e, const char **why);
/* How many threads name the barrier of e in their program. */
int ordo_ptx_named_by(const struct ordo_ptx_program *p, const struct ordo_ptx_event *e);
/* False: some wait never ends, or one that is taken to last for ever would end. */
bool ordo_ptx_barriers_end(const struct ordo_ptx_program *p, const struct ordo_ptx_state *s,
                           struct ordo_ptx_groups *g);
/* The arrivals `first` come before all waits of their barrier: in time (wait), and if they release in causality
 * (sync).  The second does it for all barriers without a count. */
void ordo_ptx_meet(const struct ordo_ptx_program *p, const struct ordo_ptx_state *s, uint64_t first,
                   struct ordo_rel *sync, struct ordo_rel *wait);
void ordo_ptx_meet_all(const struct ordo_ptx_program *p, const struct ordo_ptx_state *s, struct ordo_rel *wait);

/* One execution, kept for a history or a picture. */
struct ordo_ptx_witness {
    struct ordo_ptx_state s;
    struct ordo_ptx_skeleton k;
    struct ordo_ptx_derived d;
    struct ordo_rel fences, meets;
    enum ordo_ptx_axiom without; /* forbidden: allowed only if this axiom is dropped */
};
extern const char *const ordo_ptx_axiom_name[ORDO_PTX_AXIOMS];
/* ptx_explain.c: the value of a read or write; the edges worth showing, relation by relation. */
int64_t ordo_ptx_event_value(const struct ordo_ptx_witness *w, int i);
void ordo_ptx_edges(const struct ordo_ptx_witness *w,
                    void (*each)(void *to, const char *name, const struct ordo_rel *r), void *to);

/* A complete state with the choices made so far. */
struct ordo_ptx_choice {
    struct ordo_ptx_search *q;
    const struct ordo_ptx_skeleton *k;
    struct ordo_ptx_groups groups;
    struct ordo_rel meets, wait, fences;
};
/* ptx_fence.c, then ptx_coherence.c: every choice that is left, to ordo_ptx_judge(). */
void ordo_ptx_choose_fences(struct ordo_ptx_choice *c);
void ordo_ptx_choose_coherence(struct ordo_ptx_choice *c, const struct ordo_ptx_derived *d);
/* ptx_complete.c: a state in which every thread has ended and every read has its write. */
void ordo_ptx_complete(struct ordo_ptx_search *q, const struct ordo_ptx_skeleton *k);
/* ptx_decide.c: ordo_ptx_decide() with a budget of ordo_ptx_spend() for each of its searches. */
bool ordo_ptx_decide_within(const struct ordo_ptx_program *p, bool liveness, uint64_t budget,
                            struct ordo_ptx_verdict *v);
/* ptx_judge.c: one execution, coherence included. */
void ordo_ptx_judge(struct ordo_ptx_search *q, const struct ordo_ptx_skeleton *k, const struct ordo_ptx_derived *d,
                    const struct ordo_rel *fences, const struct ordo_rel *meets);
/* ptx_aim.c: whether what is known so far leaves the filter true and the condition open or as it decides; d is NULL
 * while coherence says nothing about the end of memory. */
bool ordo_ptx_may_decide(const struct ordo_ptx_search *q, const struct ordo_ptx_skeleton *k,
                         const struct ordo_ptx_derived *d);
/* ptx_aim.c: all writes of a place if each two of them will be ordered, else none. */
uint64_t ordo_ptx_chain(const struct ordo_ptx_skeleton *k, int place);
/* ptx_aim.c: reads on which registers of the condition and the filter depend, as far as it is known. */
uint64_t ordo_ptx_aimed_at(const struct ordo_ptx_search *q, const struct ordo_ptx_state *s);
/* ptx_judge.c: an execution was met that decides. */
bool ordo_ptx_found(const struct ordo_ptx_search *q);
/* ptx_search.c: pays for a step on n events, whose time grows with their square.  False: the budget has ended, or
 * what is left cannot decide more: the answer is there, and the count of executions will not be complete. */
enum ordo_ptx_step { ORDO_PTX_CHOOSES = 1, ORDO_PTX_DERIVES = 4 }; /* what a step costs by its kind, as measured */
bool ordo_ptx_spend(struct ordo_ptx_search *q, int n, enum ordo_ptx_step step);
/* ptx_search.c: all executions of q->p into q->tally. */
void ordo_ptx_enumerate(struct ordo_ptx_search *q);

#endif
