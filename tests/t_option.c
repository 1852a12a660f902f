/* t_option.c - the option table: what is taken, what is refused and with which words, and what a look-up answers. */
#include "tests/test.h"

#include "cli/group.h"
#include "cli/help.h"
#include "cli/line.h"
#include "cli/near.h"
#include "cli/table.h"
#include "cli/value.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct ordo_option options[] = {
    ORDO_OPTIONS_INPUT,
    ORDO_OPTIONS_PLAN,
    ORDO_OPTION_SEED,
    {.name = "output", .kind = ORDO_OPT_STRING, .letter = 'o', .metavar = "FILE", .help = "the file"},
    {.name = "depth", .kind = ORDO_OPT_INT, .metavar = "N", .min = -5, .max = 5, .help = "a signed number"},
    ORDO_OPTION_JSON,
    ORDO_OPTION_END,
};

static const struct ordo_verb verb = {
    .name = "try", .summary = "tries", .operands = "FILE...", .min_operands = 1, .max_operands = 2, .option = options,
};

static struct ordo_args args;
static struct ordo_err err;
static char words[512];
static char *argv[32];

/* Parses "try " + line, split at blanks; the words outlive the call. */
static enum ordo_status parse(const char *line)
{
    int argc = 0;
    char *word, *rest;

    ordo_args_free(&args);
    memset(&err, 0, sizeof err);
    (void)snprintf(words, sizeof words, "try %s", line);
    for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        argv[argc++] = strcmp(word, "EMPTY") == 0 ? word + 5 : word;
    argv[argc] = NULL;
    return ordo_args_parse(&args, &verb, argc, argv, &err);
}

static void taken(void **state)
{
    (void)state;
    assert_ok(parse("--kv 4096 a.npy --seed=0xFfffFfffFfffFfff --depth -5 --target sm90 --cluster=8 -oout -- --json"),
              err);
    assert_int_equal(ordo_opt_int(&args, "kv"), 4096);
    assert_int_equal(ordo_opt_int(&args, "depth"), -5);
    assert_int_equal(ordo_opt_int(&args, "cluster"), 8);
    assert_int_equal(ordo_opt_choice(&args, "cluster"), 1);
    assert_true(ordo_opt_u64(&args, "seed") == UINT64_MAX);
    assert_int_equal(ordo_opt_choice(&args, "target"), 1);
    assert_string_equal(ordo_opt_string(&args, "target"), "sm90");
    assert_string_equal(ordo_opt_string(&args, "output"), "out");
    assert_int_equal(args.n_operand, 2);
    assert_string_equal(args.operand[0], "a.npy");
    assert_string_equal(args.operand[1], "--json");
    assert_false(ordo_opt_flag(&args, "json"));
    assert_false(args.json);
    assert_ok(parse("- --json --kv=2147483647 -o x"), err);
    assert_string_equal(args.operand[0], "-");
    assert_true(ordo_opt_flag(&args, "json") && args.json);
    assert_int_equal(ordo_opt_int(&args, "kv"), INT32_MAX);
    assert_ok(parse("x --kv 0 --output=--odd=x"), err);
    assert_string_equal(ordo_opt_string(&args, "output"), "--odd=x");
}

static void defaults(void **state)
{
    (void)state;
    assert_ok(parse("x --kv 1"), err);
    assert_int_equal(ordo_opt_int(&args, "heads"), 64);
    assert_int_equal(ordo_opt_int(&args, "dqk"), 576);
    assert_int_equal(ordo_opt_choice(&args, "design"), 0);
    assert_int_equal(ordo_opt_choice(&args, "target"), 0);
    assert_int_equal(ordo_opt_choice(&args, "cluster"), -1);
    assert_int_equal(ordo_opt_int(&args, "cluster"), 0);
    assert_int_equal(ordo_opt_int(&args, "wave"), 0);
    assert_true(ordo_opt_u64(&args, "seed") == 0);
    assert_null(ordo_opt_string(&args, "length"));
    assert_false(ordo_opt_given(&args, "heads"));
    assert_true(ordo_opt_given(&args, "kv"));
}

