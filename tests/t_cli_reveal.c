/* t_cli_reveal.c - `ordo reveal` from outside: the twin, and `ordo ref` as a program that reads and writes .npz;
 * what is said of commands that fail; nothing left in TMPDIR.
 *
 * Runs ./ordo of the build directory. */
#include "tests/cli_json.h"

#include <dirent.h>
#include <sys/stat.h>

#define SHAPE " --kv 160 --heads 2 --dqk 64 --dv 48"

static void assert_nothing_left(const char *line)
{
    char path[96];
    DIR *folder;
    int n = 0;

    (void)snprintf(path, sizeof path, "%s/tmp", dir);
    folder = opendir(path);
    assert_non_null(folder);
    while (readdir(folder))
        n++;
    (void)closedir(folder);
    if (n != 2)
        fail_msg("`%s` leaves %d files behind", line, n - 2);
}

static const char *text_of(json_t *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o, key));

    return text ? text : "none";
}

static void equal(void **state)
{
    static const char *const line[] = {
        "reveal $FILE" SHAPE " --sum dkv --row 7",
        "reveal $FILE" SHAPE " --sum dkv-tail --row 7 --cluster 8 --whole",
        "reveal $FILE" SHAPE " --sum dkv --row 7 --terms block --target sm90 --exec './ordo ref $1" SHAPE
        " --target sm90 --inputs $1 -o $2'",
        "reveal $FILE" SHAPE " --sum dq --query 3 --scale 0.25 --exec './ordo ref $FILE" SHAPE " --inputs $1 -o $2'",
        "reveal $FILE" SHAPE " --sum delta --query 3",
        "reveal $FILE" SHAPE " --sum dp --query 3 --head 1",
    };

    (void)state;
    for (size_t i = 0; i < sizeof line / sizeof line[0]; i++) {
        json_t *out;
        int code = ordo(line[i], &out);

        if (code != 0 || strcmp(text_of(out, "verdict"), "equal") != 0)
            fail_msg("`%s`: exit %d, verdict %s, %s", line[i], code, text_of(out, "verdict"), text_of(out, "reason"));
        assert_string_equal(text_of(out, "planned"), text_of(out, "revealed"));
        assert_null(json_object_get(out, "parts"));
        assert_true(json_integer_value(json_object_get(out, "terms")) >= 2);
        assert_true(json_integer_value(json_object_get(out, "runs")) >= 2);
        assert_nothing_left(line[i]);
        json_decref(out);
    }
}

/* The program runs by another cluster size, or takes the scale from elsewhere. */
static void differs(void **state)
{
    static const char *const line =
        "reveal $FILE" SHAPE " --sum dkv --row 7 --terms block --cluster 8 --exec './ordo ref $1" SHAPE
        " --cluster 4 --inputs $1 -o $2'";
    json_t *out, *parts;

    (void)state;
    assert_int_equal(ordo(line, &out), 1);
    assert_string_equal(text_of(out, "verdict"), "differs");
    assert_string_not_equal(text_of(out, "planned"), text_of(out, "revealed"));
    parts = json_object_get(out, "parts");
    assert_string_equal(text_of(parts, "where"), "q12.h0");
    assert_string_equal(text_of(json_object_get(parts, "planned"), "with"), "(4 terms from q8.h0)");
    assert_string_equal(text_of(json_object_get(parts, "revealed"), "with"), "q13.h0");
    json_decref(out);
    assert_nothing_left(line);
    assert_int_equal(ordo("reveal $FILE" SHAPE " --sum dq --query 3 --exec './ordo ref $1" SHAPE
                          " --scale 0.5 --inputs $1 -o $2'", &out), 1);
    assert_string_equal(text_of(out, "verdict"), "term lost");
    assert_string_equal(text_of(json_object_get(out, "parts"), "term"), "t0.s0");
    json_decref(out);
}

static void refusals(void **state)
{
    static const struct {
        const char *line;
        int code;
        const char *field, *reason;
    } bad[] = {
        {"--sum dkv", 2, "--row", "needs it"},
        {"--sum dq --query 3 --row 7", 2, "--row", "does not go with"},
        {"--sum dq", 2, "--query", "needs it"},
        {"--sum dsink --query 3", 2, "--query", "does not go with"},
        {"--sum dq --query 99999", 2, "--query", "is not one of"},
        {"--sum dq --query 3 --head 2", 2, "--head", "is not one of 2"},
        {"--sum dq --query 3 --terms block", 2, "--terms", "goes with --sum dkv"},
        {"--sum dkv --row 160", 2, "--row", "is not one of 160"},
        {"--sum dq --query 3 --scale 0.3", 2, "--scale", "must be a power of two"},
        {"--sum dq --query 3 --exec 'echo; echo that was it; exit 9'", 3, "--exec",
         "exits with status 9; its last words: that was it"},
        {"--sum dq --query 3 --exec 'kill -9 $$ #'", 3, "--exec", "ended by signal 9"},
        {"--sum dq --query 3 --exec true", 3, "--exec", "writes no output"},
        {"--sum dq --query 3 --exec cp", 3, "dq", "wrote no such array"},
        {"--sum dq --query 3 --exec 'echo >$2 $1 not an archive; true'", 3, "end record", "no complete zip"},
        {"--sum dq --query 3 --exec './ordo ref $FILE --kv 160 --heads 2 --dqk 72 --dv 48 -o $2 # $1'", 3, "dq",
         "shape: is (160, 2, 72)"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char line[512];
        json_t *out;
        int code;

        (void)snprintf(line, sizeof line, "reveal $FILE" SHAPE " %s", bad[i].line);
        code = ordo(line, &out);
        if (code != bad[i].code || strcmp(text_of(out, "field"), bad[i].field) != 0 ||
            !strstr(text_of(out, "reason"), bad[i].reason))
            fail_msg("`%s`: exit %d, %s: %s", line, code, text_of(out, "field"), text_of(out, "reason"));
        json_decref(out);
        assert_nothing_left(line);
    }
}

/* SIGTERM ends the command, and leaves nothing either. */
static void interrupted(void **state)
{
    json_t *out;

    (void)state;
    assert_int_equal(ordo("reveal $FILE" SHAPE " --sum dq --query 3 --exec 'kill -TERM $PPID; sleep 20 #' ", &out),
                     130);
    json_decref(out);
    assert_nothing_left("SIGTERM");
}

/* The runner's sh hands on to the verb, and the verb to its commands: FILE, and TMPDIR, a folder of ours. */
static int begin_in_temp(void **state)
{
    const char *srcdir = getenv("srcdir");
    char temp[96], file[512];

    if (begin(state) != 0)
        return -1;
    (void)snprintf(temp, sizeof temp, "%s/tmp", dir);
    (void)snprintf(file, sizeof file, "%s/corpus/index/indexer_short.npy", srcdir ? srcdir : ".");
    return mkdir(temp, 0700) || setenv("TMPDIR", temp, 1) || setenv("FILE", file, 1) ? -1 : 0;
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(equal), cmocka_unit_test(differs), cmocka_unit_test(refusals), cmocka_unit_test(interrupted),
    };

    return cmocka_run_group_tests(test, begin_in_temp, end);
}
