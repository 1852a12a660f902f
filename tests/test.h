/* test.h - CMocka with the headers it forgets, and the few helpers that every test program shares.
 *
 * Rules: one group per program, no assert_float_equal (it lets NaN pass), no skip() (Automake counts it as a
 * failure): a program that cannot run returns 77. */
#ifndef ORDO_TESTS_TEST_H
#define ORDO_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/status.h"

/* The call must succeed; otherwise the reason is printed. */
#define assert_ok(call, err)                                                             \
    do {                                                                                 \
        enum ordo_status status_ = (call);                                               \
        if (status_ != ORDO_OK)                                                          \
            fail_msg("%s: %s %s: %s", #call, (err).file, (err).field, (err).reason);     \
    } while (0)

#endif
