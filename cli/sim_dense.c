/* sim_dense.c - `ordo sim --dense`: what a schedule's waits cost, exactly; one on a page, or all in a table. */
#include "cli/dense.h"
#include "cli/gantt.h"
#include "cli/out.h"
#include "cli/sim.h"
#include "cli/sim_dense.h"
#include "cli/svg.h"
#include "cli/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void timed_free(struct ordo_sim_timed *t)
{
    ordo_dense_time_free(&t->time);
    ordo_dense_free(&t->dense);
}

static struct ordo_rational gap_of(const struct ordo_sim_timed *t)
{
    struct ordo_rational ratio, minus = {-1, 1};

    if (t->bounds.most.num == 0 || !ordo_rational_div(ordo_dense_makespan(&t->time), t->bounds.most, &ratio) ||
        !ordo_rational_add(ratio, minus, &ratio))
        return (struct ordo_rational){0, 1};
    return ratio;
}

/* ORDO_BAD_INPUT where the schedule does not fit: then only err says something. */
static enum ordo_status time_one(const struct ordo_dense_schedule *schedule, const struct ordo_dense_launch *launch,
                                 const struct ordo_dense_model *model, struct ordo_gantt *gantt,
                                 struct ordo_sim_timed *t, struct ordo_err *err)
{
    struct ordo_dense_watch watch;
    enum ordo_status status = ordo_dense_bounds(launch, model, &t->bounds, err);

    if (gantt)
        watch = ordo_gantt_watch(gantt);
    if (status == ORDO_OK)
        status = ordo_dense_make(schedule, launch, true, &t->dense, err);
    if (status == ORDO_OK)
        status = ordo_dense_time(&t->dense, model, gantt ? &watch : NULL, &t->time, err);
    if (status == ORDO_OK)
        t->gap = gap_of(t);
    return status;
}

/* --- one schedule ----------------------------------------------------------------------------------------------- */

static enum ordo_status draw(const struct ordo_args *args, const struct ordo_gantt *g, struct ordo_err *err)
{
    const char *svg = ordo_opt_string(args, "svg"), *trace = ordo_opt_string(args, "trace");
    enum ordo_status status = ORDO_OK;

    if (svg)
        status = ordo_svg_file(svg, ordo_svg_gantt, g, err);
    if (status == ORDO_OK && trace)
        status = ordo_gantt_trace(trace, g, err);
    return status;
}

/* The tasks are kept only for pictures. */
static enum ordo_status room(const struct ordo_args *args, const struct ordo_dense_launch *l, struct ordo_gantt *g,
                             struct ordo_err *err)
{
    int64_t tasks = l->mask->pairs * l->heads;
    int64_t most = ordo_opt_given(args, "svg") ? ORDO_GANTT_MOST_DRAWN : ORDO_GANTT_MOST_TRACED;

    if (tasks > most)
        return ordo_fail(err, ORDO_USAGE, NULL, ordo_opt_given(args, "svg") ? "--svg" : "--trace",
                         "%" PRId64 " tasks are too many to show; at most %" PRId64, tasks, most);
    g->most = tasks;
    g->event = ordo_need(malloc(((size_t)tasks + 1) * sizeof *g->event));
    return ORDO_OK;
}

static int one(const struct ordo_args *args, const struct ordo_dense_schedule *schedule,
               const struct ordo_dense_launch *l, const struct ordo_dense_model *model, struct ordo_err *err)
{
    bool shown = ordo_opt_given(args, "svg") || ordo_opt_given(args, "trace");
    struct ordo_sim_timed t = {.gap = {0, 1}};
    struct ordo_gantt gantt = {&t.dense, &t.time, 0, 0, NULL, model->overlap};
    enum ordo_status status = shown ? room(args, l, &gantt, err) : ORDO_OK;
    int code;

    if (status == ORDO_OK)
        status = time_one(schedule, l, model, shown ? &gantt : NULL, &t, err);
    if (status == ORDO_OK)
        status = draw(args, &gantt, err);
    if (status == ORDO_OK && args->json) {
        ordo_sim_print_json(args, schedule, l, &t, NULL);
    } else if (status == ORDO_OK) {
        ordo_dense_print_shape(args, l);
        ordo_sim_print_model(args, model);
        ordo_sim_print(&t);
    }
    code = status != ORDO_OK ? ordo_report_error(args, status, err) : t.time.hangs ? ORDO_FINDING : ORDO_OK;
    free(gantt.event);
    timed_free(&t);
    return code;
}

