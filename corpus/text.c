/* text.c - see text.h. */
#include "corpus/text.h"

#include "base/size.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Slots that ranges may add over the whole file; without a limit 13 bytes could ask for 8 GB. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#define MAX_RANGE_SLOTS (UINT64_C(1) << 16) /* the same code, a hundred times as many inputs */
#else
#define MAX_RANGE_SLOTS (UINT64_C(1) << 24)
#endif

struct parser {
    const struct ordo_site *at;
    const uint8_t *next, *end;
    uint64_t line;
    int32_t *slot;
    uint64_t n_slot, room, n_by_range;
};

static enum ordo_status bad(const struct parser *p, const char *why)
{
    char field[32];

    (void)snprintf(field, sizeof field, "line %" PRIu64, p->line);
    return ordo_site_fail(p->at, ORDO_BAD_INPUT, field, "%s", why);
}

static bool at_end_of_line(const struct parser *p)
{
    return p->next == p->end || *p->next == '\n' || *p->next == '#';
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static void skip_blanks(struct parser *p)
{
    while (p->next < p->end && is_blank(*p->next))
        p->next++;
}

static enum ordo_status push(struct parser *p, int32_t id)
{
    if (p->n_slot == p->room) {
        uint64_t room = p->room ? 2 * p->room : 1024;
        int32_t *grown = realloc(p->slot, room * sizeof *grown);

        if (!grown)
            return ordo_site_no_memory(p->at, room, "slots");
        p->slot = grown;
        p->room = room;
    }
    p->slot[p->n_slot++] = id;
    return ORDO_OK;
}

/* Digits, saturated at `most`. */
static bool take_digits(struct parser *p, int64_t most, int64_t *out)
{
    const uint8_t *start = p->next;
    int64_t value = 0;

    for (; p->next < p->end && is_digit(*p->next); p->next++)
        value = value * 10 + (*p->next - '0') < most ? value * 10 + (*p->next - '0') : most;
    *out = value;
    return p->next > start;
}

static enum ordo_status push_range(struct parser *p, int32_t from, int32_t to)
{
    enum ordo_status status = ORDO_OK;

    if (to < from)
        return bad(p, "has a range that runs backwards");
    p->n_by_range += (uint64_t)to - (uint64_t)from + 1;
    if (p->n_by_range > MAX_RANGE_SLOTS)
        return bad(p, "has a range too wide: all ranges of a file may make 16777216 slots; use .npy for more");
    for (int64_t id = from; !status && id <= to; id++)
        status = push(p, (int32_t)id);
    return status;
}

/* One slot or range. */
static enum ordo_status read_item(struct parser *p)
{
    bool negative = *p->next == '-';
    int64_t id, to;

    if (*p->next == '.') {
        p->next++;
        return push(p, -1);
    }
    p->next += negative;
    if (!take_digits(p, (int64_t)INT32_MAX + negative, &id))
        return bad(p, "holds something that is not an integer, a range a-b or a dot");
    if (negative)
        return push(p, (int32_t)-id);
    if (p->next == p->end || *p->next != '-')
        return push(p, (int32_t)id);
    p->next++;
    if (!take_digits(p, INT32_MAX, &to))
        return bad(p, "has a range without an end");
    return push_range(p, (int32_t)id, (int32_t)to);
}

/* Items up to the end of the line. */
static enum ordo_status read_items(struct parser *p)
{
    enum ordo_status status = ORDO_OK;
    bool comma = false;

    skip_blanks(p);
    while (!status && (comma || !at_end_of_line(p))) {
        const uint8_t *after;

        if (at_end_of_line(p) || *p->next == ',')
            return bad(p, "has an empty column beside a comma");
        status = read_item(p);
        after = p->next;
        skip_blanks(p);
        comma = p->next < p->end && *p->next == ',';
        if (!status && !comma && p->next == after && !at_end_of_line(p))
            return bad(p, "holds something that is not an integer, a range a-b or a dot");
        p->next += comma;
        skip_blanks(p);
    }
    return status;
}

static enum ordo_status read_line(struct parser *p, uint64_t *topk, uint64_t *first_line)
{
    uint64_t before = p->n_slot, n;
    enum ordo_status status = read_items(p);
    char why[96];

    if (status)
        return status;
    while (p->next < p->end && *p->next != '\n')
        p->next++;
    p->next += p->next < p->end;
    n = p->n_slot - before;
    if (n && !*topk) {
        *topk = n;
        *first_line = p->line;
    }
    if (!n || n == *topk)
        return ORDO_OK;
    (void)snprintf(why, sizeof why, "has %" PRIu64 " columns, but line %" PRIu64 " has %" PRIu64, n, *first_line,
                   *topk);
    return bad(p, why);
}

enum ordo_status ordo_text_parse(const struct ordo_site *at, const uint8_t *text, size_t n, struct ordo_problem *out)
{
    struct parser p = {.at = at, .next = text, .end = text + n};
    uint64_t topk = 0, first_line = 0;
    enum ordo_status status = ORDO_OK;

    if (n >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) /* the mark that spreadsheets put in front of UTF-8 */
        p.next += 3;
    while (!status && p.next < p.end) {
        p.line++;
        status = read_line(&p, &topk, &first_line);
    }
    if (!status && !topk)
        status = ordo_site_fail(at, ORDO_BAD_INPUT, "text", "there is no line with slots in it");
    if (!status && (topk > ORDO_MAX_EXTENT || p.n_slot / topk > ORDO_MAX_EXTENT))
        status = ordo_site_fail(at, ORDO_BAD_INPUT, "text", "more than 2147483647 lines or columns are not possible");
    if (status) {
        free(p.slot);
        return status;
    }
    out->n_query = (int32_t)(p.n_slot / topk);
    out->topk = (int32_t)topk;
    out->idx = p.slot;
    return ORDO_OK;
}
