/* replace.c - see replace.h. */
#include "base/replace.h"

#include "base/size.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int ordo_write_all(int fd, const void *bytes, uint64_t n)
{
    for (uint64_t done = 0; done < n;) {
        ssize_t wrote = write(fd, (const char *)bytes + done, n - done < (1u << 30) ? n - done : 1u << 30);

        if (wrote < 0 && errno != EINTR)
            return errno;
        done += wrote > 0 ? (uint64_t)wrote : 0;
    }
    return 0;
}

/* Makes the rename itself durable.  Not every file system can; the data are safe either way. */
static void sync_folder(const char *path)
{
    char *folder = strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;
    int fd;

    if (slash)
        slash[slash == folder] = 0;
    fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        (void)close(fd);
    }
    free(folder);
}

/* The file that path means, links followed, to be freed; NULL with *why set.  Renaming over a device, a pipe or a
 * link such as /dev/stdout would replace it, so only a regular file may stand there. */
static char *resolve(const char *path, int *why, bool *special)
{
    char *real = realpath(path, NULL);
    struct stat st;

    *special = false;
    if (!real) {
        *why = errno;
        if (*why != ENOENT || lstat(path, &st) == 0)
            return NULL;
        real = strdup(path);
        *why = ENOMEM;
        return real;
    }
    if (stat(real, &st) == 0 && !S_ISREG(st.st_mode)) {
        *special = true;
        free(real);
        return NULL;
    }
    return real;
}

/* Opens a file that was not there, as NAME.PID.N.tmp; not by mkstemp, whose files only their owner may read. */
static int open_temp(const char *target, char *temp, size_t size)
{
    int fd = -1;

    for (int i = 0; fd < 0 && i < 100; i++) {
        (void)snprintf(temp, size, "%s.%ld.%d.tmp", target, (long)getpid(), i);
        fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    return fd;
}

static int write_beside(const char *target, char *temp, size_t size, int (*fill)(int fd, void *ctx), void *ctx)
{
    int fd = open_temp(target, temp, size), why;

    if (fd < 0)
        return errno;
    why = fill(fd, ctx);
    if (!why && fsync(fd) != 0)
        why = errno;
    if (close(fd) != 0 && !why)
        why = errno;
    if (!why && rename(temp, target) != 0)
        why = errno;
    if (why)
        (void)unlink(temp);
    return why;
}

enum ordo_status ordo_replace_file(const char *path, const char *field, int (*fill)(int fd, void *ctx), void *ctx,
                                   struct ordo_err *err)
{
    bool special;
    size_t size;
    int why = 0;
    char *target = resolve(path, &why, &special), *temp = NULL;

    if (special)
        return ordo_fail(err, ORDO_ENVIRONMENT, path, field, "is not a regular file, so it cannot be replaced");
    if (!target)
        return ordo_fail_errno(err, ORDO_ENVIRONMENT, why, path, field, "cannot be written");
    size = strlen(target) + 48;
    temp = ordo_alloc(size, 1);
    why = temp ? write_beside(target, temp, size, fill, ctx) : ENOMEM;
    if (!why)
        sync_folder(target);
    free(temp);
    free(target);
    return why ? ordo_fail_errno(err, ORDO_ENVIRONMENT, why, path, field, "cannot be written") : ORDO_OK;
}
