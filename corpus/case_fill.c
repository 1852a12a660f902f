/* case_fill.c - see case_fill.h.  Nine digits tell every fp32 from its neighbours, so text and value are one. */
#include "corpus/case_fill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const name[ORDO_FILLS] = {
#define ORDO_X(id, text) text,
    ORDO_CASE_FILLS(ORDO_X)
#undef ORDO_X
};

void ordo_case_print_fill(const struct ordo_case *c, FILE *out)
{
    if (!c->filled)
        return;
    fputs("fill", out);
    for (int i = 0; i < ORDO_FILLS; i++)
        if (c->filled >> i & 1)
            fprintf(out, " %s %.9g", name[i], c->fill[i] == c->fill[i] ? (double)c->fill[i] : (double)NAN);
    putc('\n', out);
}

/* The word at *v, up to a blank or the end; false for none, or one that does not fit. */
static bool take_word(const char **v, const char *end, char *word, size_t size)
{
    size_t n = 0;

    while (*v + n < end && (*v)[n] != ' ')
        n++;
    if (n == 0 || n >= size)
        return false;
    memcpy(word, *v, n);
    word[n] = '\0';
    *v += n + (*v + n < end);
    return true;
}

static int find(const char *word)
{
    for (int i = 0; i < ORDO_FILLS; i++)
        if (strcmp(name[i], word) == 0)
            return i;
    return ORDO_FILLS;
}

const char *ordo_case_read_fill(struct ordo_case *c, const char *v, const char *end)
{
    char word[32], *rest;

    while (v < end) {
        int i = take_word(&v, end, word, sizeof word) ? find(word) : ORDO_FILLS;

        if (i == ORDO_FILLS)
            return "wants q, kv, do, sink, o, lse or scale, each with a value";
        if (c->filled >> i & 1)
            return "fills a tensor a second time";
        if (v == end || !take_word(&v, end, word, sizeof word))
            return "has a tensor without a value";
        c->fill[i] = strtof(word, &rest);
        if (*rest || strpbrk(word, "xXpP()")) /* decimal, or inf, or nan */
            return "has a value that is no decimal number";
        c->filled |= 1u << i;
    }
    return c->filled ? NULL : "fills nothing";
}
