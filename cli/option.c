/* option.c - see option.h. */
#include "cli/option.h"

#include "cli/form.h"
#include "cli/near.h"
#include "cli/value.h"
#include "cli/verb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the command line ------------------------------------------------------------------------------------------- */

/* Where parsing stands. */
struct cursor {
    int i;
    const char *inline_value; /* what stood behind `=` or a letter, or NULL */
    char shown[96];           /* the option as typed, without its value */
};

static enum ordo_status refuse(const struct cursor *c, struct ordo_err *err, const char *reason)
{
    return ordo_fail(err, ORDO_USAGE, NULL, c->shown, "%s", reason);
}

static enum ordo_status unknown(const struct ordo_verb *verb, const struct cursor *c, struct ordo_err *err)
{
    const struct ordo_option *o;
    const char *best = NULL;

    if (c->shown[1] == '-')
        for (o = verb->option; o->name; o++)
            ordo_near(c->shown + 2, o->name, &best);
    if (best)
        return ordo_fail(err, ORDO_USAGE, NULL, c->shown, "unknown option; did you mean --%s?", best);
    return ordo_fail(err, ORDO_USAGE, NULL, c->shown, "unknown option; `ordo %s --help` lists them", verb->name);
}

/* Splits argv[c->i] into an option and an inline value.  NULL when the table lacks it. */
static const struct ordo_option *find(const struct ordo_args *args, struct cursor *c)
{
    const char *arg = args->argv[c->i];
    const struct ordo_option *o;
    bool is_long = arg[1] == '-';
    size_t n = is_long ? strcspn(arg, "=") : 2;

    (void)snprintf(c->shown, sizeof c->shown, "%.*s", (int)(n < sizeof c->shown ? n : sizeof c->shown - 1), arg);
    c->inline_value = is_long ? (arg[n] ? arg + n + 1 : NULL) : (arg[2] ? arg + 2 : NULL);
    for (o = args->verb->option; o->name; o++)
        if (is_long ? strlen(o->name) == n - 2 && strncmp(o->name, arg + 2, n - 2) == 0
                    : o->letter && o->letter == arg[1])
            return o;
    return NULL;
}

/* Takes the option at c->i and its value; c->i ends on the last argument used. */
static enum ordo_status take(struct ordo_args *args, struct cursor *c, struct ordo_err *err)
{
    const struct ordo_option *o = find(args, c);
    const char *text = c->inline_value;
    struct ordo_value *v;
    char want[192];

    if (!o)
        return unknown(args->verb, c, err);
    v = &args->value[o - args->verb->option];
    if (v->given)
        return refuse(c, err, "is given twice");
    v->given = true;
    if (o->kind == ORDO_OPT_FLAG)
        return text ? refuse(c, err, "takes no value") : ORDO_OK;
    ordo_option_describe(o, want, sizeof want);
    if (!text) {
        if (c->i + 1 == args->argc)
            return ordo_fail(err, ORDO_USAGE, NULL, c->shown, "lacks its value, %s", want);
        text = args->argv[++c->i];
        if (text[0] == '-' && text[1] == '-')
            return ordo_fail(err, ORDO_USAGE, NULL, c->shown, "lacks its value, %s, before '%s'", want, text);
    }
    if (!ordo_value_parse(o, text, v))
        return ordo_fail(err, ORDO_USAGE, NULL, c->shown, "must be %s, not '%s'", want, text);
    return ORDO_OK;
}

static void presets(struct ordo_args *args)
{
    const struct ordo_option *o = args->verb->option;
    int i;

    for (i = 0; o[i].name; i++) {
        ORDO_BUG_ON(i >= ORDO_MAX_OPTIONS);
        args->value[i].number = o[i].kind == ORDO_OPT_CHOICE ? -1 : 0;
        ORDO_BUG_ON(o[i].preset && !ordo_value_parse(&o[i], o[i].preset, &args->value[i]));
    }
}

