/* cell.h - a cell of the results database as text and as JSON. */
#ifndef ORDO_CLI_CELL_H
#define ORDO_CLI_CELL_H

#include "store/store.h"

#include <jansson.h>

/* malloc'd text: "-" for NULL, hex for a blob, fp32 bits as 0x%08x where the column is called bits. */
char *ordo_cell_text(const char *column, const struct ordo_store_cell *cell);
/* Adds the cell to object under the column's name, or under name:2, name:3 ... where that is taken. */
void ordo_cell_json(json_t *object, const char *column, const struct ordo_store_cell *cell);

#endif
