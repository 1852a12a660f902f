/* help.c - see help.h. */
#include "cli/help.h"

#include "cli/docs.h"
#include "cli/form.h"

#include <ctype.h>

enum { LEFT = 26 }; /* width of the column with the option itself */

static void print_left(const struct ordo_option *o, FILE *out)
{
    char left[160];
    int n;

    n = snprintf(left, sizeof left, "  %c%c%s--%s%s%s", o->letter ? '-' : ' ', o->letter ? o->letter : ' ',
                 o->letter ? ", " : "  ", o->name, o->kind == ORDO_OPT_FLAG ? "" : " ",
                 o->kind == ORDO_OPT_FLAG ? "" : o->metavar);
    fprintf(out, "%-*s", LEFT, left);
    if (n > LEFT - 2)
        fprintf(out, "\n%*s", LEFT, "");
}

static void print_option(const struct ordo_verb *verb, const struct ordo_option *o, FILE *out)
{
    char form[ORDO_FORM_TEXT];

    print_left(o, out);
    fprintf(out, "%s%s", ordo_form_prefix(verb, o, form), o->help);
    ordo_docs_limits(o, out);
    fputc('\n', out);
}

static void print_words(const struct ordo_word *w, FILE *out)
{
    char left[80];
    int n;

    fputs("actions:\n", out);
    for (; w->name; w++) {
        n = snprintf(left, sizeof left, "  %s%s%s", w->name, *w->operands ? " " : "", w->operands);
        fprintf(out, "%-*s", LEFT, left);
        if (n > LEFT - 2)
            fprintf(out, "\n%*s", LEFT, "");
        fprintf(out, "%s\n", w->help);
    }
    fputc('\n', out);
}

void ordo_help_verb(const struct ordo_verb *verb, FILE *out)
{
    const struct ordo_option *o;

    fprintf(out, "usage: ordo %s [options]%s%s\n%c%s.\n\n", verb->name, *verb->operands ? " " : "", verb->operands,
            toupper((unsigned char)verb->summary[0]), verb->summary + 1);
    if (verb->word)
        print_words(verb->word, out);
    fputs("options:\n", out);
    for (o = verb->option; o->name; o++)
        print_option(verb, o, out);
    fprintf(out, "  -h, --help%*sthis text\n", LEFT - 12, "");
    if (verb->detail)
        fprintf(out, "\n%s", verb->detail);
    if (verb->more)
        verb->more(out);
}

void ordo_help_all(const struct ordo_verb *const *verbs, FILE *out)
{
    const struct ordo_exit_code *e;

    fputs("usage: ordo VERB [options] [operands]\n"
          "Decides, proves and checks in which order a deterministic attention backward pass adds its numbers.\n\n"
          "verbs:\n",
          out);
    for (; *verbs; verbs++)
        fprintf(out, "  %-10s%s\n", (*verbs)->name, (*verbs)->summary);
    fputs("\n`ordo VERB --help` and `ordo help VERB` explain a verb, `ordo help man` is the manual page and\n"
          "`ordo help bash` the completion for bash; `ordo --version` names versions.\n"
          "exit codes:\n", out);
    for (e = ordo_exit_codes; e->text; e++)
        fprintf(out, "  %-3d %s\n", e->code, e->text);
}