bool ordo_asks_json(int argc, char **argv)
{
    int i;

    for (i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--json") == 0)
            return true;
    return false;
}

static enum ordo_status check_complete(const struct ordo_args *args, struct ordo_err *err)
{
    const struct ordo_verb *v = args->verb;
    enum ordo_status status = ordo_form_check(args, err);
    char name[96], want[192];
    int i;

    if (status != ORDO_OK)
        return status;
    for (i = 0; v->option[i].name; i++)
        if (v->option[i].required && !args->value[i].given) {
            (void)snprintf(name, sizeof name, "--%s", v->option[i].name);
            return ordo_fail(err, ORDO_USAGE, NULL, name, "is required: %s, %s", v->option[i].help,
                             ordo_option_describe(&v->option[i], want, sizeof want));
        }
    if (args->n_operand < v->min_operands)
        return ordo_fail(err, ORDO_USAGE, NULL, NULL, "an operand is missing: ordo %s %s", v->name, v->operands);
    if (v->max_operands >= 0 && args->n_operand > v->max_operands)
        return ordo_fail(err, ORDO_USAGE, NULL, NULL, "one operand too many: '%s'", args->operand[v->max_operands]);
    return ORDO_OK;
}

enum ordo_status ordo_args_parse(struct ordo_args *args, const struct ordo_verb *verb, int argc, char **argv,
                                 struct ordo_err *err)
{
    struct cursor c = {.i = 1};
    enum ordo_status status;
    bool options = true;

    *args = (struct ordo_args){.verb = verb, .argc = argc, .argv = argv, .json = ordo_asks_json(argc, argv)};
    presets(args);
    args->operand = calloc((size_t)argc + 1, sizeof *args->operand);
    if (!args->operand)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, NULL, "out of memory");
    for (; c.i < argc; c.i++) {
        if (!options || argv[c.i][0] != '-' || !argv[c.i][1]) {
            args->operand[args->n_operand++] = argv[c.i];
        } else if (strcmp(argv[c.i], "--") == 0) {
            options = false;
        } else if (strcmp(argv[c.i], "-h") == 0 || strcmp(argv[c.i], "--help") == 0) {
            args->help = true;
            return ORDO_OK;
        } else if ((status = take(args, &c, err)) != ORDO_OK) {
            return status;
        }
    }
    return check_complete(args, err);
}

void ordo_args_free(struct ordo_args *args)
{
    free(args->operand);
    *args = (struct ordo_args){0};
}

/* --- look-ups --------------------------------------------------------------------------------------------------- */

static const struct ordo_value *look(const struct ordo_args *args, const char *name, enum ordo_option_kind *kind)
{
    const struct ordo_option *o;

    for (o = args->verb->option; o->name && strcmp(o->name, name) != 0; o++)
        ;
    ORDO_BUG_ON(!o->name);
    *kind = o->kind;
    return &args->value[o - args->verb->option];
}

bool ordo_opt_given(const struct ordo_args *args, const char *name)
{
    enum ordo_option_kind kind;

    return look(args, name, &kind)->given;
}

bool ordo_opt_flag(const struct ordo_args *args, const char *name)
{
    enum ordo_option_kind kind;
    const struct ordo_value *v = look(args, name, &kind);

    ORDO_BUG_ON(kind != ORDO_OPT_FLAG);
    return v->given;
}

int32_t ordo_opt_int(const struct ordo_args *args, const char *name)
{
    enum ordo_option_kind kind;
    const struct ordo_value *v = look(args, name, &kind);
    int64_t number = 0;

    ORDO_BUG_ON(kind != ORDO_OPT_INT && kind != ORDO_OPT_CHOICE);
    ORDO_BUG_ON(v->text && !ordo_parse_int(v->text, INT32_MIN, INT32_MAX, &number));
    return (int32_t)number;
}

uint64_t ordo_opt_u64(const struct ordo_args *args, const char *name)
{
    enum ordo_option_kind kind;
    const struct ordo_value *v = look(args, name, &kind);

    ORDO_BUG_ON(kind != ORDO_OPT_U64);
    return v->u64;
}

const char *ordo_opt_string(const struct ordo_args *args, const char *name)
{
    enum ordo_option_kind kind;

    return look(args, name, &kind)->text;
}

int ordo_opt_choice(const struct ordo_args *args, const char *name)
{
    enum ordo_option_kind kind;
    const struct ordo_value *v = look(args, name, &kind);

    ORDO_BUG_ON(kind != ORDO_OPT_CHOICE);
    return (int)v->number;
}
