/* t_ptx_live.c - liveness by machines over values: against the enumeration of executions where that is complete, and
 * what is shown of executions that never end. */
#include "tests/test.h"

#include "base/rng.h"
#include "sim/ptx_live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ordo_ptx_program p;

static void parse(const char *text)
{
    struct ordo_err err = {0};

    assert_ok(ordo_ptx_parse("live", text, strlen(text), &p, &err), err);
}

static int below(struct ordo_rng *rng, int n)
{
    return (int)ordo_rng_below(rng, (uint64_t)n);
}

struct shape {
    int n_place;
    bool weak; /* some loads are */
};

/* An access with, two times of three, a branch back or forth on what it read. */
static void instruction(struct ordo_rng *rng, const struct shape *shape, int t, int i, int n, char *out, size_t size)
{
    int place = below(rng, shape->n_place), value = below(rng, 3), wanted = below(rng, 3), to = below(rng, n + 1);
    const char *jump = below(rng, 2) ? "bne" : "beq", *load = shape->weak && below(rng, 2) ? "weak" : "relaxed.gpu";

    switch (below(rng, 3)) {
    case 0:
        (void)snprintf(out, size, "L%d: st.relaxed.gpu x%d, %d", i, place, value);
        break;
    case 1:
        (void)snprintf(out, size, "L%d: ld.%s r%d, x%d ;\n%s %s r%d, %d, L%d", i, load, i, place,
                       t ? "|" : "", jump, i, wanted, to);
        break;
    default:
        (void)snprintf(out, size, "L%d: atom.relaxed.gpu.exch r%d, x%d, %d ;\n%s %s r%d, %d, L%d", i, i, place, value,
                       t ? "|" : "", jump, i, wanted, to);
        break;
    }
}

static void random_program(struct ordo_rng *rng, const struct shape *shape, char *out, size_t size)
{
    size_t at = (size_t)snprintf(out, size, "PTX live\n{ x0=0; x1=0; }\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n");

    for (int t = 0; t < 2; t++) {
        int n = 1 + below(rng, 3);

        for (int i = 0; i <= n; i++) {
            char text[160];

            if (i < n)
                instruction(rng, shape, t, i, n, text, sizeof text);
            else
                (void)snprintf(text, sizeof text, "L%d:", i);
            at += (size_t)snprintf(out + at, size - at, "%s%s ;\n", t ? "| " : "", text);
        }
    }
    (void)snprintf(out + at, size - at, "exists 0==0\n");
}

/* One program; counts the answers that the three have, by who has one. */
static void compare(const char *text, const struct shape *shape, int count[3])
{
    static struct ordo_ptx_search q;
    static struct ordo_ptx_machine m;
    struct ordo_ptx_tally tally = {0};
    struct ordo_ptx_circle circle = {0};
    enum ordo_ptx_answer endless, limit;
    bool whole;

    parse(text);
    q = (struct ordo_ptx_search){.p = &p, .liveness = true, .left = 30000, .tally = &tally,
                                    .visits = ORDO_PTX_VISITS};
    ordo_ptx_enumerate(&q);
    free(tally.witness);
    whole = !tally.cut && !tally.exhausted;
    assert_true(ordo_ptx_machine(&p, &m));
    endless = ordo_ptx_fair_circle(&m, &circle);
    limit = ordo_ptx_limit(&m);
    if ((limit == ORDO_PTX_NO && (tally.stuck > 0 || endless != ORDO_PTX_NO)) ||
        (endless == ORDO_PTX_YES && whole && tally.stuck == 0) ||
        (endless == ORDO_PTX_NO && shape->n_place == 1 && tally.stuck > 0))
        fail_msg("%s\nstuck %d, whole %d, circle %d, limit %d", text, (int)tally.stuck, whole, (int)endless,
                 (int)limit);
    count[0] += whole;
    count[1] += endless == ORDO_PTX_YES;
    count[2] += limit == ORDO_PTX_NO;
}

/* All executions with one place are runs of one access at a time; with two, or weak loads, these are some of them. */
static void agrees(void **state)
{
    static const struct shape shapes[] = {{1, false}, {2, false}, {2, true}};
    struct ordo_rng rng = {20};
    char text[2000];

    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        int count[3] = {0};

        for (int i = 0; i < 250; i++) {
            random_program(&rng, &shapes[s], text, sizeof text);
            compare(text, &shapes[s], count);
        }
        printf("%d places%s: %d enumerated, %d with a circle, %d that must end\n", shapes[s].n_place,
               shapes[s].weak ? ", weak loads" : "", count[0], count[1], count[2]);
        assert_true(count[0] > 100 && count[1] > 50 && count[2] > 50);
    }
}

