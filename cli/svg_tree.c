/* svg_tree.c - the addition tree of a KV row; see svg.h.
 *
 * A line per plane that has writers, its contributions from left to right in the order of their additions; then the
 * groups of the fold, then the sum.  Long planes show their first and last contributions and how many stand
 * between. */
#include "cli/svg.h"

#include "sim/design.h"
#include "sim/fold.h"
#include "sim/tree.h"

#include <inttypes.h>

enum {
    LEFT = 24, TOP = 92, LINE = 46, BOX = 26, PLANE = 78, CHIP = 74, STEP = CHIP + 24, MOST = 9, HEAD = 5,
    GROUP = 150, FOLD = 90, BOTTOM = 28
};

/* Where the lines of planes and groups stand. */
struct tree {
    FILE *out;
    const struct ordo_plan *plan;
    const struct ordo_row *row;
    int chips;      /* of the longest line */
    int n_line;     /* planes with writers */
    int group_x, sum_x;
};

static uint32_t run_end(const struct ordo_row *row, uint32_t i)
{
    uint32_t end = i;

    while (end < row->n_add && row->add[end].plane == row->add[i].plane)
        end++;
    return end;
}

static double middle(int line)
{
    return TOP + LINE * line + BOX / 2.0;
}

static void box(const struct tree *t, double x, double y, double width, const char *class_, const char *text)
{
    fprintf(t->out, "<rect class=\"box %s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"5\"/>\n", class_,
            x, y - BOX / 2.0, width, BOX);
    ordo_svg_text(t->out, x + width / 2, y + 4.5, "middle", "", "%s", text);
}

/* With an arrow head; straight where both ends are level. */
static void edge(const struct tree *t, double x0, double y0, double x1, double y1)
{
    double half = (x1 - x0) / 2;

    fprintf(t->out, "<path class=\"edge\" d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f\"/>"
                    "<path class=\"head\" d=\"M%.1f %.1fl-7 -3.5v7z\"/>\n",
            x0, y0, x0 + half, y0, x1 - half, y1, x1 - 4, y1, x1, y1);
}

/* --- planes ----------------------------------------------------------------------------------------------------- */

static void chip(const struct tree *t, int line, int at, const char *text)
{
    double x = LEFT + PLANE + 24 + STEP * at;

    edge(t, x - 24, middle(line), x, middle(line));
    box(t, x, middle(line), CHIP, "", text);
}

static void leaf(const struct tree *t, int line, int at, uint32_t i)
{
    uint32_t hb = (uint32_t)t->plan->head_blocks;
    char text[32];

    (void)snprintf(text, sizeof text, "q%" PRIu32 ".h%" PRIu32, t->row->add[i].leaf / hb, t->row->add[i].leaf % hb);
    chip(t, line, at, text);
}

/* Additions [first, end) of one plane; returns where its line ends. */
static double plane_line(const struct tree *t, int line, uint32_t first, uint32_t end)
{
    uint32_t n = end - first;
    char text[32];
    int at = 0;

    (void)snprintf(text, sizeof text, "P%" PRIu32 " = +0", t->row->add[first].plane);
    box(t, LEFT, middle(line), PLANE, "", text);
    for (uint32_t i = 0; i < n; i++) {
        if (n > MOST && i == HEAD) {
            (void)snprintf(text, sizeof text, "%" PRIu32 " more", n - (MOST - 1));
            chip(t, line, at++, text);
            i = n - (MOST - 1 - HEAD);
        }
        leaf(t, line, at++, first + i);
    }
    return LEFT + PLANE + (double)STEP * at;
}

/* --- the fold --------------------------------------------------------------------------------------------------- */

