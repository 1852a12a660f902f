/* ptx_limit.h - threads as graphs of their own, for ptx_limit.c: what each could do if its reads took any value that
 * another thread may ever write, or its own last one. */
#ifndef ORDO_SIM_PTX_LIMIT_H
#define ORDO_SIM_PTX_LIMIT_H

#include "sim/ptx_live.h"

enum { ORDO_PTX_LIMIT_NODES = 400, ORDO_PTX_LIMIT_LINKS = 4000, ORDO_PTX_LIMIT_VALUES = 16 };

struct ordo_ptx_limit_node {
    struct ordo_ptx_local l;
    int64_t own[ORDO_PTX_LOCATIONS]; /* last written, where `wrote` says so */
    uint16_t wrote;
};

struct ordo_ptx_limit_link {
    int32_t from, to;
    bool weak;
    struct ordo_ptx_access a;
};

struct ordo_ptx_limit_values {
    int n;
    int64_t v[ORDO_PTX_LIMIT_VALUES];
};

struct ordo_ptx_limit_thread {
    int n_node, n_link;
    struct ordo_ptx_limit_node node[ORDO_PTX_LIMIT_NODES];
    struct ordo_ptx_limit_link link[ORDO_PTX_LIMIT_LINKS];
    struct ordo_ptx_limit_values written[ORDO_PTX_LOCATIONS];
    /* Under the guess: values that may be written for ever, and those that atomic operations may take for ever. */
    struct ordo_ptx_limit_values endless[ORDO_PTX_LOCATIONS], taken[ORDO_PTX_LOCATIONS];
    uint16_t stores; /* places that others than atomic operations may write for ever */
    bool stays[ORDO_PTX_LIMIT_NODES]; /* under the guess: where it may be for ever */
    bool leads[ORDO_PTX_LIMIT_NODES]; /* and from where it may come there */
};

/* What is supposed of an execution that never ends. */
struct ordo_ptx_limit_guess {
    unsigned staying; /* threads */
    struct {
        enum { FOR_EVER, NEVER, LAST } kind;
        int64_t last;
    } place[ORDO_PTX_LOCATIONS];
};

struct ordo_ptx_limit {
    const struct ordo_ptx_machine *m;
    uint16_t chains; /* places whose writes are all morally strong to each other */
    struct ordo_ptx_limit_guess guess;
    int64_t work;
    struct ordo_ptx_limit_thread thread[ORDO_PTX_THREADS];
};

bool ordo_ptx_limit_holds(const struct ordo_ptx_limit_values *s, int64_t v);
/* False: no room. */
bool ordo_ptx_limit_add(struct ordo_ptx_limit_values *s, int64_t v);
/* Fills in the graphs of all threads, until none can write a value that was not known before.  False: no room. */
bool ordo_ptx_limit_explore(struct ordo_ptx_limit *x);

#endif
