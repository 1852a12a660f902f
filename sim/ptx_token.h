/* ptx_token.h - the words of a litmus file, and where the reader of one stands. */
#ifndef ORDO_SIM_PTX_TOKEN_H
#define ORDO_SIM_PTX_TOKEN_H

#include "sim/ptx_program.h"

enum ordo_ptx_token_kind {
    ORDO_PTX_TOKEN_END,
    ORDO_PTX_TOKEN_WORD,   /* a name or an instruction with its dots */
    ORDO_PTX_TOKEN_NUMBER,
    ORDO_PTX_TOKEN_PUNCT   /* text is one or two characters */
};

struct ordo_ptx_token {
    enum ordo_ptx_token_kind kind;
    int32_t line;
    int64_t number;
    bool least; /* the number is that of INT64_MIN without its sign */
    const char *start;
    size_t length;
    char text[ORDO_PTX_NAME];
};

/* Where parsing stands; `token` is the next one, not yet taken. */
struct ordo_ptx_parser {
    const char *name, *at, *end;
    int32_t line;
    struct ordo_ptx_token token;
    struct ordo_ptx_program *p;
    struct ordo_err *err;
    uint16_t known[ORDO_PTX_THREADS]; /* registers with an initial value or an instruction that sets them */
    uint16_t used[ORDO_PTX_THREADS];  /* registers that are read */
    uint16_t implied;                 /* locations that so far only an alias names */
};

/* Fills in the error with the line and returns ORDO_BAD_INPUT. */
enum ordo_status ordo_ptx_refuse(struct ordo_ptx_parser *in, int32_t line, const char *reason, ...)
    __attribute__((format(printf, 3, 4), cold));

/* Reads the next token. */
enum ordo_status ordo_ptx_next(struct ordo_ptx_parser *in);
/* The next token is this punctuation or word. */
bool ordo_ptx_is(const struct ordo_ptx_parser *in, const char *text);
/* Takes it, or refuses. */
enum ordo_status ordo_ptx_expect(struct ordo_ptx_parser *in, const char *text);
/* Takes a number with an optional minus sign. */
enum ordo_status ordo_ptx_take_number(struct ordo_ptx_parser *in, int64_t *out);

/* Says in the program's note that the name is nowhere set; the rest is as for printf. */
void ordo_ptx_note(struct ordo_ptx_parser *in, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Index of a name, added when it is new; -1 when there is no room for one more. */
int ordo_ptx_location(struct ordo_ptx_program *p, const char *name);
int ordo_ptx_register(struct ordo_ptx_thread *t, const char *name);
/* Index of a name, or -1. */
int ordo_ptx_find_location(const struct ordo_ptx_program *p, const char *name);
int ordo_ptx_find_register(const struct ordo_ptx_thread *t, const char *name);

/* ptx_parse_initial.c: "PTX name", then anything up to the first brace; what stands up to the last one. */
enum ordo_status ordo_ptx_parse_head(struct ordo_ptx_parser *in);
enum ordo_status ordo_ptx_parse_initial(struct ordo_ptx_parser *in);
/* Takes P0 or 0. */
enum ordo_status ordo_ptx_thread_name(struct ordo_ptx_parser *in, int64_t *out);
/* The next token is a number, or a word with a colon behind it. */
bool ordo_ptx_before_colon(const struct ordo_ptx_parser *in);

/* What stood between the dots; -1 where nothing of the kind did. */
struct ordo_ptx_qualifiers {
    int sem, scope, alu, size;
    bool is_volatile, is_mmio, proxy, read, arrive, wait, sync, red, cluster, cta, bulk, reduce, async, commit, group;
    bool predicate; /* .pred */
    enum ordo_ptx_space space;
    int fence_proxy; /* -1: none */
    unsigned seen;   /* ORDO_PTX_HAS_x: which kinds of word there were */
};

/* A kind of word may stand once, and only at instructions that have it. */
enum {
    ORDO_PTX_HAS_SEM = 1 << 0,
    ORDO_PTX_HAS_SCOPE = 1 << 1,
    ORDO_PTX_HAS_ALU = 1 << 2,
    ORDO_PTX_HAS_SIZE = 1 << 3,
    ORDO_PTX_HAS_PROXY_KIND = 1 << 4,
    ORDO_PTX_HAS_VOLATILE = 1 << 5,
    ORDO_PTX_HAS_PROXY = 1 << 6,
    ORDO_PTX_HAS_READ = 1 << 7,
    ORDO_PTX_HAS_MEETING = 1 << 8, /* arrive, wait, sync, red */
    ORDO_PTX_HAS_BULK = 1 << 9,
    ORDO_PTX_HAS_ASYNC = 1 << 10,
    ORDO_PTX_HAS_COPY = 1 << 11, /* reduce, commit_group, wait_group */
    ORDO_PTX_HAS_SPACE = 1 << 12
};
/* ptx_qualifier.c: dots is empty or begins with a dot. */
enum ordo_status ordo_ptx_qualify(struct ordo_ptx_parser *in, const char *dots, struct ordo_ptx_qualifiers *q);

/* ptx_operand.c: a register or a number; a register that is set; x or [x]; a comma, and with an operand behind it. */
enum ordo_status ordo_ptx_take_operand(struct ordo_ptx_parser *in, struct ordo_ptx_thread *t,
                                       struct ordo_ptx_operand *x);
enum ordo_status ordo_ptx_take_destination(struct ordo_ptx_parser *in, struct ordo_ptx_thread *t,
                                           struct ordo_ptx_op *op);
enum ordo_status ordo_ptx_take_location(struct ordo_ptx_parser *in, struct ordo_ptx_thread *t,
                                        struct ordo_ptx_op *op);
enum ordo_status ordo_ptx_take_comma(struct ordo_ptx_parser *in, enum ordo_status status);
enum ordo_status ordo_ptx_also(struct ordo_ptx_parser *in, struct ordo_ptx_thread *t, struct ordo_ptx_op *op, int i,
                               enum ordo_status status);
/* ptx_operand.c: whether each location is in one state space, and in reach of whom it is accessed by. */
enum ordo_status ordo_ptx_check_spaces(struct ordo_ptx_parser *in);

/* ptx_parse_barrier.c: what stands behind bar or barrier. */
enum ordo_status ordo_ptx_parse_barrier(struct ordo_ptx_parser *in, struct ordo_ptx_thread *t,
                                        const struct ordo_ptx_qualifiers *q, struct ordo_ptx_op *op);
/* ptx_parse_op.c: one instruction for thread t, the next token its first word; labels are left to the caller. */
enum ordo_status ordo_ptx_parse_op(struct ordo_ptx_parser *in, struct ordo_ptx_thread *t, struct ordo_ptx_op *op,
                                   char *label);
/* ptx_parse_final.c: a condition up to what cannot belong to it. */
enum ordo_status ordo_ptx_parse_final(struct ordo_ptx_parser *in, struct ordo_ptx_final *f);

#endif
