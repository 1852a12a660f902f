/* command.c - see command.h. */
#include "cli/command.h"

#include "cli/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;
static struct sigaction kept[2];
static const int signals[2] = {SIGINT, SIGTERM};

static void on_signal(int number)
{
    interrupted = number;
}

enum ordo_status ordo_command_begin(const char *text, struct ordo_command *c, struct ordo_err *err)
{
    const char *temp = getenv("TMPDIR");
    struct sigaction action = {.sa_handler = on_signal}; /* without SA_RESTART: waiting ends */

    *c = (struct ordo_command){.text = text};
    (void)snprintf(c->folder, sizeof c->folder, "%.150s/ordo-reveal-XXXXXX", temp && *temp ? temp : "/tmp");
    if (!mkdtemp(c->folder)) {
        int why = errno;

        c->folder[0] = '\0';
        return ordo_fail_errno(err, ORDO_ENVIRONMENT, why, temp && *temp ? temp : "/tmp", "TMPDIR",
                               "cannot be written");
    }
    (void)snprintf(c->in, sizeof c->in, "%s/in.npz", c->folder);
    (void)snprintf(c->out, sizeof c->out, "%s/out.npz", c->folder);
    (void)snprintf(c->log, sizeof c->log, "%s/log", c->folder);
    interrupted = 0;
    for (int i = 0; i < 2; i++)
        (void)sigaction(signals[i], &action, &kept[i]);
    return ORDO_OK;
}

void ordo_command_end(struct ordo_command *c)
{
    if (!c->folder[0])
        return;
    ordo_scratch_remove(c->folder);
    for (int i = 0; i < 2; i++)
        (void)sigaction(signals[i], &kept[i], NULL);
    *c = (struct ordo_command){0};
}

/* --- one run ---------------------------------------------------------------------------------------------------- */

/* The last line that the command said, printable; "nothing" if there is none.  Returns text. */
static char *last_words(const struct ordo_command *c, char text[160])
{
    char line[160];
    FILE *log = fopen(c->log, "r");

    strcpy(text, "nothing");
    while (log && fgets(line, sizeof line, log)) {
        line[strcspn(line, "\n")] = '\0';
        if (!*line)
            continue;
        strcpy(text, line);
        for (char *p = text; *p; p++)
            *p = *p >= ' ' && *p <= '~' ? *p : ' ';
    }
    if (log)
        (void)fclose(log);
    return text;
}

/* In the child. */
static void become(const struct ordo_command *c)
{
    char line[8192];
    int in = open("/dev/null", O_RDONLY), log = open(c->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int n = snprintf(line, sizeof line, "%s%s", c->text, strstr(c->text, "$1") ? "" : " \"$@\"");

    (void)setpgid(0, 0);
    for (int i = 0; i < 2; i++)
        (void)signal(signals[i], SIG_DFL);
    (void)signal(SIGPIPE, SIG_DFL);
    if (in < 0 || log < 0 || n < 0 || (size_t)n >= sizeof line || dup2(in, 0) < 0 || dup2(log, 1) < 0 ||
        dup2(log, 2) < 0)
        _exit(126);
    (void)execl("/bin/sh", "sh", "-c", line, "sh", c->in, c->out, (char *)NULL);
    _exit(126);
}

/* Waits for the child; a signal to us ends it and all that it started. */
static int wait_for(pid_t child)
{
    int how = 0;

    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        if (interrupted)
            (void)kill(-child, SIGTERM);
    return how;
}

enum ordo_status ordo_command_run(const struct ordo_command *c, struct ordo_err *err)
{
    char words[160];
    pid_t child;
    int how;

    (void)unlink(c->out);
    child = fork();
    if (child < 0)
        return ordo_fail_errno(err, ORDO_ENVIRONMENT, errno, NULL, "--exec", "cannot start a process");
    if (child == 0)
        become(c);
    how = wait_for(child);
    if (interrupted)
        return ordo_fail(err, ORDO_INTERRUPTED, NULL, "--exec", "interrupted");
    if (WIFSIGNALED(how))
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "--exec",
                         "the command was ended by signal %d; its last words: %s", WTERMSIG(how),
                         last_words(c, words));
    if (WEXITSTATUS(how) != 0)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "--exec", "the command exits with status %d; its last words: %s",
                         WEXITSTATUS(how), last_words(c, words));
    if (access(c->out, R_OK) != 0)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "--exec",
                         "the command exits with status 0 but writes no output file; its last words: %s",
                         last_words(c, words));
    return ORDO_OK;
}
