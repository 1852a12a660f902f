/* svg.h - pictures: one self-contained SVG file each, readable on light and on dark ground. */
#ifndef ORDO_CLI_SVG_H
#define ORDO_CLI_SVG_H

#include "base/status.h"
#include "sim/plan.h"
#include "sim/rows.h"
#include "sim/wait_map.h"

#include <stdio.h>

/* --- parts ------------------------------------------------------------------------------------------------------ */

/* The root element, ground, title for readers without eyes, and a style in which text, lines and the ramp r0 to r9
 * follow the reader's light or dark. */
void ordo_svg_begin(FILE *out, int width, int height, const char *title);
void ordo_svg_end(FILE *out);
/* Text at (x, y); anchor start, middle or end; class "" or "dim" or "strong". */
void ordo_svg_text(FILE *out, double x, double y, const char *anchor, const char *class_, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* Calls draw with a stream and writes what it drew to path, whole or not at all. */
enum ordo_status ordo_svg_file(const char *path, void (*draw)(FILE *out, const void *what), const void *what,
                               struct ordo_err *err);

/* --- pictures --------------------------------------------------------------------------------------------------- */

enum { ORDO_SVG_BOXES_X = 96, ORDO_SVG_BOXES_Y = 48 };

/* The share of updates that wait, over queries and rows: map[shown] in boxes, all three as lines over queries. */
struct ordo_svg_wait {
    const char *file;
    const struct ordo_problem *problem;
    struct ordo_wait_map map[3]; /* in the order of ordo_cluster_size */
    int shown;
};
void ordo_svg_wait(FILE *out, const void *what);

/* The addition tree of a row. */
struct ordo_svg_tree {
    const struct ordo_plan *plan;
    const struct ordo_row *row;
};
void ordo_svg_tree(FILE *out, const void *what);

#endif
