/* near.h - the name that was probably meant. */
#ifndef ORDO_CLI_NEAR_H
#define ORDO_CLI_NEAR_H

/* Edit distance with swaps of neighbours (optimal string alignment).  Names above 31 characters count as far. */
int ordo_distance(const char *a, const char *b);

/* Keeps in *best the nearer of *best and candidate, if candidate is near enough to `typed` to be worth a question: at
 * most a third of it changed, or one is the start of the other.  Start with *best = NULL. */
void ordo_near(const char *typed, const char *candidate, const char **best);

#endif
