/* table.c - see table.h. */
#include "cli/table.h"

#include "cli/out.h"

#include <stdlib.h>
#include <string.h>

void ordo_table_start(struct ordo_table *t, int n, const char *const *name)
{
    int i;

    ordo_table_free(t);
    t->name = ordo_need(calloc((size_t)n + 1, sizeof *t->name));
    t->n_column = (size_t)n;
    for (i = 0; i < n; i++)
        t->name[i] = ordo_need(strdup(name[i]));
}

void ordo_table_add(struct ordo_table *t, char *text)
{
    if (t->n_cell == t->room) {
        t->room = t->room ? 2 * t->room : 64;
        t->cell = ordo_need(realloc(t->cell, t->room * sizeof *t->cell));
    }
    t->cell[t->n_cell++] = text;
}

/* Characters of UTF-8 text: bytes that are no continuation. */
static size_t width(const char *text)
{
    size_t n = 0;

    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static bool is_number(const char *text)
{
    return text[strspn(text, "+-.0123456789eEinf")] == '\0';
}

struct column {
    size_t width;
    bool right;
};

static void measure(const struct ordo_table *t, struct column *column)
{
    size_t i, w;

    for (i = 0; i < t->n_column; i++)
        column[i] = (struct column){width(t->name[i]), t->n_cell > 0};
    for (i = 0; i < t->n_cell; i++) {
        struct column *c = &column[i % t->n_column];

        w = width(t->cell[i]);
        c->width = w > c->width ? w : c->width;
        c->right = c->right && is_number(t->cell[i]);
    }
}

static void print_cell(const char *text, const struct column *c, bool last, FILE *out)
{
    int pad = (int)(c->width - width(text));

    if (c->right)
        fprintf(out, "%*s", pad, "");
    for (; *text; text++)
        fputc((unsigned char)*text < 0x20 || *text == 0x7f ? ' ' : *text, out);
    if (last)
        fputc('\n', out);
    else
        fprintf(out, "%*s", 2 + (c->right ? 0 : pad), "");
}

void ordo_table_print(const struct ordo_table *t, const char *indent, FILE *out)
{
    struct column *column = ordo_need(calloc(t->n_column + 1, sizeof *column));
    size_t i, at;

    measure(t, column);
    for (i = 0; i < t->n_column + t->n_cell; i++) {
        at = i % t->n_column;
        if (at == 0)
            fputs(indent, out);
        print_cell(i < t->n_column ? t->name[i] : t->cell[i - t->n_column], &column[at], at + 1 == t->n_column, out);
    }
    free(column);
}

void ordo_table_free(struct ordo_table *t)
{
    size_t i;

    for (i = 0; i < t->n_cell; i++)
        free(t->cell[i]);
    for (i = 0; i < t->n_column; i++)
        free(t->name[i]);
    free(t->cell);
    free(t->name);
    *t = (struct ordo_table){0};
}
