/* ptx_final.h - a condition on the end of an execution: registers and memory, compared and joined. */
#ifndef ORDO_SIM_PTX_FINAL_H
#define ORDO_SIM_PTX_FINAL_H

#include <stdbool.h>
#include <stdint.h>

enum { ORDO_PTX_TERMS = 96 };

enum ordo_ptx_compare {
    ORDO_PTX_EQ,
    ORDO_PTX_NE,
    ORDO_PTX_LT,
    ORDO_PTX_LE,
    ORDO_PTX_GT,
    ORDO_PTX_GE
};

enum ordo_ptx_term_kind {
    ORDO_PTX_TERM_NUMBER,
    ORDO_PTX_TERM_REG,
    ORDO_PTX_TERM_LOC,
    ORDO_PTX_TERM_COMPARE, /* of the terms left and right */
    ORDO_PTX_TERM_AND,
    ORDO_PTX_TERM_OR,
    ORDO_PTX_TERM_NOT      /* of left */
};

struct ordo_ptx_term {
    enum ordo_ptx_term_kind kind;
    enum ordo_ptx_compare compare;
    int8_t thread, reg, loc;
    int16_t left, right; /* always lower indices than the term's own: evaluation is one pass */
    int64_t number;
};

/* The last term is the root; no terms: always true. */
struct ordo_ptx_final {
    int n;
    struct ordo_ptx_term term[ORDO_PTX_TERMS];
};

bool ordo_ptx_compare(enum ordo_ptx_compare how, int64_t a, int64_t b);

/* Whether f may be `wanted` when `known` gives the values of some registers and locations, out of `from`. */
bool ordo_ptx_final_may(const struct ordo_ptx_final *f, bool wanted,
                        bool (*known)(const void *from, const struct ordo_ptx_term *t, int64_t *out),
                        const void *from);
/* reg holds 16 values a thread, loc one value a place-giving location index. */
bool ordo_ptx_final_eval(const struct ordo_ptx_final *f, const int64_t (*reg)[16], const int64_t *loc);

#endif