static void refused(void **state)
{
    static const struct {
        const char *line, *field, *reason;
    } bad[] = {
        {"x", "--kv", "is required: KV rows that ids may name, an integer from 0 to 2147483647"},
        {"--kv 1", "", "an operand is missing: ordo try FILE..."},
        {"--kv 1 a b c", "", "one operand too many: 'c'"},
        {"x --kv", "--kv", "lacks its value, an integer from 0 to 2147483647"},
        {"x --kv --json", "--kv", "lacks its value, an integer from 0 to 2147483647, before '--json'"},
        {"x --kv 4k", "--kv", "must be an integer from 0 to 2147483647, not '4k'"},
        {"x --kv EMPTY", "--kv", "must be an integer from 0 to 2147483647, not ''"},
        {"x --kv= 4", "--kv", "must be an integer from 0 to 2147483647, not ''"},
        {"x --kv +4", "--kv", "must be an integer from 0 to 2147483647, not '+4'"},
        {"x --kv 0x10", "--kv", "must be an integer from 0 to 2147483647, not '0x10'"},
        {"x --kv -1", "--kv", "must be an integer from 0 to 2147483647, not '-1'"},
        {"x --kv 2147483648", "--kv", "must be an integer from 0 to 2147483647, not '2147483648'"},
        {"x --kv 99999999999999999999", "--kv",
         "must be an integer from 0 to 2147483647, not '99999999999999999999'"},
        {"x --depth -6", "--depth", "must be an integer from -5 to 5, not '-6'"},
        {"x --depth -", "--depth", "must be an integer from -5 to 5, not '-'"},
        {"x --seed -1", "--seed", "must be an integer from 0 to 2^64-1, decimal or 0x hexadecimal, not '-1'"},
        {"x --seed 0x", "--seed", "must be an integer from 0 to 2^64-1, decimal or 0x hexadecimal, not '0x'"},
        {"x --seed 0x0x1", "--seed", "must be an integer from 0 to 2^64-1, decimal or 0x hexadecimal, not '0x0x1'"},
        {"x --seed 18446744073709551616", "--seed",
         "must be an integer from 0 to 2^64-1, decimal or 0x hexadecimal, not '18446744073709551616'"},
        {"x --target sm80", "--target", "must be one of sm100, sm90, not 'sm80'"},
        {"x --target sm", "--target", "must be one of sm100, sm90, not 'sm'"},
        {"x --cluster 5", "--cluster", "must be one of 4, 8, 16, not '5'"},
        {"x --output=", "--output", "must be FILE, not ''"},
        {"x -o", "-o", "lacks its value, FILE"},
        {"x --json=yes", "--json", "takes no value"},
        {"x --kv 1 --kv 1", "--kv", "is given twice"},
        {"x -o a --output b", "--output", "is given twice"},
        {"x --json --json", "--json", "is given twice"},
        {"x --tagret sm90", "--tagret", "unknown option; did you mean --target?"},
        {"x --topk 3", "--topk", "unknown option; did you mean --topk-key?"},
        {"x --frobnicate=3", "--frobnicate", "unknown option; `ordo try --help` lists them"},
        {"x -q", "-q", "unknown option; `ordo try --help` lists them"},
        {"x --k 3", "--k", "unknown option; did you mean --kv?"},
    };
    size_t i;

    (void)state;
    for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(parse(bad[i].line), ORDO_USAGE);
        assert_string_equal(err.field, bad[i].field);
        assert_string_equal(err.reason, bad[i].reason);
    }
}

/* An error is said as JSON even where parsing never reached --json. */
static void json_in_spite(void **state)
{
    (void)state;
    assert_int_equal(parse("x --nothing --json"), ORDO_USAGE);
    assert_true(args.json);
    assert_int_equal(parse("x --nothing -- --json"), ORDO_USAGE);
    assert_false(args.json);
    assert_ok(parse("--help --nothing"), err);
    assert_true(args.help);
    assert_ok(parse("-h"), err);
    assert_true(args.help);
}

