/* table.h - rows of text in aligned columns: numbers to the right, the rest to the left. */
#ifndef ORDO_CLI_TABLE_H
#define ORDO_CLI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A fresh one is all zero.  Cells are row after row, n_column each. */
struct ordo_table {
    size_t n_column, n_cell, room;
    char **name;
    char **cell;
};

/* Starts the table anew.  Names are copied.  No memory is fatal here and below. */
void ordo_table_start(struct ordo_table *t, int n, const char *const *name);
/* Appends a cell, malloc'd text that the table takes over. */
void ordo_table_add(struct ordo_table *t, char *text);
/* Names, then rows, each line behind `indent`.  Control characters print as blanks. */
void ordo_table_print(const struct ordo_table *t, const char *indent, FILE *out);
void ordo_table_free(struct ordo_table *t);

#endif
