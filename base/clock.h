/* clock.h - seconds on the monotonic clock, for progress and benchmarks only; never part of a result. */
#ifndef ORDO_BASE_CLOCK_H
#define ORDO_BASE_CLOCK_H

#include <time.h>

static inline double ordo_seconds(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds that the processor has worked for this program: for a rate on one core of a busy machine. */
static inline double ordo_cpu_seconds(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
