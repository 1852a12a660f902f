/* bytes.c - see bytes.h. */
#include "corpus/bytes.h"

#include "base/size.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum ordo_status cannot_open(const struct ordo_site *at, int why)
{
    int ours = why == EMFILE || why == ENFILE || why == ENOMEM;

    return ordo_fail_errno(at->err, ours ? ORDO_ENVIRONMENT : ORDO_BAD_INPUT, why, at->file, "file",
                           "cannot be opened");
}

static enum ordo_status check_regular(const struct ordo_site *at, const struct stat *st)
{
    if (S_ISDIR(st->st_mode))
        return ordo_site_fail(at, ORDO_BAD_INPUT, "file", "is a directory, not a file");
    if (!S_ISREG(st->st_mode))
        return ordo_site_fail(at, ORDO_BAD_INPUT, "file",
                              "is a pipe, socket or device; only a regular file can be read, copy it to one first");
    return ORDO_OK;
}

enum ordo_status ordo_bytes_open(const struct ordo_site *at, struct ordo_bytes *b)
{
    enum ordo_status status;
    struct stat st;

    *b = ordo_bytes_memory(NULL, 0);
    /* Looked at before it is opened: opening a device may already do something. */
    if (stat(at->file, &st) != 0)
        return cannot_open(at, errno);
    status = check_regular(at, &st);
    if (status)
        return status;
    b->fd = open(at->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (b->fd < 0)
        return cannot_open(at, errno);
    if (fstat(b->fd, &st) != 0)
        status = cannot_open(at, errno);
    else
        status = check_regular(at, &st);
    if (status)
        ordo_bytes_close(b);
    else
        b->size = (uint64_t)st.st_size;
    return status;
}

void ordo_bytes_close(struct ordo_bytes *b)
{
    if (b->fd >= 0)
        (void)close(b->fd);
    *b = ordo_bytes_memory(NULL, 0);
}

enum ordo_status ordo_bytes_read(const struct ordo_site *at, const struct ordo_bytes *b, uint64_t offset, void *out,
                                 size_t n)
{
    ORDO_BUG_ON(offset > b->size || n > b->size - offset);
    if (b->mem && n)
        memcpy(out, b->mem + offset, n);
    for (size_t done = 0; !b->mem && done < n;) {
        ssize_t got = pread(b->fd, (uint8_t *)out + done, n - done, (off_t)(offset + done));

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return ordo_fail_errno(at->err, ORDO_ENVIRONMENT, errno, at->file, "file", "cannot be read");
        if (got == 0)
            return ordo_site_fail(at, ORDO_BAD_INPUT, "file", "became shorter while it was read");
        done += (size_t)got;
    }
    return ORDO_OK;
}

enum ordo_status ordo_bytes_of_file(const struct ordo_site *at, uint8_t **bytes, size_t *n)
{
    struct ordo_bytes b;
    enum ordo_status status = ordo_bytes_open(at, &b);

    *bytes = NULL;
    *n = 0;
    if (status != ORDO_OK)
        return status;
    *n = b.size;
    *bytes = ordo_alloc(b.size, 1);
    status = *bytes ? ordo_bytes_read(at, &b, 0, *bytes, b.size)
                    : ordo_site_fail(at, ORDO_ENVIRONMENT, "size", "no memory for its bytes");
    ordo_bytes_close(&b);
    return status;
}