static void components(void **state)
{
    /* 0 -> 1 <-> 2 -> 3, 3 -> 3, 4 -> 0 */
    static const int32_t edge[] = {1, -1, 2, -1, 1, 3, 3, -1, 0, -1};
    int32_t component[5];

    (void)state;
    assert_int_equal(ordo_ptx_components(5, 2, edge, component), 4);
    assert_int_equal(component[1], component[2]);
    assert_int_not_equal(component[0], component[1]);
    assert_int_not_equal(component[2], component[3]);
    assert_int_not_equal(component[0], component[4]);
}

/* What a function writes to a file; the next call overwrites it. */
static const char *shown(void (*show)(const struct ordo_ptx_verdict *v, FILE *out), const struct ordo_ptx_verdict *v)
{
    static char text[1 << 14];
    FILE *f = tmpfile();

    assert_non_null(f);
    show(v, f);
    rewind(f);
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    (void)fclose(f);
    return text;
}

static void show_history(const struct ordo_ptx_verdict *v, FILE *out)
{
    ordo_ptx_explain(&p, v->tally.witness, out);
}

static void show_circle(const struct ordo_ptx_verdict *v, FILE *out)
{
    ordo_ptx_explain_circle(&p, &v->circle, out);
}

static void show_picture(const struct ordo_ptx_verdict *v, FILE *out)
{
    ordo_ptx_picture(&p, v->tally.witness, out);
}

static void show_circle_picture(const struct ordo_ptx_verdict *v, FILE *out)
{
    ordo_ptx_picture_circle(&p, &v->circle, out);
}

static void expect_line(const char *text, const char *line)
{
    if (!strstr(text, line))
        fail_msg("no \"%s\" in:\n%s", line, text);
}

static void says_what_repeats(void **state)
{
    struct ordo_ptx_verdict v;

    (void)state;
    parse("PTX t\n{ x=0; }\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n| st.relaxed.gpu x, 1 ;\n"
          "L: st.relaxed.gpu x, 0 | ;\nld.relaxed.gpu r0, x | ;\nbne r0, 2, L | ;\nexists 0==0\n");
    assert_true(ordo_ptx_decide(&p, true, &v));
    assert_true(v.decided && !v.holds && v.circle.found);
    assert_int_equal(v.circle.repeats[0], 3);
    assert_int_equal(v.circle.repeats[1], 0);
    expect_line(shown(show_circle, &v), "  st.relaxed.gpu x, 0                          line 5\n");
    expect_line(shown(show_circle, &v), "P1 ends\n");
    ordo_ptx_verdict_free(&v);
}

static void says_who_waits_where(void **state)
{
    struct ordo_ptx_verdict v;

    (void)state;
    parse("PTX t\n{ x=0; }\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\nst.weak x, 1 | bar.sync 2 ;\n"
          "bar.sync 1 | bar.sync 1 ;\nbar.sync 2 | ;\nexists 0==0\n");
    assert_true(ordo_ptx_decide(&p, true, &v));
    assert_true(v.decided && !v.holds && v.tally.witness);
    expect_line(shown(show_history, &v), "  waits for ever at bar.sync 1 (line 5)");
    expect_line(shown(show_history, &v), "  waits for ever at bar.sync 2 (line 4)");
    ordo_ptx_verdict_free(&v);
}

/* Each text stands inside its box and the boxes beside each other. */
static void long_texts_fit(void **state)
{
    struct ordo_ptx_verdict v;
    const char *text, *at;
    int boxes = 0, n = 0, width, longest = 0;

    (void)state;
    parse("PTX t\n{ a_location_with_a_very_long_name=0; }\nP0@cta 0,gpu 0 ;\n"
          "st.release.cluster.u32 a_location_with_a_very_long_name, 1000000000000 ;\n"
          "exists a_location_with_a_very_long_name == 1000000000000\n");
    assert_true(ordo_ptx_decide(&p, false, &v));
    text = shown(show_picture, &v);
    for (at = text; (at = strstr(at, "<rect ")); at++)
        boxes++;
    assert_int_equal(boxes, 2);
    assert_int_equal(sscanf(strstr(text, "<rect "), "<rect x=\"%*d\" y=\"%*d\" width=\"%d\"", &width), 1);
    for (at = strstr(text, "<text x=\"52\""); at; at = strstr(at + 1, "<text x=\"52\"")) {
        n = (int)(strchr(strchr(at, '>'), '<') - strchr(at, '>')) - 1;
        longest = n > longest ? n : longest;
    }
    assert_true(longest > 60);
    assert_true(longest * 8 + 16 <= width); /* a character of 12 pixels' height is less than 8 wide */
    ordo_ptx_verdict_free(&v);
}

static int count(const char *of, const char *what)
{
    int n = 0;

    for (; (of = strstr(of, what)); of++)
        n++;
    return n;
}

