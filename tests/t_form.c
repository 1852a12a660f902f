/* t_form.c - every option of every verb that has forms, in each of them: taken where it means something, refused by
 * name where it would be passed over. */
#include "tests/test.h"

#include "cli/form.h"
#include "cli/verb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INDEX_FILE "kv length topk-key length-key dtype shape"
#define PLAN "dqk dv target design wave"
#define DENSE_TWIN "batch q-len kv-len kv-heads head-dim mask tile-q tile-kv order sms section"
#define DENSE_GRID "mask mask-file kv-tiles q-tiles window documents density sms for-sms section dispatch order"

enum { FILE_ONLY, DENSE_ONLY, PROTOCOL_ONLY, NOT_DENSE, NOT_PROTOCOL, NOT_FILE, N_SETS };

/* Which forms are refused to the options of a set. */
static const bool refused[N_SETS][3] = {
    [FILE_ONLY] = {false, true, true},    [DENSE_ONLY] = {true, false, true},  [PROTOCOL_ONLY] = {true, true, false},
    [NOT_DENSE] = {false, true, false}, [NOT_PROTOCOL] = {false, false, true}, [NOT_FILE] = {true, false, false},
};

static const char *const form[3][2] = {
    {"index.npy", "an index file"}, {"--dense", "--dense"}, {"--protocol", "--protocol"}};

/* What is in no list goes with every form. */
static const struct {
    const struct ordo_verb *verb;
    int forms;
    const char *option[N_SETS];
} verbs[] = {
    {&ordo_verb_ref, 2, {[FILE_ONLY] = INDEX_FILE " " PLAN " cluster", [DENSE_ONLY] = DENSE_TWIN}},
    {&ordo_verb_inputs, 2, {[FILE_ONLY] = INDEX_FILE " dqk dv sink", [DENSE_ONLY] = DENSE_TWIN}},
    {&ordo_verb_truth, 2, {[FILE_ONLY] = INDEX_FILE " dqk dv tiny", [DENSE_ONLY] = DENSE_TWIN}},
    {&ordo_verb_diff, 2,
     {[FILE_ONLY] = INDEX_FILE " " PLAN " cluster tiny kernel repeats watchdog planes cubins",
      [DENSE_ONLY] = DENSE_TWIN}},
    {&ordo_verb_sim, 2,
     {[FILE_ONLY] = INDEX_FILE " tile",
      [DENSE_ONLY] = DENSE_GRID " heads start jitter distribution overlap bits svg trace measured seed"}},
    {&ordo_verb_prove, 3,
     {[FILE_ONLY] = INDEX_FILE " " PLAN " emit-run run schedule", [DENSE_ONLY] = DENSE_GRID " optimal seed",
      [PROTOCOL_ONLY] = "rows scheduler trail", [NOT_DENSE] = "cluster cert", [NOT_PROTOCOL] = "heads",
      [NOT_FILE] = "variant"}},
};

