/* progress.c - see progress.h. */
#include "base/progress.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static double last_drawn;
static int drawn;

void ordo_progress(const char *what, uint64_t done, uint64_t total)
{
    double now = ordo_seconds();

    if (now - last_drawn < 0.1 || !isatty(STDERR_FILENO))
        return;
    last_drawn = now;
    drawn = 1;
    if (total)
        fprintf(stderr, "\r\033[K%s %" PRIu64 " of %" PRIu64, what, done, total);
    else
        fprintf(stderr, "\r\033[K%s %" PRIu64, what, done);
}

void ordo_progress_end(void)
{
    if (drawn)
        fputs("\r\033[K", stderr);
    drawn = 0;
}
