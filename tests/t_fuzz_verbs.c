/* t_fuzz_verbs.c - fuzz, shrink and replay from outside, and a Ctrl-C that ends a campaign with its summary.
 *
 * Runs ./ordo of the build directory. */
#include "cli/fuzz_report.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[] = "/tmp/ordo-campaign-XXXXXX";

static int make_dir(void **state)
{
    (void)state;
    return mkdtemp(dir) == NULL;
}

static int drop_dir(void **state)
{
    char command[128];

    (void)state;
    (void)snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command);
}

static char out[65536];

/* Runs a line of sh in the build directory; output in out, exit code returned. */
static int shell(const char *line)
{
    char command[1024], path[128];
    FILE *f;
    int how;

    (void)snprintf(path, sizeof path, "%s/out", dir);
    (void)snprintf(command, sizeof command, "DIR=%s; exec >%s 2>&1; %s", dir, path, line);
    how = system(command);
    f = fopen(path, "rb");
    assert_non_null(f);
    out[fread(out, 1, sizeof out - 1, f)] = '\0';
    (void)fclose(f);
    assert_true(WIFEXITED(how));
    return WEXITSTATUS(how);
}

#define assert_out(part)                                          \
    do {                                                          \
        if (!strstr(out, part))                                   \
            fail_msg("'%s' is not in: %s", part, out);            \
    } while (0)

/* Once ends it with its summary; a child that is not listening any more would die of the signal. */
static void interrupt(void **state)
{
    (void)state;
    assert_int_equal(shell("./ordo fuzz --time 60s --seed 3 & sleep 0.4; kill -INT $!; wait $!"), 130);
    assert_out("cases    ");
    assert_out("coverage ");
    assert_out("verdict  no finding, interrupted\n");
}

static void verbs(void **state)
{
    static const char bad[] = "printf 'ordo-case/1\\nexpect proved\\nwaits 1\\nkv 2\\ncluster 4\\nrows\\n0\\n1\\n' "
                              ">$DIR/x.case; ";
    char line[512];

    (void)state;
    assert_int_equal(shell("./ordo fuzz --cases 200 --seed 4"), 0);
    assert_out("cases    200 from number 0");
    assert_out("rule of three");
    assert_out("Good-Turing");
    assert_int_equal(shell("./ordo fuzz --cases 1 --from 77 --json"), 0);
    assert_out("{\"schema\":\"ordo.fuzz/1\",\"seed\":0,\"first\":77,\"cases\":1,");
    assert_int_equal(shell("./ordo fuzz --time 3x"), 2);
    assert_out("'3x' is not a time such as 30s, 10m or 2h");
    assert_int_equal(shell("./ordo fuzz --cases 0"), 2);
    assert_int_equal(shell("./ordo replay $DIR/none.case"), 3);
    (void)snprintf(line, sizeof line, "%s./ordo replay $DIR/x.case", bad);
    assert_int_equal(shell(line), 1);
    assert_out("verdict  proved; waits 1 is promised, and 0 came out\n");
    (void)snprintf(line, sizeof line, "%s./ordo shrink $DIR/x.case", bad);
    assert_int_equal(shell(line), 2);
    assert_out("waits 1 is promised, and 0 came out; no smaller case promises that, so there is nothing to shrink");
    assert_int_equal(shell("printf 'ordo-case/1\\nkv 2\\nrows\\n0\\n' >$DIR/x.case; ./ordo shrink $DIR/x.case"), 2);
    assert_out("does not fail, so there is nothing to shrink");
    assert_int_equal(shell("printf 'ordo-case/1\\nkv 2\\nrows\\n1 1\\n' >$DIR/x.case; "
                           "./ordo replay $DIR/x.case --json"), 1);
    assert_out("\"verdict\":\"refused\"");
    assert_int_equal(shell("echo nothing >$DIR/x.case; ./ordo replay $DIR/x.case"), 3);
    assert_out("line 1: is not ordo-case/1");
}

/* A promise that breaks stays broken in the same way: which of two claims fails, refused where proved is expected.
 * The numbers of the larger case are not the smaller one's. */
