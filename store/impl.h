/* impl.h - what the files of store/ share. */
#ifndef ORDO_STORE_IMPL_H
#define ORDO_STORE_IMPL_H

#include "store/store.h"

#include <sqlite3.h>
#include <stdbool.h>

enum { ORDO_STORE_STATEMENTS = 48 };

struct ordo_store {
    sqlite3 *db;
    char *path;
    char *backup;      /* where the file as it was before an upgrade stands, or NULL */
    int upgraded_from; /* its version, 0 if the file was up to date or new */
    bool batch;        /* between ordo_store_begin and its end */
    int n_statement;   /* prepared once, by the address of their text */
    struct {
        const char *sql;
        sqlite3_stmt *stmt;
    } statement[ORDO_STORE_STATEMENTS];
};

/* Turns a result code of SQLite into a status, its text and the system's reason into err. */
enum ordo_status ordo_store_fail(const struct ordo_store *store, int rc, const char *doing, struct ordo_err *err);

/* Runs SQL without results; `doing` says what for. */
enum ordo_status ordo_store_exec(struct ordo_store *store, const char *sql, const char *doing, struct ordo_err *err);

/* Makes the file ours if it is empty, brings it up to date, and refuses it if it is foreign or newer. */
enum ordo_status ordo_store_check(struct ordo_store *store, enum ordo_store_mode mode, struct ordo_err *err);

/* upgrade.c: copies the file, as the last transaction left it, to a fresh name beside it, and sets store->backup. */
enum ordo_status ordo_store_back_up(struct ordo_store *store, int version, struct ordo_err *err);

/* A transaction, or inside a batch a savepoint.  ordo_store_leave commits if status is ORDO_OK, else undoes all since
 * ordo_store_enter; returns the first status that is not ORDO_OK. */
enum ordo_status ordo_store_enter(struct ordo_store *store, const char *doing, struct ordo_err *err);
enum ordo_status ordo_store_leave(struct ordo_store *store, enum ordo_status status, const char *doing,
                                  struct ordo_err *err);

/* A prepared statement for text that lives as long as the program; the same one for the same address.  Reset it after
 * use.  The store finalizes it. */
int ordo_store_prepare(struct ordo_store *store, const char *sql, sqlite3_stmt **stmt);

/* query.c: one row's cell, whose text dies with the next step. */
struct ordo_store_cell ordo_store_cell_of(sqlite3_stmt *stmt, int i);
/* Streams a prepared statement.  Returns the last code: SQLITE_DONE, or SQLITE_ROW when the sink had enough. */
int ordo_store_stream(sqlite3_stmt *stmt, const char *table, const struct ordo_store_sink *sink);
enum ordo_status ordo_store_judge(const struct ordo_store *store, int rc, struct ordo_err *err);

/* What is known of a run, table by table; ?1 is its id.  Ends with a NULL table. */
struct ordo_store_part {
    const char *table, *sql;
};
extern const struct ordo_store_part ordo_store_parts[];

/* content.c: the digest of all that is stored of a run, its id left out. */
enum ordo_status ordo_store_content(struct ordo_store *store, int64_t run_id, struct ordo_digest *digest,
                                    struct ordo_err *err);
/* Writes it into run.content. */
enum ordo_status ordo_store_seal(struct ordo_store *store, int64_t run_id, struct ordo_digest *digest,
                                 struct ordo_err *err);

struct ordo_digest ordo_store_digest_of(const void *bytes, size_t n);
/* name, arch, uuid, driver, a line each; what is NULL is an empty line. */
struct ordo_digest ordo_store_device_digest(const struct ordo_store_device *d);

/* --- insert.c: a statement filled from left to right ------------------------------------------------------------ */

/* The first thing that goes wrong stays and the rest does nothing, so lists of columns need no checks in between. */
struct ordo_insert {
    struct ordo_store *store;
    struct ordo_err *err;
    enum ordo_status status; /* of all statements so far */
    sqlite3_stmt *stmt;
    int column;
};

void ordo_insert_start(struct ordo_insert *in, const char *sql);
void ordo_insert_int(struct ordo_insert *in, int64_t x);
void ordo_insert_null(struct ordo_insert *in);
void ordo_insert_count(struct ordo_insert *in, const char *name, uint64_t x); /* refused above 2^63-1 */
void ordo_insert_text(struct ordo_insert *in, const char *text);              /* NULL stays NULL */
void ordo_insert_blob(struct ordo_insert *in, const void *bytes, size_t n);
void ordo_insert_digest(struct ordo_insert *in, const struct ordo_digest *d);
void ordo_insert_real(struct ordo_insert *in, double x);
/* Runs the statement; returns the integer that it yields, 0 for none. */
int64_t ordo_insert_finish(struct ordo_insert *in);

#endif
