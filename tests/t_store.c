/* t_store.c - the results database: what goes in comes out bit for bit, and no death, full disk or second writer costs
 * a run that was reported as stored. */
#include "tests/test.h"

#include "store/store.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[64], db[96];

static int make_dir(void **state)
{
    const char *tmp = "/tmp/ordo-store-XXXXXX";

    (void)state;
    (void)snprintf(dir, sizeof dir, "%s", tmp);
    if (!mkdtemp(dir))
        return -1;
    (void)snprintf(db, sizeof db, "%s/t.db", dir);
    return 0;
}

static int remove_dir(void **state)
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

static struct ordo_digest digest(uint8_t x)
{
    struct ordo_digest d;

    memset(d.byte, x, sizeof d.byte);
    return d;
}

/* --- a run with all parts, and extreme values --------------------------------------------------------------------- */

struct sample {
    struct ordo_store_problem problem;
    struct ordo_store_plan plan;
    struct ordo_store_proof proof;
    struct ordo_digest order;
    struct ordo_store_bits bits[2];
    struct ordo_store_oracle oracle[2];
    struct ordo_store_value value[3];
    struct ordo_store_run run;
};

static void fill(struct sample *s, uint8_t x)
{
    *s = (struct sample){
        .problem = {digest(x), 2147483647, 2048, 4096, INT64_MAX, 3, 1, 1},
        .plan = {digest(0xab), "plan text\n", "cluster-relay", "sm100", 128, 8, 16, 1, 32, INT64_MAX, 12},
        .order = digest(0xcd),
        .bits = {{"exact", UINT64_MAX, 8, digest(1)}, {"rough", 7, 8, digest(2)}},
        .oracle = {{"exact", 1, 2, 3, 4, 0, 0, 0, 0.1}, {"rough", 1, 2, 3, 4, 5, 6, 7, NAN}},
        .value = {{"exact", 0, 0, 0x80000000u}, {"exact", 0, 1, 0xffffffffu}, {"rough", 2147483647, 7, 0}},
    };
    s->proof = (struct ordo_store_proof){"proved", "total", "free", "free", "window=16", "E1,E2", 9, 8, 7, &s->order};
    s->run = (struct ordo_store_run){
        .started_us = 1, .finished_us = 1500001, .verb = "check", .argv = "ordo check 'a\xff.npy'", .version = "0",
        .input = "a\xff.npy", .verdict = "clean", .problem = &s->problem, .plan = &s->plan, .proof = &s->proof,
        .n_bits = 2, .bits = s->bits, .n_oracle = 2, .oracle = s->oracle, .n_value = 3, .value = s->value,
    };
}

/* --- sinks -------------------------------------------------------------------------------------------------------- */

/* All of a reading as text: "table:" then "name=value" for each cell. */
struct text {
    char out[8192];
    char name[40][32];
    int rows;
};

