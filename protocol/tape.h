/* tape.h - a thread's program as it was recorded: a straight line of operations. */
#ifndef ORDO_PROTOCOL_TAPE_H
#define ORDO_PROTOCOL_TAPE_H

#include "protocol/op.h"

struct ordo_record {
    enum ordo_op op;
    enum ordo_sem sem;
    enum ordo_scope scope;
    enum ordo_width width;
    enum ordo_space space;
    int64_t index;
    uint32_t value;   /* bits, operand, thread count or column */
    const char *file; /* the role header, as the compiler calls it */
    int line;
};

/* The caller's storage; n may pass size, then the tape is cut and says so. */
struct ordo_tape {
    struct ordo_record *record;
    uint32_t n, size;
};

static inline void ordo_tape_append(struct ordo_tape *tape, enum ordo_op op, enum ordo_sem sem, enum ordo_scope scope,
                                    enum ordo_width width, enum ordo_space space, int64_t index, uint32_t value,
                                    const char *file, int line)
{
    struct ordo_record r = {op, sem, scope, width, space, index, value, file, line};

    if (tape->n < tape->size)
        tape->record[tape->n] = r;
    tape->n++;
}

#endif
