/* t_moment.c - dates as people write them, against the C library's calendar. */
#include "tests/test.h"

#include "cli/moment.h"

#include <string.h>
#include <time.h>

static void as_the_library(void **state)
{
    char text[32];
    int64_t us;

    (void)state;
    /* Every 20 hours and some from 1970 to beyond 2100, a century without a leap day. */
    for (int64_t t = 0; t < INT64_C(4200000000); t += 72007) {
        time_t seconds = (time_t)t;
        struct tm tm;

        assert_non_null(gmtime_r(&seconds, &tm));
        assert_true(strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm) > 0);
        assert_true(ordo_moment_parse(text, &us));
        assert_int_equal(us, t * 1000000);
        text[10] = '\0';
        assert_true(ordo_moment_parse(text, &us));
        assert_int_equal(us, t / 86400 * INT64_C(86400000000));
    }
}

static void refused(void **state)
{
    static const char *const bad[] = {
        "", "2026", "2026-1-1", "2026-13-01", "2026-00-10", "2026-02-29", "2100-02-29", "2026-04-31", "2026-01-00",
        "1969-12-31", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00",
        "2026-01-01 00:00:00Z", "2026-01-01Z", " 2026-01-01", "2026-01-01 ", "now",
    };
    int64_t us;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (ordo_moment_parse(bad[i], &us))
            fail_msg("taken: '%s'", bad[i]);
    assert_true(ordo_moment_parse("2000-02-29", &us));
    assert_true(ordo_moment_parse("2024-02-29", &us));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_the_library), cmocka_unit_test(refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
