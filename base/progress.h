/* progress.h - one line on stderr for long work, only on a terminal, at most ten times a second. */
#ifndef ORDO_BASE_PROGRESS_H
#define ORDO_BASE_PROGRESS_H

#include <stdint.h>

/* Says that `done` of `total` units of `what` are finished; total 0 means unknown. */
void ordo_progress(const char *what, uint64_t done, uint64_t total);
/* Wipes the line.  Harmless when none was drawn. */
void ordo_progress_end(void);

#endif
