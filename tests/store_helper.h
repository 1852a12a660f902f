/* store_helper.h - what the tests of store/ share: a directory of their own, a run with all parts, rows as text. */
#ifndef ORDO_TESTS_STORE_HELPER_H
#define ORDO_TESTS_STORE_HELPER_H

#include "tests/test.h"

#include "store/store.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char dir[64], db[96];

static inline int make_dir(void **state)
{
    const char *tmp = "/tmp/ordo-store-XXXXXX";

    (void)state;
    (void)snprintf(dir, sizeof dir, "%s", tmp);
    if (!mkdtemp(dir))
        return -1;
    (void)snprintf(db, sizeof db, "%s/t.db", dir);
    return 0;
}

static inline int remove_dir(void **state)
{
    static const char *const end[] = {"", "-wal", "-shm", "-journal"};
    char name[128];
    size_t i;

    (void)state;
    for (i = 0; i < sizeof end / sizeof end[0]; i++) {
        (void)snprintf(name, sizeof name, "%s%s", db, end[i]);
        (void)unlink(name);
    }
    return rmdir(dir);
}

static inline struct ordo_digest digest(uint8_t x)
{
    struct ordo_digest d;

    memset(d.byte, x, sizeof d.byte);
    return d;
}

/* --- a run with all parts, and extreme values ------------------------------------------------------------------- */

struct sample {
    struct ordo_store_problem problem;
    struct ordo_store_plan plan;
    struct ordo_store_proof proof;
    struct ordo_digest order;
    struct ordo_store_bits bits[2];
    struct ordo_store_oracle oracle[2];
    struct ordo_store_value value[3];
    struct ordo_store_build build;
    struct ordo_store_device device;
    struct ordo_store_input input;
    struct ordo_store_result result[2];
    struct ordo_store_sample sample;
    struct ordo_store_run run;
};

static inline void fill(struct sample *s, uint8_t x)
{
    *s = (struct sample){
        .problem = {digest(x), 2147483647, 2048, 4096, INT64_MAX, 3, 1, 1},
        .plan = {digest(0xab), "plan text\n", "cluster-relay", "sm100", 128, 8, 16, 1, 32, INT64_MAX, 12},
        .order = digest(0xcd),
        .bits = {{"exact", UINT64_MAX, 8, digest(1)}, {"rough", 7, 8, digest(2)}},
        .oracle = {{"exact", 1, 2, 3, 4, 0, 0, 0, 0.1}, {"rough", 1, 2, 3, 4, 5, 6, 7, nan("")}},
        .value = {{"exact", 0, 0, 0x80000000u}, {"exact", 0, 1, 0xffffffffu}, {"rough", 2147483647, 7, 0}},
    };
    s->build = (struct ordo_store_build){.digest = digest(0xe1), .toolkit = "CUDA 13.0"};
    s->device = (struct ordo_store_device){.name = "device", .arch = "sm_90"};
    s->input = (struct ordo_store_input){.digest = digest(0xe2)};
    for (int i = 0; i < 2; i++)
        s->result[i] = (struct ordo_store_result){&s->problem, &s->plan, &s->build, &s->device, &s->input,
                                                  i ? "dkv" : "dq", digest(0xe3), "pass", i ? 0.5 : nan("")};
    s->sample = (struct ordo_store_sample){"us", 0, nan("")};
    s->proof = (struct ordo_store_proof){"proved", "total", "free", "free", "window=16", "E1,E2", 9, 8, 7, &s->order};
    s->run = (struct ordo_store_run){
        .started_us = 1, .finished_us = 1500001, .verb = "check", .argv = "ordo check 'a\xff.npy'", .version = "0",
        .input = "a\xff.npy", .verdict = "clean", .problem = &s->problem, .plan = &s->plan, .proof = &s->proof,
        .n_bits = 2, .bits = s->bits, .n_oracle = 2, .oracle = s->oracle, .n_value = 3, .value = s->value,
        .n_result = 2, .result = s->result, .n_sample = 1, .sample = &s->sample,
    };
}

/* --- sinks ------------------------------------------------------------------------------------------------------ */

/* All of a reading as text: "table:" then "name=value" for each cell. */
struct text {
    char out[8192];
    char name[40][32];
    int rows;
};

static inline void append(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline void append(struct text *t, const char *format, ...)
{
    size_t used = strlen(t->out);
    va_list args;

    va_start(args, format);
    (void)vsnprintf(t->out + used, sizeof t->out - used, format, args);
    va_end(args);
}

static inline int columns(void *ctx, const char *table, int n, const char *const *name)
{
    struct text *t = ctx;
    int i;

    assert_in_range(n, 1, 40);
    for (i = 0; i < n; i++)
        (void)snprintf(t->name[i], sizeof t->name[i], "%s", name[i]);
    append(t, "[%s]", table);
    return 0;
}

static inline int row(void *ctx, int n, const struct ordo_store_cell *cell)
{
    struct text *t = ctx;
    int i;

    t->rows++;
    for (i = 0; i < n; i++) {
        append(t, " %s=", t->name[i]);
        if (cell[i].type == ORDO_STORE_INT)
            append(t, "%" PRId64, cell[i].integer);
        else if (cell[i].type == ORDO_STORE_REAL)
            append(t, "%g", cell[i].real);
        else if (cell[i].type == ORDO_STORE_TEXT)
            append(t, "'%s'", cell[i].text);
        else
            append(t, "NULL");
    }
    append(t, ";");
    return 0;
}

static inline struct ordo_store_sink sink_of(struct text *t)
{
    *t = (struct text){.rows = 0};
    return (struct ordo_store_sink){columns, row, t};
}

static inline struct ordo_store *open_ok(enum ordo_store_mode mode)
{
    struct ordo_store *store;
    struct ordo_err err = {0};

    assert_ok(ordo_store_open(db, mode, &store, &err), err);
    return store;
}

static inline enum ordo_status ask(struct ordo_store *store, const char *sql, struct text *t, struct ordo_err *err)
{
    struct ordo_store_sink sink = sink_of(t);

    memset(err, 0, sizeof *err);
    return ordo_store_sql(store, sql, &sink, err);
}

static inline int64_t count(const char *sql)
{
    struct ordo_store *store = open_ok(ORDO_STORE_READ);
    struct ordo_err err;
    struct text t;

    assert_ok(ask(store, sql, &t, &err), err);
    ordo_store_close(store);
    return strtoll(strchr(t.out, '=') + 1, NULL, 10);
}

static inline void assert_sound(void)
{
    struct ordo_store *store = open_ok(ORDO_STORE_READ);
    struct ordo_err err;
    struct text t;

    assert_ok(ask(store, "PRAGMA integrity_check", &t, &err), err);
    assert_string_equal(t.out, "[sql] integrity_check='ok';");
    ordo_store_close(store);
}

static inline int64_t add(struct ordo_store *store, uint8_t x)
{
    struct ordo_err err = {0};
    struct sample s;
    int64_t id;

    fill(&s, x);
    assert_ok(ordo_store_add_run(store, &s.run, &id, &err), err);
    assert_true(id > 0);
    return id;
}

#define assert_holds(t, part)                                     \
    do {                                                          \
        if (!strstr((t).out, part))                               \
            fail_msg("'%s' is not in: %s", part, (t).out);        \
    } while (0)

#endif
