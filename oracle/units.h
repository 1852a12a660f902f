/* units.h - which parts of the outputs a budget pays for, when not all: decided by extents and index tensor alone. */
#ifndef ORDO_ORACLE_UNITS_H
#define ORDO_ORACLE_UNITS_H

#include "oracle/real.h"

/* n units of an output (real.h says what a unit is), ascending; after them in `unit`, where these are not all, the
 * n_dead that nothing adds to: zero, and known without a sum.  Owned. */
struct ordo_units {
    int64_t n, n_dead, all;
    int64_t *unit;
};

/* What things cost, in operations of any kind: a slot of a softmax row, a product of its dot products, a term of a
 * wanted sum. */
struct ordo_unit_cost {
    double slot, product, term;
};
extern const struct ordo_unit_cost ordo_unit_cost_real, ordo_unit_cost_near;

/* All, where `budget` pays for it and no output has more than `most` elements; else of each output what a third of
 * the budget pays for, or no more than `most`, evenly spaced among those that something adds to and that it pays for
 * alone.  units: one per output; free with ordo_units_free, also after a failure. */
enum ordo_status ordo_units_choose(const struct ordo_attend *a, const struct ordo_unit_cost *cost, double budget,
                                   double most, struct ordo_units units[ORDO_REAL_OUTPUTS], struct ordo_err *err);
void ordo_units_free(struct ordo_units units[ORDO_REAL_OUTPUTS]);

#endif
