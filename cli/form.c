/* form.c - see form.h. */
#include "cli/form.h"

#include "cli/verb.h"

#include <stdio.h>
#include <string.h>

/* The index file is what no flag asks for. */
static const struct form {
    unsigned bit;
    const char *flag;
    const char *name, *brief;
} forms[] = {
    {ORDO_FORM_FILE, NULL, "an index file", "FILE"},
    {ORDO_FORM_DENSE, "dense", "--dense", "--dense"},
    {ORDO_FORM_PROTOCOL, "protocol", "--protocol", "--protocol"},
};

enum { N_FORMS = sizeof forms / sizeof forms[0] };

/* The place of a form's flag in the verb's table, or -1. */
static int flag_of(const struct ordo_verb *verb, const struct form *f)
{
    for (int i = 0; f->flag && verb->option[i].name; i++)
        if (verb->option[i].kind == ORDO_OPT_FLAG && strcmp(verb->option[i].name, f->flag) == 0)
            return i;
    return -1;
}

static const struct form *asked(const struct ordo_args *args)
{
    for (int i = 1; i < N_FORMS; i++) {
        int flag = flag_of(args->verb, &forms[i]);

        if (flag >= 0 && args->value[flag].given)
            return &forms[i];
    }
    return &forms[0];
}

static unsigned forms_of(const struct ordo_verb *verb)
{
    unsigned all = ORDO_FORM_FILE;

    for (int i = 1; i < N_FORMS; i++)
        all |= flag_of(verb, &forms[i]) >= 0 ? forms[i].bit : 0;
    return all;
}

/* The forms of a set, in words; those of all verbs fit. */
static void list(unsigned set, bool brief, const char *between, char out[ORDO_FORM_TEXT])
{
    size_t used = 0;

    out[0] = '\0';
    for (int i = 0; i < N_FORMS; i++)
        if (set & forms[i].bit)
            used += (size_t)snprintf(out + used, ORDO_FORM_TEXT - used, "%s%s", used ? between : "",
                                     brief ? forms[i].brief : forms[i].name);
    ORDO_BUG_ON(used >= ORDO_FORM_TEXT);
}

enum ordo_status ordo_form_check(const struct ordo_args *args, struct ordo_err *err)
{
    const struct form *form = asked(args);
    const struct ordo_option *o = args->verb->option;
    char name[96], of[ORDO_FORM_TEXT];

    for (int i = 0; o[i].name; i++)
        if (args->value[i].given && o[i].form && !(o[i].form & form->bit)) {
            (void)snprintf(name, sizeof name, "--%s", o[i].name);
            list(o[i].form & forms_of(args->verb), false, " or ", of);
            return ordo_fail(err, ORDO_USAGE, NULL, name, "goes with %s, not with %s", of, form->name);
        }
    return ORDO_OK;
}

enum ordo_status ordo_form_has_file(const struct ordo_args *args, struct ordo_err *err)
{
    if (args->n_operand > 0 && ordo_opt_given(args, "kv"))
        return ORDO_OK;
    return ordo_fail(err, ORDO_USAGE, NULL, args->n_operand ? "--kv" : "FILE", "is needed without --dense");
}

char *ordo_form_prefix(const struct ordo_verb *verb, const struct ordo_option *o, char out[ORDO_FORM_TEXT])
{
    unsigned all = forms_of(verb);

    list(o->form && (o->form & all) != all ? o->form & all : 0, true, ", ", out);
    if (*out)
        (void)snprintf(out + strlen(out), ORDO_FORM_TEXT - strlen(out), ": ");
    return out;
}