static void append(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(struct text *t, const char *format, ...)
{
    size_t used = strlen(t->out);
    va_list args;

    va_start(args, format);
    (void)vsnprintf(t->out + used, sizeof t->out - used, format, args);
    va_end(args);
}

static int columns(void *ctx, const char *table, int n, const char *const *name)
{
    struct text *t = ctx;
    int i;

    assert_in_range(n, 1, 40);
    for (i = 0; i < n; i++)
        (void)snprintf(t->name[i], sizeof t->name[i], "%s", name[i]);
    append(t, "[%s]", table);
    return 0;
}

static int row(void *ctx, int n, const struct ordo_store_cell *cell)
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

static struct ordo_store_sink sink_of(struct text *t)
{
    *t = (struct text){.rows = 0};
    return (struct ordo_store_sink){columns, row, t};
}

static struct ordo_store *open_ok(enum ordo_store_mode mode)
{
    struct ordo_store *store;
    struct ordo_err err = {0};

    assert_ok(ordo_store_open(db, mode, &store, &err), err);
    return store;
}

static enum ordo_status ask(struct ordo_store *store, const char *sql, struct text *t, struct ordo_err *err)
{
    struct ordo_store_sink sink = sink_of(t);

    memset(err, 0, sizeof *err);
    return ordo_store_sql(store, sql, &sink, err);
}

static int64_t count(const char *sql)
{
    struct ordo_store *store = open_ok(ORDO_STORE_READ);
    struct ordo_err err;
    struct text t;

    assert_ok(ask(store, sql, &t, &err), err);
    ordo_store_close(store);
    return strtoll(strchr(t.out, '=') + 1, NULL, 10);
}

static void assert_sound(void)
{
    struct ordo_store *store = open_ok(ORDO_STORE_READ);
    struct ordo_err err;
    struct text t;

    assert_ok(ask(store, "PRAGMA integrity_check", &t, &err), err);
    assert_string_equal(t.out, "[sql] integrity_check='ok';");
    ordo_store_close(store);
}

static int64_t add(struct ordo_store *store, uint8_t x)
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

/* --- tests -------------------------------------------------------------------------------------------------------- */

static void roundtrip(void **state)
{
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct ordo_err err = {0};
    struct ordo_store_sink sink;
    struct text t;

    (void)state;
    assert_int_equal(add(store, 5), 1);
    assert_int_equal(add(store, 5), 2);
    ordo_store_close(store);

    store = open_ok(ORDO_STORE_READ);
    sink = sink_of(&t);
    assert_ok(ordo_store_show(store, 2, &sink, &err), err);
    assert_holds(t, "started='1970-01-01T00:00:00.000Z' started_us=1 finished_us=1500001 verb='check'");
    assert_holds(t, "argv='ordo check 'a\xff.npy''");
    assert_holds(t, "finding=NULL");
    assert_holds(t, "[problem] digest='0505050505050505050505050505050505050505050505050505050505050505' "
                    "n_query=2147483647 topk=2048 n_kv=4096 live=9223372036854775807 dead_queries=3 duplicates=1");
    assert_holds(t, "workspace_bytes=9223372036854775807 private_workspace_bytes=12 text='plan text\n'");
    assert_holds(t, "assumption='window=16' engines='E1,E2' updates=9 row_count=8 accumulators=7");
    assert_holds(t, "input_class='exact' seed='18446744073709551615' width=8 bits_digest='0101");
    assert_holds(t, "outside_bound=5 not_exact=6 mpfr_disagreements=7 worst_ratio=inf;");
    assert_holds(t, "input_class='exact' row=0 col=0 bits=2147483648;");
    assert_holds(t, "input_class='exact' row=0 col=1 bits=4294967295;");
    assert_holds(t, "input_class='rough' row=2147483647 col=7 bits=0;");
    assert_int_equal(ordo_store_show(store, 3, &sink, &err), ORDO_BAD_INPUT);
    ordo_store_close(store);
    assert_int_equal(count("SELECT count(*) FROM problem"), 1);
    assert_int_equal(count("SELECT count(*) FROM plan"), 1);
    assert_int_equal(access(db, F_OK), 0);
    assert_true(count("SELECT count(*) FROM pragma_table_info('run')") > 5);
}

/* Parts that were not run are absent or NULL, not zero. */
static void bare_run(void **state)
{
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct ordo_store_run run = {.verb = "check", .argv = "ordo", .version = "0", .verdict = "not-run"};
    struct ordo_err err = {0};
    struct ordo_store_sink sink;
    struct text t;
    int64_t id;

    (void)state;
    assert_ok(ordo_store_add_run(store, &run, &id, &err), err);
    assert_ok(ask(store, "SELECT problem, proof, order_digest, exact_bits, not_exact, worst_ratio FROM v_run", &t,
                  &err), err);
    assert_string_equal(t.out, "[sql] problem=NULL proof=NULL order_digest=NULL exact_bits=NULL not_exact=NULL "
                               "worst_ratio=NULL;");
    sink = sink_of(&t);
    assert_ok(ordo_store_list(store, &(struct ordo_store_filter){.verdict = "clean"}, &sink, &err), err);
    assert_int_equal(t.rows, 0);
    (void)add(store, 0xa5);
    (void)add(store, 0x5a);
    sink = sink_of(&t);
    assert_ok(ordo_store_list(store, &(struct ordo_store_filter){.problem = "A5a5"}, &sink, &err), err);
    assert_int_equal(t.rows, 1);
    sink = sink_of(&t);
    assert_ok(ordo_store_list(store, &(struct ordo_store_filter){.limit = 2}, &sink, &err), err);
    assert_int_equal(t.rows, 2);
    assert_holds(t, "[run] id=3");
    ordo_store_close(store);
}

/* A later run with other bits shows in v_moved. */
static void moved(void **state)
{
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct ordo_err err = {0};
    struct sample s;
    struct text t;
    int64_t id;

    (void)state;
    (void)add(store, 1);
    (void)add(store, 2);
    (void)add(store, 1);
    assert_ok(ask(store, "SELECT * FROM v_moved", &t, &err), err);
    assert_int_equal(t.rows, 0);
    fill(&s, 1);
    s.bits[1].digest = digest(3);
    assert_ok(ordo_store_add_run(store, &s.run, &id, &err), err);
    assert_ok(ask(store, "SELECT what, input_class, run, run_before FROM v_moved", &t, &err), err);
    assert_string_equal(t.out, "[sql] what='bits' input_class='rough' run=4 run_before=3;");
    ordo_store_close(store);
}

/* A count that does not fit takes the whole run with it. */
static void too_large(void **state)
{
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct ordo_err err = {0};
    struct sample s;
    int64_t id = 77;

    (void)state;
    fill(&s, 1);
    s.oracle[1].terms = (uint64_t)INT64_MAX + 1;
    assert_int_equal(ordo_store_add_run(store, &s.run, &id, &err), ORDO_BAD_INPUT);
    assert_string_equal(err.field, "terms");
    assert_int_equal(id, 0);
    ordo_store_close(store);
    assert_int_equal(count("SELECT (SELECT count(*) FROM run) + (SELECT count(*) FROM problem)"), 0);
}

static void only_reads(void **state)
{
    static const char *const bad[] = {
        "DELETE FROM run", "INSERT INTO run (verb) VALUES ('x')", "DROP TABLE run", "ATTACH 'x.db' AS x", "BEGIN",
        "PRAGMA user_version = 9", "PRAGMA query_only = OFF", "PRAGMA journal_mode = DELETE", "VACUUM INTO 'x.db'",
        "VACUUM", "CREATE TEMP TABLE x (a)", "SELECT 1; SELECT 2", "SELECT 1; DELETE FROM run", "SELEC 1", "", " ;",
        "SELECT load_extension('x')", "SELECT * FROM nowhere", "SELECT 1; SELEC", "REINDEX", "ANALYZE",
    };
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct ordo_err err;
    struct text t;
    size_t i;

    (void)state;
    (void)add(store, 1);
    ordo_store_close(store);
    store = open_ok(ORDO_STORE_READ);
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (ask(store, bad[i], &t, &err) != ORDO_USAGE || !*err.reason)
            fail_msg("not refused: %s (%s)", bad[i], err.reason);
    assert_ok(ask(store, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) "
                         "SELECT max(i) AS m FROM n; -- the end", &t, &err), err);
    assert_string_equal(t.out, "[sql] m=3;");
    assert_int_equal(access("x.db", F_OK), -1);
    ordo_store_close(store);
    assert_int_equal(count("SELECT count(*) FROM run"), 1);
}