/* The group whose planes with writers are the lines [first, end); end_x: where each line ends. */
static void group(const struct tree *t, uint32_t number, int first, int end, const double *end_x)
{
    uint32_t planes = ordo_fold_group_end(number, (uint32_t)t->plan->planes) - number * ORDO_FOLD_GROUP;
    double y = (middle(first) + middle(end - 1)) / 2, sum_y = (middle(0) + middle(t->n_line - 1)) / 2;
    char text[48];

    for (int line = first; line < end; line++) { /* its place at the box shows its place in the sum */
        double x = t->group_x - 60, at = end - first > 1 ? y - 9 + 18.0 * (line - first) / (end - first - 1) : y;

        fprintf(t->out, "<path class=\"edge\" d=\"M%.1f %.1fH%.1f\"/>\n", end_x[line - first], middle(line), x);
        edge(t, x, middle(line), t->group_x, at);
    }
    (void)snprintf(text, sizeof text, "G%" PRIu32 " = +0 + %d plane%s", number, end - first,
                   end - first > 1 ? "s" : "");
    box(t, t->group_x, y, GROUP, "", text);
    if (planes > (uint32_t)(end - first))
        ordo_svg_text(t->out, t->group_x + GROUP / 2.0, y + BOX / 2.0 + 13, "middle", "dim",
                      "and %" PRIu32 " of +0.0", planes - (uint32_t)(end - first));
    edge(t, t->group_x + GROUP, y, t->sum_x, sum_y);
}

static void lines_and_groups(const struct tree *t)
{
    double end_x[ORDO_FOLD_GROUP];
    int line = 0, first = 0;

    for (uint32_t i = 0; i < t->row->n_add;) {
        uint32_t end = run_end(t->row, i), number = ordo_fold_group(t->row->add[i].plane);

        end_x[line - first] = plane_line(t, line, i, end);
        line++;
        i = end;
        if (i == t->row->n_add || ordo_fold_group(t->row->add[i].plane) != number) {
            group(t, number, first, line, end_x);
            first = line;
        }
    }
}

static void sum(const struct tree *t)
{
    double y = t->n_line ? (middle(0) + middle(t->n_line - 1)) / 2 : middle(0);
    uint32_t groups = ordo_fold_groups((uint32_t)t->plan->planes), written = 0, last = UINT32_MAX;

    for (uint32_t i = 0; i < t->row->n_add; i++)
        if (ordo_fold_group(t->row->add[i].plane) != last) {
            last = ordo_fold_group(t->row->add[i].plane);
            written++;
        }
    box(t, t->sum_x, y, FOLD, "sum", "sum");
    ordo_svg_text(t->out, t->sum_x + FOLD / 2.0, y + BOX / 2.0 + 13, "middle", "dim", "%" PRIu32 " group%s", groups,
                  groups > 1 ? "s" : "");
    ordo_svg_text(t->out, t->sum_x + FOLD / 2.0, y + BOX / 2.0 + 28, "middle", "dim", "%" PRIu32 " of +0.0",
                  groups - written);
}

/* --- all of it -------------------------------------------------------------------------------------------------- */

static void measure(struct tree *t)
{
    for (uint32_t i = 0; i < t->row->n_add; t->n_line++) {
        uint32_t end = run_end(t->row, i), n = end - i;

        if ((int)n > t->chips)
            t->chips = n > MOST ? MOST : (int)n;
        i = end;
    }
    t->group_x = LEFT + PLANE + STEP * t->chips + 84;
    t->sum_x = t->group_x + GROUP + 56;
}

void ordo_svg_tree(FILE *out, const void *what)
{
    const struct ordo_svg_tree *s = what;
    struct tree t = {.out = out, .plan = s->plan, .row = s->row};
    int width, lines;
    char title[96];

    measure(&t);
    lines = t.n_line > 2 ? t.n_line : 2;
    width = t.sum_x + FOLD + LEFT;
    (void)snprintf(title, sizeof title, "Addition tree of KV row %" PRId32, s->row->row);
    ordo_svg_begin(out, width > 620 ? width : 620, TOP + LINE * lines + BOTTOM, title);
    ordo_svg_text(out, LEFT, 30, "start", "strong", "%s: %" PRIu32 " contributions, %" PRIu32 " additions deep",
                  title, s->row->n_add, ordo_tree_depth(s->plan, s->row));
    ordo_svg_text(out, LEFT, 50, "start", "dim", "%s, %d planes. Each line adds from left to right,",
                  s->plan->design->name, (int)s->plan->planes);
    ordo_svg_text(out, LEFT, 67, "start", "dim",
                  "groups and the sum from top to bottom. q24.h0: query 24, head block 0.");
    lines_and_groups(&t);
    sum(&t);
    ordo_svg_end(out);
}
