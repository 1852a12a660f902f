/* open.c - see store.h: opening, closing, and what SQLite's result codes mean to us. */
#include "store/impl.h"

#include "base/clock.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUSY_MS = 10000 };

static enum ordo_status status_of(int rc)
{
    switch (rc & 0xff) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
    case SQLITE_SCHEMA:
        return ORDO_BAD_INPUT;
    case SQLITE_ERROR:
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_MISUSE:
    case SQLITE_RANGE:
        return ORDO_INTERNAL; /* our own SQL; the user's is judged in query.c */
    default:
        return ORDO_ENVIRONMENT;
    }
}

enum ordo_status ordo_store_fail(const struct ordo_store *store, int rc, const char *doing, struct ordo_err *err)
{
    int system = store->db ? sqlite3_system_errno(store->db) : 0, primary = rc & 0xff;
    const char *text = store->db ? sqlite3_errmsg(store->db) : sqlite3_errstr(rc);

    if (primary == SQLITE_BUSY || primary == SQLITE_LOCKED)
        return ordo_fail(err, ORDO_ENVIRONMENT, store->path, "db", "%s: another process has held the database locked "
                         "for %d s", doing, BUSY_MS / 1000);
    if (system && (primary == SQLITE_IOERR || primary == SQLITE_FULL || primary == SQLITE_CANTOPEN))
        return ordo_fail_errno(err, status_of(rc), system, store->path, "db", "%s: %s", doing, text);
    return ordo_fail(err, status_of(rc), store->path, "db", "%s: %s", doing, text);
}

enum ordo_status ordo_store_exec(struct ordo_store *store, const char *sql, const char *doing, struct ordo_err *err)
{
    int rc = sqlite3_exec(store->db, sql, NULL, NULL, NULL);

    return rc == SQLITE_OK ? ORDO_OK : ordo_store_fail(store, rc, doing, err);
}

/* The switch to WAL wants the file alone for a moment and does not wait by itself. */
static enum ordo_status use_wal(struct ordo_store *store, struct ordo_err *err)
{
    double end = ordo_seconds() + BUSY_MS / 1000.0;
    int rc;

    while ((rc = sqlite3_exec(store->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL)) == SQLITE_BUSY &&
           ordo_seconds() < end)
        (void)sqlite3_sleep(10);
    return rc == SQLITE_OK ? ORDO_OK : ordo_store_fail(store, rc, "switching to a write-ahead log", err);
}

static enum ordo_status prepare(struct ordo_store *store, enum ordo_store_mode mode, struct ordo_err *err)
{
    enum ordo_status status;

    (void)sqlite3_extended_result_codes(store->db, 1);
    (void)sqlite3_busy_timeout(store->db, BUSY_MS);
    (void)sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    status = ordo_store_exec(store, "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL", "opening", err);
    if (status == ORDO_OK)
        status = ordo_store_check(store, mode, err);
    if (status != ORDO_OK)
        return status;
    if (mode == ORDO_STORE_READ)
        return ordo_store_exec(store, "PRAGMA query_only = ON", "opening", err);
    status = use_wal(store, err);
    /* Digests arrive in no order, so many pages of their indexes change in each transaction: hold them, and carry the
     * log over less often. */
    return status == ORDO_OK ? ordo_store_exec(store, "PRAGMA cache_size = -65536; PRAGMA wal_autocheckpoint = 16384",
                                               "opening", err)
                             : status;
}

/* False only when the file could be read and starts otherwise. */
static bool has_magic(const char *path)
{
    FILE *f = fopen(path, "rb");
    char start[16] = {0};
    size_t n;

    if (!f)
        return true; /* let SQLite say why */
    n = fread(start, 1, sizeof start, f);
    (void)fclose(f);
    return n == sizeof start && memcmp(start, "SQLite format 3", sizeof start) == 0;
}

/* Whether files can be made beside path; errno says why not. */
static bool folder_is_open(const char *path)
{
    char *folder = strdup(path), *slash = folder ? strrchr(folder, '/') : NULL;
    bool is_open;

    if (slash)
        slash[slash == folder] = 0;
    is_open = folder && access(slash ? folder : ".", W_OK | X_OK) == 0;
    free(folder);
    return is_open;
}

/* Whether the file has a companion whose name ends so. */
static bool has_beside(const char *path, const char *end)
{
    char name[4096];

    return (size_t)snprintf(name, sizeof name, "%s%s", path, end) < sizeof name && access(name, F_OK) == 0;
}

/* Whether an existing file can be used so.  A writer, and a reader of a log that a writer has left, make files beside
 * it. */