/* --- all of them ------------------------------------------------------------------------------------------------ */

static void add(struct ordo_table *table, const char *text)
{
    ordo_table_add(table, ordo_need(strdup(text)));
}

static void add_row(struct ordo_table *table, const char *name, const struct ordo_sim_timed *t, const char *refused)
{
    char text[ORDO_RATIONAL_TEXT];

    add(table, name);
    add(table, refused ? "-" : t->time.hangs ? "hangs" : ordo_sim_ticks(&t->time, t->time.makespan, text));
    (void)snprintf(text, sizeof text, "%.3f", 100 * ordo_rational_real(t->gap));
    add(table, refused || t->time.hangs ? "-" : text);
    add(table, refused ? "-" : ordo_sim_ticks(&t->time, t->time.stall, text));
    (void)snprintf(text, sizeof text, "%" PRId64, t->time.stalls);
    add(table, refused ? "-" : text);
    add(table, refused ? "-" : ordo_sim_ticks(&t->time, t->time.longest_stall, text));
    add(table, refused ? refused : "");
}

static int all(const struct ordo_args *args, const struct ordo_dense_launch *l, const struct ordo_dense_model *model,
               struct ordo_err *err)
{
    static const char *const column[] = {"schedule", "time", "gap %", "waits", "tasks that wait", "longest",
                                         "refused"};
    struct ordo_table table = {0};
    enum ordo_status status = ORDO_OK;

    ordo_table_start(&table, 7, column);
    for (int i = 0; ordo_dense_schedules[i] && status == ORDO_OK; i++) {
        struct ordo_sim_timed t = {.gap = {0, 1}, .time = {.den = 1}};
        bool refused;

        status = time_one(ordo_dense_schedules[i], l, model, NULL, &t, err);
        refused = status == ORDO_BAD_INPUT;
        status = refused ? ORDO_OK : status;
        if (status == ORDO_OK && args->json)
            ordo_sim_print_json(args, ordo_dense_schedules[i], l, &t, refused ? err->reason : NULL);
        else if (status == ORDO_OK)
            add_row(&table, ordo_dense_schedules[i]->name, &t, refused ? err->reason : NULL);
        timed_free(&t);
    }
    if (status == ORDO_OK && !args->json) {
        char text[ORDO_RATIONAL_TEXT];
        struct ordo_dense_bounds b;

        if (ordo_dense_bounds(l, model, &b, err) == ORDO_OK) {
            ordo_dense_print_shape(args, l);
            ordo_sim_print_model(args, model);
            printf("bound    %s\n", ordo_rational_text(b.most, text));
            ordo_table_print(&table, "", stdout);
        }
    }
    ordo_table_free(&table);
    return status == ORDO_OK ? ORDO_OK : ordo_report_error(args, status, err);
}

int ordo_sim_dense(const struct ordo_args *args)
{
    struct ordo_dense_mask mask = {.n_q = 0};
    const struct ordo_dense_schedule *schedule = NULL;
    struct ordo_dense_model model;
    struct ordo_err err = {0};
    enum ordo_status status = ordo_dense_input_schedule(args, &schedule, &err);
    int code;

    if (status == ORDO_OK && !schedule && (ordo_opt_given(args, "svg") || ordo_opt_given(args, "trace")))
        status = ordo_fail(&err, ORDO_USAGE, NULL, "--order", "a picture shows one schedule: name it");
    if (status == ORDO_OK)
        status = ordo_dense_input_model(args, &model, &err);
    if (status == ORDO_OK)
        status = ordo_dense_input_mask(args, &mask, &err);
    if (status == ORDO_OK) {
        struct ordo_dense_launch launch = ordo_dense_input_launch(args, &mask);

        code = schedule ? one(args, schedule, &launch, &model, &err) : all(args, &launch, &model, &err);
    } else {
        code = ordo_report_error(args, status, &err);
    }
    ordo_dense_mask_free(&mask);
    return code;
}