static void broken_promises_shrink(void **state)
{
    static const char rows[] = "kv 8\\nrows\\n0 1 2\\n. 0 3\\n. 5 5\\n6 7 1\\n";
    static const char unique[] = "kv 8\\nrows\\n0 1 2\\n. 0 3\\n. . 5\\n6 7 1\\n";
    char line[1024];

    (void)state;
    (void)snprintf(line, sizeof line, "printf 'ordo-case/1\\nexpect proved\\nupdates 9\\noutputs finite dq=0\\n"
                   "heads 2\\ndqk 32\\ndv 16\\ncluster 4\\nwave 4\\n%s' >$DIR/x.case; ./ordo shrink $DIR/x.case "
                   "-o $DIR/y.case && cat $DIR/y.case && ./ordo replay $DIR/y.case", unique);
    assert_int_equal(shell(line), 1);
    assert_out("1 queries x 1 columns");
    assert_out("outputs finite dq=0\n");
    assert_out("expect OUTPUTS claim dq=0\n");
    assert_out("verdict  proved\n"); /* and no promise is broken: the claim's failure is expected */
    (void)snprintf(line, sizeof line, "printf 'ordo-case/1\\nexpect proved\\n%s' >$DIR/x.case; ./ordo shrink "
                   "$DIR/x.case -o $DIR/y.case && ./ordo replay $DIR/y.case", rows);
    assert_int_equal(shell(line), 1);
    assert_out("1 queries x 2 columns over 1 KV rows");
    assert_out("verdict  refused; proved is expected, and refused came out\n");
}

/* But for times the same bytes. */
static void threads(void **state)
{
    (void)state;
    for (int json = 0; json < 2; json++) {
        char line[512];

        (void)snprintf(line, sizeof line, "for j in 1 2 3; do ./ordo fuzz --cases 3000 --seed 8 -j $j %s | "
                       "sed -E 's/in [0-9.]+ s .[0-9]+ a second./T/; s/\"seconds\":[^,]*,//' >$DIR/j$j; done; "
                       "cmp $DIR/j1 $DIR/j2 && cmp $DIR/j1 $DIR/j3 && cat $DIR/j2", json ? "--json" : "");
        assert_int_equal(shell(line), 0);
        assert_out(json ? "\"cases\":3000," : "cases    3000 from number 0 T, seed 8;");
    }
}

/* A finding is in the corpus once, and comes back byte for byte. */
static void into_the_corpus(void **state)
{
    static const char text[] = "ordo-case/1\nkv 2\nexpect proved\ncluster 4\nnote of the day\nrows\n0\n1\n";
    char path[128], file[128], *printed;
    struct ordo_err err = {0};
    struct ordo_case c;
    FILE *f;

    (void)state;
    (void)snprintf(path, sizeof path, "%s/c.db", dir);
    assert_ok(ordo_case_parse("made", text, strlen(text), &c, &err), err);
    for (int twice = 0; twice < 2; twice++)
        assert_ok(ordo_case_keep(path, &c, "ordo fuzz --seed 3 --from 77 --cases 1", &err), err);
    printed = ordo_case_print(&c, false);
    assert_non_null(printed);
    (void)snprintf(file, sizeof file, "%s/want", dir);
    f = fopen(file, "wb");
    assert_non_null(f);
    assert_true(fputs(printed, f) >= 0);
    assert_int_equal(fclose(f), 0);
    free(printed);
    assert_int_equal(shell("./ordo db corpus list --db $DIR/c.db"), 0);
    assert_out("ordo fuzz --seed 3 --from 77 --cases 1");
    assert_int_equal(shell("./ordo db corpus export $DIR/cases --db $DIR/c.db"), 0);
    assert_out("1 cases in ");
    assert_int_equal(shell("cmp $DIR/want $DIR/cases/*.case && ./ordo replay $DIR/cases/*.case"), 0);
    assert_int_equal(ordo_case_keep(dir, &c, "", &err), ORDO_BAD_INPUT);
    ordo_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(interrupt),
        cmocka_unit_test(verbs),
        cmocka_unit_test(broken_promises_shrink),
        cmocka_unit_test(threads),
        cmocka_unit_test(into_the_corpus),
    };

    return cmocka_run_group_tests_name("fuzz verbs", test, make_dir, drop_dir);
}
