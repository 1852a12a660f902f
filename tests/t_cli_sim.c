/* t_cli_sim.c - `ordo sim` and `ordo prove --dense` from outside: exit codes, pages, JSON, pictures and traces.
 *
 * Runs ./ordo of the build directory. */
#include "tests/test.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[64], out[1 << 20];

static void slurp(const char *name, char *to, size_t n)
{
    char path[128];
    FILE *f;

    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    f = fopen(path, "rb");
    assert_non_null(f);
    to[fread(to, 1, n - 1, f)] = '\0';
    (void)fclose(f);
}

/* Runs `./ordo LINE`, where D is the folder and S the sources; what it says is in out. */
static int ordo(const char *line)
{
    char command[1024];
    const char *sources = getenv("srcdir");
    int how;

    (void)snprintf(command, sizeof command, "D=%s; S=%s; ./ordo %s > $D/out 2>&1", dir, sources ? sources : ".",
                   line);
    how = system(command);
    slurp("out", out, sizeof out);
    assert_true(WIFEXITED(how));
    return WEXITSTATUS(how);
}

#define assert_says(part)                                                  \
    do {                                                                   \
        if (!strstr(out, part))                                            \
            fail_msg("'%s' is not in: %s", part, out);                     \
    } while (0)

#define SHIFT "--dense --order shift --kv-tiles 128 --heads 32 --for-sms 132 --dispatch persistent"

static void usage(void **state)
{
    (void)state;
    assert_int_equal(ordo("sim"), ORDO_USAGE);
    assert_says("an index file is needed, or --dense");
    assert_int_equal(ordo("sim --dense --order sift"), ORDO_USAGE);
    assert_says("did you mean shift?");
    assert_int_equal(ordo("sim --dense --c 1e3"), ORDO_USAGE);
    assert_says("--c: must be a number like 3, 3/2 or 1.5, not '1e3'");
    assert_int_equal(ordo("sim --dense --jitter 2"), ORDO_USAGE);
    assert_int_equal(ordo("sim --dense --svg $D/x.svg"), ORDO_USAGE);
    assert_int_equal(ordo("sim --dense --order shift --mask causal"), ORDO_BAD_INPUT);
    assert_says("wants the full mask");
    assert_int_equal(ordo("sim --dense --order shift --c 9223372036854775807"), ORDO_BAD_INPUT);
    assert_says("may leave 64 bits");
    assert_int_equal(ordo("prove --dense"), ORDO_USAGE);
    assert_int_equal(ordo("prove --dense --protocol"), ORDO_USAGE);
    assert_int_equal(ordo("prove --dense --variant nothing"), ORDO_USAGE);
    assert_int_equal(ordo("prove --dense --optimal --kv-tiles 9"), ORDO_USAGE);
}

/* Which gradients two schedules give other bits, and a smallest input that shows it. */
static void bits(void **state)
{
    static const struct {
        int code;
        const char *says, *line;
    } known[] = {
        {0, "dq       same bits: all 32 query tiles",
         "--mask causal --kv-tiles 8 --heads 4 --bits ascending,descending"},
        {0, "dq       no input of up to 12 tiles",
         "--mask causal --kv-tiles 8 --heads 4 --bits ascending,descending"},
        {0, "dk       2 tiles of 16, 1 head", "--mask causal --kv-tiles 8 --heads 4 --bits ascending,descending"},
        {0, "dq       3 tiles of 16, 1 head", "--kv-tiles 8 --heads 4 --bits ascending,shift"},
        {0, "\"dq\":{\"differs\":true", "--kv-tiles 8 --heads 4 --bits ascending,shift --json"},
        /* Rows 1,0,2 and 0,1,2: the first two addends are the same either way round. */
        {0, "dq       same bits: all 8 query tiles",
         "--mask causal --kv-tiles 4 --heads 2 --bits symmetric,symmetric-text"},
        {0, "dq       other bits: 6 of 12 query",
         "--mask causal --kv-tiles 6 --heads 2 --bits symmetric,symmetric-text"},
        {0, "dk, dv   other bits", "--mask documents --kv-tiles 8 --heads 2 --bits ascending,descending"},
        {ORDO_USAGE, "there is no schedule 'up'", "--bits up,down"},
        {ORDO_USAGE, "must be two schedules", "--bits shift"},
    };
    char line[256];

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        (void)snprintf(line, sizeof line, "sim --dense %s", known[i].line);
        assert_int_equal(ordo(line), known[i].code);
        assert_says(known[i].says);
    }
}

static void one_schedule(void **state)
{
    json_t *o;

    (void)state;
    assert_int_equal(ordo("sim --dense --mask causal --kv-tiles 16 --heads 8 --sms 16 --order alternating"), 0);
    assert_says("time     272, 0.000 % above the bound 272");
    assert_says("waits    0 in 0 of 1088 tasks");
    assert_int_equal(ordo("sim --dense --kv-tiles 16 --heads 8 --sms 16 --order ascending --c 3/2 --r 0.5 --json"),
                     0);
    o = json_loads(out, 0, NULL);
    assert_non_null(o);
    assert_string_equal(json_string_value(json_object_get(o, "time")), "527/2");
    assert_string_equal(json_string_value(json_object_get(o, "bound")), "256");
    assert_string_equal(json_string_value(json_object_get(o, "gap")), "15/512");
    assert_int_equal(json_array_size(json_object_get(o, "stall_by_sm")), 16);
    json_decref(o);
    assert_int_equal(ordo("sim " SHIFT " --sms 114"), 1);
    assert_says("hangs    after 6555 of 524288 tasks");
}

