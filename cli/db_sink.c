/* db_sink.c - see db_sink.h. */
#include "cli/db_sink.h"

#include "cli/cell.h"
#include "cli/out.h"

#include <stdlib.h>
#include <string.h>

static void names_free(struct ordo_names *names)
{
    int i;

    for (i = 0; i < names->n; i++)
        free(names->name[i]);
    free(names->name);
    *names = (struct ordo_names){.n = 0};
}

static void names_set(struct ordo_names *names, const char *table, int n, const char *const *name)
{
    int i;

    names_free(names);
    (void)snprintf(names->table, sizeof names->table, "%s", table);
    names->n = n;
    names->name = ordo_need(calloc((size_t)n + 1, sizeof *names->name));
    for (i = 0; i < n; i++)
        names->name[i] = ordo_need(strdup(name[i]));
}

/* --- rows as JSON: one object each, names from the last `columns` ----------------------------------------------- */

static json_t *object_of(const struct ordo_names *names, const struct ordo_store_cell *cell)
{
    json_t *object = ordo_need(json_object());
    int i;

    for (i = 0; i < names->n; i++)
        ordo_cell_json(object, names->name[i], &cell[i]);
    return object;
}

static int json_columns(void *ctx, const char *table, int n, const char *const *name)
{
    struct ordo_json_sink *s = ctx;
    bool many = strcmp(table, "bits") == 0 || strcmp(table, "oracle") == 0 || strcmp(table, "row_bits") == 0;

    names_set(&s->names, table, n, name);
    if (s->whole)
        ordo_json_set(s->whole, table, many ? json_array() : json_null());
    return 0;
}

static int json_row(void *ctx, int n, const struct ordo_store_cell *cell)
{
    struct ordo_json_sink *s = ctx;
    json_t *row = object_of(&s->names, cell), *line, *slot;

    (void)n;
    if (!s->whole) {
        line = ordo_json_new(s->schema);
        ordo_json_set(line, strcmp(s->names.table, "run") == 0 ? "run" : "row", row);
        ordo_out_json(line);
        return ferror(stdout);
    }
    slot = json_object_get(s->whole, s->names.table);
    if (json_is_array(slot))
        ordo_need(json_array_append_new(slot, row) == 0 ? slot : NULL);
    else
        ordo_json_set(s->whole, s->names.table, row);
    return 0;
}

struct ordo_store_sink ordo_json_sink(struct ordo_json_sink *s)
{
    return (struct ordo_store_sink){json_columns, json_row, s};
}

void ordo_json_sink_free(struct ordo_json_sink *s)
{
    names_free(&s->names);
}

/* --- rows as text ----------------------------------------------------------------------------------------------- */

static bool picked(const struct ordo_text_sink *s, const char *name)
{
    char word[64];

    (void)snprintf(word, sizeof word, " %s ", name);
    return !s->pick || strstr(s->pick, word);
}

static void text_flush(struct ordo_text_sink *s)
{
    if (s->table.n_cell && s->show)
        printf("%s\n", s->names.table);
    if (s->table.n_column && (s->table.n_cell || !s->show))
        ordo_table_print(&s->table, s->show ? "  " : "", stdout);
    ordo_table_free(&s->table);
}

static int text_columns(void *ctx, const char *table, int n, const char *const *name)
{
    struct ordo_text_sink *s = ctx;
    const char *kept[64];
    int i, n_kept = 0;

    text_flush(s);
    names_set(&s->names, table, n, name);
    if (!s->pick) {
        ordo_table_start(&s->table, n, name);
        return 0;
    }
    for (i = 0; i < n && n_kept < 64; i++)
        if (picked(s, name[i]))
            kept[n_kept++] = name[i];
    ordo_table_start(&s->table, n_kept, kept);
    return 0;
}

/* A list has room for the start of a digest, which `db list --problem` takes as well. */
static char *shortened(char *text)
{
    if (strlen(text) == ORDO_DIGEST_HEX - 1 && strspn(text, "0123456789abcdef") == ORDO_DIGEST_HEX - 1)
        text[12] = '\0';
    return text;
}

static void print_downwards(const struct ordo_text_sink *s, int n, const struct ordo_store_cell *cell)
{
    char *text, *end, *line;
    int i;

    printf("%s\n", s->names.table);
    for (i = 0; i < n; i++) {
        text = ordo_cell_text(s->names.name[i], &cell[i]);
        for (line = text; (end = strchr(line, '\n')) && end[1]; line = end + 1)
            printf("  %-24s%.*s\n", line == text ? s->names.name[i] : "", (int)(end - line), line);
        printf("  %-24s%.*s\n", line == text ? s->names.name[i] : "", (int)strcspn(line, "\n"), line);
        free(text);
    }
}

static int text_row(void *ctx, int n, const struct ordo_store_cell *cell)
{
    static const char *const single = " run problem plan proof ";
    struct ordo_text_sink *s = ctx;
    char word[64];
    int i;

    (void)snprintf(word, sizeof word, " %s ", s->names.table);
    if (s->show && strstr(single, word)) {
        print_downwards(s, n, cell);
        return ferror(stdout);
    }
    for (i = 0; i < n; i++)
        if (picked(s, s->names.name[i]))
            ordo_table_add(&s->table, s->pick ? shortened(ordo_cell_text(s->names.name[i], &cell[i]))
                                              : ordo_cell_text(s->names.name[i], &cell[i]));
    return 0;
}

struct ordo_store_sink ordo_text_sink(struct ordo_text_sink *s)
{
    return (struct ordo_store_sink){text_columns, text_row, s};
}

void ordo_text_sink_done(struct ordo_text_sink *s)
{
    text_flush(s);
    names_free(&s->names);
}