static bool listed(const char *list, const char *name)
{
    size_t n = strlen(name);

    for (const char *at = list; at && (at = strstr(at, name)); at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

/* Some value that the option takes. */
static const char *some_value(const struct ordo_option *o)
{
    static char text[64];

    if (o->kind == ORDO_OPT_INT)
        (void)snprintf(text, sizeof text, "%d", (int)o->min);
    else if (o->kind == ORDO_OPT_CHOICE)
        (void)snprintf(text, sizeof text, "%.*s", (int)strcspn(o->metavar, "|"), o->metavar);
    else
        (void)snprintf(text, sizeof text, "1");
    return text;
}

/* Parses the verb with the option in that form; the reason if the form is why it is refused, else "". */
static const char *reason_of(const struct ordo_verb *verb, const struct ordo_option *o, int f, struct ordo_err *err)
{
    char verb_name[32], asks[32], option[96];
    char *argv[] = {verb_name, asks, option, NULL};
    struct ordo_args args;
    enum ordo_status status;

    (void)snprintf(verb_name, sizeof verb_name, "%s", verb->name);
    (void)snprintf(asks, sizeof asks, "%s", form[f][0]);
    (void)snprintf(option, sizeof option, o->kind == ORDO_OPT_FLAG ? "--%s" : "--%s=%s", o->name, some_value(o));
    *err = (struct ordo_err){0};
    status = ordo_args_parse(&args, verb, 3, argv, err);
    ordo_args_free(&args);
    return status == ORDO_USAGE && strncmp(err->reason, "goes with ", 10) == 0 ? err->reason : "";
}

static void check_option(const struct ordo_verb *verb, const struct ordo_option *o, int f, bool want)
{
    struct ordo_err err;
    const char *reason = reason_of(verb, o, f, &err);
    char end[64];

    (void)snprintf(end, sizeof end, ", not with %s", form[f][1]);
    if ((*reason != '\0') != want)
        fail_msg("ordo %s %s --%s is %s", verb->name, form[f][0], o->name, want ? "taken" : reason);
    if (want && (strlen(reason) < strlen(end) || strcmp(reason + strlen(reason) - strlen(end), end) != 0))
        fail_msg("ordo %s %s --%s: it '%s'", verb->name, form[f][0], o->name, reason);
    if (want && strcmp(err.field + 2, o->name) != 0)
        fail_msg("ordo %s %s --%s names %s", verb->name, form[f][0], o->name, err.field);
}

/* The forms' own flags answer for themselves. */
static bool is_flag_of_form(const char *name)
{
    return strcmp(name, "dense") == 0 || strcmp(name, "protocol") == 0;
}

static void each_option(void **state)
{
    (void)state;
    for (size_t v = 0; v < sizeof verbs / sizeof verbs[0]; v++)
        for (const struct ordo_option *o = verbs[v].verb->option; o->name; o++)
            for (int f = 0; f < verbs[v].forms && !is_flag_of_form(o->name); f++) {
                bool want = false;

                for (int set = 0; set < N_SETS; set++)
                    want = want || (refused[set][f] && listed(verbs[v].option[set], o->name));
                check_option(verbs[v].verb, o, f, want);
            }
}

/* The lists name nothing that the verb has not: else they would check nothing. */
static void lists_are_of_options(void **state)
{
    (void)state;
    for (size_t v = 0; v < sizeof verbs / sizeof verbs[0]; v++) {
        size_t words = 0, found = 0;

        for (int set = 0; set < N_SETS; set++) {
            const char *list = verbs[v].option[set];

            for (const char *c = list; c && *c; c++)
                words += c == list || c[-1] == ' ';
            for (const struct ordo_option *o = verbs[v].verb->option; o->name; o++)
                found += listed(list, o->name);
        }
        assert_int_equal(words, found);
        assert_true(found > 0);
    }
}

static const struct ordo_option *find(const struct ordo_verb *verb, const char *name)
{
    const struct ordo_option *o = verb->option;

    while (o->name && strcmp(o->name, name) != 0)
        o++;
    assert_non_null(o->name);
    return o;
}

static void in_words(void **state)
{
    struct ordo_err err;
    char out[ORDO_FORM_TEXT];

    (void)state;
    assert_string_equal(reason_of(&ordo_verb_ref, find(&ordo_verb_ref, "dqk"), 1, &err),
                        "goes with an index file, not with --dense");
    assert_string_equal(reason_of(&ordo_verb_prove, find(&ordo_verb_prove, "variant"), 0, &err),
                        "goes with --dense or --protocol, not with an index file");
    assert_string_equal(ordo_form_prefix(&ordo_verb_ref, find(&ordo_verb_ref, "batch"), out), "--dense: ");
    assert_string_equal(ordo_form_prefix(&ordo_verb_ref, find(&ordo_verb_ref, "heads"), out), "");
    assert_string_equal(ordo_form_prefix(&ordo_verb_prove, find(&ordo_verb_prove, "heads"), out), "FILE, --dense: ");
    /* A verb of one form has nothing to say. */
    assert_string_equal(ordo_form_prefix(&ordo_verb_check, find(&ordo_verb_check, "kv"), out), "");
    assert_string_equal(reason_of(&ordo_verb_check, find(&ordo_verb_check, "dqk"), 0, &err), "");
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(each_option),
        cmocka_unit_test(lists_are_of_options),
        cmocka_unit_test(in_words),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
