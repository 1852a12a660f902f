/* scratch.c - see scratch.h. */
#include "cli/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int ends[] = {SIGINT, SIGTERM, SIGHUP};

/* What ordo_scratch_end sends the watcher; from another process it is one more signal that ends the program.  To
 * cancel the thread would do as well, but leaves a stack that AddressSanitizer takes for a broken one. */
static const int enough = SIGUSR1;

static void remove_files(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;

    while (folder && (entry = readdir(folder)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            (void)unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        (void)closedir(folder);
}

void ordo_scratch_remove(const char *folder)
{
    enum { TRIES = 100 };

    for (int i = 0; i < TRIES; i++) {
        remove_files(folder);
        if (rmdir(folder) == 0 || (errno != ENOTEMPTY && errno != EEXIST))
            return;
    }
}

static void *watch(void *arg)
{
    struct ordo_scratch *s = arg;
    siginfo_t info;
    sigset_t only;

    while (sigwaitinfo(&s->ends, &info) < 0)
        if (errno != EINTR)
            return NULL;
    if (info.si_signo == enough && info.si_pid == getpid())
        return NULL;
    ordo_scratch_remove(s->folder);
    (void)signal(info.si_signo, SIG_DFL);
    (void)kill(getpid(), info.si_signo); /* delivered to this thread, as soon as it no longer blocks it */
    (void)sigemptyset(&only);            /* the verb misses its folder by now, and may have sent that it is enough */
    (void)sigaddset(&only, info.si_signo);
    (void)pthread_sigmask(SIG_UNBLOCK, &only, NULL);
    return NULL;
}

/* What is ignored stays so: nohup means it. */
static void choose(sigset_t *set)
{
    struct sigaction now;

    (void)sigemptyset(set);
    (void)sigaddset(set, enough);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            (void)sigaddset(set, ends[i]);
}

enum ordo_status ordo_scratch_make(const char *name, struct ordo_scratch *s, struct ordo_err *err)
{
    const char *temp = getenv("TMPDIR");
    char folder[sizeof s->folder];
    int why;

    *s = (struct ordo_scratch){.watched = false};
    temp = temp && *temp ? temp : "/tmp";
    choose(&s->ends);
    (void)pthread_sigmask(SIG_BLOCK, &s->ends, &s->before);
    if (snprintf(folder, sizeof folder, "%s/ordo-%s-XXXXXX", temp, name) >= (int)sizeof folder)
        return ordo_fail_errno(err, ORDO_ENVIRONMENT, ENAMETOOLONG, temp, "TMPDIR", "cannot be used");
    if (!mkdtemp(folder))
        return ordo_fail_errno(err, ORDO_ENVIRONMENT, errno, temp, "TMPDIR", "cannot be written");
    memcpy(s->folder, folder, sizeof s->folder);
    why = pthread_create(&s->watcher, NULL, watch, s);
    s->watched = why == 0;
    return s->watched ? ORDO_OK : ordo_fail_errno(err, ORDO_ENVIRONMENT, why, NULL, "thread", "cannot be started");
}

void ordo_scratch_end(struct ordo_scratch *s)
{
    if (s->watched) {
        (void)pthread_kill(s->watcher, enough);
        (void)pthread_join(s->watcher, NULL);
    }
    if (s->folder[0])
        ordo_scratch_remove(s->folder);
    (void)pthread_sigmask(SIG_SETMASK, &s->before, NULL);
}
