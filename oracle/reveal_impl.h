/* reveal_impl.h - between the files of the revealer: probes, gathered until they fill a run of the box. */
#ifndef ORDO_ORACLE_REVEAL_IMPL_H
#define ORDO_ORACLE_REVEAL_IMPL_H

#include "oracle/reveal.h"

/* A vector that waits: whose it is, and where its count goes. */
struct ordo_asked {
    uint32_t plus, minus, n_unit;
    uint32_t *into; /* gets the count added */
    float *raw;     /* or, where this is not NULL, the sum as it comes back */
};

struct ordo_asker {
    struct ordo_reveal_box *box;
    struct ordo_reveal *out;
    uint16_t *value;
    float *sum;
    struct ordo_asked *asked;
    uint32_t n;
};

enum ordo_status ordo_asker_make(struct ordo_reveal_box *box, struct ordo_reveal *out, struct ordo_asker *a,
                                 struct ordo_err *err);
void ordo_asker_free(struct ordo_asker *a);

/* Units on unit[0..n_unit) and nothing else. */
enum ordo_status ordo_ask_units(struct ordo_asker *a, const uint32_t *unit, uint32_t n_unit, float *raw,
                                struct ordo_err *err);
/* Masks on plus and minus, units on those of unit[0..n_unit) that are neither: *into gets the number that comes back,
 * once ordo_ask_all has run.  A number that is no count makes the verdict ORDO_REVEAL_NO_TREE. */
enum ordo_status ordo_ask_pair(struct ordo_asker *a, uint32_t plus, uint32_t minus, const uint32_t *unit,
                               uint32_t n_unit, uint32_t *into, struct ordo_err *err);
/* Runs what waits. */
enum ordo_status ordo_ask_all(struct ordo_asker *a, struct ordo_err *err);

/* The first contradiction stays. */
void ordo_reveal_contradiction(struct ordo_reveal *out, uint32_t plus, uint32_t minus, float got, float want);

#endif
