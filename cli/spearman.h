/* spearman.h - rank correlation: do two lists of numbers rise and fall together? */
#ifndef ORDO_CLI_SPEARMAN_H
#define ORDO_CLI_SPEARMAN_H

/* Spearman's coefficient of n pairs, equal values with their mean rank; NaN where one side has only one value. */
double ordo_spearman(const double *x, const double *y, int n);

#endif