static void nearest(void **state)
{
    const char *best = NULL;

    (void)state;
    assert_int_equal(ordo_distance("", ""), 0);
    assert_int_equal(ordo_distance("plan", "paln"), 1);
    assert_int_equal(ordo_distance("plan", "prove"), 4);
    assert_int_equal(ordo_distance("", "abc"), 3);
    ordo_near("chekc", "prove", &best);
    assert_null(best);
    ordo_near("chekc", "check", &best);
    assert_string_equal(best, "check");
    best = NULL;
    ordo_near("zzz", "db", &best);
    assert_null(best);
    ordo_near("a-very-long-name-that-no-table-of-ours-has-in-it-and-never-will-have-whatever-may-come", "db", &best);
    assert_null(best);
}

/* A look-up that the table does not know is a bug of ours, and aborts. */
static void undeclared(void **state)
{
    pid_t child;
    int how;

    (void)state;
    assert_ok(parse("x --kv 1"), err);
    (void)fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        (void)close(STDERR_FILENO);
        (void)signal(SIGABRT, SIG_DFL);
        (void)ordo_opt_given(&args, "nothing");
        _exit(0);
    }
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGABRT);
}

static void in_memory(void (*print)(FILE *), char *out, size_t n)
{
    FILE *f = tmpfile();

    assert_non_null(f);
    print(f);
    rewind(f);
    out[fread(out, 1, n - 1, f)] = '\0';
    (void)fclose(f);
}

static void print_help(FILE *out)
{
    ordo_help_verb(&verb, out);
}

static void help_names_all(void **state)
{
    char text[8192], name[64];
    int i;

    (void)state;
    in_memory(print_help, text, sizeof text);
    assert_ptr_equal(strstr(text, "usage: ordo try [options] FILE...\nTries.\n"), text);
    for (i = 0; options[i].name; i++) {
        (void)snprintf(name, sizeof name, "--%s", options[i].name);
        assert_non_null(strstr(text, name));
        assert_non_null(strstr(text, options[i].help));
    }
    assert_non_null(strstr(text, "KV rows that ids may name; at least 0 (required)"));
    assert_non_null(strstr(text, "  -o, --output FILE       the file\n"));
}

static void print_table(FILE *out)
{
    static const char *const name[] = {"id", "word", "n"};
    static const char *const cell[] = {"7", "a\tb", "1.5e-09", "12", "x\xc3\xa9", "inf"};
    struct ordo_table t = {0};
    size_t i;

    ordo_table_start(&t, 3, name);
    for (i = 0; i < 6; i++)
        ordo_table_add(&t, strdup(cell[i]));
    ordo_table_print(&t, "> ", out);
    ordo_table_free(&t);
}

static void table_aligns(void **state)
{
    char text[256];

    (void)state;
    in_memory(print_table, text, sizeof text);
    assert_string_equal(text, "> id  word        n\n"
                              ">  7  a b   1.5e-09\n"
                              "> 12  x\xc3\xa9        inf\n");
}

static void line_comes_back(void **state)
{
    char *odd[] = {(char[]){"try"}, (char[]){"my file's.npy"}, (char[]){"--kv=3"}, (char[]){""}, NULL};
    char *line;

    (void)state;
    args.argc = 4;
    args.argv = odd;
    line = ordo_args_line(&args);
    assert_string_equal(line, "ordo try 'my file'\\''s.npy' --kv=3 ''");
    free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taken),       cmocka_unit_test(defaults),       cmocka_unit_test(refused),
        cmocka_unit_test(nearest),     cmocka_unit_test(json_in_spite),  cmocka_unit_test(undeclared),
        cmocka_unit_test(table_aligns), cmocka_unit_test(help_names_all), cmocka_unit_test(line_comes_back),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    ordo_args_free(&args);
    return failed;
}
