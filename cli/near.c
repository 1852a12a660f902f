/* near.c - see near.h. */
#include "cli/near.h"

#include <limits.h>
#include <string.h>

enum { LONGEST = 31 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

int ordo_distance(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b), i, j;
    int d[LONGEST + 1][LONGEST + 1];

    if (n > LONGEST || m > LONGEST)
        return INT_MAX;
    for (i = 0; i <= n; i++)
        d[i][0] = (int)i;
    for (j = 0; j <= m; j++)
        d[0][j] = (int)j;
    for (i = 1; i <= n; i++)
        for (j = 1; j <= m; j++) {
            d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[n][m];
}

/* Distance for the purpose of a question: a prefix of two letters or more is as good as one slip. */
static int closeness(const char *typed, const char *candidate)
{
    size_t n = strlen(typed), m = strlen(candidate);

    if (n >= 2 && m >= 2 && strncmp(typed, candidate, n < m ? n : m) == 0)
        return 1;
    return ordo_distance(typed, candidate);
}

void ordo_near(const char *typed, const char *candidate, const char **best)
{
    int limit = (int)(strlen(typed) > 93 ? 31 : (strlen(typed) + 2) / 3), d = closeness(typed, candidate);

    if (d <= limit && (!*best || d < closeness(typed, *best)))
        *best = candidate;
}
