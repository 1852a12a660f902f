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
    enum ordo_data data;
    int64_t index;    /* a mask's word, a counter, a plane's element (row * stride + column), a barrier's id */
    uint32_t value;   /* bits, operand, thread count, bytes; of a stored constant, or a sum's, its fp32 bits; of copied
                       * data, the staging address */
    uint32_t source;  /* of opaque data: which value, or the staging address; of a sum: how many loads so far */
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
                                    enum ordo_data data, uint32_t source, const char *file, int line)
{
    struct ordo_record r = {op, sem, scope, width, space, data, index, value, source, file, line};

    if (tape->n < tape->size)
        tape->record[tape->n] = r;
    tape->n++;
}

#endif
