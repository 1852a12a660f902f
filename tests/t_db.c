/* t_db.c - the results database beyond single runs: trends, filters, the corpus, batches, rows that come back. */
#include "store/impl.h"
#include "tests/shot.h"

/* --- trends ----------------------------------------------------------------------------------------------------- */

static void trend(struct ordo_store *store, const char *metric, const char *want)
{
    struct text t;

    question(store, ORDO_STORE_TREND, &(struct ordo_store_filter){.metric = metric}, &t);
    assert_int_equal(t.rows, 1);
    assert_holds(t, want);
}

static void trends(void **state)
{
    static const double before[] = {10, 11, 9, 10, 12, 10, 11};
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct shot s;
    struct text t;

    (void)state;
    fill_shot(&s);
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        s.sample.value = before[i];
        s.result.seconds = i == 3 ? nan("") : 0.5;
        (void)store_shot(store, &s);
        if (i == 3)
            trend(store, "ulp_max", "verdict='undecided' runs_before=3");
    }
    trend(store, "ulp_max", "verdict='same' runs_before=6 q1=10 median=10 q3=11 last=11 run=7");
    s.sample.value = 14.1;
    (void)store_shot(store, &s);
    trend(store, "ulp_max", "verdict='up' runs_before=7 q1=10 median=10 q3=11 last=14.1");
    s.sample.value = 3;
    (void)store_shot(store, &s);
    trend(store, "ulp_max", "verdict='down' runs_before=8");
    trend(store, "kernel_seconds dkv", "verdict='same' runs_before=7 q1=0.5");
    trend(store, "seconds", "verdict='same' runs_before=8 q1=1 median=1");
    trend(store, "workspace_bytes", "last=100");
    /* Another device is another series. */
    s.device.name = "device B";
    (void)store_shot(store, &s);
    question(store, ORDO_STORE_TREND, &(struct ordo_store_filter){.metric = "seconds"}, &t);
    assert_int_equal(t.rows, 2);
    question(store, ORDO_STORE_METRICS, &(struct ordo_store_filter){.limit = 0}, &t);
    assert_holds(t, " metric='kernel_seconds dkv'; metric='seconds'; metric='ulp_max'; metric='workspace_bytes';");
    ordo_store_close(store);
}

/* Repetitions count as their lower median, however many. */
static void samples_by_median(void **state)
{
    struct ordo_store_sample four[] = {{"us", 0, 9}, {"us", 1, 1}, {"us", 2, 4}, {"us", 3, 5}};
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct shot s;
    struct text t;
    struct ordo_err err;

    (void)state;
    fill_shot(&s);
    s.run.n_sample = 4;
    s.run.sample = four;
    (void)store_shot(store, &s);
    assert_ok(ask(store, "SELECT value FROM v_metric WHERE metric = 'us'", &t, &err), err);
    assert_string_equal(t.out, "[sql] value=4;");
    ordo_store_close(store);
}

/* --- filters ---------------------------------------------------------------------------------------------------- */

static void filtered(void **state)
{
    static const struct {
        struct ordo_store_filter filter;
        int rows;
    } row[] = {
        {{.limit = 0}, 3}, {{.design = "cluster-relay"}, 3}, {{.design = "relay"}, 0}, {{.plan = "02"}, 3},
        {{.plan = "03"}, 0}, {{.since_us = 2000}, 2}, {{.until_us = 2000}, 1},
        {{.since_us = 2000, .until_us = 3000}, 1},
        {{.verdict = "pass", .since_us = 1}, 3}, {{.limit = 2}, 2},
    };
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct shot s;
    struct text t;

    (void)state;
    for (int i = 1; i <= 3; i++) {
        fill_shot(&s);
        s.run.started_us = 1000 * i;
        (void)store_shot(store, &s);
    }
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        question(store, ORDO_STORE_RUNS, &row[i].filter, &t);
        if (t.rows != row[i].rows)
            fail_msg("filter %zu: %d rows", i, t.rows);
    }
    ordo_store_close(store);
}

/* --- the corpus ------------------------------------------------------------------------------------------------- */

static void corpus(void **state)
{
    static const char body[] = "a case\0with \xff bytes\r\n";
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct ordo_store_case c = {"a.case", "pass", "made here", 7, body, sizeof body - 1, NULL};
    struct ordo_err err = {0};
    char hex[ORDO_DIGEST_HEX];
    struct text t;
    enum ordo_store_added added;

    (void)state;
    assert_ok(ordo_store_add_case(store, &c, hex, &added, &err), err);
    assert_true(added);
    c.name = "b.case";
    c.expected = NULL;
    assert_ok(ordo_store_add_case(store, &c, hex, &added, &err), err);
    assert_false(added);
    c.expected = "fail";
    assert_int_equal(ordo_store_add_case(store, &c, hex, &added, &err), ORDO_BAD_INPUT);
    assert_non_null(strstr(err.reason, "'pass'"));
    c.body = "";
    c.size = 0;
    assert_ok(ordo_store_add_case(store, &c, hex, &added, &err), err);
    assert_true(added);
    assert_ok(ask(store, "SELECT name, expected, provenance, hex(body) AS b FROM corpus", &t, &err), err);
    assert_holds(t, "b='612063617365007769746820FF2062797465730D0A'");
    assert_holds(t, "name='b.case' expected='fail' provenance='made here' b='';");
    question(store, ORDO_STORE_CASES, &(struct ordo_store_filter){.limit = 0}, &t);
    assert_holds(t, "bytes=21 added='1970-01-01T00:00:00Z'");
    ordo_store_close(store);
}

