/* bench_explore.c - see bench_explore.h.
 *
 * The coarse model: 8 ranks, five steps a row (compute, poll, read, write, clear), all ranks in one order, sequential
 * consistency, no reduction.  Spin runs if ORDO_SPIN_MODEL names its Promela text (compiled with -DCOARSE=1 -DC=8
 * -DR=rows -DORD=0) and spin and gcc are there; its time is what it says itself. */
#include "cli/bench_explore.h"

#include "base/clock.h"
#include "cli/out.h"
#include "sim/e2.h"
#include "sim/e2_design.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 5, LEAST = 2, MOST = 4 };

static double cpu_seconds(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

struct speed {
    struct ordo_e2_result result; /* of the fastest round */
    double cpu;                   /* of the round that took least of it: table and start included */
};

static bool explore(int32_t rows, struct speed *best)
{
    const struct ordo_e2_spec spec = {.design = ORDO_E2_COARSE, .stride = 8, .rows = rows};
    const struct ordo_e2_options options = {.sc = true, .scheduler = ORDO_SCHED_GRID, .expect = 1200000};
    struct ordo_e2_program p;
    bool ok = ordo_e2_design(&spec, &p);

    *best = (struct speed){.cpu = 0};
    for (int i = 0; i < ROUNDS && ok; i++) {
        double start = cpu_seconds(), cpu;
        struct ordo_e2_result r;

        ok = ordo_e2_decide(&p, &options, &r);
        cpu = cpu_seconds() - start;
        best->cpu = i == 0 || cpu < best->cpu ? cpu : best->cpu;
        if (ok && (i == 0 || r.seconds < best->result.seconds))
            best->result = r;
        ordo_e2_result_free(&r);
    }
    ordo_e2_program_free(&p);
    return ok;
}

/* --- Spin ------------------------------------------------------------------------------------------------------- */

struct spin {
    double seconds; /* 0: not run */
    uint64_t states, edges;
};

/* The number of a line "  21778 states, stored". */
static void take_number(const char *line, const char *what, uint64_t *x)
{
    char *end;
    uint64_t n = strtoull(line, &end, 10);

    if (end != line && *end == ' ' && strncmp(end + 1, what, strlen(what)) == 0)
        *x = n;
}

/* Runs Spin in a folder of its own; its report comes on a pipe. */
static struct spin run_spin(const char *model, int32_t rows)
{
    struct spin s = {0, 0, 0};
    char dir[] = "/tmp/ordo-spin-XXXXXX", command[1024], line[256];
    double seconds = 0;
    FILE *out;

    if (strpbrk(model, "'\\") || !mkdtemp(dir))
        return s;
    (void)snprintf(command, sizeof command,
                   "cd %s && spin -a -DCOARSE=1 -DC=8 -DR=%" PRId32 " -DORD=0 '%s' > log 2>&1 && "
                   "gcc -O3 -DSAFETY -DNOREDUCE -w -o pan pan.c >> log 2>&1 && ./pan -m100000 -w22; rm -rf %s",
                   dir, rows, model, dir);
    out = popen(command, "r");
    while (out && fgets(line, sizeof line, out)) {
        take_number(line, "states, stored", &s.states);
        take_number(line, "transitions", &s.edges);
        (void)sscanf(line, "pan: elapsed time %lf", &seconds);
    }
    if (out && pclose(out) == 0 && s.edges)
        s.seconds = seconds;
    return s;
}

static char *whole_path(const char *model)
{
    return model ? realpath(model, NULL) : NULL;
}

/* --- both ------------------------------------------------------------------------------------------------------- */

static void say(const struct ordo_args *args, int32_t rows, const struct speed *e, const struct spin *s)
{
    const struct ordo_e2_result *r = &e->result;
    double rate = (double)r->edges / r->seconds, cpu_rate = (double)r->edges / e->cpu;
    double spin_rate = s->seconds > 0 ? (double)s->edges / s->seconds : 0;
    json_t *o;

    if (!args->json) {
        printf("coarse C=8, %" PRId32 " rows  %" PRIu64 " states  %" PRIu64 " edges  %" PRId32
               " bytes a state  %.3f s  %.1f M edges/s  (%.1f M per CPU second)\n",
               rows, r->states, r->edges, r->bits / 8, r->seconds, rate / 1e6, cpu_rate / 1e6);
        if (s->seconds > 0)
            printf("        Spin       %" PRIu64 " states  %" PRIu64
                   " edges  %.3f s  %.2f M edges/s: %.1f times as fast\n",
                   s->states, s->edges, s->seconds, spin_rate / 1e6, rate / spin_rate);
        return;
    }
    o = ordo_json_new("ordo.bench/1");
    ordo_json_text(o, "bench", "explore");
    ordo_json_int(o, "rows", rows);
    ordo_json_u64(o, "states", r->states);
    ordo_json_u64(o, "edges", r->edges);
    ordo_json_int(o, "bytes_per_state", r->bits / 8);
    ordo_json_real(o, "seconds", r->seconds);
    ordo_json_real(o, "cpu_seconds", e->cpu);
    ordo_json_real(o, "edges_per_second", rate);
    if (s->seconds > 0) {
        ordo_json_u64(o, "spin_states", s->states);
        ordo_json_u64(o, "spin_edges", s->edges);
        ordo_json_real(o, "spin_seconds", s->seconds);
        ordo_json_real(o, "over_spin", rate / spin_rate);
    }
    ordo_out_json(o);
}

enum ordo_status ordo_bench_explore(const struct ordo_args *args, struct ordo_err *err)
{
    char *model = whole_path(getenv("ORDO_SPIN_MODEL"));
    enum ordo_status status = ORDO_OK;

    for (int32_t rows = LEAST; rows <= MOST && status == ORDO_OK; rows++) {
        struct spin spin = {0, 0, 0};
        struct speed speed;

        if (!explore(rows, &speed))
            status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "explore", "no memory for the states");
        if (model && status == ORDO_OK)
            spin = run_spin(model, rows);
        if (status == ORDO_OK)
            say(args, rows, &speed, &spin);
    }
    if (!model && !args->json)
        printf("Spin not run: ORDO_SPIN_MODEL does not name its model\n");
    free(model);
    return status;
}
