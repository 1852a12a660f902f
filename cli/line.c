/* line.c - see line.h. */
#include "cli/line.h"

#include "cli/out.h"

#include <stdlib.h>
#include <string.h>

/* Appends one word, quoted where the shell would see more than a word; returns the new end. */
static char *put(char *to, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";

    if (*word && !word[strspn(word, plain)])
        return stpcpy(to, word);
    *to++ = '\'';
    for (; *word; word++) {
        if (*word == '\'')
            to = stpcpy(to, "'\\'");
        *to++ = *word;
    }
    return stpcpy(to, "'");
}

char *ordo_args_line(const struct ordo_args *args)
{
    size_t room = sizeof "ordo";
    char *line, *end;
    int i;

    for (i = 0; i < args->argc; i++)
        room += 4 * strlen(args->argv[i]) + 3;
    line = ordo_need(malloc(room));
    end = stpcpy(line, "ordo");
    for (i = 0; i < args->argc; i++) {
        *end++ = ' ';
        end = put(end, args->argv[i]);
    }
    return line;
}
