/* upgrade.c - a copy of the file before it is changed, by SQLite's backup interface: FILE.v1.bak, or FILE.v1.2.bak if
 * that is there.  The copy is complete on disk before the first step, or there is no upgrade. */
#include "store/impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRIES = 100 };

/* Makes an empty file that was not there. */
static enum ordo_status claim(struct ordo_store *store, int version, struct ordo_err *err)
{
    size_t size = strlen(store->path) + 40;
    int i, fd = -1;

    store->backup = malloc(size);
    if (!store->backup)
        return ordo_fail(err, ORDO_ENVIRONMENT, store->path, "backup", "out of memory");
    for (i = 1; fd < 0 && i <= TRIES; i++) {
        if (i == 1)
            (void)snprintf(store->backup, size, "%s.v%d.bak", store->path, version);
        else
            (void)snprintf(store->backup, size, "%s.v%d.%d.bak", store->path, version, i);
        fd = open(store->backup, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd < 0)
        return ordo_fail_errno(err, ORDO_ENVIRONMENT, errno, store->backup, "backup", "cannot be made");
    (void)close(fd);
    return ORDO_OK;
}

static int copy(const char *from, const char *to)
{
    sqlite3 *source = NULL, *target = NULL;
    sqlite3_backup *backup = NULL;
    int rc = sqlite3_open_v2(from, &source, SQLITE_OPEN_READWRITE, NULL);

    if (rc == SQLITE_OK)
        rc = sqlite3_open_v2(to, &target, SQLITE_OPEN_READWRITE, NULL);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(target, "PRAGMA synchronous = FULL", NULL, NULL, NULL);
    if (rc == SQLITE_OK && !(backup = sqlite3_backup_init(target, "main", source, "main")))
        rc = sqlite3_errcode(target);
    if (backup) {
        rc = sqlite3_backup_step(backup, -1);
        (void)sqlite3_backup_finish(backup);
    }
    (void)sqlite3_close(target);
    (void)sqlite3_close(source);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

enum ordo_status ordo_store_back_up(struct ordo_store *store, int version, struct ordo_err *err)
{
    enum ordo_status status = claim(store, version, err);
    int rc;

    if (status != ORDO_OK)
        goto out;
    /* By a second connection, which sees the last whole transaction while the first one holds the lock. */
    rc = copy(store->path, store->backup);
    if (rc != SQLITE_OK) {
        (void)unlink(store->backup);
        status = ordo_fail(err, ORDO_ENVIRONMENT, store->backup, "backup", "cannot be written, so nothing was "
                           "upgraded: %s", sqlite3_errstr(rc));
    }
out:
    if (status != ORDO_OK) {
        free(store->backup);
        store->backup = NULL;
    }
    return status;
}

const char *ordo_store_backup(const struct ordo_store *store, int *version)
{
    *version = store->upgraded_from;
    return store->backup;
}
