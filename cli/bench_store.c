/* bench_store.c - `ordo bench store`: how fast results go in, and how fast the one flip among them is found. */
#include "base/clock.h"
#include "base/progress.h"
#include "cli/bench.h"
#include "cli/out.h"
#include "cli/scratch.h"
#include "store/store.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    PER_RUN = 10000,   /* results of a run, which is one transaction */
    PER_PROBLEM = 10   /* five repeats on each of two devices, whose bits differ from each other */
};

struct cost {
    int64_t results;
    double store, flips, compare;
    uint64_t found;
    int64_t bytes;
};

/* Not random, but spread as digests are. */
static struct ordo_digest digest_of(uint64_t what, uint64_t i)
{
    struct ordo_hasher h;

    ordo_hasher_init(&h);
    ordo_hasher_u64(&h, what);
    ordo_hasher_u64(&h, i);
    return ordo_hasher_done(&h);
}

static void fill(struct ordo_store_result *r, struct ordo_store_problem *problem, int64_t first, int64_t n,
                 int64_t planted)
{
    static const struct ordo_store_device device[2] = {{"device A", "sm_90", "GPU-0", "1"},
                                                       {"device B", "sm_100", "GPU-1", "1"}};
    static struct ordo_store_plan plan = {.text = "bench\n", .design = "cluster-relay", .target = "sm90"};
    static struct ordo_store_build build = {.toolkit = "bench"};
    static struct ordo_store_input input = {.text = "bench"};

    plan.digest = digest_of(1, 0);
    build.digest = digest_of(2, 0);
    input.digest = digest_of(3, 0);
    for (int64_t i = 0; i < n; i++) {
        uint64_t p = (uint64_t)(first + i) / PER_PROBLEM, repeat = (uint64_t)(first + i) % PER_PROBLEM;
        struct ordo_store_problem *here = &problem[i / PER_PROBLEM];

        *here = (struct ordo_store_problem){digest_of(4, p), 128, 16, 4096, 2048, 0, 0, 0};
        r[i] = (struct ordo_store_result){here, &plan, &build, &device[repeat % 2], &input, "dkv",
                                          digest_of(5 + repeat % 2 + (first + i == planted), p), "pass", nan("")};
    }
}

static enum ordo_status store_all(const char *path, struct cost *cost, struct ordo_err *err)
{
    struct ordo_store_result *result = ordo_need(malloc(PER_RUN * sizeof *result));
    struct ordo_store_problem *problem = ordo_need(malloc((PER_RUN / PER_PROBLEM + 1) * sizeof *problem));
    struct ordo_store *store = NULL;
    double start = ordo_seconds();
    enum ordo_status status = ordo_store_open(path, ORDO_STORE_WRITE, &store, err);

    for (int64_t first = 0; first < cost->results && status == ORDO_OK; first += PER_RUN) {
        int64_t n = cost->results - first < PER_RUN ? cost->results - first : PER_RUN, id;
        struct ordo_store_run run = {.started_us = first, .finished_us = first + 1, .verb = "bench", .argv = "",
                                     .version = PACKAGE_VERSION, .verdict = "pass", .n_result = (size_t)n,
                                     .result = result};

        fill(result, problem, first, n, cost->results / 2);
        status = ordo_store_add_run(store, &run, &id, err);
        ordo_progress("bench store: result", (uint64_t)first, (uint64_t)cost->results);
    }
    ordo_progress_end();
    ordo_store_close(store); /* what is still in the log goes into the file */
    cost->store = ordo_seconds() - start;
    free(problem);
    free(result);
    return status;
}

static int columns(void *ctx, const char *table, int n, const char *const *name)
{
    (void)ctx, (void)table, (void)n, (void)name;
    return 0;
}

static int count_row(void *ctx, int n, const struct ordo_store_cell *cell)
{
    (void)n, (void)cell;
    ++*(uint64_t *)ctx;
    return 0;
}

static enum ordo_status ask_all(const char *path, struct cost *cost, struct ordo_err *err)
{
    struct ordo_store_filter flips = {.limit = 0}, two = {.a = 1, .b = 2};
    uint64_t rows = 0;
    struct ordo_store_sink found = {columns, count_row, &cost->found}, compared = {columns, count_row, &rows};
    struct ordo_store *store = NULL;
    double start = ordo_seconds();
    enum ordo_status status = ordo_store_open(path, ORDO_STORE_READ, &store, err);

    if (status == ORDO_OK)
        status = ordo_store_ask(store, ORDO_STORE_FLIPS, &flips, &found, err);
    cost->flips = ordo_seconds() - start;
    if (status == ORDO_OK)
        status = ordo_store_ask(store, ORDO_STORE_COMPARE, &two, &compared, err);
    cost->compare = ordo_seconds() - start - cost->flips;
    ordo_store_close(store);
    return status;
}

static void say(const struct ordo_args *args, const struct cost *c)
{
    json_t *o;

    if (!args->json) {
        printf("%" PRId64 " results  stored in %.2f s (%.0f a second, synchronous, %d a transaction)  %" PRId64
               " MiB  flips %.2f s: %" PRIu64 " found of 1 planted  compare of two runs %.2f s\n",
               c->results, c->store, (double)c->results / c->store, PER_RUN, c->bytes >> 20, c->flips, c->found,
               c->compare);
        return;
    }
    o = ordo_json_new("ordo.bench/1");
    ordo_json_text(o, "bench", "store");
    ordo_json_int(o, "results", c->results);
    ordo_json_real(o, "store_seconds", c->store);
    ordo_json_real(o, "flips_seconds", c->flips);
    ordo_json_u64(o, "flips_found", c->found);
    ordo_json_real(o, "compare_seconds", c->compare);
    ordo_json_int(o, "bytes", c->bytes);
    ordo_out_json(o);
}

enum ordo_status ordo_bench_store(const struct ordo_args *args, struct ordo_err *err)
{
    struct cost cost = {.results = ordo_opt_int(args, "results")};
    struct ordo_scratch scratch;
    char path[288];
    enum ordo_status status = ordo_scratch_make("bench", &scratch, err);
    struct stat st;

    (void)snprintf(path, sizeof path, "%s/bench.db", scratch.folder);
    if (status == ORDO_OK)
        status = store_all(path, &cost, err);
    if (status == ORDO_OK && stat(path, &st) == 0)
        cost.bytes = (int64_t)st.st_size;
    if (status == ORDO_OK)
        status = ask_all(path, &cost, err);
    if (status == ORDO_OK)
        say(args, &cost);
    ordo_scratch_end(&scratch);
    return status;
}
