/* cell.c - see cell.h. */
#include "cli/cell.h"

#include "cli/out.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *printed(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *printed(const char *format, ...)
{
    char *text = ordo_need(malloc(48));
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, 48, format, args);
    va_end(args);
    return text;
}

static char *hex(const struct ordo_store_cell *cell)
{
    char *text = ordo_need(malloc(2 * cell->size + 1));
    size_t i;

    text[0] = '\0';
    for (i = 0; i < cell->size; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", (unsigned char)cell->text[i]);
    return text;
}

/* An fp32 encoding is read in hex. */
static bool is_bits(const char *column, const struct ordo_store_cell *cell)
{
    return strcmp(column, "bits") == 0 && cell->integer >= 0 && cell->integer <= UINT32_MAX;
}

char *ordo_cell_text(const char *column, const struct ordo_store_cell *cell)
{
    switch (cell->type) {
    case ORDO_STORE_INT:
        return is_bits(column, cell) ? printed("0x%08" PRIx32, (uint32_t)cell->integer)
                                     : printed("%" PRId64, cell->integer);
    case ORDO_STORE_REAL:
        return printed("%.6g", cell->real);
    case ORDO_STORE_TEXT:
        return ordo_need(strdup(cell->text));
    case ORDO_STORE_BLOB:
        return hex(cell);
    default:
        return ordo_need(strdup("-"));
    }
}

void ordo_cell_json(json_t *object, const char *column, const struct ordo_store_cell *cell)
{
    char key[160], *text;
    int i;

    (void)snprintf(key, sizeof key, "%s", column);
    for (i = 2; json_object_get(object, key); i++)
        (void)snprintf(key, sizeof key, "%.140s:%d", column, i);
    if (cell->type == ORDO_STORE_INT && !is_bits(column, cell)) {
        ordo_json_int(object, key, cell->integer);
    } else if (cell->type == ORDO_STORE_REAL) {
        ordo_json_real(object, key, cell->real);
    } else {
        text = cell->type == ORDO_STORE_NULL ? NULL : ordo_cell_text(column, cell);
        ordo_json_text(object, key, text);
        free(text);
    }
}
