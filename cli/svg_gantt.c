/* svg_gantt.c - a dense schedule over time: a line a SM; see gantt.h.
 *
 * The products of a task are a light box, its reduction a dark one, a wait before a reduction a bar in the accent;
 * the shade of the products tells heads apart.  Boxes that are wide enough carry their query tile, KV tiles are
 * parted by a thin line.  Where reductions run beside products, these take the upper half of the line. */
#include "cli/gantt.h"
#include "cli/svg.h"

#include <inttypes.h>

enum { LEFT = 64, TOP = 84, WIDE = 1040, RIGHT = 36, BOTTOM = 76, MOST_HEIGHT = 22, LEAST_HEIGHT = 4, TALL = 720 };

struct view {
    FILE *out;
    const struct ordo_gantt *g;
    double unit;   /* pixels a tick */
    double height; /* of a SM's line */
};

static double x_of(const struct view *v, int64_t tick)
{
    return LEFT + v->unit * (double)tick;
}

/* From `top` to `bottom`, as shares of the line. */
static void bar(const struct view *v, const struct ordo_dense_event *e, const char *class_, int64_t from, int64_t to,
                double top, double bottom)
{
    double y = TOP + v->height * e->slot + 0.08 * v->height, h = 0.84 * v->height;

    if (to > from)
        fprintf(v->out, "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n", class_,
                x_of(v, from), y + top * h, v->unit * (double)(to - from), h * (bottom - top));
}

static void task(const struct view *v, const struct ordo_dense_event *e)
{
    static const char *const shade[] = {"r1", "r3", "r2", "r4"};
    double width = v->unit * (double)(e->ready - e->begin);

    double half = v->g->overlap ? 0.5 : 0, share = 1 - half;

    bar(v, e, shade[e->tile.head % 4], e->begin, e->ready, 0, share);
    bar(v, e, "wait", e->ready, e->reduce, half + 0.35 * share, half + 0.65 * share);
    bar(v, e, "r8", e->reduce, e->end, half, 1);
    if (width >= 18 && v->height * share >= 11)
        ordo_svg_text(v->out, x_of(v, e->begin) + width / 2, TOP + v->height * (e->slot + share / 2) + 4, "middle",
                      "small", "%" PRId32, e->query);
}

/* A line before each task that begins another tile than its SM's task before. */
static void tiles(const struct view *v)
{
    for (int64_t i = 0; i < v->g->n; i++) {
        const struct ordo_dense_event *e = &v->g->event[i];
        const struct ordo_dense *d = v->g->dense;

        if (d->schedule->query(d, e->tile.head, e->tile.kv, 0) == e->query)
            fprintf(v->out, "<path class=\"part\" d=\"M%.2f %.2fv%.2f\"/>\n", x_of(v, e->begin),
                    TOP + v->height * e->slot, v->height);
    }
}

static void axis(const struct view *v, double end)
{
    double bottom = TOP + v->height * v->g->time->slots, step = 1;

    while (end / step > 12)
        step *= end / step > 24 ? 10 : end / step > 12 ? 2 : 1;
    for (double t = 0; t <= end; t += step) {
        double x = LEFT + v->unit * t * (double)v->g->time->den;

        fprintf(v->out, "<path class=\"axis\" d=\"M%.1f %.1fv5\"/>\n", x, bottom + 2);
        ordo_svg_text(v->out, x, bottom + 20, "middle", "dim", "%g", t);
    }
    for (int32_t s = 0; s < v->g->time->slots; s += v->height >= 11 ? 1 : 8)
        ordo_svg_text(v->out, LEFT - 8, TOP + v->height * s + (v->height >= 11 ? v->height / 2 + 4 : 9), "end", "dim",
                      "SM %" PRId32, s);
    ordo_svg_text(v->out, LEFT + WIDE / 2.0, bottom + 38, "middle", "", "time, in the unit of c and r");
}

static void legend(const struct view *v)
{
    static const struct {
        const char *class_, *text;
        int x;
    } entry[] = {{"r2", "products (shade: head)", 0}, {"r8", "reduction into dQ", 190},
                 {"wait", "wait for the rank before", 350}};
    double y = TOP + v->height * v->g->time->slots + 50;

    for (size_t i = 0; i < sizeof entry / sizeof entry[0]; i++) {
        fprintf(v->out, "<rect class=\"%s\" x=\"%d\" y=\"%.1f\" width=\"22\" height=\"10\"/>\n", entry[i].class_,
                LEFT + entry[i].x, y);
        ordo_svg_text(v->out, LEFT + entry[i].x + 28, y + 9, "start", "dim", "%s", entry[i].text);
    }
    ordo_svg_text(v->out, LEFT + 570, y + 9, "start", "dim", "numbers: query tiles; lines: where a KV tile begins");
}

void ordo_svg_gantt(FILE *out, const void *what)
{
    const struct ordo_gantt *g = what;
    const struct ordo_dense_time *t = g->time;
    struct view v = {out, g, WIDE / (double)(t->makespan ? t->makespan : 1), TALL / (double)t->slots};
    double end = (double)t->makespan / (double)t->den;
    char title[128];

    v.height = v.height > MOST_HEIGHT ? MOST_HEIGHT : v.height < LEAST_HEIGHT ? LEAST_HEIGHT : v.height;
    (void)snprintf(title, sizeof title, "Dense schedule %s over time", g->dense->schedule->name);
    ordo_svg_begin(out, LEFT + WIDE + RIGHT, (int)(TOP + v.height * t->slots + BOTTOM), title);
    fputs("<style>.r1,.r2,.r3,.r4{stroke:var(--ground);stroke-width:.6}"
          ".wait{fill:#c2571a}.part{stroke:var(--ink);stroke-width:1.2}.small{font-size:10px}</style>\n", out);
    ordo_svg_text(out, LEFT, 28, "start", "strong", "%s", g->dense->schedule->name);
    ordo_svg_text(out, LEFT, 47, "start", "dim", "%s", g->dense->schedule->about);
    ordo_svg_text(out, LEFT, 66, "start", "dim",
                  "%" PRId32 " x %" PRId32 " tiles, %" PRId32 " heads: time %g, waits %g%s",
                  g->dense->launch.mask->n_q, g->dense->launch.mask->n_kv, g->dense->launch.heads, end,
                  (double)t->stall / (double)t->den, t->hangs ? "; it hangs" : "");
    for (int64_t i = 0; i < g->n; i++)
        task(&v, &g->event[i]);
    tiles(&v);
    axis(&v, end);
    legend(&v);
    ordo_svg_end(out);
}
