/* moment.c - see moment.h. */
#include "cli/moment.h"

#include <ctype.h>
#include <string.h>

/* Digits where the pattern has 0, itself elsewhere. */
static bool shaped(const char *text, const char *pattern)
{
    size_t i;

    for (i = 0; text[i] && pattern[i]; i++)
        if (pattern[i] == '0' ? !isdigit((unsigned char)text[i]) : text[i] != pattern[i])
            return false;
    return !text[i] && !pattern[i];
}

static int number(const char *text, int n)
{
    int x = 0;

    while (n--)
        x = 10 * x + (*text++ - '0');
    return x;
}

static bool is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

bool ordo_moment_parse(const char *text, int64_t *us)
{
    static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
    bool day_only = shaped(text, "0000-00-00");
    int year, month, day, hour = 0, minute = 0, second = 0;
    int64_t days;

    if (!day_only && !shaped(text, "0000-00-00T00:00:00Z"))
        return false;
    year = number(text, 4), month = number(text + 5, 2), day = number(text + 8, 2);
    if (!day_only)
        hour = number(text + 11, 2), minute = number(text + 14, 2), second = number(text + 17, 2);
    if (year < 1970 || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59 ||
        day > before[month] - before[month - 1] + (month == 2 && is_leap(year)))
        return false;
    days = 365 * (int64_t)(year - 1970) + before[month - 1] + day - 1 + (month > 2 && is_leap(year));
    for (int y = 1972; y < year; y += 4)
        days += is_leap(y);
    *us = ((days * 24 + hour) * 60 + minute) * INT64_C(60000000) + second * INT64_C(1000000);
    return true;
}