static void table(void **state)
{
    (void)state;
    assert_int_equal(ordo("sim --dense --mask causal --kv-tiles 16 --heads 8 --sms 16"), 0);
    assert_says("bound    272");
    assert_says("symmetric");
    assert_says("shift goes round in all rows");
    assert_int_equal(ordo("sim --dense --measured $S/corpus/dense/h200.csv"), 0);
    assert_says("all causal rank correlation");
}

static void pictures(void **state)
{
    static char text[1 << 20];
    json_t *trace, *events;
    json_error_t error;
    double products = 0, reductions = 0;
    size_t i;
    json_t *e;

    (void)state;
    assert_int_equal(ordo("sim --dense --mask causal --kv-tiles 4 --heads 2 --sms 4 --order descending-pair "
                          "--svg $D/g.svg --trace $D/g.json"), 0);
    slurp("g.svg", text, sizeof text);
    assert_non_null(strstr(text, "</svg>"));
    assert_non_null(strstr(text, "class=\"wait\""));
    slurp("g.json", text, sizeof text);
    trace = json_loads(text, 0, &error);
    if (!trace)
        fail_msg("line %d: %s", error.line, error.text);
    events = json_object_get(trace, "traceEvents");
    json_array_foreach(events, i, e) {
        const char *what = json_string_value(json_object_get(e, "cat"));

        products += what && strcmp(what, "products") == 0 ? json_number_value(json_object_get(e, "dur")) : 0;
        reductions += what && strcmp(what, "reduce") == 0 ? json_number_value(json_object_get(e, "dur")) : 0;
    }
    assert_true(products == 20 * 3000.0 && reductions == 20 * 1000.0);
    json_decref(trace);
}

static void mask_file(void **state)
{
    static const unsigned char bits[6] = {1, 0, 0, 1, 1, 1};
    char head[128], path[128];
    FILE *f;

    (void)state;
    memset(head, ' ', sizeof head);
    memcpy(head, "\x93NUMPY\x01\x00\x76\x00", 10);
    memcpy(head + 10, "{'descr': '|b1', 'fortran_order': False, 'shape': (3, 2), }", 59);
    head[127] = '\n';
    (void)snprintf(path, sizeof path, "%s/mask.npy", dir);
    f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(head, 1, sizeof head, f), sizeof head);
    assert_int_equal(fwrite(bits, 1, sizeof bits, f), sizeof bits);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(ordo("sim --dense --mask-file $D/mask.npy --heads 1 --order general"), 0);
    assert_says("3 x 2 tiles, 4 pairs a head");
    assert_says("time     8, 0.000 % above");
    assert_int_equal(ordo("sim --dense --mask-file $D/mask.npy --kv-tiles 2"), ORDO_USAGE);
    assert_int_equal(ordo("sim --dense --mask-file $S/corpus/index/batched_3d.npy"), ORDO_BAD_INPUT);
    assert_int_equal(ordo("sim --dense --mask-file $D/nothing.npy"), ORDO_BAD_INPUT);
}

static void proofs(void **state)
{
    (void)state;
    assert_int_equal(ordo("prove --dense --order alternating --mask causal --heads 64"), 0);
    assert_says("over items: acyclic");
    assert_says("1 resident CTA, started in launch order, suffices");
    assert_says("verdict  proved");
    assert_int_equal(ordo("prove --dense --variant sm-count"), 1);
    assert_says("progress hangs with 114 resident CTAs: 6555 of 524288 tasks");
    assert_int_equal(ordo("prove " SHIFT " --sms 120"), 1);
    assert_int_equal(ordo("prove " SHIFT " --sms 131 --json"), 0);
    assert_says("\"least_resident\":131");
    assert_int_equal(ordo("prove --dense --optimal --kv-tiles 3"), 0);
    assert_says("148 schedules without a stall, alternating among them; 2 with acyclic waits");
}

static void relay(void **state)
{
    (void)state;
    assert_int_equal(ordo("sim $S/corpus/index/keep40.npy --kv 4096 --tile 16"), 0);
    assert_says("C=16");
    assert_int_equal(ordo("sim $S/corpus/index/keep40.npy --kv 4096 --json"), 0);
    assert_says("\"stall_share\":");
}

static int make_dir(void **state)
{
    const char *tmp = getenv("TMPDIR");

    (void)state;
    (void)snprintf(dir, sizeof dir, "%s/ordo-sim-XXXXXX", tmp && strlen(tmp) < 40 ? tmp : "/tmp");
    return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
    static const char *const name[] = {"out", "g.svg", "g.json", "mask.npy"};
    char path[128];

    (void)state;
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", dir, name[i]);
        (void)unlink(path);
    }
    return rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(usage),    cmocka_unit_test(bits),
                                       cmocka_unit_test(one_schedule), cmocka_unit_test(table),
                                       cmocka_unit_test(pictures), cmocka_unit_test(mask_file),
                                       cmocka_unit_test(proofs),   cmocka_unit_test(relay)};

    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
