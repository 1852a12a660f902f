/* db.h - the parts of `ordo db`, a file each; cmd_db.c has the table of actions. */
#ifndef ORDO_CLI_DB_H
#define ORDO_CLI_DB_H

#include "cli/option.h"
#include "store/store.h"

/* Options are turned into a filter by cmd_db.c; *code becomes ORDO_FINDING where something was found. */
struct ordo_db_call {
    const struct ordo_args *args;
    struct ordo_store *store;
    struct ordo_store_filter filter;
    const char *const *operand; /* behind the words of the action */
    int n_operand;
    int code;
    uint64_t found, made; /* check: what is wrong, digests made again */
};

/* db_ask.c: a question of the store's, as a table or as JSON lines. */
enum ordo_status ordo_db_list(struct ordo_db_call *call, struct ordo_err *err);
enum ordo_status ordo_db_show(struct ordo_db_call *call, struct ordo_err *err);
enum ordo_status ordo_db_sql(struct ordo_db_call *call, struct ordo_err *err);
enum ordo_status ordo_db_flips(struct ordo_db_call *call, struct ordo_err *err);
enum ordo_status ordo_db_compare(struct ordo_db_call *call, struct ordo_err *err);
enum ordo_status ordo_db_trend(struct ordo_db_call *call, struct ordo_err *err);
enum ordo_status ordo_db_check(struct ordo_db_call *call, struct ordo_err *err);
enum ordo_status ordo_db_upgrade(struct ordo_db_call *call, struct ordo_err *err);

/* db_none.c: no run passes the filter.  Says which names there are, if it names what no run has. */
enum ordo_status ordo_db_say_none(struct ordo_db_call *call, struct ordo_err *err);

/* db_export.c, db_import.c: JSON Lines without loss; CSV and JUnit XML for others. */
enum ordo_status ordo_db_export(struct ordo_db_call *call, struct ordo_err *err);
enum ordo_status ordo_db_import(struct ordo_db_call *call, struct ordo_err *err);

/* db_corpus.c: cases, byte for byte. */
/* The name of a case: its digest as `ordo replay` prints it, whatever is said about it; of bytes that are no case,
 * theirs. */
struct ordo_digest ordo_db_name_case(const void *body, size_t size);
enum ordo_status ordo_db_corpus_add(struct ordo_db_call *call, struct ordo_err *err);
enum ordo_status ordo_db_corpus_list(struct ordo_db_call *call, struct ordo_err *err);
enum ordo_status ordo_db_corpus_show(struct ordo_db_call *call, struct ordo_err *err);
enum ordo_status ordo_db_corpus_export(struct ordo_db_call *call, struct ordo_err *err);

/* The number of a run, or 0 if text is none. */
int64_t ordo_db_id(const char *text);

#endif
