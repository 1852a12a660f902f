/* svg_wait.c - the share of updates that wait, over queries and KV rows; see svg.h.
 *
 * Three panels on common axes: above, the share over queries for each cluster size; below it, boxes of queries by
 * rows for one size, in ten steps of shade; to its right, that size's share over rows. */
#include "cli/svg.h"

#include <inttypes.h>
#include <string.h>

enum {
    LEFT = 92, TOP = 100, PLOT = 96, GAP = 44, BOXES = 432, SIDE = 132, WIDE = 576, LEGEND = 96,
    MAP_TOP = TOP + PLOT + GAP, SIDE_LEFT = LEFT + WIDE + 28,
    WIDTH = SIDE_LEFT + SIDE + 48, HEIGHT = MAP_TOP + BOXES + LEGEND
};

static double share(struct ordo_wait_cell c)
{
    return c.updates ? 100.0 * (double)c.waits / (double)c.updates : 0.0;
}

/* The end of a scale from 0 %: the first of 1, 2, 5, 10, ... that is not below. */
static double scale_end(double most)
{
    static const double end[] = {1, 2, 5, 10, 20, 50};

    for (size_t i = 0; i < sizeof end / sizeof end[0]; i++)
        if (most <= end[i])
            return end[i];
    return 100;
}

/* About five ticks on an axis of n: the distance between two, of the form 1, 2, 5 times a power of ten. */
static int64_t tick_step(int64_t n)
{
    int64_t step = 1;

    while (n / step > 6) {
        int64_t first = step;

        while (first >= 10)
            first /= 10;
        step = first == 2 ? step / 2 * 5 : step * 2;
    }
    return step;
}

/* The place of query q, or of row k; the last box may be short. */
static double x_of(const struct ordo_problem *p, int64_t q)
{
    return LEFT + WIDE * (double)(q < p->n_query ? q : p->n_query) / p->n_query;
}

static double y_of(const struct ordo_problem *p, int64_t k)
{
    return MAP_TOP + BOXES * (double)(k < p->n_kv ? k : p->n_kv) / p->n_kv;
}

/* --- above: over queries ---------------------------------------------------------------------------------------- */

/* One step per box. */
static void staircase(FILE *out, const struct ordo_problem *p, const struct ordo_wait_map *m, double end,
                      const char *dash)
{
    fprintf(out, "<path class=\"line\" stroke-dasharray=\"%s\" d=\"M%.1f ", dash, x_of(p, 0));
    for (int32_t x = 0; x < m->n_x; x++)
        fprintf(out, "%s%.1fH%.1f", x ? "V" : "", TOP + PLOT * (1 - share(ordo_wait_map_x(m, x)) / end),
                x_of(p, (int64_t)(x + 1) * m->queries));
    fputs("\"/>\n", out);
}

