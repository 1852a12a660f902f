/* scratch.h - a folder for files that nobody is to see, gone at the end, also where that is a signal.
 *
 * Between make and end a thread waits for SIGINT, SIGTERM, SIGHUP (those that are not ignored) and SIGUSR1 in place
 * of all others: it removes the folder, and the program dies of the signal.  Programs that are started meanwhile
 * would have them blocked, so a folder for other programs is not made here (cli/command.h). */
#ifndef ORDO_CLI_SCRATCH_H
#define ORDO_CLI_SCRATCH_H

#include "base/status.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

struct ordo_scratch {
    char folder[200];        /* "" if there is none */
    sigset_t ends, before; /* what is waited for; the caller's mask */
    pthread_t watcher;
    bool watched;
};

/* A fresh folder ordo-NAME-XXXXXX in TMPDIR, else /tmp.  ORDO_ENVIRONMENT where that cannot be written.  *s must stay
 * where it is; end it with ordo_scratch_end, which is harmless after a failure. */
enum ordo_status ordo_scratch_make(const char *name, struct ordo_scratch *s, struct ordo_err *err);
void ordo_scratch_end(struct ordo_scratch *s);

/* A folder and the files in it, also while somebody adds some. */
void ordo_scratch_remove(const char *folder);

#endif
