/* golden_dsa.c - see golden_dsa.h: the format, read and written from one table of keys. */
#include "cli/golden_dsa.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum kind { TEXT, NUMBER, WIDE };

/* Keys of a case.  most: bytes of a text, the largest number. */
static const struct key {
    const char *name;
    enum kind kind;
    bool required;
    uint64_t most;
    size_t member;
} keys[] = {
#define KEY_TEXT(name, required)                                                                                     \
    {                                                                                                                \
#name, TEXT, required, sizeof((struct ordo_golden_dsa_case *)0)->name,                                               \
            offsetof(struct ordo_golden_dsa_case, name)                                                              \
    }
#define KEY_NUMBER(name, required)                                                                                   \
    {                                                                                                                \
#name, NUMBER, required, INT32_MAX, offsetof(struct ordo_golden_dsa_case, name)                                      \
    }
    KEY_TEXT(index, false),  KEY_TEXT(pattern, false),
    KEY_NUMBER(q, false),    KEY_NUMBER(topk, false),
    KEY_NUMBER(kv, true),    KEY_TEXT(lengths, false),
    KEY_NUMBER(heads, true), KEY_NUMBER(dqk, true),
    KEY_TEXT(design, true),  KEY_NUMBER(cluster, false),
    KEY_NUMBER(wave, false), {"seed", WIDE, true, UINT64_MAX, offsetof(struct ordo_golden_dsa_case, seed)},
    KEY_TEXT(values, true),  KEY_TEXT(sink, true),
    KEY_NUMBER(raw, false),
};
enum { KEYS = sizeof keys / sizeof keys[0] };

static void *member(const struct key *key, struct ordo_golden_dsa_case *item)
{
    return (char *)item + key->member;
}

/* --- reading ---------------------------------------------------------------------------------------------------- */

struct reading {
    struct ordo_golden_dsa *golden;
    const char *path;
    size_t line, room;
    struct ordo_golden_dsa_output *open; /* whose samples are still to come */
    uint32_t missing;
    struct ordo_err *err;
};

static enum ordo_status refuse(const struct reading *r, const char *field, const char *reason)
{
    return ordo_fail(r->err, ORDO_BAD_INPUT, r->path, field, "line %zu: %s", r->line, reason);
}

static bool take_number(const char *text, uint64_t most, uint64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *out <= most;
}

static enum ordo_status read_pair(struct reading *r, struct ordo_golden_dsa_case *item, char *pair, uint32_t *seen)
{
    char *text = strchr(pair, '=');
    uint64_t number;

    if (!text)
        return refuse(r, pair, "is not key=value");
    *text++ = '\0';
    for (int i = 0; i < KEYS; i++) {
        if (strcmp(pair, keys[i].name) != 0)
            continue;
        if (*seen >> i & 1)
            return refuse(r, pair, "comes twice");
        *seen |= UINT32_C(1) << i;
        if (keys[i].kind == TEXT) {
            if (!*text || strlen(text) >= keys[i].most)
                return refuse(r, pair, "is empty or too long");
            strcpy(member(&keys[i], item), text);
            return ORDO_OK;
        }
        if (!take_number(text, keys[i].most, &number))
            return refuse(r, pair, "is no number, or too large");
        if (keys[i].kind == WIDE)
            *(uint64_t *)member(&keys[i], item) = number;
        else
            *(int32_t *)member(&keys[i], item) = (int32_t)number;
        return ORDO_OK;
    }
    return refuse(r, pair, "is an unknown key");
}

static enum ordo_status check_keys(const struct reading *r, const struct ordo_golden_dsa_case *item, uint32_t seen)
{
    for (int i = 0; i < KEYS; i++)
        if (keys[i].required && !(seen >> i & 1))
            return refuse(r, keys[i].name, "is missing");
    if (!item->index[0] == !item->pattern[0])
        return refuse(r, "index", "a case has an index file or a pattern");
    if (item->pattern[0] && (item->q < 1 || item->topk < 1))
        return refuse(r, "pattern", "needs q and topk");
    return ORDO_OK;
}

static enum ordo_status read_case(struct reading *r, char *rest)
{
    struct ordo_golden_dsa *g = r->golden;
    struct ordo_golden_dsa_case *item;
    uint32_t seen = 0;
    char *save = NULL, *name = strtok_r(rest, " ", &save);
    enum ordo_status status = ORDO_OK;

