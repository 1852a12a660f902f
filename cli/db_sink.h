/* db_sink.h - rows of the results database on stdout, as JSON or as text. */
#ifndef ORDO_CLI_DB_SINK_H
#define ORDO_CLI_DB_SINK_H

#include "cli/table.h"
#include "store/store.h"

#include <jansson.h>

/* The table and the columns whose rows come now. */
struct ordo_names {
    char table[32];
    int n;
    char **name;
};

struct ordo_json_sink {
    struct ordo_names names;
    const char *schema;
    json_t *whole; /* show: all tables in one object; NULL: a line per row */
};

struct ordo_text_sink {
    struct ordo_names names;
    struct ordo_table table;
    bool show;        /* names of tables, and single rows downwards */
    const char *pick; /* list: the columns to print, " a b " */
};

struct ordo_store_sink ordo_json_sink(struct ordo_json_sink *s);
void ordo_json_sink_free(struct ordo_json_sink *s); /* but not `whole` */

struct ordo_store_sink ordo_text_sink(struct ordo_text_sink *s);
/* Prints what was held back for alignment, and frees. */
void ordo_text_sink_done(struct ordo_text_sink *s);

#endif
