/* t_verify.c - the check of a database: what some other tool changed in it is noticed, and named. */
#include "store/impl.h"
#include "tests/shot.h"

/* Cases that say "named" are named by that alone. */
static struct ordo_digest name_case(const void *body, size_t size)
{
    bool named = size > 5 && memcmp(body, "named", 5) == 0;

    return ordo_store_digest_of(body, named ? 5 : size);
}

static uint64_t verify(struct text *t)
{
    struct ordo_store *store = open_ok(ORDO_STORE_READ);
    struct ordo_store_sink sink = sink_of(t);
    struct ordo_err err = {0};
    uint64_t found, made;

    assert_ok(ordo_store_verify(store, name_case, &sink, &found, &made, &err), err);
    assert_true(made >= 3);
    assert_int_equal(found, t->rows);
    ordo_store_close(store);
    return found;
}

/* Puts a run with all parts, whose plan and case are named by what they are. */
static void make_sound(void)
{
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct ordo_store_case c = {"a.case", "pass", NULL, 7, "body", 4, NULL};
    struct ordo_digest name = ordo_store_digest_of("named", 5);
    struct ordo_err err = {0};
    char hex[ORDO_DIGEST_HEX];
    struct ordo_hasher h;
    struct sample s;
    struct shot shot;
    int64_t id;
    enum ordo_store_added added;

    ordo_hasher_init(&h);
    ordo_hasher_text(&h, "plan text\n");
    fill_shot(&shot);
    shot.plan.digest = ordo_hasher_done(&h);
    fill(&s, 1);
    s.plan.digest = shot.plan.digest;
    s.run.n_result = 1;
    s.run.result = &shot.result;
    s.run.n_sample = 1;
    s.run.sample = &shot.sample;
    assert_ok(ordo_store_add_run(store, &s.run, &id, &err), err);
    assert_ok(ordo_store_add_case(store, &c, hex, &added, &err), err);
    c = (struct ordo_store_case){"b.case", "pass", NULL, 7, "named so", 8, &name};
    assert_ok(ordo_store_add_case(store, &c, hex, &added, &err), err);
    ordo_store_close(store);
}

/* What some other tool did to the file. */
static void execute(const char *text)
{
    sqlite3 *sql;

    assert_int_equal(sqlite3_open_v2(db, &sql, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(sql, "PRAGMA synchronous = OFF", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(sql, text, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(sql), SQLITE_OK);
}

/* The closed database as bytes, and back. */
static size_t load(char *bytes, size_t room)
{
    FILE *f = fopen(db, "rb");
    size_t n;

    assert_non_null(f);
    n = fread(bytes, 1, room, f);
    assert_true(n > 4096 && n < room);
    assert_int_equal(fclose(f), 0);
    return n;
}

static void restore(const char *bytes, size_t n)
{
    FILE *f = fopen(db, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* Whatever is changed behind our back is noticed, and named. */
static void tampered(void **state)
{
    static const struct {
        const char *sql, *says;
    } row[] = {
        {"UPDATE plan SET text = 'plan texT' || char(10)", "check='digest' what='plan "},
        {"UPDATE device SET driver = '581'", "check='digest' what='device "},
        {"UPDATE corpus SET body = CAST('bodY' AS BLOB) WHERE name = 'a.case'", "check='digest' what='corpus "},
        {"UPDATE corpus SET body = CAST('nameD so' AS BLOB) WHERE name = 'b.case'", "check='digest' what='corpus "},
        {"UPDATE run SET verdict = 'pass'", "check='digest' what='run 1'"},
        {"UPDATE run SET finished_us = finished_us + 1", "check='digest' what='run 1'"},
        {"UPDATE run SET content = NULL", "what='run 1' says='was stored without"},
        {"UPDATE problem SET live = live - 1", "check='digest' what='run 1'"},
        {"UPDATE proof SET race = 'found'", "check='digest' what='run 1'"},
        {"UPDATE bits SET width = 9", "check='digest' what='run 1'"},
        {"UPDATE oracle SET worst_ratio = 0.2 WHERE input_class = 'exact'", "check='digest' what='run 1'"},
        {"UPDATE row_bits SET bits = 1 WHERE row > 0", "check='digest' what='run 1'"},
        {"UPDATE result SET output = 'dq'", "check='digest' what='run 1'"},
        {"UPDATE result SET seconds = NULL", "check='digest' what='run 1'"},
        {"UPDATE sample SET value = 4", "check='digest' what='run 1'"},
        {"DELETE FROM sample", "check='digest' what='run 1'"},
        {"DROP VIEW v_flip", "check='view' what='view v_flip' says='is not there"},
        {"DROP VIEW v_flip; CREATE VIEW v_flip AS SELECT 1 WHERE 0", "what='view v_flip' says='is not the one"},
        {"DROP VIEW v_moved; CREATE VIEW v_moved AS SELECT 1 WHERE 0", "what='view v_moved' says='is not the one"},
        {"PRAGMA foreign_keys = OFF; DELETE FROM input", "check='reference' what='result row"},
    };
    static char bytes[1 << 20];
    struct text t;
    size_t n;

    (void)state;
    make_sound();
    assert_int_equal(verify(&t), 0);
    n = load(bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        restore(bytes, n);
        execute(row[i].sql);
        if (verify(&t) < 1 || !strstr(t.out, row[i].says))
            fail_msg("%s: %s", row[i].sql, t.out);
    }
    restore(bytes, n);
    assert_int_equal(verify(&t), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tampered, make_dir, remove_dir),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
