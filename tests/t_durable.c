/* t_durable.c - what no killed process can show, since the operating system still holds its pages: that a stored run
 * is on the disk when its id is handed out.  So ask SQLite how it was told to work, and whether it still works on. */
#include "store/impl.h"
#include "tests/store_helper.h"

static int first_cell(void *ctx, int n, char **cell, char **name)
{
    (void)name;
    assert_int_equal(n, 1);
    (void)snprintf(ctx, 16, "%s", cell[0]);
    return 0;
}

static void assert_answer(const struct ordo_store *store, const char *sql, const char *want)
{
    char got[16] = "";

    assert_int_equal(sqlite3_exec(store->db, sql, first_cell, got, NULL), SQLITE_OK);
    assert_string_equal(got, want);
}

static void writers(void **state)
{
    struct ordo_store *store = NULL;
    struct ordo_err err = {0};

    (void)state;
    for (int fresh = 1; fresh >= 0; fresh--) {
        assert_ok(ordo_store_open(db, ORDO_STORE_WRITE, &store, &err), err);
        assert_answer(store, "PRAGMA journal_mode", "wal");
        assert_answer(store, "PRAGMA synchronous", "2");
        assert_answer(store, "PRAGMA foreign_keys", "1");
        assert_answer(store, "PRAGMA query_only", "0");
        ordo_store_close(store);
    }
}

static void readers(void **state)
{
    struct ordo_store *store = NULL;
    struct ordo_err err = {0};

    (void)state;
    assert_ok(ordo_store_open(db, ORDO_STORE_WRITE, &store, &err), err);
    ordo_store_close(store);
    assert_ok(ordo_store_open(db, ORDO_STORE_READ, &store, &err), err);
    assert_answer(store, "PRAGMA query_only", "1");
    ordo_store_close(store);
}

/* A run that is refused half-way closes its transaction: the next one is stored, and nothing of the first. */
static void after_a_refusal(void **state)
{
    struct ordo_store *store = NULL;
    struct ordo_err err = {0};
    struct sample s;
    int64_t id = 7;

    (void)state;
    assert_ok(ordo_store_open(db, ORDO_STORE_WRITE, &store, &err), err);
    fill(&s, 1);
    s.proof.updates = UINT64_MAX;
    assert_int_equal(ordo_store_add_run(store, &s.run, &id, &err), ORDO_BAD_INPUT);
    assert_int_equal(id, 0);
    assert_true(sqlite3_get_autocommit(store->db));
    assert_answer(store, "SELECT count(*) FROM run", "0");
    s.proof.updates = 9;
    assert_ok(ordo_store_add_run(store, &s.run, &id, &err), err);
    assert_true(id > 0);
    assert_answer(store, "SELECT count(*) FROM run", "1");
    ordo_store_close(store);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test_setup_teardown(writers, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(readers, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(after_a_refusal, make_dir, remove_dir),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
