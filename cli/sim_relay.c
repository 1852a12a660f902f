/* sim_relay.c - `ordo sim FILE`: what hand-overs cost the relay on an index tensor, for each cluster size. */
#include "cli/dense.h"
#include "cli/input.h"
#include "cli/out.h"
#include "cli/sim.h"
#include "sim/census.h"
#include "sim/relay_time.h"

#include <inttypes.h>
#include <stdio.h>

static double share(int64_t part, int64_t whole)
{
    return whole ? 100 * (double)part / (double)whole : 0;
}

static const char *ticks(const struct ordo_relay_time *t, int64_t ticks_, char out[ORDO_RATIONAL_TEXT])
{
    return ordo_rational_text(ordo_rational_of(ticks_, t->den), out);
}

static void print(const struct ordo_relay_time *t)
{
    char time[ORDO_RATIONAL_TEXT], alone[ORDO_RATIONAL_TEXT], longest[ORDO_RATIONAL_TEXT];

    printf("C=%-2" PRId32 "     time %s (%s if nobody waited, %+.1f %%), stalls %.1f %% of the CTAs' time\n",
           t->cluster,
           ticks(t, t->time, time), ticks(t, t->alone, alone), share(t->time - t->alone, t->alone),
           share(t->stall, t->stall + t->busy));
    printf("         %" PRId64 " of %" PRId64 " tiles wait, the longest %s; a chain of %" PRId32
           " hand-overs, a row goes through %" PRId32 " CTAs\n",
           t->waits, t->tiles, ticks(t, t->longest, longest), t->chain, t->row_chain);
}

static void print_json(const char *file, const struct ordo_relay_time *t)
{
    json_t *o = ordo_json_new("ordo.sim/1");
    char text[ORDO_RATIONAL_TEXT];

    ordo_json_text(o, "file", file);
    ordo_json_int(o, "cluster", t->cluster);
    ordo_json_text(o, "time", ticks(t, t->time, text));
    ordo_json_text(o, "time_without_waits", ticks(t, t->alone, text));
    ordo_json_text(o, "stall", ticks(t, t->stall, text));
    ordo_json_real(o, "stall_share", share(t->stall, t->stall + t->busy) / 100);
    ordo_json_int(o, "tiles", t->tiles);
    ordo_json_int(o, "tiles_that_wait", t->waits);
    ordo_json_text(o, "longest_wait", ticks(t, t->longest, text));
    ordo_json_int(o, "longest_chain", t->chain);
    ordo_json_int(o, "row_chain", t->row_chain);
    ordo_out_json(o);
}

int ordo_sim_relay(const struct ordo_args *args)
{
    struct ordo_problem p = {0};
    struct ordo_dense_model weights;
    struct ordo_relay_time t;
    struct ordo_err err = {0};
    enum ordo_status status = ordo_dense_input_model(args, &weights, &err);
    struct ordo_relay_model model = {.tile = ordo_opt_int(args, "tile")};

    if (status == ORDO_OK)
        status = ordo_input_read(args, args->operand[0], &p, &err);
    if (status == ORDO_OK) {
        model.c = weights.c;
        model.r = weights.r;
        model.edge = weights.edge;
        if (!args->json)
            printf("tensor   %s: %" PRId32 " queries x Top-K %" PRId32 " over %" PRId32 " KV rows\n"
                   "model    waves of %d, tiles of %" PRId32 " slots, c %s, r %s, edge %s\n",
                   args->operand[0], p.n_query, p.topk, p.n_kv, ORDO_CENSUS_WAVE, model.tile,
                   ordo_opt_string(args, "c"), ordo_opt_string(args, "r"), ordo_opt_string(args, "edge"));
    }
    for (int i = 0; i < ORDO_N_CLUSTER_SIZES && status == ORDO_OK; i++) {
        status = ordo_relay_time(&p, ordo_cluster_size[i], &model, &t, &err);
        if (status == ORDO_OK && args->json)
            print_json(args->operand[0], &t);
        else if (status == ORDO_OK)
            print(&t);
    }
    ordo_problem_free(&p);
    return status == ORDO_OK ? ORDO_OK : ordo_report_error(args, status, &err);
}