/* The iteration that repeats has thick frames, in an execution and in a circle; who waits for ever a dashed one. */
static void marks_what_repeats(void **state)
{
    static const char thick[] = "stroke-width=\"3\"";
    struct ordo_ptx_verdict v;

    (void)state;
    parse("PTX t\n{ x=0; }\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\nL: ld.relaxed.gpu r0, x | st.relaxed.gpu y, 1 ;\n"
          "bne r0, 1, L | bar.sync 1, 1, 2 ;\nexists 0==0\n");
    assert_true(ordo_ptx_decide(&p, true, &v));
    assert_true(v.decided && !v.holds && v.tally.witness);
    assert_int_equal(count(shown(show_picture, &v), thick), 1);
    assert_int_equal(count(shown(show_picture, &v), "stroke-dasharray"), 1);
    ordo_ptx_verdict_free(&v);
    parse("PTX t\n{ x=0; }\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n| st.relaxed.gpu x, 1 ;\n"
          "L: st.relaxed.gpu x, 0 | ;\nld.relaxed.gpu r0, x | ;\nbne r0, 2, L | ;\nexists 0==0\n");
    assert_true(ordo_ptx_decide(&p, true, &v));
    assert_true(!v.tally.witness && v.circle.found);
    assert_int_equal(count(shown(show_circle_picture, &v), "<rect "), 4);
    assert_int_equal(count(shown(show_circle_picture, &v), thick), 2);
    ordo_ptx_verdict_free(&v);
}

struct frame {
    int x, y, width, height;
};

static void hit(const struct frame *f, int n, double x, double y, const char *path)
{
    for (int i = 0; i < n; i++)
        if (x > f[i].x + 1 && x < f[i].x + f[i].width - 1 && y > f[i].y + 1 && y < f[i].y + f[i].height - 1)
            fail_msg("%.80s crosses the box at %d %d", path, f[i].x, f[i].y);
}

/* Straight pieces of M, L and H; of a curve C the hull is looked at. */
static void follow(const struct frame *f, int n, const char *d)
{
    double x = 0, y = 0;

    while (*d != '"') {
        char what = *d++, *end = NULL;
        double to[6], from[2] = {x, y};
        int m = what == 'H' ? 1 : what == 'C' ? 6 : 2;

        for (int i = 0; i < m; i++, d = end)
            to[i] = strtod(d, &end);
        if (what == 'H')
            to[1] = y;
        for (int i = 0; what != 'M' && i < (what == 'C' ? 6 : 2); i += 2) {
            for (int k = 0; k <= 100; k++)
                hit(f, n, from[0] + (to[i] - from[0]) * k / 100, from[1] + (to[i + 1] - from[1]) * k / 100, d);
            from[0] = to[i];
            from[1] = to[i + 1];
        }
        x = to[what == 'C' ? 4 : 0];
        y = to[what == 'C' ? 5 : 1];
    }
}

/* No edge runs through a box. */
static void edges_go_around(void **state)
{
    struct ordo_ptx_verdict v;
    struct frame f[ORDO_PTX_EVENTS];
    const char *text, *at;
    int n = 0, edges = 0;

    (void)state;
    parse("PTX t\n{ x=0; y=0; }\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 | P2@cta 2,gpu 0 | P3@cta 3,gpu 0 ;\n"
          "st.relaxed.gpu x, 1 | st.relaxed.gpu y, 1 | ld.acquire.gpu r0, x | ld.acquire.gpu r0, y ;\n"
          "st.relaxed.gpu x, 2 | ld.relaxed.gpu r0, x | ld.acquire.gpu r1, y | ld.acquire.gpu r1, x ;\n"
          "ld.relaxed.gpu r0, x | st.relaxed.gpu x, 3 | ld.acquire.gpu r2, x | ld.acquire.gpu r2, x ;\n"
          "exists (P2:r0 == 1 /\\ P2:r1 == 0 /\\ P3:r0 == 1 /\\ P3:r1 == 0 /\\ "
          "P0:r0 == 2 /\\ P2:r2 == 3 /\\ x == 3)\n");
    assert_true(ordo_ptx_decide(&p, false, &v));
    assert_true(v.decided && v.tally.witness);
    text = shown(show_picture, &v);
    for (at = text; (at = strstr(at, "<rect ")) && n < ORDO_PTX_EVENTS; at++, n++)
        assert_int_equal(sscanf(at, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"", &f[n].x, &f[n].y,
                                &f[n].width, &f[n].height), 4);
    for (at = strstr(text, "</defs>"); (at = strstr(at, "<path d=\"")); at++, edges++)
        follow(f, n, at + strlen("<path d=\""));
    assert_int_equal(n, 14);
    assert_true(edges > 10);
    ordo_ptx_verdict_free(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees),
        cmocka_unit_test(components),
        cmocka_unit_test(says_what_repeats),
        cmocka_unit_test(says_who_waits_where),
        cmocka_unit_test(long_texts_fit),
        cmocka_unit_test(marks_what_repeats),
        cmocka_unit_test(edges_go_around),
    };

    return cmocka_run_group_tests_name("ptx_live", tests, NULL, NULL);
}