static enum ordo_status look_at_rights(const char *path, enum ordo_store_mode mode, struct ordo_err *err)
{
    if (mode == ORDO_STORE_WRITE && access(path, W_OK) != 0)
        return ordo_fail_errno(err, ORDO_ENVIRONMENT, errno, path, "db", "cannot be written to");
    if (folder_is_open(path))
        return ORDO_OK;
    if (mode == ORDO_STORE_WRITE)
        return ordo_fail_errno(err, ORDO_ENVIRONMENT, errno, path, "db", "cannot be written to, since its log has to "
                               "stand beside it in the same folder");
    if (has_beside(path, "-wal") && !has_beside(path, "-shm"))
        return ordo_fail(err, ORDO_ENVIRONMENT, path, "db", "a writer that died has left its log, %s-wal, and the "
                         "folder may not be written: copy both to another and ask there", path);
    return ORDO_OK;
}

/* What SQLite says of these is vague ("unable to open database file") or too late. */
static enum ordo_status look_at_file(const char *path, enum ordo_store_mode mode, struct ordo_err *err)
{
    struct stat st;

    if (!*path || strcmp(path, ":memory:") == 0)
        return ordo_fail(err, ORDO_BAD_INPUT, path, "db", "is not the name of a file");
    if (stat(path, &st) != 0) {
        if (errno == ENOENT && mode == ORDO_STORE_WRITE)
            return folder_is_open(path) ? ORDO_OK : ordo_fail_errno(err, ORDO_ENVIRONMENT, errno, path, "db",
                                                                    "cannot be made in its folder");
        return ordo_fail_errno(err, errno == ENOENT ? ORDO_BAD_INPUT : ORDO_ENVIRONMENT, errno, path, "db",
                               "cannot open the database");
    }
    if (!S_ISREG(st.st_mode))
        return ordo_fail(err, ORDO_BAD_INPUT, path, "db", "is not a regular file, so it holds no database");
    if (st.st_size == 0 && mode == ORDO_STORE_READ)
        return ordo_fail(err, ORDO_BAD_INPUT, path, "db", "is empty, so it holds no database");
    /* SQLite itself takes a file of some bytes for an empty database, and would overwrite it. */
    if (st.st_size > 0 && !has_magic(path))
        return ordo_fail(err, ORDO_BAD_INPUT, path, "db", "is not a database of SQLite");
    return look_at_rights(path, mode, err);
}

/* Whether the folder may not be written and holds no log of the file: then nobody is writing, but a reader cannot
 * make the shared memory that a write-ahead log wants. */
static bool is_still(const char *path)
{
    return !folder_is_open(path) && !has_beside(path, "-wal");
}

/* "file:" with everything escaped but letters, digits and slashes.  NULL without memory. */
static char *immutable_uri(const char *path)
{
    static const char option[] = "?immutable=1";
    char *uri = malloc(3 * strlen(path) + sizeof "file://" + sizeof option), *to = uri;

    if (!uri)
        return NULL;
    to = stpcpy(to, *path == '/' ? "file://" : "file:");
    for (; *path; path++)
        to += sprintf(to, isalnum((unsigned char)*path) || *path == '/' ? "%c" : "%%%02x", (unsigned char)*path);
    (void)stpcpy(to, option);
    return uri;
}

/* Readers open for writing too, where allowed, and then set query_only: the last one to leave has to be able to tidy
 * the log away. */
static int open_file(const char *path, enum ordo_store_mode mode, sqlite3 **db)
{
    char *uri;
    int rc;

    if (mode == ORDO_STORE_WRITE)
        return sqlite3_open_v2(path, db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
    if (!is_still(path))
        return sqlite3_open_v2(path, db, SQLITE_OPEN_READWRITE, NULL);
    uri = immutable_uri(path);
    rc = uri ? sqlite3_open_v2(uri, db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) : SQLITE_NOMEM;
    free(uri);
    return rc;
}

enum ordo_status ordo_store_open(const char *path, enum ordo_store_mode mode, struct ordo_store **out,
                                 struct ordo_err *err)
{
    struct ordo_store *store = NULL;
    enum ordo_status status = look_at_file(path, mode, err);
    int rc;

    *out = NULL;
    if (status != ORDO_OK)
        return status;
    store = calloc(1, sizeof *store);
    if (!store || !(store->path = strdup(path))) {
        status = ordo_fail(err, ORDO_ENVIRONMENT, path, "db", "out of memory");
        goto out;
    }
    rc = open_file(path, mode, &store->db);
    if (rc != SQLITE_OK)
        status = ordo_store_fail(store, rc, "cannot open the database", err);
    else
        status = prepare(store, mode, err);
out:
    if (status == ORDO_OK)
        *out = store;
    else
        ordo_store_close(store);
    return status;
}

void ordo_store_close(struct ordo_store *store)
{
    if (!store)
        return;
    for (int i = 0; i < store->n_statement; i++)
        (void)sqlite3_finalize(store->statement[i].stmt);
    ORDO_BUG_ON(sqlite3_close(store->db) != SQLITE_OK); /* a statement was left open */
    free(store->backup);
    free(store->path);
    free(store);
}

const char *ordo_store_library(void)
{
    return sqlite3_libversion();
}
