/* db_text.c - see db_text.h. */
#include "cli/db_text.h"

#include "cli/out.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- JSON ------------------------------------------------------------------------------------------------------- */

static json_t *hex_of(const struct ordo_store_cell *cell)
{
    char *hex = ordo_need(malloc(2 * cell->size + 1));
    json_t *object = ordo_need(json_object());

    hex[0] = '\0';
    for (size_t i = 0; i < cell->size; i++)
        (void)snprintf(hex + 2 * i, 3, "%02x", (unsigned)(unsigned char)cell->text[i]);
    ordo_json_text(object, "hex", hex);
    free(hex);
    return object;
}

static json_t *integer(int64_t x)
{
    char text[24];

    if (x >= -(INT64_C(1) << 53) && x <= INT64_C(1) << 53)
        return json_integer(x);
    (void)snprintf(text, sizeof text, "%" PRId64, x);
    return json_string(text);
}

json_t *ordo_db_to_json(const struct ordo_store_cell *cell)
{
    json_t *value = NULL;

    switch (cell->type) {
    case ORDO_STORE_INT:
        return ordo_need(integer(cell->integer));
    case ORDO_STORE_REAL:
        return ordo_need(isfinite(cell->real) ? json_real(cell->real)
                                              : json_string(cell->real > 0 ? "inf" : "-inf"));
    case ORDO_STORE_TEXT:
        value = json_stringn(cell->text, cell->size);
        return value ? value : hex_of(cell);
    case ORDO_STORE_BLOB:
        return hex_of(cell);
    default:
        return ordo_need(json_null());
    }
}

static bool from_hex(const char *hex, char **bytes, size_t *size)
{
    size_t n = strlen(hex);
    unsigned x;

    if (n % 2 || hex[strspn(hex, "0123456789abcdef")])
        return false;
    *size = n / 2;
    *bytes = ordo_need(malloc(*size + 1));
    for (size_t i = 0; i < *size; i++) {
        (void)sscanf(hex + 2 * i, "%2x", &x);
        (*bytes)[i] = (char)x;
    }
    (*bytes)[*size] = '\0';
    return true;
}

static bool is_real(const char *column)
{
    return strcmp(column, "worst_ratio") == 0 || strcmp(column, "seconds") == 0 || strcmp(column, "value") == 0;
}

bool ordo_db_from_json(const json_t *value, const char *column, struct ordo_store_cell *cell, char **owned)
{
    const char *text = json_string_value(value), *hex = json_string_value(json_object_get(value, "hex"));

    *owned = NULL;
    *cell = (struct ordo_store_cell){.type = ORDO_STORE_NULL};
    if (text && is_real(column)) {
        cell->type = ORDO_STORE_REAL;
        cell->real = *text == '-' ? -HUGE_VAL : HUGE_VAL;
        return strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0;
    }
    if (text)
        *cell = (struct ordo_store_cell){.type = ORDO_STORE_TEXT, .text = text, .size = json_string_length(value)};
    else if (json_is_integer(value))
        *cell = (struct ordo_store_cell){.type = ORDO_STORE_INT, .integer = json_integer_value(value)};
    else if (json_is_real(value))
        *cell = (struct ordo_store_cell){.type = ORDO_STORE_REAL, .real = json_real_value(value)};
    else if (hex && from_hex(hex, owned, &cell->size))
        cell->type = ORDO_STORE_TEXT, cell->text = *owned;
    else
        return json_is_null(value);
    return true;
}

/* --- CSV -------------------------------------------------------------------------------------------------------- */

static void csv_text(const char *text, size_t n, FILE *out)
{
    bool quoted = n == 0;

    for (size_t i = 0; i < n; i++)
        quoted |= strchr(",\"\r\n", text[i]) != NULL;
    if (!quoted) {
        (void)fwrite(text, 1, n, out);
        return;
    }
    putc('"', out);
    for (size_t i = 0; i < n; i++)
        fprintf(out, text[i] == '"' ? "\"%c" : "%c", text[i]);
    putc('"', out);
}

static int csv_columns(void *ctx, const char *table, int n, const char *const *name)
{
    (void)table;
    for (int i = 0; i < n; i++)
        fprintf(ctx, "%s%s", i ? "," : "", name[i]);
    fputs("\r\n", ctx);
    return 0;
}

