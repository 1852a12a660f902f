/* e2_replay.c - see e2_replay.h.  One line a field, `move ACTOR CHOICE` a line each, `end` last. */
#include "sim/e2_replay.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
enum { MAX_MOVES = 1 << 9 }; /* room that is cleared for each input */
#else
enum { MAX_MOVES = 1 << 16 };
#endif
enum { FORMAT = 1 };

void ordo_e2_replay_write(const struct ordo_e2_replay *r, FILE *out)
{
    fprintf(out, "ordo-schedule %d\nvariant %s\ndesign %s\n", FORMAT, r->variant ? r->variant->id : "none",
            ordo_e2_design_name[r->spec.design]);
#define ORDO_X(field, least, most) fprintf(out, #field " %" PRId32 "\n", r->spec.field);
    ORDO_E2_FIELDS(ORDO_X)
#undef ORDO_X
    fprintf(out, "writes 0x%" PRIx64 "\nscheduler %s\nresident %" PRId32 "\nsequential %d\nends %s\n", r->spec.writes,
            ordo_e2_scheduler_name[r->options.scheduler], r->options.slots, r->options.sc, ordo_e2_bad_name[r->ends]);
    for (uint32_t i = 0; i < r->n_move; i++)
        fprintf(out, "move %d %d\n", r->move[i].actor, r->move[i].choice);
    fprintf(out, "end\n");
}

void ordo_e2_replay_free(struct ordo_e2_replay *r)
{
    free(r->move);
    r->move = NULL;
}

/* --- reading ---------------------------------------------------------------------------------------------------- */

/* The index of a name, -1 if there is none. */
static int index_of(const char *name, const char *const *list, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(name, list[i]) == 0)
            return i;
    return -1;
}

/* Spelt as it is written: a minus, digits; what leaves 64 bits is at their end, and so beyond `most`. */
static bool whole_number(const char *text, int64_t least, int64_t most, int64_t *out)
{
    char *end;
    bool starts = *text == '-' || (*text >= '0' && *text <= '9');
    long long x = starts ? strtoll(text, &end, 10) : 0;

    *out = x;
    return starts && !*end && x >= least && x <= most;
}

/* 0x and up to 16 digits. */
static bool hex_number(const char *text, uint64_t *out)
{
    char *end;
    bool starts = strncmp(text, "0x", 2) == 0 && strspn(text + 2, "0123456789abcdef") == strlen(text + 2);

    *out = starts ? strtoull(text + 2, &end, 16) : 0;
    return starts && text[2] && strlen(text + 2) <= 16;
}

static bool set_number(struct ordo_e2_replay *r, const char *key, const char *value, bool *known)
{
    int64_t x;

    *known = true;
#define ORDO_X(field, least, most)                                                                                   \
    if (strcmp(key, #field) == 0) {                                                                                  \
        if (!whole_number(value, least, most, &x))                                                                   \
            return false;                                                                                            \
        r->spec.field = (int32_t)x;                                                                                  \
        return true;                                                                                                 \
    }
    ORDO_E2_FIELDS(ORDO_X)
#undef ORDO_X
    if (strcmp(key, "resident") == 0 && whole_number(value, 0, 256, &x)) {
        r->options.slots = (int32_t)x;
        return true;
    }
    if (strcmp(key, "sequential") == 0 && whole_number(value, 0, 1, &x)) {
        r->options.sc = x == 1;
        return true;
    }
    *known = false;
    return true;
}

static bool set_name(struct ordo_e2_replay *r, const char *key, const char *value)
{
    int i = -1;

    if (strcmp(key, "variant") == 0) {
        r->variant = ordo_e2_variant_find(value);
        return r->variant || strcmp(value, "none") == 0;
    }
    if (strcmp(key, "design") == 0 && (i = index_of(value, ordo_e2_design_name, ORDO_N_E2_DESIGNS)) >= 0)
        r->spec.design = (enum ordo_e2_design_id)i;
    else if (strcmp(key, "scheduler") == 0 && (i = index_of(value, ordo_e2_scheduler_name, ORDO_N_SCHEDS)) >= 0)
        r->options.scheduler = (enum ordo_e2_scheduler)i;
    else if (strcmp(key, "ends") == 0 && (i = index_of(value, ordo_e2_bad_name, ORDO_N_E2_BADS)) >= 0)
        r->ends = (enum ordo_e2_bad)i;
    else if (strcmp(key, "writes") == 0)
        return hex_number(value, &r->spec.writes);
    return i >= 0;
}

static bool add_move(struct ordo_e2_replay *r, const char *value)
{
    size_t blank = strcspn(value, " ");
    char first[160];
    int64_t actor, choice;

    (void)snprintf(first, sizeof first, "%.*s", (int)blank, value);
    if (r->n_move == MAX_MOVES || !value[blank] || !whole_number(first, INT16_MIN, INT16_MAX, &actor) ||
        !whole_number(value + blank + 1, -1, INT16_MAX, &choice))
        return false;
    r->move[r->n_move++] = (struct ordo_e2_move){(int16_t)actor, (int16_t)choice};
    return true;
}

static bool take_line(struct ordo_e2_replay *r, const char *key, const char *value)
{
    bool known;

    if (strcmp(key, "move") == 0)
        return add_move(r, value);
    if (!set_number(r, key, value, &known))
        return false;
    return known || set_name(r, key, value);
}

/* What has no line is zero, which not every field may be. */
static enum ordo_status check_missing(const struct ordo_e2_replay *r, const char *file, struct ordo_err *err)
{
#define ORDO_X(field, least, most)                                                                                   \
    if (r->spec.field < (least))                                                                                     \
        return ordo_fail(err, ORDO_BAD_INPUT, file, #field, "is not given, and must be %d at least", least);
    ORDO_E2_FIELDS(ORDO_X)
#undef ORDO_X
    return ORDO_OK;
}

enum ordo_status ordo_e2_replay_read(const char *file, FILE *in, struct ordo_e2_replay *r, struct ordo_err *err)
{
    char line[160], field[32];
    int n = 0;
    bool ended = false;

    *r = (struct ordo_e2_replay){0};
    r->move = calloc(MAX_MOVES, sizeof *r->move);
    if (!r->move)
        return ordo_fail(err, ORDO_ENVIRONMENT, file, "memory", "no memory for the schedule");
    while (!ended && fgets(line, sizeof line, in)) {
        char *value = line + strcspn(line, " \n");

        (void)snprintf(field, sizeof field, "line %d", ++n);
        if (!strchr(line, '\n'))
            return ordo_fail(err, ORDO_BAD_INPUT, file, field, "a line that is too long or has no end");
        line[strcspn(line, "\n")] = '\0';
        value += *value == ' ' ? (*value = '\0', 1) : 0;
        ended = strcmp(line, "end") == 0;
        if (n == 1 ? strcmp(line, "ordo-schedule") != 0 || strcmp(value, "1") != 0
                   : !ended && !take_line(r, line, value))
            return ordo_fail(err, ORDO_BAD_INPUT, file, field,
                             n == 1 ? "not a schedule of version 1" : "'%s' does not have the value '%.40s'", line,
                             value);
    }
    return ended ? check_missing(r, file, err)
                 : ordo_fail(err, ORDO_BAD_INPUT, file, "end", "the file ends before its end line");
}
