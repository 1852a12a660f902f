/* ptx_program.h - a litmus program as data: threads, instructions, locations and the final condition.
 *
 * Everything has a fixed size: a litmus test is small by nature, and what does not fit is refused with a reason, so
 * nothing here grows, fails to allocate or recurses without a bound. */
#ifndef ORDO_SIM_PTX_PROGRAM_H
#define ORDO_SIM_PTX_PROGRAM_H

#include "base/status.h"
#include "sim/ptx_final.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ORDO_PTX_THREADS = 16,
    ORDO_PTX_OPS = 64,      /* instructions of one thread */
    ORDO_PTX_REGS = 16,     /* registers of one thread */
    ORDO_PTX_LOCATIONS = 16,
    ORDO_PTX_OPERANDS = 4,
    ORDO_PTX_NAME = 48
};

enum ordo_ptx_sem {
    ORDO_PTX_WEAK,
    ORDO_PTX_RELAXED,
    ORDO_PTX_ACQUIRE,
    ORDO_PTX_RELEASE,
    ORDO_PTX_ACQ_REL,
    ORDO_PTX_SC
};

/* In ascending order: a wider scope includes all threads of a narrower one. */
enum ordo_ptx_scope { ORDO_PTX_CTA, ORDO_PTX_CLUSTER, ORDO_PTX_GPU, ORDO_PTX_SYS };

/* The path of a memory operation, or the one that a proxy fence serves; ALIAS only for fences. */
enum ordo_ptx_proxy {
    ORDO_PTX_GENERIC,
    ORDO_PTX_SURFACE,
    ORDO_PTX_TEXTURE,
    ORDO_PTX_CONSTANT,
    ORDO_PTX_ASYNC,
    ORDO_PTX_ALIAS
};

enum ordo_ptx_kind {
    ORDO_PTX_LD,
    ORDO_PTX_ST,
    ORDO_PTX_ATOM,
    ORDO_PTX_RED,
    ORDO_PTX_FENCE,
    ORDO_PTX_PROXY_FENCE,
    ORDO_PTX_BAR_SYNC,
    ORDO_PTX_BAR_ARRIVE,
    ORDO_PTX_CLUSTER_ARRIVE,
    ORDO_PTX_CLUSTER_WAIT,
    ORDO_PTX_BULK_RED,   /* cp.reduce.async.bulk: an atomic operation of the async proxy */
    ORDO_PTX_BULK_COMMIT,
    ORDO_PTX_BULK_WAIT,
    ORDO_PTX_ALU,
    ORDO_PTX_BRANCH,
    ORDO_PTX_GOTO
};

/* What an atomic or a local instruction computes; the comparisons serve branches. */
enum ordo_ptx_alu {
    ORDO_PTX_MOV, /* the second operand: also atom.exch */
    ORDO_PTX_ADD,
    ORDO_PTX_SUB,
    ORDO_PTX_MUL,
    ORDO_PTX_DIV, /* never by 0 */
    ORDO_PTX_REM,
    ORDO_PTX_AND,
    ORDO_PTX_OR,
    ORDO_PTX_XOR,
    ORDO_PTX_SHL,
    ORDO_PTX_SHR,
    ORDO_PTX_MIN,
    ORDO_PTX_MAX,
    ORDO_PTX_INC,
    ORDO_PTX_DEC,
    ORDO_PTX_CAS,
    ORDO_PTX_POPC /* of barrier reductions; of one value: whether it is true */
};

/* Where the instruction says that its location is.  A name without any is global, or shared by all its accesses. */
enum ordo_ptx_space { ORDO_PTX_ANYWHERE, ORDO_PTX_GLOBAL, ORDO_PTX_SHARED_CTA, ORDO_PTX_SHARED_CLUSTER };

struct ordo_ptx_operand {
    int64_t number;
    int8_t reg; /* -1: the number */
};

struct ordo_ptx_op {
    enum ordo_ptx_kind kind;
    enum ordo_ptx_sem sem;
    enum ordo_ptx_scope scope;
    enum ordo_ptx_proxy proxy;
    enum ordo_ptx_alu alu;
    enum ordo_ptx_compare compare; /* of a branch */
    int8_t loc, dst;               /* -1: none */
    bool read_only;                /* wait_group.read */
    bool counted;                  /* a barrier with a number of participants */
    bool reduces, inverts;         /* a barrier that reduces the fourth value with alu into dst; the inverse of it */
    enum ordo_ptx_space space;     /* of an access; or what a proxy fence is limited to */
    int16_t target;                /* of a branch or goto */
    int16_t size;                  /* bytes of the access where the instruction says so, else 0 */
    int32_t line;
    /* values; of a barrier: instance, resource, count, and what it reduces; of wait_group: groups left */
    struct ordo_ptx_operand x[ORDO_PTX_OPERANDS];
    char text[ORDO_PTX_NAME];     /* as written, for histories */
};

struct ordo_ptx_thread {
    int32_t gpu, cluster, cta;
    int n_op, n_reg;
    struct ordo_ptx_op op[ORDO_PTX_OPS];
    char reg[ORDO_PTX_REGS][ORDO_PTX_NAME];
    int64_t start[ORDO_PTX_REGS];
};

/* A name of memory.  Names of one `place` overlap completely; they are one address when `address` agrees too. */
struct ordo_ptx_location {
    char name[ORDO_PTX_NAME];
    int8_t place, address;
    bool shared; /* in shared memory */
    int64_t start; /* of the place; stands at the location whose index is place */
};

enum ordo_ptx_quantifier { ORDO_PTX_EXISTS, ORDO_PTX_NOT_EXISTS, ORDO_PTX_FORALL };

struct ordo_ptx_program {
    char note[240]; /* names that nothing sets, in words; "" for none */
    int n_thread, n_loc;
    struct ordo_ptx_thread thread[ORDO_PTX_THREADS];
    struct ordo_ptx_location loc[ORDO_PTX_LOCATIONS];
    enum ordo_ptx_quantifier quantifier;
    struct ordo_ptx_final final, filter; /* filter: executions that do not satisfy it are left out; may be empty */
};

/* Whether a scope of a thread includes another thread. */
bool ordo_ptx_includes(const struct ordo_ptx_program *p, enum ordo_ptx_scope scope, int thread, int other);

/* The places that a proxy fence limited to a state space serves; without a limit all. */
uint16_t ordo_ptx_served(const struct ordo_ptx_program *p, enum ordo_ptx_space space);

/* The value of an instruction with operands a, b (and c of cas); wraps at 64 bits. */
int64_t ordo_ptx_compute(enum ordo_ptx_alu alu, int64_t a, int64_t b, int64_t c);

/* Reads a herd-style PTX litmus test.  What cannot be read is refused: ORDO_BAD_INPUT with the line and the reason.
 * name is what errors call the file. */
enum ordo_status ordo_ptx_parse(const char *name, const char *text, size_t size, struct ordo_ptx_program *p,
                                struct ordo_err *err);

#endif
