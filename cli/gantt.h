/* gantt.h - who computed and added when: the tasks of a timed dense schedule, as a picture and as a trace. */
#ifndef ORDO_CLI_GANTT_H
#define ORDO_CLI_GANTT_H

#include "sim/dense_time.h"

#include <stdio.h>

/* All tasks of a run, in memory: for pictures of small shapes and traces of larger ones. */
struct ordo_gantt {
    const struct ordo_dense *dense;
    const struct ordo_dense_time *time;
    int64_t n, most; /* tasks, and how many there is room for */
    struct ordo_dense_event *event;
    bool overlap; /* of the model: reductions run beside products */
};

enum { ORDO_GANTT_MOST_DRAWN = 20000, ORDO_GANTT_MOST_TRACED = 2000000 };

/* A watch that fills g; more than `most` tasks are a bug of ours. */
struct ordo_dense_watch ordo_gantt_watch(struct ordo_gantt *g);

/* For ordo_svg_file: a line a SM, products as boxes, reductions dark, waits as gaps with an accent; with overlap
 * products in the upper half, the others in the lower. */
void ordo_svg_gantt(FILE *out, const void *gantt);

/* A Chrome trace (also read by Perfetto): one thread a SM, with overlap a second one for its reductions, so spans of
 * a thread never cross; a unit of c and r is a millisecond, and both ends of a span are rounded to whole
 * microseconds.  Whole or not at all. */
enum ordo_status ordo_gantt_trace(const char *path, const struct ordo_gantt *g, struct ordo_err *err);

#endif
