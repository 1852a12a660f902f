/* t_db.c - questions to the results database: flips, comparisons, trends, the corpus, and the check of what is stored. */
#include "store/impl.h"
#include "tests/store_helper.h"

/* A run with results: the numbers that differ from test to test are set after fill_result. */
struct shot {
    struct ordo_store_problem problem;
    struct ordo_store_plan plan;
    struct ordo_store_build build;
    struct ordo_store_device device;
    struct ordo_store_input input;
    struct ordo_digest cubin;
    struct ordo_store_result result;
    struct ordo_store_sample sample;
    struct ordo_store_run run;
};

static void fill_shot(struct shot *s)
{
    *s = (struct shot){
        .problem = {digest(1), 8, 4, 32, 32, 0, 0, 0},
        .plan = {digest(2), "plan text\n", "cluster-relay", "sm90", 128, 8, 16, 1, 1, 100, 200},
        .build = {.digest = digest(3), .toolkit = "CUDA 13.0", .flags = "-O3"},
        .device = {"device A", "sm_90", "GPU-0", "580"},
        .input = {digest(4), "rough seed 0"},
        .cubin = digest(6),
    };
    s->build.cubin = &s->cubin;
    s->result = (struct ordo_store_result){&s->problem, &s->plan, &s->build, &s->device, &s->input, "dkv", digest(5),
                                           "pass", 0.25};
    s->sample = (struct ordo_store_sample){"ulp_max", 0, 3};
    s->run = (struct ordo_store_run){
        .started_us = 1, .finished_us = 1000001, .verb = "run", .argv = "ordo run", .version = "0", .verdict = "pass",
        .problem = &s->problem, .plan = &s->plan, .n_result = 1, .result = &s->result, .n_sample = 1,
        .sample = &s->sample,
    };
}

static int64_t store_shot(struct ordo_store *store, struct shot *s)
{
    struct ordo_err err = {0};
    int64_t id;

    assert_ok(ordo_store_add_run(store, &s->run, &id, &err), err);
    return id;
}

static void question(struct ordo_store *store, enum ordo_store_question q, const struct ordo_store_filter *filter,
                     struct text *t)
{
    struct ordo_store_sink sink = sink_of(t);
    struct ordo_err err = {0};

    assert_ok(ordo_store_ask(store, q, filter, &sink, &err), err);
}

static int flips(struct ordo_store *store, struct text *t)
{
    question(store, ORDO_STORE_FLIPS, &(struct ordo_store_filter){.limit = 0}, t);
    return t->rows;
}

/* --- flips ------------------------------------------------------------------------------------------------------ */

/* Whatever decides the output may differ, and then another output is no flip. */
static void other_key_no_flip(void **state)
{
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct shot s;
    struct text t;

    (void)state;
    for (int i = 0; i <= 6; i++) {
        fill_shot(&s);
        s.result.digest = digest((uint8_t)(100 + i));
        if (i == 1)
            s.problem.digest = digest(11);
        else if (i == 2)
            s.plan.digest = digest(12);
        else if (i == 3)
            s.build.digest = digest(13);
        else if (i == 4)
            s.device.uuid = "GPU-1";
        else if (i == 5)
            s.input.digest = digest(14);
        else if (i == 6)
            s.result.output = "dq";
        (void)store_shot(store, &s);
    }
    assert_int_equal(flips(store, &t), 0);
    fill_shot(&s);
    s.device.driver = "590"; /* compiles anew what it runs */
    (void)store_shot(store, &s);
    assert_int_equal(flips(store, &t), 0);
    ordo_store_close(store);
}

static void flip_found(void **state)
{
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct shot s;
    struct text t;

    (void)state;
    fill_shot(&s);
    (void)store_shot(store, &s);
    (void)store_shot(store, &s);
    assert_int_equal(flips(store, &t), 0);
    s.result.digest.byte[31] ^= 1;
    (void)store_shot(store, &s);
    assert_int_equal(flips(store, &t), 1);
    assert_holds(t, "[flip] problem='0101");
    assert_holds(t, "device='device A' input='0404");
    assert_holds(t, "output='dkv' results=3 digests=2 first_run=1 last_run=3 digest='05050505");
    question(store, ORDO_STORE_FLIPS, &(struct ordo_store_filter){.problem = "01010", .plan = "02"}, &t);
    assert_int_equal(t.rows, 1);
    question(store, ORDO_STORE_FLIPS, &(struct ordo_store_filter){.problem = "02"}, &t);
    assert_int_equal(t.rows, 0);
    ordo_store_close(store);
}

/* What the CPU computed may not flip either, as long as the program is the same. */
static void flip_on_the_cpu(void **state)
{
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct ordo_err err = {0};
    struct sample s;
    struct text t;
    int64_t id;

    (void)state;
    (void)add(store, 1);
    fill(&s, 1);
    s.bits[1].digest = digest(9);
    s.run.version = "1";
    assert_ok(ordo_store_add_run(store, &s.run, &id, &err), err);
    s.bits[1].seed++;
    s.run.version = "0";
    assert_ok(ordo_store_add_run(store, &s.run, &id, &err), err);
    assert_int_equal(flips(store, &t), 0);
    s.bits[1].seed--;
    assert_ok(ordo_store_add_run(store, &s.run, &id, &err), err);
    assert_int_equal(flips(store, &t), 1);
    assert_holds(t, "build='ordo 0' device='cpu' input='rough seed 7 width 8' output='sums' results=2 digests=2");
    ordo_store_close(store);
}

/* --- two runs --------------------------------------------------------------------------------------------------- */

