/* t_campaign.c - a campaign from outside and inside: the same seed the same results, cases that stand on their own, a
 * Ctrl-C that ends it with a summary, and the verbs around it.
 *
 * Runs ./ordo of the build directory. */
#include "fuzz/campaign.h"

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

static struct ordo_campaign *campaign(uint64_t seed, uint64_t first, uint64_t n_case)
{
    struct ordo_campaign *c = calloc(1, sizeof *c);
    struct ordo_err err = {0};

    assert_non_null(c);
    c->seed = seed;
    c->first = first;
    c->n_case = n_case;
    assert_ok(ordo_campaign_run(c, &err), err);
    assert_int_equal(c->n_done, n_case);
    return c;
}

static void drop(struct ordo_campaign *c)
{
    ordo_campaign_free(c);
    free(c);
}

/* Everything that is counted, not only the findings. */
static void same_seed_same_results(void **state)
{
    struct ordo_campaign *a = campaign(5, 0, 3000), *b = campaign(5, 0, 3000), *other = campaign(6, 0, 3000);

    (void)state;
    assert_int_equal(a->n_finding, 0);
    assert_int_equal(a->n_larger, b->n_larger);
    assert_int_equal(a->n_schedule, b->n_schedule);
    assert_memory_equal(a->cover.reached, b->cover.reached, sizeof a->cover.reached);
    assert_int_equal(a->cover.trace.n_class, b->cover.trace.n_class);
    assert_memory_equal(a->cover.trace.slot, b->cover.trace.slot, ORDO_COVER_SLOTS * sizeof *a->cover.trace.slot);
    assert_memory_not_equal(a->cover.trace.slot, other->cover.trace.slot,
                            ORDO_COVER_SLOTS * sizeof *a->cover.trace.slot);
    assert_int_equal(a->cover.reached[ORDO_COVER_MASKS][0], 16); /* small targets are all reached by then */
    assert_int_equal(a->cover.reached[ORDO_COVER_PAIRS][0], 12);
    drop(a);
    drop(b);
    drop(other);
}

static char *text_of(struct ordo_drawer *d, uint64_t seed, uint64_t i)
{
    struct ordo_swarm swarm = ordo_swarm_draw(seed, i / ORDO_SWARM_CASES, false);
    struct ordo_err err = {0};

    assert_ok(ordo_case_draw(d, &swarm, seed, i, &err), err);
    return ordo_case_print(&d->c, false);
}

/* Case i is the same whatever was drawn before it, and the text of a case says all of it. */
static void cases_stand_alone(void **state)
{
    struct ordo_drawer d = {0}, fresh;
    struct ordo_case c;
    struct ordo_err err = {0};

    (void)state;
    ordo_case_init(&d.c);
    for (uint64_t i = 0; i < 6000; i += 7) {
        char *a = text_of(&d, 9, i), *b, *read;

        memset(&fresh, 0, sizeof fresh);
        ordo_case_init(&fresh.c);
        b = text_of(&fresh, 9, i);
        if (strcmp(a, b) != 0)
            fail_msg("case %d: %s\n%s", (int)i, a, b);
        assert_ok(ordo_case_parse("drawn", a, strlen(a), &c, &err), err);
        read = ordo_case_print(&c, false);
        assert_string_equal(a, read);
        ordo_case_free(&c);
        ordo_drawer_free(&fresh);
        free(a);
        free(b);
        free(read);
    }
    ordo_drawer_free(&d);
}

/* Extents beside every edge are drawn, and so is each oddity. */
static void swarms_are_wide(void **state)
{
    int n_duplicates = 0, n_length = 0, n_preset[16] = {0}, n_cluster[17] = {0};

    (void)state;
    for (uint64_t i = 0; i < 2000; i++) {
        struct ordo_swarm s = ordo_swarm_draw(1, i, i % 2);

        n_duplicates += s.duplicates;
        n_length += s.length != 0;
        n_cluster[s.cluster]++;
        for (size_t k = 0; ordo_preset_at(k); k++)
            n_preset[k] += ordo_preset_at(k) == s.preset;
        assert_true(s.params.n_query > 0 && s.params.topk > 0 && s.params.n_kv > 0);
        assert_true(s.cluster == 0 || s.wave % s.cluster == 0);
    }
    assert_true(n_duplicates > 20 && n_length > 300);
    assert_true(n_cluster[0] && n_cluster[4] && n_cluster[8] && n_cluster[16]);
    for (size_t k = 0; ordo_preset_at(k); k++)
        assert_true(n_preset[k] > 50);
}

/* --- from outside ------------------------------------------------------------------------------------------------- */

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
    static const char bad[] = "printf 'ordo-case/1\\nexpect proved\\nwaits 1\\nkv 2\\ncluster 4\\nrows\\n0\\n1\\n' >$DIR/x.case; ";
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
    assert_out("does not fail, so there is nothing to shrink");
    assert_int_equal(shell("printf 'ordo-case/1\\nkv 2\\nrows\\n1 1\\n' >$DIR/x.case; ./ordo replay $DIR/x.case --json"), 1);
    assert_out("\"verdict\":\"refused\"");
    assert_int_equal(shell("echo nothing >$DIR/x.case; ./ordo replay $DIR/x.case"), 3);
    assert_out("line 1: is not ordo-case/1");
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(same_seed_same_results),
        cmocka_unit_test(cases_stand_alone),
        cmocka_unit_test(swarms_are_wide),
        cmocka_unit_test(interrupt),
        cmocka_unit_test(verbs),
    };

    return cmocka_run_group_tests_name("campaign", test, make_dir, drop_dir);
}
