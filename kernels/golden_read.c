/* golden_read.c - reading golden files: one line after the other, refused at the first that does not fit. */
#include "kernels/golden.h"
#include "kernels/golden_impl.h"
#include "kernels/product.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { HEADS = 5 }; /* lines of the head */

struct reading {
    struct ordo_golden *golden;
    const char *name;
    size_t line, room;
    uint64_t missing; /* words of the last case that are still to come */
    uint32_t head;    /* bit per line of the head that was there */
    bool open;        /* the last case has no output yet */
    struct ordo_err *err;
};

static enum ordo_status refuse(struct reading *r, const char *field, const char *reason)
{
    return ordo_fail(r->err, ORDO_BAD_INPUT, r->name, field, "line %zu: %s", r->line, reason);
}

/* The number or the name that `text` is; false if it is none. */
static bool value_of(const struct ordo_golden_field *field, const char *text, uint64_t *value)
{
    char *end;

    *value = 0;
    if (field->names != NULL) {
        for (; field->names[*value] != NULL; ++*value)
            if (strcmp(text, field->names[*value]) == 0)
                return true;
        return false;
    }
    errno = 0;
    *value = strtoull(text, &end, strncmp(text, "0x", 2) == 0 ? 16 : 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *value <= field->most;
}

static enum ordo_status read_pair(struct reading *r, struct ordo_golden_case *item, char *pair, uint32_t *seen)
{
    char *text = strchr(pair, '=');

    if (text == NULL)
        return refuse(r, pair, "is not key=value");
    *text++ = '\0';
    for (int key = 0; key < ORDO_KEYS; key++)
        if (strcmp(pair, ordo_golden_field[key].name) == 0) {
            if (*seen >> key & 1)
                return refuse(r, pair, "comes twice");
            *seen |= UINT32_C(1) << key;
            return value_of(&ordo_golden_field[key], text, &item->value[key]) ? ORDO_OK
                                                                              : refuse(r, pair, "has no such value");
        }
    return refuse(r, pair, "is an unknown key");
}

/* Keys that the kind needs (those without a value of their own when absent) and no others. */
static enum ordo_status check_keys(struct reading *r, const struct ordo_golden_case *item, uint32_t seen)
{
    const uint64_t *v = item->value;
    bool add = v[ORDO_KEY_OP] >= ORDO_OPS;

    for (int key = 0; key < ORDO_KEYS; key++) {
        const struct ordo_golden_field *field = &ordo_golden_field[key];
        bool belongs = field->kinds >> v[ORDO_KEY_KIND] & 1, here = seen >> key & 1;

        if (here && !belongs)
            return refuse(r, field->name, "does not belong to this kind");
        if (belongs && !here && field->otherwise == 0 && strncmp(field->name, "x-", 2) != 0)
            return refuse(r, field->name, "is missing");
    }
    if (v[ORDO_KEY_KIND] == ORDO_GOLDEN_UNARY ? add : v[ORDO_KEY_KIND] == ORDO_GOLDEN_ADD && !add)
        return refuse(r, "op", "is not of this kind");
    if (!(ordo_golden_forms[v[ORDO_KEY_OP]] >> v[ORDO_KEY_X_FORM] & 1))
        return refuse(r, "x-form", "is not a form of this op");
    if (v[ORDO_KEY_KIND] == ORDO_GOLDEN_PROBE && v[ORDO_KEY_UNIT] >= ORDO_UNIT_MMA_SYNC_FP16)
        return refuse(r, "unit", "has no probes, which are BF16");
    if (v[ORDO_KEY_GROUP] != 16 && v[ORDO_KEY_GROUP] != 8)
        return refuse(r, "group", "is neither 16 nor 8");
    if (v[ORDO_KEY_KIND] != ORDO_GOLDEN_UNARY && ordo_golden_words(v) > ORDO_GOLDEN_MOST_WORDS)
        return refuse(r, NULL, "the case has too many words");
    return ORDO_OK;
}

static bool has_case(const struct ordo_golden *g, const char *name)
{
    for (size_t i = 0; i < g->n; i++)
        if (strcmp(g->item[i].name, name) == 0)
            return true;
    return false;
}

static enum ordo_status read_case(struct reading *r, char *rest)
{
    struct ordo_golden *g = r->golden;
    struct ordo_golden_case *item;
    uint32_t seen = 0;
    char *save, *name = strtok_r(rest, " ", &save);
    enum ordo_status status = ORDO_OK;

    if (name == NULL || strlen(name) >= sizeof item->name ||
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789.-") != strlen(name))
        return refuse(r, "case", "has no name of small letters, digits, dots and dashes");
    if (has_case(g, name))
        return refuse(r, name, "comes twice");
    if (g->n == r->room) {
        size_t room = r->room == 0 ? 64 : 2 * r->room;
        struct ordo_golden_case *more = realloc(g->item, room * sizeof *more);

        if (more == NULL)
            return ordo_fail(r->err, ORDO_ENVIRONMENT, r->name, NULL, "no memory for the cases");
        g->item = more;
        r->room = room;
    }
    item = &g->item[g->n++];
    memset(item, 0, sizeof *item);
    strcpy(item->name, name);
    ordo_golden_defaults(item->value);
    for (char *pair; status == ORDO_OK && (pair = strtok_r(NULL, " ", &save)) != NULL;)
        status = read_pair(r, item, pair, &seen);
    r->open = true;
    return status == ORDO_OK ? check_keys(r, item, seen) : status;
}

static enum ordo_status read_words(struct reading *r, char *rest)
{
    struct ordo_golden_case *item = &r->golden->item[r->golden->n - 1];
    char *save;

    for (char *text = strtok_r(rest, " ", &save); text != NULL; text = strtok_r(NULL, " ", &save)) {
        if (r->missing == 0 || strlen(text) != 8 || strspn(text, "0123456789abcdef") != 8)
            return refuse(r, item->name, "is not a line of words of 8 hex digits, as many as announced");
        item->word[item->n_word - r->missing--] = (uint32_t)strtoul(text, NULL, 16);
    }
    if (r->missing == 0)
        item->digest = ordo_golden_digest(item->word, item->n_word);
    return ORDO_OK;
}

/* "words N" or "digest H N" under a case. */
static enum ordo_status read_output(struct reading *r, bool words, char *rest)
{
    struct ordo_golden_case *item = &r->golden->item[r->golden->n - 1];
    char text[24] = "", tail;
    int got = words ? sscanf(rest, "%" SCNu64 " %c", &item->n_word, &tail)
                    : sscanf(rest, "%20s %" SCNu64 " %c", text, &item->n_word, &tail);

    if (got != (words ? 1 : 2) || item->n_word != ordo_golden_words(item->value) || item->n_word == 0)
        return refuse(r, item->name, "announces another number of words than its keys say");
    r->open = false;
    if (!words) {
        item->digest = strtoull(text, NULL, 16);
        return strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16
                   ? ORDO_OK
                   : refuse(r, item->name, "has no digest of 16 hex digits");
    }
    if (item->n_word > ORDO_GOLDEN_MOST_WORDS)
        return refuse(r, item->name, "has too many words");
    r->missing = item->n_word;
    item->word = calloc(item->n_word, sizeof *item->word);
    return item->word != NULL ? ORDO_OK : ordo_fail(r->err, ORDO_ENVIRONMENT, r->name, NULL, "no memory for words");
}

/* Who measured: each line once, all before the first case. */
static enum ordo_status read_head(struct reading *r, const char *key, const char *rest)
{
    static const struct ordo_golden_field sm = {.most = 999};
    struct ordo_golden *g = r->golden;
    const struct {
        const char *key;
        char *to;
        size_t room;
    } head[HEADS] = {{"device", g->device, sizeof g->device}, {"driver", g->driver, sizeof g->driver},
                     {"toolkit", g->toolkit, sizeof g->toolkit}, {"cubin", g->cubin, sizeof g->cubin},
                     {"sm", NULL, 0}};
    int i = 0;

    while (i < HEADS && strcmp(key, head[i].key) != 0)
        i++;
    if (i == HEADS)
        return refuse(r, key, "is an unknown line");
    if (r->head >> i & 1)
        return refuse(r, key, "comes twice");
    r->head |= UINT32_C(1) << i;
    if (head[i].to == NULL)
        return value_of(&sm, rest, &g->sm) ? ORDO_OK : refuse(r, key, "has no such value");
    if (rest[0] == '\0' || strlen(rest) >= head[i].room)
        return refuse(r, key, "has no text that fits");
    strcpy(head[i].to, rest);
    return ORDO_OK;
}

static enum ordo_status read_line(struct reading *r, char *line)
{
    char *rest = line + strcspn(line, " ");

    if (line[0] == '#' || line[0] == '\0')
        return ORDO_OK;
    if (r->missing > 0)
        return read_words(r, line);
    if (*rest != '\0')
        *rest++ = '\0';
    if (r->open && (strcmp(line, "words") == 0 || strcmp(line, "digest") == 0))
        return read_output(r, line[0] == 'w', rest);
    if (r->open)
        return refuse(r, line, "is not the output of the case above");
    if (strcmp(line, "case") != 0)
        return read_head(r, line, rest);
    if (r->head != (UINT32_C(1) << HEADS) - 1)
        return refuse(r, line, "comes before device, sm, driver, toolkit and cubin");
    return read_case(r, rest);
}

enum ordo_status ordo_golden_parse(struct ordo_golden *golden, const char *name, const char *text, size_t length,
                                   struct ordo_err *err)
{
    struct reading r = {golden, name, 0, 0, 0, 0, false, err};
    enum ordo_status status = ORDO_OK;
    char *copy = malloc(length + 1), *next = copy;

    memset(golden, 0, sizeof *golden);
    if (copy == NULL)
        return ordo_fail(err, ORDO_ENVIRONMENT, name, NULL, "no memory for the text");
    if (memchr(text, '\0', length) != NULL) {
        free(copy);
        return ordo_fail(err, ORDO_BAD_INPUT, name, NULL, "is not text");
    }
    memcpy(copy, text, length);
    copy[length] = '\0';
    while (status == ORDO_OK && next != NULL) {
        char *line = strsep(&next, "\n");

        if (r.line++ == 0)
            status = strcmp(line, "ordo-golden 1") == 0 ? ORDO_OK : refuse(&r, NULL, "is not `ordo-golden 1`");
        else
            status = read_line(&r, line);
    }
    if (status == ORDO_OK && (r.open || r.missing > 0))
        status = refuse(&r, NULL, "the file ends inside a case");
    if (status == ORDO_OK && golden->n == 0)
        status = refuse(&r, NULL, "the file has no case");
    free(copy);
    return status;
}

enum ordo_status ordo_golden_read(struct ordo_golden *golden, const char *path, struct ordo_err *err)
{
    FILE *file = fopen(path, "rb");
    enum ordo_status status = ORDO_OK;
    char *text = NULL;
    size_t length = 0, room = 0;

    memset(golden, 0, sizeof *golden);
    if (file == NULL)
        return ordo_fail_errno(err, ORDO_BAD_INPUT, errno, path, NULL, "cannot be read");
    for (size_t got = 1; got > 0; length += got) {
        if (length == room) {
            char *more = realloc(text, room = room == 0 ? 65536 : 2 * room);

            if (more == NULL) {
                status = ordo_fail(err, ORDO_ENVIRONMENT, path, NULL, "no memory for the file");
                goto out;
            }
            text = more;
        }
        got = fread(text + length, 1, room - length, file);
    }
    status = ferror(file) ? ordo_fail(err, ORDO_BAD_INPUT, path, NULL, "cannot be read")
                          : ordo_golden_parse(golden, path, text, length, err);
out:
    free(text);
    fclose(file);
    return status;
}
