/* lines.h - two texts held against each other, line by line. */
#ifndef ORDO_BASE_LINES_H
#define ORDO_BASE_LINES_H

#include <stddef.h>

/* The first line in which they differ, from 1, and where it starts in `want`; 0 if they are the same. */
static inline int ordo_lines_apart(const char *text, const char *want, const char **start)
{
    int line = 1;

    *start = want;
    for (; *text == *want && *text; text++, want++)
        if (*text == '\n') {
            line++;
            *start = want + 1;
        }
    return *text == *want ? 0 : line;
}

#endif