static int csv_row(void *ctx, int n, const struct ordo_store_cell *cell)
{
    for (int i = 0; i < n; i++) {
        if (i)
            putc(',', ctx);
        if (cell[i].type == ORDO_STORE_INT)
            fprintf(ctx, "%" PRId64, cell[i].integer);
        else if (cell[i].type == ORDO_STORE_REAL)
            fprintf(ctx, "%.17g", cell[i].real);
        else if (cell[i].type == ORDO_STORE_TEXT)
            csv_text(cell[i].text, cell[i].size, ctx);
    }
    fputs("\r\n", ctx);
    return ferror((FILE *)ctx);
}

struct ordo_store_sink ordo_db_csv_sink(FILE *out)
{
    return (struct ordo_store_sink){csv_columns, csv_row, out};
}

/* --- JUnit XML -------------------------------------------------------------------------------------------------- */

enum { ID, SECONDS, VERB, VERDICT, FINDING, DESIGN, INPUT, ARGV, N_NAMED };
static const char *const named[N_NAMED] = {"id", "seconds", "verb", "verdict", "finding", "design", "input", "argv"};
_Static_assert((int)N_NAMED == sizeof((struct ordo_junit *)0)->column / sizeof(int), "a place for each column");

/* XML has no way to write most control characters, and ours is to be UTF-8. */
static void xml_text(const char *text, FILE *out)
{
    json_t *utf8 = json_string(text);
    unsigned char c;

    for (; (c = (unsigned char)*text); text++) {
        if (c == '&' || c == '<' || c == '>' || c == '"' || c == '\n' || c == '\t')
            fprintf(out, "&#%d;", c);
        else
            putc(c < 0x20 || c == 0x7f || (c > 0x7f && !utf8) ? '?' : c, out);
    }
    json_decref(utf8);
}

static const char *text_of(const struct ordo_junit *j, const struct ordo_store_cell *cell, int i)
{
    return cell[j->column[i]].type == ORDO_STORE_TEXT ? cell[j->column[i]].text : "";
}

static int junit_columns(void *ctx, const char *table, int n, const char *const *name)
{
    struct ordo_junit *j = ctx;

    (void)table;
    for (int k = 0; k < N_NAMED; k++)
        for (int i = 0; i < n; i++)
            if (strcmp(named[k], name[i]) == 0)
                j->column[k] = i;
    return 0;
}

static void testcase(const struct ordo_junit *j, const struct ordo_store_cell *cell, bool failed, bool skipped)
{
    const char *design = text_of(j, cell, DESIGN), *input = text_of(j, cell, INPUT);

    fputs("    <testcase classname=\"", j->out);
    xml_text(text_of(j, cell, VERB), j->out);
    fputs(*design ? "." : "", j->out);
    xml_text(design, j->out);
    fprintf(j->out, "\" name=\"run %" PRId64 "%s", cell[j->column[ID]].integer, *input ? " " : "");
    xml_text(input, j->out);
    fprintf(j->out, "\" time=\"%.6f\">", cell[j->column[SECONDS]].real);
    if (failed) {
        fputs("\n      <failure type=\"", j->out);
        xml_text(text_of(j, cell, VERDICT), j->out);
        fputs("\" message=\"", j->out);
        xml_text(text_of(j, cell, FINDING), j->out);
        fputs("\">", j->out);
        xml_text(text_of(j, cell, ARGV), j->out);
        fputs("</failure>\n    ", j->out);
    }
    fputs(skipped ? "<skipped/></testcase>\n" : "</testcase>\n", j->out);
}

static int junit_row(void *ctx, int n, const struct ordo_store_cell *cell)
{
    struct ordo_junit *j = ctx;
    const char *verdict = text_of(j, cell, VERDICT);
    bool skipped = strcmp(verdict, "not-run") == 0 || strcmp(verdict, "not-compared") == 0;
    bool failed = !skipped && strcmp(verdict, "pass") != 0 && strcmp(verdict, "clean") != 0;

    (void)n;
    if (j->out) {
        testcase(j, cell, failed, skipped);
        return ferror(j->out);
    }
    j->tests++;
    j->failures += failed;
    j->skipped += skipped;
    j->seconds += cell[j->column[SECONDS]].real;
    return 0;
}

struct ordo_store_sink ordo_db_junit_sink(struct ordo_junit *j)
{
    return (struct ordo_store_sink){junit_columns, junit_row, j};
}

void ordo_db_junit_begin(const struct ordo_junit *j)
{
    fprintf(j->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
            "  <testsuite name=\"ordo\" tests=\"%" PRId64 "\" failures=\"%" PRId64 "\" errors=\"0\" "
            "skipped=\"%" PRId64 "\" time=\"%.6f\">\n", j->tests, j->failures, j->skipped, j->seconds);
}

void ordo_db_junit_end(const struct ordo_junit *j)
{
    fputs("  </testsuite>\n</testsuites>\n", j->out);
}