static void compare(struct ordo_store *store, int64_t a, int64_t b, struct text *t)
{
    question(store, ORDO_STORE_COMPARE, &(struct ordo_store_filter){.a = a, .b = b}, t);
}

/* Elements are compared by their bits: two NaN may differ, and -0 is not +0. */
static void elements_by_bits(void **state)
{
    static const uint32_t pair[][2] = {{0x7fc00000u, 0x7fc00001u}, {0x80000000u, 0}, {0x7fc00000u, 0xffc00000u}};
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct ordo_err err = {0};
    struct sample s;
    struct text t;
    int64_t id[2];

    (void)state;
    for (size_t i = 0; i < sizeof pair / sizeof pair[0]; i++) {
        for (int k = 0; k < 2; k++) {
            fill(&s, 1);
            s.value[0].bits = pair[i][k];
            assert_ok(ordo_store_add_run(store, &s.run, &id[k], &err), err);
        }
        compare(store, id[0], id[1], &t);
        assert_holds(t, "what='element' item='exact row 0 column 0' value_a='0x");
        assert_holds(t, "verdict='differs'");
        compare(store, id[0], id[0], &t);
        assert_null(strstr(t.out, "element"));
        assert_null(strstr(t.out, "differs"));
    }
    ordo_store_close(store);
}

static void compared(void **state)
{
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct ordo_err err = {0};
    struct sample s;
    struct text t;
    int64_t a = add(store, 1), b;

    (void)state;
    fill(&s, 1);
    s.order = digest(0x77);
    s.bits[0].digest = digest(0x78);
    s.run.verdict = "finding";
    assert_ok(ordo_store_add_run(store, &s.run, &b, &err), err);
    compare(store, a, b, &t);
    assert_holds(t, "what='verdict' item=NULL value_a='clean' value_b='finding' verdict='differs'");
    assert_holds(t, "what='order' item=NULL value_a='cdcd");
    assert_holds(t, "what='bits' item='exact seed 18446744073709551615 width 8' value_a='0101");
    assert_holds(t, "what='worst_ratio' item=NULL value_a=inf value_b=inf verdict='same'");
    /* Another plan promises nothing. */
    fill(&s, 1);
    s.plan.digest = digest(0x79);
    s.order = digest(0x77);
    s.bits[0].digest = digest(0x78);
    s.bits[1].seed = 8;
    assert_ok(ordo_store_add_run(store, &s.run, &b, &err), err);
    compare(store, a, b, &t);
    assert_null(strstr(t.out, "differs"));
    assert_holds(t, "what='plan' item=NULL value_a='abab");
    assert_holds(t, "verdict='moved'");
    assert_holds(t, "item='rough seed 7 width 8' value_a='02");
    assert_holds(t, "verdict='only in A'");
    assert_holds(t, "verdict='only in B'");
    ordo_store_close(store);
}

/* Kernels' outputs, across builds and devices: the plan decides. */
static void outputs_compared(void **state)
{
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct ordo_store_result two[2];
    struct shot s;
    struct text t;

    (void)state;
    fill_shot(&s);
    (void)store_shot(store, &s);
    s.device.uuid = "GPU-1";
    s.build.digest = digest(33);
    (void)store_shot(store, &s);
    compare(store, 1, 2, &t);
    assert_holds(t, "what='output' item='dkv input 040404040404' value_a='05");
    assert_null(strstr(t.out, "differs"));
    s.result.digest = digest(55);
    (void)store_shot(store, &s);
    compare(store, 1, 3, &t);
    assert_holds(t, "verdict='differs'");
    two[0] = two[1] = s.result;
    two[1].digest = digest(56);
    s.run.n_result = 2;
    s.run.result = two;
    (void)store_shot(store, &s);
    compare(store, 1, 4, &t);
    assert_holds(t, "verdict='unstable in B'");
    ordo_store_close(store);
}

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
        {{.plan = "03"}, 0}, {{.since_us = 2000}, 2}, {{.until_us = 2000}, 1}, {{.since_us = 2000, .until_us = 3000}, 1},
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
    struct ordo_store_case c = {"a.case", "pass", "made here", 7, body, sizeof body - 1};
    struct ordo_err err = {0};
    char hex[ORDO_DIGEST_HEX];
    struct text t;
    bool added;

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

/* --- the check -------------------------------------------------------------------------------------------------- */

static uint64_t verify(struct text *t)
{
    struct ordo_store *store = open_ok(ORDO_STORE_READ);
    struct ordo_store_sink sink = sink_of(t);
    struct ordo_err err = {0};
    uint64_t found, made;

    assert_ok(ordo_store_verify(store, &sink, &found, &made, &err), err);
    assert_true(made >= 3);
    assert_int_equal(found, t->rows);
    ordo_store_close(store);
    return found;
}

/* Puts a run with all parts, whose plan and case are named by what they are. */
static void make_sound(void)
{
    struct ordo_store *store = open_ok(ORDO_STORE_WRITE);
    struct ordo_store_case c = {"a.case", "pass", NULL, 7, "body", 4};
    struct ordo_err err = {0};
    char hex[ORDO_DIGEST_HEX];
    struct ordo_hasher h;
    struct sample s;
    struct shot shot;
    int64_t id;
    bool added;

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
        {"UPDATE corpus SET body = CAST('bodY' AS BLOB)", "check='digest' what='corpus "},
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
        cmocka_unit_test_setup_teardown(other_key_no_flip, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(flip_found, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(flip_on_the_cpu, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(elements_by_bits, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(compared, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(outputs_compared, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(trends, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(samples_by_median, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(filtered, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(corpus, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(batches, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(put, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(tampered, make_dir, remove_dir),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
