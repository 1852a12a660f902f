/* docs.c - see docs.h. */
#include "cli/docs.h"

#include "base/status.h"
#include "cli/form.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

const struct ordo_exit_code ordo_exit_codes[] = {
    {ORDO_OK, "clean"},
    {ORDO_FINDING, "a finding: a counterexample, a mismatch, a regression, a contract refused"},
    {ORDO_USAGE, "usage"},
    {ORDO_BAD_INPUT, "malformed input"},
    {ORDO_ENVIRONMENT, "environment: no memory, disk full, no device"},
    {ORDO_INTERNAL, "internal error"},
    {ORDO_BUDGET, "the budget ended without a verdict"},
    {ORDO_INTERRUPTED, "interrupted"},
    {0, NULL},
};

/* --- the manual page -------------------------------------------------------------------------------------------- */

/* Text of ours as mdoc text: a backslash or a leading dot or quote is not to be a command, hyphens stay hyphens. */
static void roff(const char *text, FILE *out)
{
    bool first = true;

    for (; *text; text++) {
        if (first && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else if (!(first && *text == ' '))
            putc(*text, out);
        first = *text == '\n' || (first && *text == ' ');
    }
}

void ordo_docs_limits(const struct ordo_option *o, FILE *out)
{
    if (o->kind == ORDO_OPT_INT && o->max == INT32_MAX)
        fprintf(out, "; at least %" PRId32, o->min);
    else if (o->kind == ORDO_OPT_INT)
        fprintf(out, "; %" PRId32 " to %" PRId32, o->min, o->max);
    if (o->required)
        fputs(" (required)", out);
    else if (o->preset)
        fprintf(out, " (default %s)", o->preset);
}

static void man_option(const struct ordo_verb *v, const struct ordo_option *o, FILE *out)
{
    char form[ORDO_FORM_TEXT];

    fputs(".It ", out);
    if (o->letter)
        fprintf(out, "Fl %c , ", o->letter);
    fputs("Fl Fl ", out);
    roff(o->name, out);
    if (o->kind != ORDO_OPT_FLAG) {
        fputs(" Ar ", out);
        roff(o->metavar, out);
    }
    putc('\n', out);
    roff(ordo_form_prefix(v, o, form), out);
    roff(o->help, out);
    ordo_docs_limits(o, out);
    fputs(".\n", out);
}

static void man_words(const struct ordo_word *w, FILE *out)
{
    fputs(".Bl -tag -width Ds\n", out);
    for (; w->name; w++) {
        fputs(".It Cm ", out);
        roff(w->name, out);
        if (*w->operands) {
            fputs(" Ar ", out);
            roff(w->operands, out);
        }
        putc('\n', out);
        roff(w->help, out);
        fputs(".\n", out);
    }
    fputs(".El\n", out);
}

static void man_verb(const struct ordo_verb *v, FILE *out)
{
    const struct ordo_option *o;

    fprintf(out, ".Ss %s\n.Dl ordo %s [options]%s", v->name, v->name, *v->operands ? " " : "");
    roff(v->operands, out);
    fprintf(out, "\n.Pp\n%c", toupper((unsigned char)v->summary[0]));
    roff(v->summary + 1, out);
    fputs(".\n", out);
    if (v->word)
        man_words(v->word, out);
    fputs(".Bl -tag -width Ds\n", out);
    for (o = v->option; o->name; o++)
        man_option(v, o, out);
    fputs(".It Fl h , Fl Fl help\nExplain the verb.\n.El\n", out);
    if (v->detail || v->more)
        fputs(".Bd -literal\n", out);
    if (v->detail)
        roff(v->detail, out);
    if (v->more)
        v->more(out);
    if (v->detail || v->more)
        fputs(".Ed\n", out);
}

void ordo_docs_man(const struct ordo_verb *const *verbs, FILE *out)
{
    const struct ordo_exit_code *e;

    fputs(".\\\" Made by `ordo help man` from the tables of the program.\n"
          ".Dd November 1, 2026\n.Dt ORDO 1\n.Os\n.Sh NAME\n.Nm ordo\n"
          ".Nd in which order a deterministic attention backward pass adds its numbers\n.Sh SYNOPSIS\n"
          ".Nm\n.Ar verb\n.Op Ar options\n.Op Ar operands\n.Nm\n.Cm help\n.Op Ar verb | Cm man | Cm bash\n"
          ".Nm\n.Fl Fl version\n.Sh DESCRIPTION\n.Nm\n"
          "decides, proves and checks in which order a deterministic attention backward pass adds its numbers.\n"
          "It reads Top\\-K index tensors, needs no GPU, and keeps what it finds in a database.\n.Pp\n"
          "Results go to standard output, all else to standard error.\n"
          "With\n.Fl Fl json\na result is one object per line.\n.Sh VERBS\n", out);
    for (; *verbs; verbs++)
        man_verb(*verbs, out);
    fputs(".Sh ENVIRONMENT\n.Bl -tag -width Ds\n"
          ".It Ev ORDO_DB\nThe results database where\n.Fl Fl db\nis not given.\n"
          ".It Ev TMPDIR\nWhere\n.Nm ordo bench store\nand\n.Nm ordo bench cert\nmake their files.\n.El\n"
          ".Sh EXIT STATUS\n.Bl -tag -width Ds\n", out);
    for (e = ordo_exit_codes; e->text; e++) {
        fprintf(out, ".It %d\n", e->code);
        roff(e->text, out);
        putc('\n', out);
    }
    fputs(".El\n.Sh EXAMPLES\nThe gate before a merge:\n.Dl ordo check topk.npy \\-\\-kv 65536\n"
          "What is not reproducible:\n.Dl ordo db flips\n", out);
}

/* --- bash ------------------------------------------------------------------------------------------------------- */

/* The alternatives of a choice, "a|b", with blanks. */
static void spread(const char *alternatives, FILE *out)
{
    for (; *alternatives; alternatives++)
        putc(*alternatives == '|' ? ' ' : *alternatives, out);
}

static void bash_values(const struct ordo_verb *v, FILE *out)
{
    for (const struct ordo_option *o = v->option; o->name; o++) {
        if (o->kind == ORDO_OPT_FLAG)
            continue;
        fprintf(out, "    %s:--%s", v->name, o->name);
        if (o->letter)
            fprintf(out, "|%s:-%c", v->name, o->letter);
        fputs(") ", out);
        if (o->kind == ORDO_OPT_CHOICE) {
            fputs("words='", out);
            spread(o->metavar, out);
            fputs("' ;;\n", out);
        } else if (strcmp(o->metavar, "FILE") == 0 || strcmp(o->metavar, "CSV") == 0 ||
                   strcmp(o->metavar, "DIR") == 0) {
            fputs("files=yes ;;\n", out);
        } else {
            fputs(";;\n", out);
        }
    }
}

/* First and second words of the table, each once. */
static void bash_words(const struct ordo_verb *v, FILE *out)
{
    const char *before = "";

    fprintf(out, "    %s) first='", v->name);
    for (const struct ordo_word *w = v->word; w && w->name; w++) {
        size_t n = strcspn(w->name, " ");

        if (strncmp(w->name, before, n) != 0 || before[n] != ' ')
            fprintf(out, "%s%.*s", w == v->word ? "" : " ", (int)n, w->name);
        before = w->name;
    }
    for (size_t i = 0; v->first && v->first(i); i++)
        fprintf(out, "%s%s", i ? " " : "", v->first(i));
    fputs("' options='", out);
    for (const struct ordo_option *o = v->option; o->name; o++)
        fprintf(out, "--%s ", o->name);
    fputs("--help' ;;\n", out);
}

static void bash_seconds(const struct ordo_verb *v, FILE *out)
{
    for (const struct ordo_word *w = v->word; w && w->name; w++) {
        const char *space = strchr(w->name, ' ');

        if (space)
            fprintf(out, "    %s:%.*s) second=\"$second %s\" ;;&\n", v->name, (int)(space - w->name), w->name,
                    space + 1);
    }
}

void ordo_docs_bash(const struct ordo_verb *const *verbs, FILE *out)
{
    int i;

    fputs("# bash completion for ordo(1); made by `ordo help bash` from the tables of the program.\n"
          "_ordo() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]}\n"
          "    local words= first= second= options= files=\n    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W 'help", out);
    for (i = 0; verbs[i]; i++)
        fprintf(out, " %s", verbs[i]->name);
    fputs(" --help --version' -- \"$cur\"))\n        return\n    fi\n"
          "    case $verb in\n    help) first='man bash", out);
    for (i = 0; verbs[i]; i++)
        fprintf(out, " %s", verbs[i]->name);
    fputs("' ;;\n", out);
    for (i = 0; verbs[i]; i++)
        bash_words(verbs[i], out);
    fputs("    esac\n    case $verb:${COMP_WORDS[2]} in\n", out);
    for (i = 0; verbs[i]; i++)
        bash_seconds(verbs[i], out);
    fputs("    esac\n    case $verb:$prev in\n", out);
    for (i = 0; verbs[i]; i++)
        bash_values(verbs[i], out);
    fputs("    *) words=none ;;\n    esac\n"
          "    if [ \"$files\" = yes ]; then\n        COMPREPLY=($(compgen -f -- \"$cur\"))\n"
          "    elif [ \"$words\" != none ]; then\n        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
          "    elif [ \"${cur:0:1}\" = - ]; then\n        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
          "    elif [ \"$COMP_CWORD\" -eq 2 ] && [ \"$first\" ]; then\n"
          "        COMPREPLY=($(compgen -W \"$first\" -- \"$cur\"))\n"
          "    elif [ \"$COMP_CWORD\" -eq 3 ] && [ \"$second\" ]; then\n"
          "        COMPREPLY=($(compgen -W \"$second\" -- \"$cur\"))\n"
          "    else\n        COMPREPLY=($(compgen -f -- \"$cur\"))\n    fi\n}\n"
          "complete -o filenames -F _ordo ordo\n", out);
}