static void over_queries(FILE *out, const struct ordo_svg_wait *w)
{
    static const char *const dash[] = {"2 3", "none", "7 3"};
    double most = 0, end;

    for (int i = 0; i < 3; i++)
        for (int32_t x = 0; x < w->map[i].n_x; x++)
            most = share(ordo_wait_map_x(&w->map[i], x)) > most ? share(ordo_wait_map_x(&w->map[i], x)) : most;
    end = scale_end(most);
    for (int i = 0; i <= 2; i++) {
        double y = TOP + PLOT * (1 - i / 2.0);

        fprintf(out, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n", LEFT, y, LEFT + WIDE);
        ordo_svg_text(out, LEFT - 8, y + 4, "end", "dim", "%g %%", end * i / 2);
    }
    for (int i = 0; i < 3; i++) {
        int y = TOP + 12 + 22 * i;

        staircase(out, w->problem, &w->map[i], end, dash[i]);
        fprintf(out, "<path class=\"line\" stroke-dasharray=\"%s\" d=\"M%d %dh30\"/>\n", dash[i], SIDE_LEFT, y);
        ordo_svg_text(out, SIDE_LEFT + 38, y + 4, "start", i == w->shown ? "strong" : "", "C=%d  %.1f %%",
                      (int)w->map[i].cluster, share(ordo_wait_map_all(&w->map[i])));
    }
    ordo_svg_text(out, SIDE_LEFT, TOP + 84, "start", "dim", "C: CTAs of a cluster");
    ordo_svg_text(out, LEFT, TOP - 12, "start", "dim", "share of updates that wait, over queries");
}

/* --- the boxes -------------------------------------------------------------------------------------------------- */

static double most_of(const struct ordo_wait_map *m)
{
    double most = 0;

    for (int32_t i = 0; i < m->n_x * m->n_y; i++)
        most = share(m->cell[i]) > most ? share(m->cell[i]) : most;
    return most;
}

/* Without updates there is no share, and no box. */
static void boxes(FILE *out, const struct ordo_problem *p, const struct ordo_wait_map *m, double end)
{
    for (int32_t y = 0; y < m->n_y; y++)
        for (int32_t x = 0; x < m->n_x; x++) {
            const struct ordo_wait_cell *c = &m->cell[(size_t)y * (size_t)m->n_x + (size_t)x];
            double x0 = x_of(p, (int64_t)x * m->queries), y0 = y_of(p, (int64_t)y * m->rows);
            int step = (int)(share(*c) / end * 10);

            if (c->updates)
                fprintf(out, "<rect class=\"r%d\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n",
                        step < 9 ? step : 9, x0, y0, x_of(p, (int64_t)(x + 1) * m->queries) - x0 + 0.05,
                        y_of(p, (int64_t)(y + 1) * m->rows) - y0 + 0.05);
        }
    fprintf(out, "<rect class=\"axis\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", LEFT, MAP_TOP, WIDE, BOXES);
}

static void axes(FILE *out, const struct ordo_wait_map *m, const struct ordo_problem *p)
{
    int64_t step_q = tick_step(p->n_query), step_k = tick_step(p->n_kv);

    for (int64_t q = 0; q < p->n_query; q += step_q) {
        fprintf(out, "<path class=\"axis\" d=\"M%.1f %dv5\"/>\n", x_of(p, q), MAP_TOP + BOXES);
        ordo_svg_text(out, x_of(p, q), MAP_TOP + BOXES + 19, "middle", "dim", "%" PRId64, q);
    }
    for (int64_t k = 0; k < p->n_kv; k += step_k) {
        fprintf(out, "<path class=\"axis\" d=\"M%d %.1fh-5\"/>\n", LEFT, y_of(p, k));
        ordo_svg_text(out, LEFT - 9, y_of(p, k) + 4, "end", "dim", "%" PRId64, k);
    }
    ordo_svg_text(out, LEFT + WIDE / 2, MAP_TOP + BOXES + 38, "middle", "", "query");
    fprintf(out, "<text transform=\"translate(20 %d) rotate(-90)\" text-anchor=\"middle\">KV row</text>\n",
            MAP_TOP + BOXES / 2);
    ordo_svg_text(out, LEFT, MAP_TOP - 12, "start", "dim",
                  "C=%d: share of updates that wait, in boxes of %d queries x %d rows", (int)m->cluster,
                  (int)m->queries, (int)m->rows);
}

static void legend(FILE *out, double end)
{
    int y = MAP_TOP + BOXES + 56;

    for (int i = 0; i < 10; i++)
        fprintf(out, "<rect class=\"r%d\" x=\"%d\" y=\"%d\" width=\"30\" height=\"12\"/>\n", i, LEFT + 30 * i, y);
    for (int i = 0; i <= 10; i += 5)
        ordo_svg_text(out, LEFT + 30 * i, y + 27, i ? i < 10 ? "middle" : "end" : "start", "dim", "%g %%",
                      end * i / 10);
    ordo_svg_text(out, LEFT + 316, y + 11, "start", "dim", "of a box's updates wait; no box: no update");
}

/* --- right: over rows ------------------------------------------------------------------------------------------- */

static void over_rows(FILE *out, const struct ordo_problem *p, const struct ordo_wait_map *m)
{
    double most = 0, end;

    for (int32_t y = 0; y < m->n_y; y++)
        most = share(ordo_wait_map_y(m, y)) > most ? share(ordo_wait_map_y(m, y)) : most;
    end = scale_end(most);
    for (int i = 0; i <= 2; i++) {
        fprintf(out, "<path class=\"grid\" d=\"M%d %dv%d\"/>\n", SIDE_LEFT + SIDE * i / 2, MAP_TOP, BOXES);
        ordo_svg_text(out, SIDE_LEFT + SIDE * i / 2, MAP_TOP + BOXES + 19, i ? "middle" : "start", "dim", "%g %%",
                      end * i / 2);
    }
    for (int32_t y = 0; y < m->n_y; y++)
        fprintf(out, "<rect class=\"r6\" x=\"%d\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n", SIDE_LEFT,
                y_of(p, (int64_t)y * m->rows), SIDE * share(ordo_wait_map_y(m, y)) / end,
                y_of(p, (int64_t)(y + 1) * m->rows) - y_of(p, (int64_t)y * m->rows) + 0.05);
    ordo_svg_text(out, SIDE_LEFT, MAP_TOP - 12, "start", "dim", "C=%d: over rows", (int)m->cluster);
    ordo_svg_text(out, SIDE_LEFT + SIDE / 2, MAP_TOP + BOXES + 38, "middle", "", "wait");
}

void ordo_svg_wait(FILE *out, const void *what)
{
    const struct ordo_svg_wait *w = what;
    const struct ordo_wait_map *m = &w->map[w->shown];
    struct ordo_wait_cell all = ordo_wait_map_all(m);
    double end = scale_end(most_of(m));
    const char *slash = strrchr(w->file, '/');

    ordo_svg_begin(out, WIDTH, HEIGHT, "Share of relay updates that wait, over queries and KV rows");
    ordo_svg_text(out, LEFT, 24, "start", "strong", "Who waits in a relay: %s", slash ? slash + 1 : w->file);
    ordo_svg_text(out, LEFT, 43, "start", "dim", "%d queries x Top-K %d over %d KV rows; with clusters of %d,",
                  (int)w->problem->n_query, (int)w->problem->topk, (int)w->problem->n_kv, (int)m->cluster);
    ordo_svg_text(out, LEFT, 60, "start", "dim", "%" PRIu64 " of %" PRIu64
                  " row updates (%.1f %%) wait for a lower rank", all.waits, all.updates, share(all));
    if (m->n_x > 0 && m->n_y > 0) {
        over_queries(out, w);
        boxes(out, w->problem, m, end);
        axes(out, m, w->problem);
        legend(out, end);
        over_rows(out, w->problem, m);
    } else {
        ordo_svg_text(out, LEFT, TOP + 20, "start", "", "no query or no KV row: nothing to draw");
    }
    ordo_svg_end(out);
}
