/* t_store.c - the results database: what goes in comes out bit for bit, readers only read, strange files are
 * refused. */
#include "tests/store_helper.h"

#include <sys/stat.h>
#include <sys/wait.h>

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
    assert_holds(t, "[result] seq=0 problem='0505");
    assert_holds(t, "output='dq' output_digest='e3e3");
    assert_holds(t, "verdict='pass' seconds=NULL;");
    assert_holds(t, "verdict='pass' seconds=0.5;");
    assert_holds(t, "[sample] metric='us' rep=0 value=inf;");
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
    assert_ok(ordo_store_ask(store, ORDO_STORE_RUNS, &(struct ordo_store_filter){.verdict = "clean"}, &sink, &err),
              err);
    assert_int_equal(t.rows, 0);
    (void)add(store, 0xa5);
    (void)add(store, 0x5a);
    sink = sink_of(&t);
    assert_ok(ordo_store_ask(store, ORDO_STORE_RUNS, &(struct ordo_store_filter){.problem = "A5a5"}, &sink, &err),
              err);
    assert_int_equal(t.rows, 1);
    sink = sink_of(&t);
    assert_ok(ordo_store_ask(store, ORDO_STORE_RUNS, &(struct ordo_store_filter){.limit = 2}, &sink, &err), err);
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

/* 0 if nothing may be written there, as one sentence says. */
static int refusal(enum ordo_store_mode mode, const char *says)
{
    struct ordo_store *store;
    struct ordo_err err = {0};

    return ordo_store_open(db, mode, &store, &err) == ORDO_ENVIRONMENT && strstr(err.reason, says) ? 0 : 1;
}

/* What somebody who may only read the folder meets; exit code. */
static int only_read(void)
{
    if (getuid() == 0 && setuid(65534) != 0)
        return 0; /* root may write anyway */
    if (access(dir, W_OK) == 0)
        return 4;
    if (count("SELECT count(*) FROM row_bits") != 3)
        return 2;
    return refusal(ORDO_STORE_WRITE, "cannot be written to, since its log has to stand beside it") * 3;
}

/* A database in a folder that may not be written can still be asked, under any name. */
static void read_only_folder(void **state)
{
    struct ordo_store *store;
    pid_t child;
    int how;

    (void)state;
    (void)snprintf(db, sizeof db, "%s/%%41 #b?c.db", dir);
    store = open_ok(ORDO_STORE_WRITE);
    (void)add(store, 1);
    ordo_store_close(store);
    assert_int_equal(chmod(db, 0666), 0);
    assert_int_equal(chmod(dir, 0555), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(only_read());
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(chmod(dir, 0700), 0);
    assert_int_equal(how, 0);
}

/* What a writer that died has left cannot be read there, and a file that may not be written is not. */
static void read_only_log(void **state)
{
    char log[128];
    struct ordo_store *store;
    pid_t child;
    FILE *f;
    int how;

    (void)state;
    store = open_ok(ORDO_STORE_WRITE);
    ordo_store_close(store);
    (void)snprintf(log, sizeof log, "%s-wal", db);
    f = fopen(log, "wb");
    assert_non_null(f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(db, 0444), 0);
    assert_int_equal(chmod(dir, 0555), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (getuid() == 0 && setuid(65534) != 0)
            _exit(0);
        how = refusal(ORDO_STORE_READ, "a writer that died has left its log, ");
        _exit(how + 2 * refusal(ORDO_STORE_WRITE, "cannot be written to: Permission denied"));
    }
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(chmod(dir, 0700), 0);
    assert_int_equal(how, 0);
}

/* --- files that are refused ------------------------------------------------------------------------------------- */

static void write_file(const void *bytes, size_t n)
{
    FILE *f = fopen(db, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* Big-endian at an offset of the header that the file format fixes: 60 user_version, 68 application_id. */
static void patch(long offset, uint32_t x)
{
    const unsigned char bytes[4] = {(unsigned char)(x >> 24), (unsigned char)(x >> 16), (unsigned char)(x >> 8),
                                    (unsigned char)x};
    FILE *f = fopen(db, "r+b");

    assert_non_null(f);
    assert_int_equal(fseek(f, offset, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, 4, f), 4);
    assert_int_equal(fclose(f), 0);
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
    store = open_ok(ORDO_STORE_WRITE);
    (void)add(store, 1);
    ordo_store_close(store);
    patch(60, 3);
    assert_refused("user_version");
    patch(60, 0);
    assert_refused("user_version");
    patch(68, 0);
    assert_refused("application_id");
    patch(68, 0x0f055112);
    assert_refused("application_id");
    patch(60, 2);
    patch(68, 0x6f72646f);
    store = open_ok(ORDO_STORE_READ);
    assert_ok(ask(store, "PRAGMA integrity_check", &t, &err), err);
    ordo_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(roundtrip, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(bare_run, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(moved, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(too_large, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(only_reads, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(read_only_folder, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(read_only_log, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(refused, make_dir, remove_dir),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
