/* t_ptx_many.c - programs with more executions than can be counted, and threads that are alike. */
#include "tests/test.h"

#include "base/rng.h"
#include "sim/ptx_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUDGET = 3000000 }; /* too little to count what follows, enough to decide it */

static struct ordo_ptx_program p;
static char text[1 << 14];
static size_t used;

static void __attribute__((format(printf, 1, 2))) put(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    used += (size_t)vsnprintf(text + used, sizeof text - used, format, ap);
    va_end(ap);
    assert_true(used < sizeof text);
}

static void head(int n, const char *init)
{
    used = 0;
    put("PTX t\n{ %s }\n", init);
    for (int t = 0; t < n; t++)
        put("%sP%d@cta %d,gpu 0", t ? " | " : "", t, t);
    put(" ;\n");
}

static struct ordo_ptx_verdict verdict(void)
{
    struct ordo_ptx_verdict v;
    struct ordo_err err = {0};

    assert_ok(ordo_ptx_parse("many", text, used, &p, &err), err);
    assert_true(ordo_ptx_decide_within(&p, false, BUDGET, &v));
    return v;
}

/* n threads each store to a location of their own and load the next one; the condition is left to the caller. */
static void ring(int n, const char *fence)
{
    head(n, "");
    for (int t = 0; t < n; t++)
        put("%sst.relaxed.gpu x%d, 1", t ? " | " : "", t);
    put(" ;\n");
    for (int t = 0; t < n; t++)
        put("%s%s", t ? " | " : "", fence);
    put(" ;\n");
    for (int t = 0; t < n; t++)
        put("%sld.relaxed.gpu r0, x%d", t ? " | " : "", (t + 1) % n);
    put(" ;\n");
}

static void all_read(int n, int value)
{
    put("exists (");
    for (int t = 0; t < n; t++)
        put("%sP%d:r0 == %d", t ? " /\\ " : "", t, value);
    put(")\n");
}

static void decides(bool holds, bool counted)
{
    struct ordo_ptx_verdict v = verdict();

    if (!v.decided || v.holds != holds || v.tally.exhausted == counted)
        fail_msg("decided %d, holds %d, all executions met %d, %s:\n%s", v.decided, v.holds, !v.tally.exhausted,
                 v.refused, text);
    assert_true(counted || !v.race_known || v.tally.race);
    assert_true((v.tally.witness != NULL) == holds);
    ordo_ptx_verdict_free(&v);
}

static void sixteen_around(void **state)
{
    (void)state;
    ring(16, "fence.sc.gpu");
    all_read(16, 0);
    decides(false, false);
    ring(16, "fence.acq_rel.gpu");
    all_read(16, 0);
    decides(true, false);
    ring(16, "fence.sc.gpu");
    all_read(16, 1);
    decides(true, false);
}

/* Eight stores of eight values, and a load in each thread. */
static void eight_stores(const char *condition)
{
    head(8, "");
    for (int t = 0; t < 8; t++)
        put("%sst.relaxed.gpu x, %d", t ? " | " : "", t + 1);
    put(" ;\n");
    for (int t = 0; t < 8; t++)
        put("%sld.relaxed.gpu r0, x", t ? " | " : "");
    put(" ;\n%s\n", condition);
}

/* The end of memory and a load agree: what is read last but written over is no end. */
static void stores_and_loads(void **state)
{
    (void)state;
    eight_stores("exists (P0:r0 == 77)");
    decides(false, false);
    eight_stores("exists (P3:r0 == 8 /\\ P7:r0 == 4 /\\ (x == 4 \\/ x == 8))");
    decides(false, false);
    eight_stores("exists (P3:r0 == 8 /\\ P7:r0 == 8 /\\ x == 8)");
    decides(true, false);
    eight_stores("filter (P3:r0 == 8 /\\ P7:r0 == 4) exists (x != 77)");
    decides(false, false);
}

static void operation(struct ordo_rng *rng, char *out, size_t size, int i)
{
    static const char *const form[] = {"st.relaxed.gpu %s, %d", "st.weak %s, %d", "st.release.cta %s, %d"};
    static const char *const with[] = {"atom.relaxed.gpu.add r%d, %s, 1", "atom.acq_rel.gpu.exch r%d, %s, 2",
                                       "ld.relaxed.gpu r%d, %s", "ld.weak r%d, %s"};
    const char *loc = ordo_rng_below(rng, 2) ? "x" : "y";
    uint64_t which = ordo_rng_below(rng, 7);

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    if (which < 3)
        (void)snprintf(out, size, form[which], loc, 1 + i);
    else
        (void)snprintf(out, size, with[which - 3], i, loc);
#pragma GCC diagnostic pop
}

/* Two or three threads of one text, which a condition that names none of them lets change places; one that names
 * all in comparisons that hold does not. */
static void alike_count_the_same(void **state)
{
    struct ordo_rng rng = {7};
    int changed = 0;

    (void)state;
    for (int i = 0; i < 300; i++) {
        int n = 2 + (int)ordo_rng_below(&rng, 2), n_op = 1 + (int)ordo_rng_below(&rng, n == 2 ? 3 : 2);
        struct ordo_ptx_verdict one, all;
        struct ordo_ptx_facts f;
        char op[64];
        size_t end;

        head(n, "x=0; y=0;");
        for (int k = 0; k < n_op; k++) {
            operation(&rng, op, sizeof op, k);
            for (int t = 0; t < n; t++)
                put("%s%s", t ? " | " : "", op);
            put(" ;\n");
        }
        for (int t = 0; t < n; t++)
            put("%smov r9, 0", t ? " | " : "");
        put(" ;\n");
        end = used;
        put("exists (x == y)\n");
        one = verdict();
        ordo_ptx_facts(&p, false, &f);
        changed += f.orders > 1;
        used = end;
        put("exists (x == y");
        for (int t = 0; t < n; t++)
            put(" /\\ P%d:r9 == 0", t);
        put(")\n");
        all = verdict();
        if (one.tally.executions != all.tally.executions || one.tally.satisfied != all.tally.satisfied ||
            one.tally.race != all.tally.race || one.holds != all.holds)
            fail_msg("%s%llu and %llu executions", text, (unsigned long long)one.tally.executions,
                     (unsigned long long)all.tally.executions);
        ordo_ptx_verdict_free(&one);
        ordo_ptx_verdict_free(&all);
    }
    assert_true(changed > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sixteen_around),
        cmocka_unit_test(stores_and_loads),
        cmocka_unit_test(alike_count_the_same),
    };

    return cmocka_run_group_tests_name("ptx_many", tests, NULL, NULL);
}
