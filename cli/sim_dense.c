/* sim_dense.c - `ordo sim --dense`: what a schedule's waits cost, exactly; one on a page, or all in a table. */
#include "cli/dense.h"
#include "cli/gantt.h"
#include "cli/out.h"
#include "cli/sim.h"
#include "cli/svg.h"
#include "cli/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct timed {
    struct ordo_dense dense;
    struct ordo_dense_time time;
    struct ordo_dense_bounds bounds;
    struct ordo_rational gap; /* time / bound - 1 */
};

static void timed_free(struct timed *t)
{
    ordo_dense_time_free(&t->time);
    ordo_dense_free(&t->dense);
}

static struct ordo_rational gap_of(const struct timed *t)
{
    struct ordo_rational ratio, minus = {-1, 1};

    if (t->bounds.most.num == 0 || !ordo_rational_div(ordo_dense_makespan(&t->time), t->bounds.most, &ratio) ||
        !ordo_rational_add(ratio, minus, &ratio))
        return (struct ordo_rational){0, 1};
    return ratio;
}

/* ORDO_BAD_INPUT where the schedule does not fit: then only err says something. */
static enum ordo_status time_one(const struct ordo_dense_schedule *schedule, const struct ordo_dense_launch *launch,
                                 const struct ordo_dense_model *model, struct ordo_gantt *gantt, struct timed *t,
                                 struct ordo_err *err)
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

static const char *ticks(const struct ordo_dense_time *t, int64_t ticks_, char out[ORDO_RATIONAL_TEXT])
{
    return ordo_rational_text(ordo_rational_of(ticks_, t->den), out);
}

/* The index of the largest of n values, or -1 if none is above 0. */
static int32_t worst(const int64_t *value, int32_t n)
{
    int32_t at = -1;

    for (int32_t i = 0; i < n; i++)
        if (value[i] > (at < 0 ? 0 : value[at]))
            at = i;
    return at;
}

static void print_blocked(const struct timed *t)
{
    for (int32_t i = 0; i < t->time.n_blocked && i < 8; i++) {
        const struct ordo_dense_blocked *b = &t->time.blocked[i];

        printf("         SM %" PRId32 ": head %" PRId32 ", KV tile %" PRId32 " waits at query tile %" PRId32
               " for rank %" PRId32 ", whose next is %" PRId32 "\n",
               b->slot, b->tile.head, b->tile.kv, b->query, b->rank, b->next);
    }
    if (t->time.n_blocked > 8)
        printf("         and %" PRId32 " more\n", t->time.n_blocked - 8);
}

static void print_model(const struct ordo_args *args, const struct ordo_dense_model *m)
{
    printf("model    c %s, r %s, edge %s, start %s", ordo_opt_string(args, "c"), ordo_opt_string(args, "r"),
           ordo_opt_string(args, "edge"), ordo_opt_string(args, "start"));
    if (m->jitter.num)
        printf(", jitter %s %s, seed %" PRIu64, ordo_opt_string(args, "jitter"),
               ordo_dense_jitter_name[m->distribution], m->seed);
    puts(m->overlap ? ", reductions beside products" : "");
}

static void print_one(const struct timed *t)
{
    char text[5][ORDO_RATIONAL_TEXT];
    const struct ordo_dense_time *time = &t->time;
    int32_t slot = worst(time->slot_stall, time->slots), row = worst(time->row_stall, time->n_q);

    printf("schedule %s: %s\n", t->dense.schedule->name, t->dense.schedule->about);
    if (time->hangs) {
        printf("hangs    after %" PRId64 " of %" PRId64 " tasks; %" PRId64 " CTAs had started\n", time->done,
               time->tasks, time->started);
        print_blocked(t);
        return;
    }
    printf("time     %s, %.3f %% above the bound %s (work %s, longest KV tile %s, longest row %s)\n",
           ticks(time, time->makespan, text[0]), 100 * ordo_rational_real(t->gap),
           ordo_rational_text(t->bounds.most, text[1]), ordo_rational_text(t->bounds.work, text[2]),
           ordo_rational_text(t->bounds.chain, text[3]), ordo_rational_text(t->bounds.reduction, text[4]));
    printf("waits    %s in %" PRId64 " of %" PRId64 " tasks, the longest %s\n", ticks(time, time->stall, text[0]),
           time->stalls, time->tasks, ticks(time, time->longest_stall, text[1]));
    if (slot >= 0)
        printf("         most on SM %" PRId32 ": %s, and for query tile %" PRId32 ": %s\n", slot,
               ticks(time, time->slot_stall[slot], text[0]), row, ticks(time, time->row_stall[row], text[1]));
}

static void list_json(json_t *o, const char *key, const struct ordo_dense_time *t, const int64_t *value, int32_t n)
{
    json_t *list = ordo_need(json_array());
    char text[ORDO_RATIONAL_TEXT];

    for (int32_t i = 0; i < n; i++)
        ordo_need(json_array_append_new(list, ordo_need(json_string(ticks(t, value[i], text)))) ? NULL : list);
    ordo_json_set(o, key, list);
}