/* --- files that are refused --------------------------------------------------------------------------------------- */

static void write_file(const void *bytes, size_t n)
{
    FILE *f = fopen(db, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void raw_sql(const char *sql)
{
    sqlite3 *raw;

    assert_int_equal(sqlite3_open(db, &raw), SQLITE_OK);
    assert_int_equal(sqlite3_exec(raw, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(raw), SQLITE_OK);
}

static void assert_refused(const char *part)
{
    static const enum ordo_store_mode mode[] = {ORDO_STORE_READ, ORDO_STORE_WRITE};
    struct ordo_store *store;
    struct ordo_err err;
    int i;

    for (i = 0; i < 2; i++) {
        memset(&err, 0, sizeof err);
        assert_int_equal(ordo_store_open(db, mode[i], &store, &err), ORDO_BAD_INPUT);
        assert_null(store);
        assert_string_equal(err.file, db);
        if (!strstr(err.reason, part) && strcmp(err.field, part) != 0)
            fail_msg("'%s' is not in: %s: %s", part, err.field, err.reason);
    }
}

static void refused(void **state)
{
    struct ordo_store *store;
    struct ordo_err err = {0};
    struct text t;
    char junk[5000];
    size_t i;

    (void)state;
    assert_int_equal(ordo_store_open(db, ORDO_STORE_READ, &store, &err), ORDO_BAD_INPUT);
    assert_int_equal(access(db, F_OK), -1);
    assert_int_equal(ordo_store_open(dir, ORDO_STORE_WRITE, &store, &err), ORDO_BAD_INPUT);
    for (i = 0; i < sizeof junk; i++)
        junk[i] = (char)(i * 7 + 1);
    write_file(junk, sizeof junk);
    assert_refused("not a database");
    write_file("x", 1); /* SQLite alone would take it for empty */
    assert_refused("not a database");
    assert_int_equal(unlink(db), 0);
    raw_sql("CREATE TABLE theirs (a)");
    assert_refused("application_id");
    assert_int_equal(unlink(db), 0);
    store = open_ok(ORDO_STORE_WRITE);
    (void)add(store, 1);
    ordo_store_close(store);
    raw_sql("PRAGMA user_version = 2");
    assert_refused("user_version");
    raw_sql("PRAGMA user_version = 1");
    store = open_ok(ORDO_STORE_READ);
    assert_ok(ask(store, "PRAGMA integrity_check", &t, &err), err);
    ordo_store_close(store);
}

/* --- deaths, full disks, company ---------------------------------------------------------------------------------- */

/* Stores runs for ever and writes each id to fd once it is stored. */
static void write_for_ever(int fd)
{
    struct ordo_store *store;
    struct ordo_err err = {0};
    struct sample s;
    int64_t id;

    if (ordo_store_open(db, ORDO_STORE_WRITE, &store, &err) != ORDO_OK)
        _exit(1);
    for (fill(&s, 1);; s.problem.digest.byte[0]++)
        if (ordo_store_add_run(store, &s.run, &id, &err) != ORDO_OK || write(fd, &id, sizeof id) != sizeof id)
            _exit(1);
}

/* Kills a writer after some milliseconds; returns the last id it reported, 0 for none. */
static int64_t killed_writer(useconds_t after)
{
    int64_t id, last = 0;
    int fd[2], how;
    pid_t child;

    assert_int_equal(pipe(fd), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        write_for_ever(fd[1]);
    assert_int_equal(close(fd[1]), 0);
    (void)usleep(after);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how)); /* it did not end by itself, on an error */
    while (read(fd[0], &id, sizeof id) == sizeof id) {
        assert_true(id > last);
        last = id;
    }
    (void)close(fd[0]);
    return last;
}

static void killed(void **state)
{
    int64_t last = 0, stored = 0, reported;
    int round;

    (void)state;
    for (round = 0; round < 20; round++) {
        reported = killed_writer((useconds_t)(3000 + 4100 * round));
        if (access(db, F_OK) != 0 || reported == 0)
            continue;
        last = reported;
        assert_sound();
        stored = count("SELECT count(*) FROM run");
        /* Ids are handed out one by one, so "all up to the last one" is a count; one more may be stored unreported. */
        assert_true(stored >= last);
        assert_int_equal(count("SELECT max(id) FROM run"), stored);
        assert_int_equal(count("SELECT count(*) FROM row_bits"), 3 * stored);
    }
    assert_true(last > 20);
}

/* In a child whose files may not grow: how the run after many ends. */
static enum ordo_status fill_disk(rlim_t size)
{
    struct rlimit limit = {size, size};
    struct ordo_store *store;
    struct ordo_err err = {0};
    enum ordo_status status;
    struct sample s;
    int64_t id;
    int i;

    (void)signal(SIGXFSZ, SIG_IGN);
    fill(&s, 1);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        return ORDO_INTERNAL;
    status = ordo_store_open(db, ORDO_STORE_WRITE, &store, &err);
    for (i = 0; status == ORDO_OK && i < 5000; i++) {
        s.problem.digest.byte[i % 32]++;
        status = ordo_store_add_run(store, &s.run, &id, &err);
    }
    ordo_store_close(store);
    return *err.reason ? status : ORDO_INTERNAL;
}

static void disk_full(void **state)
{
    static const rlim_t size[] = {1000, 60000, 100001, 200000, 300000};
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    int64_t before = add(store, 200), now;
    pid_t child;
    size_t i;
    int how;

    (void)state;
    ordo_store_close(store);
    for (i = 0; i < sizeof size / sizeof size[0]; i++) {
        child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit((int)fill_disk(size[i]));
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_true(WIFEXITED(how));
        assert_int_equal(WEXITSTATUS(how), ORDO_ENVIRONMENT);
        assert_sound();
        now = count("SELECT count(*) FROM run");
        assert_true(now >= before);
        before = now;
    }
    assert_true(before > 1);
    assert_int_equal(count("SELECT id FROM run ORDER BY id LIMIT 1"), 1);
    store = open_ok(ORDO_STORE_WRITE);
    (void)add(store, 3); /* with room again, all goes on */
    ordo_store_close(store);
}

/* Not even room for the tables: the next one to come makes them. */
static void disk_full_at_once(void **state)
{
    struct ordo_store *store;
    pid_t child;
    rlim_t size;
    int how;

    (void)state;
    for (size = 0; size < 90000; size += 4099) {
        child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit((int)fill_disk(size));
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_int_equal(how, ORDO_ENVIRONMENT << 8);
    }
    store = open_ok(ORDO_STORE_WRITE);
    (void)add(store, 3);
    ordo_store_close(store);
    assert_sound();
}

/* Two processes make the file and write at once: no run is lost or refused. */
static void two_writers(void **state)
{
    enum { EACH = 100 };
    pid_t child[2];
    struct ordo_store *store;
    struct ordo_err err = {0};
    struct sample s;
    int64_t id;
    int i, j, how;

    (void)state;
    for (i = 0; i < 2; i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i])
            continue;
        fill(&s, (uint8_t)i);
        if (ordo_store_open(db, ORDO_STORE_WRITE, &store, &err) != ORDO_OK)
            _exit(1);
        for (j = 0; j < EACH; j++)
            if (ordo_store_add_run(store, &s.run, &id, &err) != ORDO_OK)
                _exit(2);
        ordo_store_close(store);
        _exit(0);
    }
    for (i = 0; i < 2; i++) {
        assert_int_equal(waitpid(child[i], &how, 0), child[i]);
        assert_int_equal(how, 0);
    }
    assert_sound();
    assert_int_equal(count("SELECT count(*) FROM run"), 2 * EACH);
    assert_int_equal(count("SELECT count(*) FROM problem"), 2);
    assert_int_equal(count("SELECT count(*) FROM row_bits"), 6 * EACH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(roundtrip, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(bare_run, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(moved, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(too_large, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(only_reads, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(refused, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(killed, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(disk_full, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(disk_full_at_once, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(two_writers, make_dir, remove_dir),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
