/* sim_dense_report.c - see sim_dense.h. */
#include "cli/sim_dense.h"

#include "cli/out.h"

#include <inttypes.h>

const char *ordo_sim_ticks(const struct ordo_dense_time *t, int64_t ticks_, char out[ORDO_RATIONAL_TEXT])
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

static void print_blocked(const struct ordo_sim_timed *t)
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

void ordo_sim_print_model(const struct ordo_args *args, const struct ordo_dense_model *m)
{
    printf("model    c %s, r %s, edge %s, start %s", ordo_opt_string(args, "c"), ordo_opt_string(args, "r"),
           ordo_opt_string(args, "edge"), ordo_opt_string(args, "start"));
    if (m->jitter.num)
        printf(", jitter %s %s, seed %" PRIu64, ordo_opt_string(args, "jitter"),
               ordo_dense_jitter_name[m->distribution], m->seed);
    puts(m->overlap ? ", reductions beside products" : "");
}

void ordo_sim_print(const struct ordo_sim_timed *t)
{
    char text[5][ORDO_RATIONAL_TEXT];
    const struct ordo_dense_time *time = &t->time;
    int32_t slot = worst(time->slot_stall, time->slots), row = worst(time->row_stall, time->n_q);

    printf("schedule %s: %s\n", t->dense.schedule->name, t->dense.schedule->about);
    if (t->dense.section > 1 && t->dense.section != t->dense.launch.section)
        printf("         tables made for %" PRId32 " heads side by side in the grid\n", t->dense.section);
    if (time->hangs) {
        printf("hangs    after %" PRId64 " of %" PRId64 " tasks; %" PRId64 " CTAs had started\n", time->done,
               time->tasks, time->started);
        print_blocked(t);
        return;
    }
    printf("time     %s, %.3f %% above the bound %s (work %s, longest KV tile %s, longest row %s)\n",
           ordo_sim_ticks(time, time->makespan, text[0]), 100 * ordo_rational_real(t->gap),
           ordo_rational_text(t->bounds.most, text[1]), ordo_rational_text(t->bounds.work, text[2]),
           ordo_rational_text(t->bounds.chain, text[3]), ordo_rational_text(t->bounds.reduction, text[4]));
    printf("waits    %s in %" PRId64 " of %" PRId64 " tasks, the longest %s\n",
           ordo_sim_ticks(time, time->stall, text[0]), time->stalls, time->tasks,
           ordo_sim_ticks(time, time->longest_stall, text[1]));
    if (slot >= 0)
        printf("         most on SM %" PRId32 ": %s, and for query tile %" PRId32 ": %s\n", slot,
               ordo_sim_ticks(time, time->slot_stall[slot], text[0]), row,
               ordo_sim_ticks(time, time->row_stall[row], text[1]));
}

static void append(json_t *list, const char *text)
{
    ordo_need(json_array_append_new(list, ordo_need(json_string(text))) ? NULL : list);
}

static void list_json(json_t *o, const char *key, const struct ordo_dense_time *t, const int64_t *value, int32_t n)
{
    json_t *list = ordo_need(json_array());
    char text[ORDO_RATIONAL_TEXT];

    for (int32_t i = 0; i < n; i++)
        append(list, ordo_sim_ticks(t, value[i], text));
    ordo_json_set(o, key, list);
}

static void fraction_json(json_t *o, const char *key, struct ordo_rational x)
{
    char text[ORDO_RATIONAL_TEXT];

    ordo_json_text(o, key, ordo_rational_text(x, text));
}

void ordo_sim_print_json(const struct ordo_args *args, const struct ordo_dense_schedule *schedule,
                       const struct ordo_dense_launch *l, const struct ordo_sim_timed *t, const char *refused)
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
        ordo_json_int(o, "section", t->dense.section);
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
