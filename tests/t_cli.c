/* t_cli.c - the program from outside: exit codes, what goes to which stream, and that no lost output passes for
 * success.
 *
 * Runs ./ordo of the build directory. */
#include "tests/test.h"

#include "store/store.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[64], db[96], npy[96];
static char out[65536], err[8192];

static void slurp(const char *name, char *to, size_t n)
{
    FILE *f = fopen(name, "rb");

    assert_non_null(f);
    to[fread(to, 1, n - 1, f)] = '\0';
    (void)fclose(f);
}

/* Runs `./ordo LINE` through sh, where DIR, DB and NPY are set; returns the exit code, output in out and err. */
static int ordo(const char *line)
{
    char command[1024], o[96], e[96];
    int how;

    (void)snprintf(o, sizeof o, "%s/out", dir);
    (void)snprintf(e, sizeof e, "%s/err", dir);
    (void)snprintf(command, sizeof command, "exec >%s 2>%s; DIR=%s DB=%s NPY=%s; ./ordo %s", o, e, dir, db, npy,
                   line);
    how = system(command);
    slurp(o, out, sizeof out);
    slurp(e, err, sizeof err);
    assert_true(WIFEXITED(how));
    return WEXITSTATUS(how);
}

#define assert_says(text, part)                                   \
    do {                                                          \
        if (!strstr(text, part))                                  \
            fail_msg("'%s' is not in: %s", part, text);           \
    } while (0)

static json_t *parsed(void)
{
    json_error_t error;
    json_t *object = json_loads(out, 0, &error);

    if (!object)
        fail_msg("no JSON: %s: %s", error.text, out);
    return object;
}