    if (!name || strlen(name) >= sizeof item->name ||
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._-") != strlen(name))
        return refuse(r, "case", "has no name of small letters, digits, dots and dashes");
    if (g->n == r->room) {
        size_t room = r->room ? 2 * r->room : 64;
        struct ordo_golden_dsa_case *more = realloc(g->item, room * sizeof *more);

        if (!more)
            return ordo_fail(r->err, ORDO_ENVIRONMENT, r->path, NULL, "no memory for the cases");
        g->item = more;
        r->room = room;
    }
    item = &g->item[g->n];
    memset(item, 0, sizeof *item);
    strcpy(item->name, name);
    for (size_t i = 0; i < g->n; i++)
        if (strcmp(g->item[i].name, name) == 0)
            return refuse(r, name, "comes twice");
    g->n++;
    for (char *pair; status == ORDO_OK && (pair = strtok_r(NULL, " ", &save)) != NULL;)
        status = read_pair(r, item, pair, &seen);
    return status == ORDO_OK ? check_keys(r, item, seen) : status;
}

static struct ordo_golden_dsa_output *output_named(const struct reading *r, const char *name)
{
    for (int i = 0; i < ORDO_OUTPUTS && r->golden->n; i++)
        if (strcmp(name, ordo_output_name[i]) == 0)
            return &r->golden->item[r->golden->n - 1].output[i];
    return NULL;
}

/* "output NAME HEX" */
static enum ordo_status read_output(struct reading *r, const char *rest)
{
    char name[16], hex[ORDO_DIGEST_HEX + 1], tail;
    struct ordo_golden_dsa_output *output;

    if (sscanf(rest, "%15s %65s %c", name, hex, &tail) != 2 || !(output = output_named(r, name)) || output->there ||
        strlen(hex) != ORDO_DIGEST_HEX - 1 || strspn(hex, "0123456789abcdef") != ORDO_DIGEST_HEX - 1)
        return refuse(r, "output", "is not `output NAME DIGEST` under a case, once a name");
    memcpy(output->digest, hex, sizeof output->digest);
    output->there = true;
    return ORDO_OK;
}

/* "sample NAME STEP N", then the bits */
static enum ordo_status read_sample(struct reading *r, const char *rest)
{
    char name[16], tail;
    struct ordo_golden_dsa_output *output;
    uint64_t step;
    uint32_t n;

    if (sscanf(rest, "%15s %" SCNu64 " %" SCNu32 " %c", name, &step, &n, &tail) != 3 ||
        !(output = output_named(r, name)) || output->n || !output->there || n < 1 || n > ORDO_GOLDEN_SAMPLES ||
        step < 1)
        return refuse(r, "sample", "is not `sample NAME STEP N` behind that output, once");
    output->step = step;
    output->n = r->missing = n;
    r->open = output;
    return ORDO_OK;
}

static enum ordo_status read_words(struct reading *r, char *line)
{
    char *save = NULL;

    for (char *text = strtok_r(line, " ", &save); text; text = strtok_r(NULL, " ", &save)) {
        if (r->missing == 0 || strlen(text) != 8 || strspn(text, "0123456789abcdef") != 8)
            return refuse(r, "sample", "is not a line of words of 8 hex digits, as many as announced");
        r->open->word[r->open->n - r->missing--] = (uint32_t)strtoul(text, NULL, 16);
    }
    return ORDO_OK;
}

static enum ordo_status read_line(struct reading *r, char *line)
{
    struct ordo_golden_dsa *g = r->golden;
    const struct {
        const char *key;
        char *to;
        size_t room;
    } head[] = {{"device", g->device, sizeof g->device},
                {"driver", g->driver, sizeof g->driver},
                {"toolkit", g->toolkit, sizeof g->toolkit},
                {"cubin", g->cubin, sizeof g->cubin}};
    char *rest = line + strcspn(line, " ");
    uint64_t sm;