/* Under a name of its own: one row a name, the first bytes stay; and bytes that an older version named stay as they
 * are. */
static void named_cases(void **state)
{
    const struct ordo_digest name = ordo_store_digest_of("x", 1), other = ordo_store_digest_of("y", 1);
    const struct {
        const char *body;
        const struct ordo_digest *digest;
        enum ordo_store_added added;
        const struct ordo_digest *kept; /* NULL: the bytes' */
    } row[] = {{"x one", &name, ORDO_STORE_ADDED, &name},     {"x one", &name, ORDO_STORE_THERE, &name},
               {"x two", &name, ORDO_STORE_OTHERWISE, &name}, {"y one", NULL, ORDO_STORE_ADDED, NULL},
               {"y one", &other, ORDO_STORE_THERE, NULL}};
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct ordo_err err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct ordo_store_case c = {"a.case", NULL, NULL, 7, row[i].body, strlen(row[i].body), row[i].digest};
        struct ordo_digest want = row[i].kept ? *row[i].kept : ordo_store_digest_of(c.body, c.size);
        char hex[ORDO_DIGEST_HEX], want_hex[ORDO_DIGEST_HEX];
        enum ordo_store_added added;

        assert_ok(ordo_store_add_case(store, &c, hex, &added, &err), err);
        assert_int_equal(added, row[i].added);
        assert_string_equal(hex, ordo_digest_hex(&want, want_hex));
    }
    ordo_store_close(store);
}

/* --- batches, and rows that come back --------------------------------------------------------------------------- */

/* A run that is refused inside a batch takes only itself along; a batch that ends badly takes all. */
static void batches(void **state)
{
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct ordo_err err = {0};
    struct sample s;
    int64_t id;

    (void)state;
    assert_ok(ordo_store_begin(store, &err), err);
    (void)add(store, 1);
    fill(&s, 2);
    s.oracle[1].terms = UINT64_MAX;
    assert_int_equal(ordo_store_add_run(store, &s.run, &id, &err), ORDO_BAD_INPUT);
    (void)add(store, 3);
    assert_ok(ordo_store_end(store, ORDO_OK, &err), err);
    assert_ok(ordo_store_begin(store, &err), err);
    (void)add(store, 4);
    assert_int_equal(ordo_store_end(store, ORDO_BUDGET, &err), ORDO_BUDGET);
    ordo_store_close(store);
    assert_int_equal(count("SELECT count(*) FROM run"), 2);
    assert_int_equal(count("SELECT count(*) FROM problem"), 2);
    assert_int_equal(count("SELECT count(*) FROM row_bits"), 6);
}

static struct ordo_store_cell text_of(const char *text)
{
    return (struct ordo_store_cell){.type = ORDO_STORE_TEXT, .text = text, .size = strlen(text)};
}

/* Puts the smallest run back with that digest; *known as ordo_store_put_end says. */
static enum ordo_status put_back(struct ordo_store *store, const char *content, bool *known)
{
    static const char *const name[] = {"started_us", "finished_us", "verb", "argv", "version", "verdict"};
    struct ordo_store_cell one = {.type = ORDO_STORE_INT, .integer = 1}, cell[6];
    struct ordo_err err = {0};
    enum ordo_status status;
    int64_t id;

    for (int i = 0; i < 6; i++)
        cell[i] = i < 2 ? one : text_of("check");
    assert_ok(ordo_store_begin(store, &err), err);
    status = ordo_store_put(store, "run", 0, 6, name, cell, &id, &err);
    if (status == ORDO_OK)
        status = ordo_store_put_end(store, id, content, known, &err);
    return ordo_store_end(store, status, &err);
}

static void put(void **state)
{
    static const char *const name[] = {"digest", "run"};
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct ordo_store_cell cell[2] = {text_of("x"), text_of("y")};
    char wrong[ORDO_DIGEST_HEX], right[ORDO_DIGEST_HEX];
    struct ordo_err err = {0};
    struct text t;
    bool known;
    int64_t id;

    (void)state;
    memset(wrong, '0', sizeof wrong - 1);
    wrong[sizeof wrong - 1] = '\0';
    assert_int_equal(put_back(store, wrong, &known), ORDO_BAD_INPUT);
    assert_int_equal(put_back(store, NULL, &known), ORDO_OK);
    assert_false(known);
    assert_ok(ask(store, "SELECT content FROM run", &t, &err), err);
    assert_int_equal(t.rows, 1);
    (void)snprintf(right, sizeof right, "%.64s", strchr(t.out, '\'') + 1);
    assert_int_equal(put_back(store, right, &known), ORDO_OK);
    assert_true(known);
    /* What has no place: a table, a column, a part without its run, a digest that is none. */
    assert_int_equal(ordo_store_put(store, "corpse", 0, 1, name, cell, &id, &err), ORDO_BAD_INPUT);
    assert_int_equal(ordo_store_put(store, "input", 0, 2, name, cell, &id, &err), ORDO_BAD_INPUT);
    assert_int_equal(ordo_store_put(store, "bits", 0, 0, name, cell, &id, &err), ORDO_BAD_INPUT);
    assert_int_equal(ordo_store_put(store, "input", 1, 0, name, cell, &id, &err), ORDO_BAD_INPUT);
    assert_int_equal(ordo_store_put(store, "input", 0, 1, name, cell, &id, &err), ORDO_BAD_INPUT);
    ordo_store_close(store);
    assert_int_equal(count("SELECT count(*) FROM run"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(trends, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(samples_by_median, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(filtered, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(corpus, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(named_cases, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(batches, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(put, make_dir, remove_dir),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
