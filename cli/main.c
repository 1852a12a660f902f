/* main.c - the program: a table of verbs, and the way from argv to one of them. */
#include "cli/docs.h"
#include "cli/help.h"
#include "cli/near.h"
#include "cli/out.h"
#include "store/store.h"

#include <stdio.h>
#include <string.h>

/* In the order of the help text. */
static const struct ordo_verb *const verbs[] = {
    &ordo_verb_gen,
    &ordo_verb_inspect,
    &ordo_verb_plan,
    &ordo_verb_tree,
    &ordo_verb_prove,
    &ordo_verb_cert,
    &ordo_verb_litmus,
    &ordo_verb_inputs,
    &ordo_verb_ref,
    &ordo_verb_run,
    &ordo_verb_check,
    &ordo_verb_fuzz,
    &ordo_verb_shrink,
    &ordo_verb_replay,
    &ordo_verb_bench,
    &ordo_verb_db,
    &ordo_verb_doctor,
    NULL,
};

static const struct ordo_verb *find(const char *name)
{
    int i;

    for (i = 0; verbs[i]; i++)
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    return NULL;
}

/* argv[0] is the name that is no verb. */
static int unknown(int argc, char **argv)
{
    struct ordo_args args = {.json = ordo_asks_json(argc, argv)};
    const char *name = argv[0], *best = NULL;
    struct ordo_err err = {0};
    int i;

    for (i = 0; verbs[i]; i++)
        ordo_near(name, verbs[i]->name, &best);
    if (best)
        (void)ordo_fail(&err, ORDO_USAGE, NULL, NULL, "unknown verb '%s'; did you mean %s?", name, best);
    else
        (void)ordo_fail(&err, ORDO_USAGE, NULL, NULL, "unknown verb '%s'; `ordo help` lists them", name);
    return ordo_report_error(&args, ORDO_USAGE, &err);
}

static int run(const struct ordo_verb *verb, int argc, char **argv)
{
    struct ordo_args args;
    struct ordo_err err = {0};
    enum ordo_status status = ordo_args_parse(&args, verb, argc, argv, &err);
    int code = ORDO_OK;

    if (status != ORDO_OK)
        code = ordo_report_error(&args, status, &err);
    else if (args.help)
        ordo_help_verb(verb, stdout);
    else
        code = verb->run(&args);
    ordo_args_free(&args);
    return code;
}

static int help(int argc, char **argv)
{
    const struct ordo_verb *verb;

    if (argc < 2) {
        ordo_help_all(verbs, stdout);
        return ORDO_OK;
    }
    verb = find(argv[1]);
    if (verb)
        ordo_help_verb(verb, stdout);
    else if (strcmp(argv[1], "man") == 0)
        ordo_docs_man(verbs, stdout);
    else if (strcmp(argv[1], "bash") == 0)
        ordo_docs_bash(verbs, stdout);
    else
        return unknown(argc - 1, argv + 1);
    return ORDO_OK;
}

static int version(void)
{
    printf("ordo %s\nSQLite %s\njansson %s\n", PACKAGE_VERSION, ordo_store_library(), JANSSON_VERSION);
    return ORDO_OK;
}

static int dispatch(int argc, char **argv)
{
    const struct ordo_verb *verb;

    if (argc < 2) {
        ordo_help_all(verbs, stderr);
        return ORDO_USAGE;
    }
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return help(argc - 1, argv + 1);
    if (strcmp(argv[1], "--version") == 0)
        return version();
    verb = find(argv[1]);
    return verb ? run(verb, argc - 1, argv + 1) : unknown(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    ordo_out_begin();
    return ordo_out_finish(dispatch(argc, argv));
}