static const char *field(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

static void usage(void **state)
{
    (void)state;
    assert_int_equal(ordo(""), ORDO_USAGE);
    assert_string_equal(out, "");
    assert_says(err, "usage: ordo VERB");
    assert_int_equal(ordo("--help"), 0);
    assert_says(out, "verbs:\n");
    assert_int_equal(ordo("help db"), 0);
    assert_says(out, "usage: ordo db");
    assert_int_equal(ordo("help nothing-at-all"), ORDO_USAGE);
    assert_int_equal(ordo("--version"), 0);
    assert_says(out, "ordo " PACKAGE_VERSION "\n");
    assert_int_equal(ordo("gne"), ORDO_USAGE);
    assert_string_equal(err, "ordo: unknown verb 'gne'; did you mean gen?\n");
    assert_int_equal(ordo("gen unifrom --q 1 --kv 1 --topk 1 -o $NPY"), ORDO_USAGE);
    assert_says(err, "did you mean uniform?");
}

static void errors_as_json(void **state)
{
    json_t *object;

    (void)state;
    assert_int_equal(ordo("db list --db $DIR/no.db --json"), ORDO_BAD_INPUT);
    assert_says(err, "no.db: db: cannot open the database: No such file or directory\n");
    object = parsed();
    assert_ptr_equal(strstr(out, "{\"schema\":\"ordo.error/1\",\"file\":"), out);
    assert_says(field(object, "file"), "/no.db");
    assert_string_equal(field(object, "reason"), "cannot open the database: No such file or directory");
    json_decref(object);
    assert_int_equal(ordo("db list --json --db \"$(printf 'a\\377b\\nc')\""), ORDO_BAD_INPUT);
    json_decref(parsed());
    assert_int_equal(ordo("nothing --json"), ORDO_USAGE);
    object = parsed();
    assert_string_equal(field(object, "schema"), "ordo.error/1");
    json_decref(object);
}

#define SMALL " --kv 64 --heads 3 --dqk 20 --dv 16 --sink mixed --seed 5 -o "

/* The .npz is an index file itself: of the same problem, and it gives the same bytes again. */
static void inputs(void **state)
{
    json_t *object;
    char problem[65], values[65];

    (void)state;
    assert_int_equal(ordo("gen keep --q 8 --kv 64 --topk 8 -o $NPY"), 0);
    assert_int_equal(ordo("inputs $NPY --json" SMALL "$DIR/a.npz"), 0);
    object = parsed();
    assert_string_equal(field(object, "schema"), "ordo.inputs/1");
    assert_string_equal(field(object, "class"), "rough");
    assert_string_equal(field(object, "sink"), "mixed");
    (void)snprintf(problem, sizeof problem, "%s", field(object, "problem"));
    (void)snprintf(values, sizeof values, "%s", field(object, "values"));
    json_decref(object);
    assert_int_equal(ordo("inspect $DIR/a.npz --kv 64 --json"), 0);
    object = parsed();
    assert_string_equal(field(object, "problem_digest"), problem);
    json_decref(object);
    assert_int_equal(ordo("inputs $DIR/a.npz" SMALL "$DIR/b.npz"), 0);
    assert_says(out, "b.npz: q (8, 3, 20), kv (64, 20), do (8, 3, 16) in BF16, sink mixed\nrough, seed 5, values ");
    assert_says(out, values);
    assert_int_equal(ordo("--version; cmp $DIR/a.npz $DIR/b.npz"), 0);
    assert_int_equal(ordo("inputs $NPY --kv 64 --dqk 20 --dv 21 -o $DIR/c.npz"), ORDO_BAD_INPUT);
    assert_says(err, "dv: must not be above dqk");
    assert_int_equal(ordo("inputs $NPY --kv 64 --dqk 20 --dv 16 -o $DIR/no/c.npz"), ORDO_ENVIRONMENT);
    assert_int_equal(ordo("inputs $NPY --kv 64 --sink of -o $DIR/c.npz"), ORDO_USAGE);
    assert_int_equal(ordo("--version; rm $DIR/a.npz $DIR/b.npz; test ! -e $DIR/c.npz"), 0);
}

/* Output that is lost is an error, however it is lost. */
static void lost_output(void **state)
{
    (void)state;
    assert_int_equal(ordo("--help >/dev/full"), ORDO_ENVIRONMENT);
    assert_says(err, "standard output: cannot be written: No space left on device");
    assert_int_equal(ordo("--version >&-"), ORDO_ENVIRONMENT);
    assert_says(err, "standard output: cannot be written: ");
    assert_int_equal(ordo("--version >/dev/null 2>&-"), 0);
    assert_int_equal(ordo("--version <&- >/dev/null"), 0);
    /* The reader is gone before the first byte: `exec 3>&1` gives the pipe, `sleep` lets true end. */
    assert_int_equal(ordo("--version >/dev/null; (sleep 0.1; ./ordo --help; echo $? >$DIR/err) | true; "
                          "exit $(cat $DIR/err)"), ORDO_ENVIRONMENT);
}

static void gen(void **state)
{
    char first[65536];
    json_t *object;

    (void)state;
    assert_int_equal(ordo("gen keep --q 64 --kv 4096 --topk 128 --seed 7 -o $NPY"), 0);
    assert_says(out, "t.npy: keep, 64 queries x 128 of 4096 KV rows, seed 7, problem ");
    slurp(npy, first, sizeof first);
    assert_int_equal(ordo("gen keep --json --topk=128 --output $DIR/u.npy --q 64 --kv 4096 --seed 0x7"), 0);
    object = parsed();
    assert_string_equal(field(object, "schema"), "ordo.gen/1");
    assert_int_equal(strlen(field(object, "problem")), 64);
    assert_int_equal(json_integer_value(json_object_get(object, "seed")), 7);
    json_decref(object);
    assert_int_equal(ordo("--version; cmp $NPY $DIR/u.npy"), 0);
    assert_int_equal(ordo("gen keep --q 8 --kv 9 --topk 2 --seed 18446744073709551615 --json -o $DIR/u.npy"), 0);
    object = parsed();
    assert_string_equal(field(object, "seed"), "18446744073709551615");
    json_decref(object);
    assert_int_equal(ordo("gen uniform --q 8 --kv 9 --topk 2 -o $DIR/nowhere/u.npy"), ORDO_ENVIRONMENT);
}

/* A database with two runs, the second without anything but a verdict. */
static void make_db(void)
{
    struct ordo_store_problem problem = {.n_query = 128, .topk = 2, .n_kv = 3, .live = INT64_MAX};
    struct ordo_store_bits bits = {.input_class = "exact", .seed = UINT64_MAX, .width = 8};
    struct ordo_store_value value = {.input_class = "exact", .row = 1, .column = 2, .bits = 0x80000000u};
    struct ordo_store_run run = {.started_us = 1, .finished_us = 2, .verb = "check", .argv = "ordo check 'x'",
                                 .version = "0", .input = "a\xff.npy", .verdict = "clean", .problem = &problem,
                                 .n_bits = 1, .bits = &bits, .n_value = 1, .value = &value};
    struct ordo_store_run bare = {.verb = "check", .argv = "", .version = "0", .verdict = "finding"};
    struct ordo_store *store;
    struct ordo_err e = {0};
    int64_t id;

    assert_ok(ordo_store_open(db, ORDO_STORE_WRITE, &store, &e), e);
    assert_ok(ordo_store_add_run(store, &run, &id, &e), e);
    assert_ok(ordo_store_add_run(store, &bare, &id, &e), e);
    ordo_store_close(store);
}

static void db_text(void **state)
{
    (void)state;
    make_db();
    assert_int_equal(ordo("db list --db $DB"), 0);
    assert_says(out, "id  started               verb   verdict  n_query");
    assert_says(out, "\n 2  1970-01-01T00:00:00Z  check  finding        -");
    assert_says(out, "\n 1  1970-01-01T00:00:00Z  check  clean        128");
    assert_says(out, "000000000000 ");
    assert_int_equal(ordo("--version >/dev/null; ORDO_DB=$DB ./ordo db show 1"), 0);
    assert_says(out, "run\n  id                      1\n");
    assert_says(out, "  live                    9223372036854775807\n");
    assert_says(out, "bits\n  input_class                  seed  width");
    assert_says(out, "0x80000000");
    assert_int_equal(ordo("db sql 'SELECT id AS i, verdict FROM run' --db $DB"), 0);
    assert_string_equal(out, "i  verdict\n1  clean\n2  finding\n");
    assert_int_equal(ordo("db sql 'DELETE FROM run' --db $DB"), ORDO_USAGE);
    assert_says(err, "only a SELECT is allowed");
    assert_int_equal(ordo("db show 3 --db $DB"), ORDO_BAD_INPUT);
    assert_says(err, "there is no run 3");
    assert_int_equal(ordo("db show one --db $DB"), ORDO_USAGE);
    assert_int_equal(ordo("db lost"), ORDO_USAGE);
    assert_int_equal(ordo("db sql"), ORDO_USAGE);
    assert_int_equal(ordo("db show 1 --limit 2"), ORDO_USAGE);
    assert_int_equal(ordo("db list --db $DB --limit 1 --verdict clean --problem 00 >/dev/full"), ORDO_ENVIRONMENT);
}

static void db_json(void **state)
{
    json_t *object, *run;

    (void)state;
    make_db();
    assert_int_equal(ordo("db list --json --verdict clean --db $DB"), 0);
    object = parsed();
    assert_string_equal(field(object, "schema"), "ordo.db/1");
    run = json_object_get(object, "run");
    assert_int_equal(json_integer_value(json_object_get(run, "id")), 1);
    assert_string_equal(field(run, "input"), "a\\xff.npy");
    assert_string_equal(field(run, "live"), "9223372036854775807");
    assert_true(json_is_null(json_object_get(run, "worst_ratio")));
    json_decref(object);
    assert_int_equal(ordo("db show 1 --json --db $DB"), 0);
    object = parsed();
    assert_true(json_is_null(json_object_get(object, "proof")));
    assert_int_equal(json_array_size(json_object_get(object, "oracle")), 0);
    run = json_array_get(json_object_get(object, "row_bits"), 0);
    assert_string_equal(field(run, "bits"), "0x80000000");
    run = json_array_get(json_object_get(object, "bits"), 0);
    assert_string_equal(field(run, "seed"), "18446744073709551615");
    json_decref(object);
    assert_int_equal(ordo("db sql \"SELECT 1 a, 2 a, x'00ff' b\" --json --db $DB"), 0);
    assert_string_equal(out, "{\"schema\":\"ordo.db/1\",\"row\":{\"a\":1,\"a:2\":2,\"b\":\"00ff\"}}\n");
}

static int make_dir(void **state)
{
    (void)state;
    (void)snprintf(dir, sizeof dir, "/tmp/ordo-cli-XXXXXX");
    if (!mkdtemp(dir))
        return -1;
    (void)snprintf(db, sizeof db, "%s/t.db", dir);
    (void)snprintf(npy, sizeof npy, "%s/t.npy", dir);
    return 0;
}

static int remove_dir(void **state)
{
    static const char *const name[] = {"out",    "err", "t.npy",   "u.npy",  "t.db",     "t.db-wal", "t.db-shm",
                                       "r05.svg", "r05", "edited",  "a.litmus", "b.litmus", "c.litmus", "good.csv",
                                       "bad.csv"};
    char path[128];
    size_t i;

    (void)state;
    for (i = 0; i < sizeof name / sizeof name[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", dir, name[i]);
        (void)unlink(path);
    }
    return rmdir(dir);
}

/* The recorded schedule with each line that matches replaced. */
static int edited(const char *line, const char *by)
{
    char command[256];

    (void)snprintf(command, sizeof command,
                   "version; sed 's/^%s.*/%s/' $DIR/r05 > $DIR/edited; ./ordo replay $DIR/edited", line, by);
    return ordo(command);
}

/* A broken variant is convicted, its schedule written, and made again by `replay`. */
static void schedules(void **state)
{
    json_t *object;

    (void)state;
    assert_int_equal(ordo("prove --protocol --variant R05 --trail $DIR/r05"), ORDO_FINDING);
    assert_says(out, "the clear does not release");
    assert_says(out, "verdict  violated, race");
    assert_int_equal(ordo("replay $DIR/r05 --svg $DIR/r05.svg"), ORDO_FINDING);
    assert_says(out, "protocol/relay.h:");
    assert_says(out, "the clear does not release");
    assert_int_equal(ordo("replay $DIR/r05 --json"), ORDO_FINDING);
    object = parsed();
    assert_string_equal(field(object, "schema"), "ordo.replay/1");
    assert_string_equal(field(object, "ends"), "race");
    json_decref(object);
    assert_int_equal(edited("move 0 0", "move 99999999999999999999 0"), ORDO_BAD_INPUT);
    assert_int_equal(edited("move 0 0", "move 0 0 0"), ORDO_BAD_INPUT);
    assert_int_equal(edited("move 0 0", "move +0 0"), ORDO_BAD_INPUT);
    assert_int_equal(edited("move 0 0", "move - 0"), ORDO_BAD_INPUT);
    assert_int_equal(edited("resident", "resident 4294967298"), ORDO_BAD_INPUT);
    assert_int_equal(edited("writes", "writes 0x-1"), ORDO_BAD_INPUT);
    assert_int_equal(edited("writes", "writes 0x11111111111111111"), ORDO_BAD_INPUT);
    assert_int_equal(edited("ends", "ends deadlock"), ORDO_FINDING);
    assert_says(out, "ends otherwise than recorded: race, not deadlock");
    assert_int_equal(edited("variant", "variant none"), ORDO_FINDING); /* the shipped one does no such harm */
    assert_says(out, "ends otherwise than recorded: none, not race");
    assert_int_equal(ordo("prove --protocol --variant R01"), 0);
    assert_says(out, "verdict  proved");
    assert_int_equal(ordo("prove --protocol --variant R99"), ORDO_USAGE);
    assert_int_equal(ordo("prove --protocol --variant D16"), ORDO_USAGE);
    assert_says(err, "E4 decides it");
    assert_int_equal(ordo("prove --protocol --cluster 8 --rows 8"), ORDO_USAGE);
    assert_int_equal(ordo("prove --protocol --cluster 4 --rows 7"), 0);
    assert_int_equal(ordo("prove --protocol --scheduler obe"), ORDO_USAGE);
    assert_string_equal(out, "");
    assert_int_equal(ordo("prove --protocol --scheduler grid=3"), ORDO_USAGE);
    assert_int_equal(ordo("replay $DIR/r05.svg"), ORDO_BAD_INPUT);
    assert_int_equal(ordo("prove --protocol --cluster 4 --scheduler obe=3"), ORDO_FINDING);
    assert_says(out, "has no slot and waits for CTA");
    assert_says(out, "row relay, ranks in one cluster    stuck     deadlock  lives     lives     lives");
    assert_int_equal(ordo("prove --protocol --cluster 4 --json"), 0);
    object = parsed();
    assert_int_equal(json_array_size(json_object_get(object, "schedulers")), 35);
    json_decref(object);
}

/* Writes text to a file of the test's folder. */
static void spill(const char *name, const char *text)
{
    char path[96];
    FILE *f;

    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void litmus(void **state)
{
    json_t *object;

    (void)state;
    spill("a.litmus", "PTX a\n{x=0;}\nP0@cta 0,gpu 0;\nL: ld.relaxed.gpu r0, x;\nbne r0, r9, L;\n"
                      "exists (P0:r0 == 0)\n");
    spill("b.litmus", "PTX b\n{x=0;}\nP0@cta 0,gpu 0;\nL: goto L;\nexists (x == 0)\n");
    spill("good.csv", "file,model,property,holds\na.litmus,ptx,condition,1,0,1\nb.litmus,ptx,liveness,0\n"
                      "b.litmus,ptx,condition,0\n");
    spill("bad.csv", "file,model,property,holds\na.litmus,ptx,condition,1\nb.litmus,ptx,liveness,1\n"
                     "none.litmus,ptx,condition,1\n");
    assert_int_equal(ordo("litmus"), ORDO_USAGE);
    assert_says(err, "--expect");
    assert_int_equal(ordo("litmus $DIR/a.litmus"), 0);
    assert_says(out, "a.litmus: note: P0:r9 is never set, read as 0\n");
    /* Every property that the table asks of a file, and without files those that it names. */
    assert_int_equal(ordo("litmus --expect $DIR/good.csv $DIR/a.litmus $DIR/b.litmus"), 0);
    assert_int_equal(ordo("litmus --expect $DIR/good.csv"), 0);
    assert_says(out, "b.litmus: a fair execution never ends");
    assert_says(out, "b.litmus: the condition does not hold");
    assert_int_equal(ordo("litmus --expect $DIR/bad.csv $DIR/b.litmus"), ORDO_FINDING);
    assert_says(err, "b.litmus: liveness is 0, expected 1");
    assert_int_equal(ordo("litmus --expect $DIR/bad.csv"), ORDO_FINDING);
    assert_says(err, "none.litmus: the condition is refused, expected 1");
    spill("c.litmus", "");
    assert_int_equal(ordo("litmus --expect $DIR/good.csv $DIR/c.litmus"), ORDO_FINDING);
    assert_says(err, "c.litmus: nothing is expected of it");
    assert_int_equal(ordo("litmus --svg /no-such-folder/a.svg $DIR/a.litmus"), ORDO_ENVIRONMENT);
    assert_says(err, "/no-such-folder/a.svg: --svg: cannot be written: No such file or directory");
    assert_int_equal(ordo("litmus --svg $DIR/c.svg $DIR/c.litmus"), ORDO_BAD_INPUT);
    assert_says(err, "c.litmus: nothing is drawn: line 1: the file does not start with PTX");
    assert_int_equal(ordo("litmus --json --explain $DIR/a.litmus"), 0);
    object = parsed();
    assert_string_equal(field(object, "note"), "P0:r9 is never set, read as 0");
    assert_says(field(object, "history"), "reads x = 0 from e0 (initial)");
    assert_true(json_is_true(json_object_get(object, "complete")));
    json_decref(object);
    assert_int_equal(ordo("litmus --json --explain --liveness $DIR/b.litmus"), 0);
    object = parsed();
    assert_says(field(object, "history"), "P0 ");
    json_decref(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(schedules, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(usage, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(errors_as_json, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(lost_output, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(gen, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(inputs, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(db_text, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(db_json, make_dir, remove_dir),
        cmocka_unit_test_setup_teardown(litmus, make_dir, remove_dir),
    };

    if (access("./ordo", X_OK) != 0) {
        fputs("t_cli: there is no ./ordo here\n", stderr);
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