static void fraction_json(json_t *o, const char *key, struct ordo_rational x)
{
    char text[ORDO_RATIONAL_TEXT];

    ordo_json_text(o, key, ordo_rational_text(x, text));
}

/* refused: why it was not timed, or NULL. */
static void print_json(const struct ordo_args *args, const struct ordo_dense_schedule *schedule,
                       const struct ordo_dense_launch *l, const struct timed *t, const char *refused)
{
    json_t *o = ordo_json_new("ordo.sim/1");

    ordo_json_text(o, "schedule", schedule->name);
    ordo_json_text(o, "mask", ordo_opt_given(args, "mask-file") ? ordo_opt_string(args, "mask-file")
                                                                : ordo_opt_string(args, "mask"));
    ordo_json_int(o, "q_tiles", l->mask->n_q);
    ordo_json_int(o, "kv_tiles", l->mask->n_kv);
    ordo_json_int(o, "heads", l->heads);
    ordo_json_int(o, "sms", ordo_opt_int(args, "sms"));
    ordo_json_text(o, "refused", refused);
    if (!refused) {
        ordo_json_bool(o, "hangs", t->time.hangs);
        fraction_json(o, "time", ordo_dense_makespan(&t->time));
        fraction_json(o, "bound", t->bounds.most);
        fraction_json(o, "bound_work", t->bounds.work);
        fraction_json(o, "bound_chain", t->bounds.chain);
        fraction_json(o, "bound_reduction", t->bounds.reduction);
        fraction_json(o, "gap", t->gap);
        fraction_json(o, "stall", ordo_rational_of(t->time.stall, t->time.den));
        ordo_json_int(o, "stalled_tasks", t->time.stalls);
        ordo_json_int(o, "tasks", t->time.tasks);
        ordo_json_int(o, "done", t->time.done);
        list_json(o, "stall_by_sm", &t->time, t->time.slot_stall, t->time.slots);
        list_json(o, "stall_by_query_tile", &t->time, t->time.row_stall, t->time.n_q);
    }
    ordo_out_json(o);
}

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
    struct timed t = {.gap = {0, 1}};
    struct ordo_gantt gantt = {&t.dense, &t.time, 0, 0, NULL};
    enum ordo_status status = shown ? room(args, l, &gantt, err) : ORDO_OK;
    int code;

    if (status == ORDO_OK)
        status = time_one(schedule, l, model, shown ? &gantt : NULL, &t, err);
    if (status == ORDO_OK)
        status = draw(args, &gantt, err);
    if (status == ORDO_OK && args->json) {
        print_json(args, schedule, l, &t, NULL);
    } else if (status == ORDO_OK) {
        ordo_dense_print_shape(args, l);
        print_model(args, model);
        print_one(&t);
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

static void add_row(struct ordo_table *table, const char *name, const struct timed *t, const char *refused)
{
    char text[ORDO_RATIONAL_TEXT];

    add(table, name);
    add(table, refused ? "-" : t->time.hangs ? "hangs" : ticks(&t->time, t->time.makespan, text));
    (void)snprintf(text, sizeof text, "%.3f", 100 * ordo_rational_real(t->gap));
    add(table, refused || t->time.hangs ? "-" : text);
    add(table, refused ? "-" : ticks(&t->time, t->time.stall, text));
    (void)snprintf(text, sizeof text, "%" PRId64, t->time.stalls);
    add(table, refused ? "-" : text);
    add(table, refused ? "-" : ticks(&t->time, t->time.longest_stall, text));
    add(table, refused ? refused : "");
}

static int all(const struct ordo_args *args, const struct ordo_dense_launch *l, const struct ordo_dense_model *model,
               struct ordo_err *err)
{
    static const char *const column[] = {"schedule", "time", "gap %", "waits", "tasks that wait", "longest", "refused"};
    struct ordo_table table = {0};
    enum ordo_status status = ORDO_OK;

    ordo_table_start(&table, 7, column);
    for (int i = 0; ordo_dense_schedules[i] && status == ORDO_OK; i++) {
        struct timed t = {.gap = {0, 1}, .time = {.den = 1}};
        bool refused;

        status = time_one(ordo_dense_schedules[i], l, model, NULL, &t, err);
        refused = status == ORDO_BAD_INPUT;
        status = refused ? ORDO_OK : status;
        if (status == ORDO_OK && args->json)
            print_json(args, ordo_dense_schedules[i], l, &t, refused ? err->reason : NULL);
        else if (status == ORDO_OK)
            add_row(&table, ordo_dense_schedules[i]->name, &t, refused ? err->reason : NULL);
        timed_free(&t);
    }
    if (status == ORDO_OK && !args->json) {
        char text[ORDO_RATIONAL_TEXT];
        struct ordo_dense_bounds b;

        if (ordo_dense_bounds(l, model, &b, err) == ORDO_OK) {
            ordo_dense_print_shape(args, l);
            print_model(args, model);
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
