/* svg_tree.c - the addition tree of a KV row; see svg.h.
 *
 * A line per plane that has writers, its contributions from left to right in the order of their additions; then the
 * groups of the fold, then the sum.  Long planes show their first and last contributions and how many stand between. */
#include "cli/svg.h"

#include "sim/fold.h"
#include "sim/tree.h"

#include <inttypes.h>
#include <stdbool.h>

enum {
    LEFT = 24, TOP = 92, LINE = 40, BOX = 26, PLANE = 62, CHIP = 74, STEP = CHIP + 24, MOST = 9, HEAD = 5,
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

static void box(const struct tree *t, double x, double y, double width, const char *class_, const char *format,
                uint32_t a, uint32_t b)
{
    char text[64];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    (void)snprintf(text, sizeof text, format, a, b);
#pragma GCC diagnostic pop
    fprintf(t->out, "<rect class=\"box %s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"5\"/>\n", class_, x,
            y - BOX / 2.0, width, BOX);
    ordo_svg_text(t->out, x + width / 2, y + 4.5, "middle", "", "%s", text);
}
