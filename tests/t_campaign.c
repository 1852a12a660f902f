/* t_campaign.c - the same seed the same results, cases that stand on their own, swarms that are wide, promises
 * kept. */
#include "fuzz/campaign.h"

#include "tests/test.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
    struct ordo_campaign *a = campaign(5, 0, 1500), *b = campaign(5, 0, 1500), *other = campaign(6, 0, 1500);

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
    drop(a);
    drop(b);
    drop(other);
}

static char *text_of(struct ordo_drawer *d, uint64_t seed, uint64_t i)
{
    struct ordo_swarm swarm = ordo_swarm_draw(seed, i / ORDO_SWARM_CASES, ordo_case_is_larger(i));
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

/* --- a finding's number ----------------------------------------------------------------------------------------- */

/* A judge that dislikes all larger cases and a few small ones, each by its own signature: the digest of its text. */
static void dislike(void *ctx, const struct ordo_case *c, struct ordo_finding *f)
{
    char hex[ORDO_DIGEST_HEX];
    struct ordo_digest digest;
    struct ordo_err err = {0};

    (void)ctx;
    if ((int64_t)c->problem.n_query * c->problem.topk * ((c->heads + 63) / 64) <= 384 && c->value_seed % 16)
        return;
    assert_ok(ordo_case_digest(c, &digest, &err), err);
    f->source = ORDO_SOURCE_CONTRACT;
    (void)snprintf(f->signature, sizeof f->signature, "PLANTED %.40s", ordo_digest_hex(&digest, hex));
}

/* The number that is printed with a finding draws the same case, larger or not, as the first and only one. */
static void numbers_draw_again(void **state)
{
    struct ordo_campaign *c = calloc(1, sizeof *c), *again;
    struct ordo_err err = {0};
    int n_larger = 0;

    (void)state;
    assert_non_null(c);
    c->seed = 3;
    c->n_case = 200;
    c->judge = dislike;
    assert_ok(ordo_campaign_run(c, &err), err);
    assert_in_range(c->n_finding, 4, ORDO_MAX_FINDINGS);
    for (int32_t i = 0; i < c->n_finding; i++) {
        again = calloc(1, sizeof *again);
        assert_non_null(again);
        again->seed = 3;
        again->first = c->finding[i].number;
        again->n_case = 1;
        again->judge = dislike;
        assert_ok(ordo_campaign_run(again, &err), err);
        assert_int_equal(again->n_done, 1);
        assert_int_equal(again->n_finding, 1);
        assert_int_equal(again->finding[0].number, c->finding[i].number);
        assert_string_equal(again->finding[0].finding.signature, c->finding[i].finding.signature);
        n_larger += again->n_larger == 1;
        drop(again);
    }
    assert_in_range(n_larger, 2, c->n_finding - 1);
    drop(c);
}

/* The small ones of those, which shrink in no time. */
static void dislike_small(void *ctx, const struct ordo_case *c, struct ordo_finding *f)
{
    if ((int64_t)c->problem.n_query * c->problem.topk <= 64)
        dislike(ctx, c, f);
}

/* Threads run ahead, and nothing is counted otherwise: not where it ends, nor what was found on the way. */
static void threads_change_nothing(void **state)
{
    static const struct {
        uint64_t first, n_case;
        int32_t stop_after;
    } how[] = {{0, 300, 0}, {40, 70, 0}, {32, 3000, 2}, {100, 5000, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof how / sizeof how[0]; i++) {
        struct ordo_campaign *c[2];
        struct ordo_err err = {0};

        for (int k = 0; k < 2; k++) {
            c[k] = calloc(1, sizeof *c[k]);
            assert_non_null(c[k]);
            c[k]->seed = 11;
            c[k]->first = how[i].first;
            c[k]->n_case = how[i].n_case;
            c[k]->stop_after = how[i].stop_after;
            c[k]->n_thread = k ? 3 : 1;
            c[k]->judge = i ? dislike_small : NULL;
            assert_ok(ordo_campaign_run(c[k], &err), err);
        }
        assert_int_equal(c[0]->n_done, c[1]->n_done);
        assert_int_equal(c[0]->n_larger, c[1]->n_larger);
        assert_int_equal(c[0]->n_dropped, c[1]->n_dropped);
        assert_int_equal(c[0]->n_finding, c[1]->n_finding);
        assert_true(how[i].stop_after ? c[0]->n_finding == how[i].stop_after : (c[0]->n_finding > 0) == (i > 0));
        for (int32_t f = 0; f < c[0]->n_finding; f++) {
            assert_int_equal(c[0]->finding[f].number, c[1]->finding[f].number);
            assert_int_equal(c[0]->finding[f].n, c[1]->finding[f].n);
            assert_string_equal(c[0]->finding[f].finding.signature, c[1]->finding[f].finding.signature);
        }
        assert_memory_equal(c[0]->cover.reached, c[1]->cover.reached, sizeof c[0]->cover.reached);
        assert_int_equal(c[0]->cover.novel, c[1]->cover.novel);
        assert_memory_equal(&c[0]->cover.pct, &c[1]->cover.pct, sizeof c[0]->cover.pct);
        assert_memory_equal(c[0]->cover.trace.slot, c[1]->cover.trace.slot,
                            ORDO_COVER_SLOTS * sizeof *c[0]->cover.trace.slot);
        assert_memory_equal(c[0]->cover.shape.slot, c[1]->cover.shape.slot,
                            ORDO_COVER_SLOTS * sizeof *c[0]->cover.shape.slot);
        drop(c[0]);
        drop(c[1]);
    }
}

/* On a terminal, shrinking says how far it is, and wipes that at the end. */
static void shrinking_is_seen(void **state)
{
    int terminal = posix_openpt(O_RDWR | O_NOCTTY), slave, saved = dup(STDERR_FILENO);
    struct ordo_drawer d = {0};
    struct ordo_case c;
    struct ordo_err err = {0};
    uint64_t tries;
    char *text, seen[4096];
    size_t n = 0;

    (void)state;
    assert_true(terminal >= 0 && saved >= 0);
    assert_int_equal(grantpt(terminal), 0);
    assert_int_equal(unlockpt(terminal), 0);
    slave = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    assert_true(slave >= 0);
    ordo_case_init(&d.c);
    text = text_of(&d, 1, 1);
    assert_ok(ordo_case_parse("drawn", text, strlen(text), &c, &err), err);
    assert_int_equal(dup2(slave, STDERR_FILENO), STDERR_FILENO);
    (void)ordo_shrink_finding(&c, "PLANTED", NULL, &tries, &err);
    assert_int_equal(dup2(saved, STDERR_FILENO), STDERR_FILENO);
    assert_true(tries > 0);
    seen[0] = '\0';
    while (n < sizeof seen - 1 && (n < 5 || strcmp(seen + n - 4, "\r\033[K") != 0) &&
           poll(&(struct pollfd){.fd = terminal, .events = POLLIN}, 1, 2000) == 1) {
        ssize_t more = read(terminal, seen + n, sizeof seen - 1 - n);

        assert_true(more > 0);
        n += (size_t)more;
        seen[n] = '\0';
    }
    assert_non_null(strstr(seen, "shrink: try 1"));
    assert_true(n > 4 && strcmp(seen + n - 4, "\r\033[K") == 0);
    assert_int_equal(close(slave) | close(terminal) | close(saved), 0);
    ordo_case_free(&c);
    ordo_drawer_free(&d);
    free(text);
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

/* A promise is kept to the number, and an unkept one is said. */
static void promises(void **state)
{
    static const char text[] = "ordo-case/1\nexpect proved\nupdates 3\ntouched 2\nwaits 1\ndead_queries 1\nplanes 1\n"
                               "cluster 4\nwave 4\nkv 2\nrows\n0 1\n. 0\n. .\n";
    struct ordo_trial_result r;
    struct ordo_err err = {0};
    struct ordo_case c;
    char out[160];
    uint64_t *const number[] = {&c.updates, &c.touched, &c.waits, &c.dead_queries, &c.planes};

    (void)state;
    assert_ok(ordo_case_parse("t", text, strlen(text), &c, &err), err);
    assert_ok(ordo_replay_case(&c, &r, &err), err);
    assert_false(ordo_trial_breaks_promise(&c, &r, out, sizeof out));
    for (size_t i = 0; i < sizeof number / sizeof number[0]; i++)
        for (int off = -1; off <= 1; off += 2) {
            *number[i] += (uint64_t)off;
            assert_true(ordo_trial_breaks_promise(&c, &r, out, sizeof out));
            assert_non_null(strstr(out, " is promised, and "));
            *number[i] -= (uint64_t)off;
        }
    memcpy(c.expect, "refused", sizeof "refused");
    assert_true(ordo_trial_breaks_promise(&c, &r, out, sizeof out));
    assert_string_equal(out, "refused is expected, and proved came out");
    ordo_case_free(&c);
}

/* Beyond 2^24 KV rows tables have other rows than the tensor, and the fuzzer's expectation has to follow. */
static void far_rows(void **state)
{
    static const int32_t kv[] = {(1 << 24) + 1, 20000000};
    struct ordo_cover cover;
    struct ordo_trial t = {.n_schedules = 6, .cover = &cover};
    struct ordo_trial_result r;
    struct ordo_err err = {0};
    struct ordo_case c;
    char text[256];

    (void)state;
    assert_ok(ordo_trial_init(&t, &err), err);
    assert_ok(ordo_cover_init(&cover, &err), err);
    for (int cluster = 4; cluster <= 16; cluster *= 2)
        for (size_t i = 0; i < sizeof kv / sizeof kv[0]; i++) {
            int n = snprintf(text, sizeof text, "ordo-case/1\ndesign cluster-relay\ncluster %d\nwave %d\nkv %d\n"
                             "rows\n1 %d\n%d 1\n. 9\n%d .\n", cluster, cluster, kv[i], kv[i] - 1, kv[i] - 1,
                             kv[i] - 9);

            assert_ok(ordo_case_parse("t", text, (size_t)n, &c, &err), err);
            assert_ok(ordo_trial_run(&t, &c, &r, &err), err);
            assert_string_equal(r.finding.text, "");
            assert_int_equal(r.finding.source, ORDO_SOURCE_NONE);
            assert_int_equal(r.verdict, ORDO_PROVED);
            assert_int_equal(r.updates, 6);
            assert_int_equal(r.waits, 2);
            ordo_case_free(&c);
        }
    assert_int_equal(cover.trace.n_draw, 3 * 2 * 6); /* scheduled too */
    assert_true(cover.reached[ORDO_COVER_PAIRS][0] > 0);
    ordo_cover_free(&cover);
    ordo_trial_free(&t);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(same_seed_same_results),
        cmocka_unit_test(cases_stand_alone),
        cmocka_unit_test(numbers_draw_again),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(shrinking_is_seen),
        cmocka_unit_test(swarms_are_wide),
        cmocka_unit_test(promises),
        cmocka_unit_test(far_rows),
    };

    return cmocka_run_group_tests_name("campaign", test, NULL, NULL);
}
