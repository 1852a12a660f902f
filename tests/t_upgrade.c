/* t_upgrade.c - an older database becomes one of this version, whole or not at all, and a copy of it stays. */
#include "store/impl.h"
#include "store/schema.h"
#include "tests/store_helper.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#define FOUR(x) x x x x
#define HEX(x) FOUR(FOUR(FOUR(x)))
/* BLAKE2b-256 of its step. */
#define VERSION_1 "95a8965713bb0c68586e3fc4feb32cd1836d3d104f850231182fede52d9be698"

/* What version 1 was: no later edit may change it, since files of that version exist. */
static void steps_are_frozen(void **state)
{
    struct ordo_digest d = ordo_store_digest_of(ordo_store_steps[0], strlen(ordo_store_steps[0]));
    char hex[ORDO_DIGEST_HEX];

    (void)state;
    assert_string_equal(ordo_digest_hex(&d, hex), VERSION_1);
}

/* A file as version 1 left it, with two runs. */
static void make_old(void)
{
    static const char rows[] =
        "INSERT INTO problem VALUES (1, '" HEX("1") "', 2, 3, 4, 5, 0, 0, 0);"
        "INSERT INTO plan VALUES (1, '" HEX("2") "', 't', 'cluster-relay', 'sm100', 128, 8, 16, 1, 1, 10, 20);"
        "INSERT INTO run VALUES (1, 1, 2, 'check', 'ordo check', '0', 'a.npy', 1, 1, 'pass', NULL);"
        "INSERT INTO run VALUES (5, 3, 4, 'check', 'ordo check', '0', NULL, NULL, NULL, 'fail', 'why');"
        "INSERT INTO bits VALUES (1, 'exact', '0', 8, '" HEX("3") "');"
        "INSERT INTO oracle VALUES (1, 'exact', 1, 2, 3, 4, 0, 0, 0, 0.5);"
        "INSERT INTO row_bits VALUES (1, 'exact', 0, 0, 4294967295);";
    sqlite3 *sql;

    assert_int_equal(sqlite3_open(db, &sql), SQLITE_OK);
    assert_int_equal(sqlite3_exec(sql, "PRAGMA journal_mode = WAL", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(sql, ordo_store_steps[0], NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(sql, rows, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(sql, "PRAGMA application_id = 1869767791; PRAGMA user_version = 1", NULL, NULL,
                                  NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(sql), SQLITE_OK);
}

static int64_t ask_file(const char *path, const char *text)
{
    sqlite3 *sql;
    sqlite3_stmt *stmt;
    int64_t answer;

    assert_int_equal(sqlite3_open_v2(path, &sql, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(sql, text, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    answer = sqlite3_column_int64(stmt, 0);
    assert_int_equal(sqlite3_finalize(stmt), SQLITE_OK);
    assert_int_equal(sqlite3_close(sql), SQLITE_OK);
    return answer;
}

static void forget(const char *path)
{
    assert_int_equal(unlink(path), 0);
}

static void upgraded(void **state)
{
    struct ordo_store *store;
    struct ordo_err err = {0};
    char backup[128], second[128];
    struct text t;
    int version;

    (void)state;
    make_old();
    /* Readers leave it alone and say what to do. */
    assert_int_equal(ordo_store_open(db, ORDO_STORE_READ, &store, &err), ORDO_BAD_INPUT);
    assert_non_null(strstr(err.reason, "ordo db upgrade"));
    assert_int_equal(ask_file(db, "PRAGMA user_version"), 1);

    store = open_ok(ORDO_STORE_WRITE);
    (void)snprintf(backup, sizeof backup, "%s.v1.bak", db);
    assert_non_null(ordo_store_backup(store, &version));
    assert_string_equal(ordo_store_backup(store, &version), backup);
    assert_int_equal(version, 1);
    assert_ok(ask(store, "SELECT id, verdict, problem, exact_bits, results FROM v_run ORDER BY id", &t, &err), err);
    assert_holds(t, " id=1 verdict='pass' problem='1111");
    assert_holds(t, " id=5 verdict='fail' problem=NULL exact_bits=NULL results=0;");
    assert_ok(ask(store, "SELECT count(*) AS n FROM run WHERE content IS NULL", &t, &err), err);
    assert_string_equal(t.out, "[sql] n=0;");
    assert_int_equal(add(store, 1), 6);
    ordo_store_close(store);

    assert_int_equal(ask_file(db, "PRAGMA user_version"), ordo_store_version());
    assert_int_equal(ask_file(backup, "PRAGMA user_version"), 1);
    assert_int_equal(ask_file(backup, "SELECT count(*) FROM run"), 2);
    assert_int_equal(ask_file(backup, "SELECT bits FROM row_bits"), 4294967295);

    store = open_ok(ORDO_STORE_WRITE); /* once is enough */
    assert_null(ordo_store_backup(store, &version));
    ordo_store_close(store);

    /* A copy that is there is never written over. */
    assert_int_equal(unlink(db), 0);
    make_old();
    store = open_ok(ORDO_STORE_WRITE);
    (void)snprintf(second, sizeof second, "%s.v1.2.bak", db);
    assert_string_equal(ordo_store_backup(store, &version), second);
    ordo_store_close(store);
    forget(backup);
    forget(second);
}

/* Without room for the copy nothing is upgraded, and no half copy is left. */
static void no_room(void **state)
{
    struct rlimit limit = {20000, 20000};
    struct ordo_store *store;
    struct ordo_err err = {0};
    char backup[128];
    pid_t child;
    int how;

    (void)state;
    make_old();
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
            _exit(99);
        _exit((int)ordo_store_open(db, ORDO_STORE_WRITE, &store, &err));
    }
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_int_equal(how, ORDO_ENVIRONMENT << 8);
    (void)snprintf(backup, sizeof backup, "%s.v1.bak", db);
    assert_int_equal(access(backup, F_OK), -1);
    assert_int_equal(ask_file(db, "PRAGMA user_version"), 1);
    assert_int_equal(ask_file(db, "SELECT count(*) FROM run"), 2);
}

/* Two who open the old file at once: one upgrades, both write. */
static void two_at_once(void **state)
{
    char backup[128];
    pid_t child[2];
    int how;

    (void)state;
    make_old();
    for (int i = 0; i < 2; i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i] == 0) {
            struct ordo_store *store;
            struct ordo_err err = {0};
            struct sample s;
            int64_t id;

            fill(&s, (uint8_t)(i + 1));
            if (ordo_store_open(db, ORDO_STORE_WRITE, &store, &err) != ORDO_OK)
                _exit(1);
            _exit(ordo_store_add_run(store, &s.run, &id, &err) != ORDO_OK);
        }
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(waitpid(child[i], &how, 0), child[i]);
        assert_int_equal(how, 0);
    }
    assert_int_equal(count("SELECT count(*) FROM run"), 4);
    (void)snprintf(backup, sizeof backup, "%s.v1.bak", db);
    forget(backup);
    (void)snprintf(backup, sizeof backup, "%s.v1.2.bak", db);
    assert_int_equal(access(backup, F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_frozen),
        cmocka_unit_test_setup_teardown(upgraded, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(no_room, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(two_at_once, make_dir, remove_dir),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