    if (r->missing)
        return read_words(r, line);
    if (line[0] == '#' || line[0] == '\0')
        return ORDO_OK;
    if (*rest)
        *rest++ = '\0';
    if (strcmp(line, "case") == 0)
        return read_case(r, rest);
    if (strcmp(line, "output") == 0)
        return read_output(r, rest);
    if (strcmp(line, "sample") == 0)
        return read_sample(r, rest);
    for (size_t i = 0; i < sizeof head / sizeof head[0]; i++)
        if (strcmp(line, head[i].key) == 0 && strlen(rest) < head[i].room) {
            strcpy(head[i].to, rest);
            return ORDO_OK;
        }
    if (strcmp(line, "sm") == 0 && take_number(rest, 1000, &sm)) {
        g->sm = (int32_t)sm;
        return ORDO_OK;
    }
    return refuse(r, line, "is an unknown line");
}

static enum ordo_status read_lines(struct reading *r, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    enum ordo_status status = ORDO_OK;

    while (status == ORDO_OK && (n = getline(&line, &room, file)) >= 0) {
        if (n && line[n - 1] == '\n')
            line[--n] = '\0';
        if (r->line++ == 0)
            status = strcmp(line, "ordo-golden-dsa 1") == 0 ? ORDO_OK : refuse(r, NULL, "is not `ordo-golden-dsa 1`");
        else
            status = strlen(line) == (size_t)n ? read_line(r, line) : refuse(r, NULL, "is not text");
    }
    free(line);
    if (status == ORDO_OK && r->missing)
        return refuse(r, "sample", "the file ends inside it");
    if (status == ORDO_OK && r->golden->n == 0)
        return refuse(r, NULL, "the file has no case");
    return status;
}

enum ordo_status ordo_golden_dsa_read(struct ordo_golden_dsa *golden, const char *path, struct ordo_err *err)
{
    struct reading r = {.golden = golden, .path = path, .err = err};
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + 1 : 0;
    FILE *file = fopen(path, "rb");
    enum ordo_status status;

    *golden = (struct ordo_golden_dsa){.n = 0};
    if (!file)
        return ordo_fail_errno(err, ORDO_BAD_INPUT, errno, path, NULL, "cannot be read");
    if (n >= sizeof golden->directory) {
        (void)fclose(file);
        return ordo_fail(err, ORDO_BAD_INPUT, path, NULL, "its path is too long");
    }
    memcpy(golden->directory, path, n);
    status = read_lines(&r, file);
    (void)fclose(file);
    return status;
}

void ordo_golden_dsa_free(struct ordo_golden_dsa *golden)
{
    free(golden->item);
    *golden = (struct ordo_golden_dsa){.n = 0};
}

/* --- writing ---------------------------------------------------------------------------------------------------- */

void ordo_golden_dsa_print_head(FILE *to, const struct ordo_golden_dsa *g)
{
    fprintf(to, "ordo-golden-dsa 1\ndevice %s\nsm %" PRId32 "\ndriver %s\ntoolkit %s\ncubin %s\n", g->device, g->sm,
            g->driver, g->toolkit, g->cubin);
}

static void print_key(FILE *to, const struct key *key, struct ordo_golden_dsa_case *item)
{
    const char *text = member(key, item);
    uint64_t number = key->kind == WIDE ? item->seed : 0;

    if (key->kind == NUMBER)
        number = (uint64_t) * (int32_t *)member(key, item);
    if (key->kind == TEXT && text[0])
        fprintf(to, " %s=%s", key->name, text);
    else if (key->kind != TEXT && (number || key->required))
        fprintf(to, " %s=%" PRIu64, key->name, number);
}

void ordo_golden_dsa_print(FILE *to, const struct ordo_golden_dsa_case *item)
{
    struct ordo_golden_dsa_case copy = *item;

    fprintf(to, "case %s", item->name);
    for (int i = 0; i < KEYS; i++)
        print_key(to, &keys[i], &copy);
    fprintf(to, "\n");
    for (int i = 0; i < ORDO_OUTPUTS; i++) {
        const struct ordo_golden_dsa_output *o = &item->output[i];

        if (o->there)
            fprintf(to, "output %s %s\n", ordo_output_name[i], o->digest);
        if (o->n)
            fprintf(to, "sample %s %" PRIu64 " %" PRIu32 "\n", ordo_output_name[i], o->step, o->n);
        for (uint32_t j = 0; j < o->n; j++)
            fprintf(to, "%08" PRIx32 "%c", o->word[j], j % 8 == 7 || j + 1 == o->n ? '\n' : ' ');
    }
}
