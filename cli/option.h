/* option.h - long options from one table, which parses, checks, documents and answers look-ups.
 *
 * `--name value` and `--name=value`, a letter where the table has one, `--` ends options, `-` is an operand; options
 * and operands mix.  No abbreviations, no option twice.  All refusals are ORDO_USAGE, name the option and the value,
 * and say what is allowed. */
#ifndef ORDO_CLI_OPTION_H
#define ORDO_CLI_OPTION_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ordo_option_kind {
    ORDO_OPT_END,
    ORDO_OPT_FLAG,
    ORDO_OPT_INT,    /* decimal, min to max */
    ORDO_OPT_U64,    /* decimal or 0x hexadecimal, all 64 bits */
    ORDO_OPT_STRING, /* any text but the empty one */
    ORDO_OPT_CHOICE  /* one of the words of metavar, "a|b|c" */
};

/* Which forms of a verb have an option (cli/form.h). */
enum ordo_form { ORDO_FORM_FILE = 1, ORDO_FORM_DENSE = 2, ORDO_FORM_PROTOCOL = 4 };

struct ordo_option {
    const char *name; /* without the dashes */
    enum ordo_option_kind kind;
    char letter; /* -x as well, 0 for none */
    bool required;
    unsigned form; /* bits of enum ordo_form; 0: all */
    const char *metavar;
    int32_t min, max;
    const char *preset; /* the default as one would type it, NULL for none */
    const char *help;
};

#define ORDO_OPTION_END {.name = NULL, .kind = ORDO_OPT_END}

enum { ORDO_MAX_OPTIONS = 64 };

struct ordo_value {
    bool given;       /* on the command line */
    const char *text; /* as typed, or the default; NULL without either */
    int64_t number;   /* INT: the value; CHOICE: the index of the word */
    uint64_t u64;
};

struct ordo_verb; /* cli/verb.h */

/* A parsed command line.  Texts point into argv or the table. */
struct ordo_args {
    const struct ordo_verb *verb;
    int argc; /* all of it, the verb first: for the record */
    char **argv;
    int n_operand;
    const char **operand;
    bool json; /* --json stands anywhere before `--`, also where parsing failed */
    bool help; /* -h or --help: the rest was not parsed */
    struct ordo_value value[ORDO_MAX_OPTIONS]; /* in the order of the verb's table */
};

/* Parses argv, where argv[0] is the verb's name.  Free with ordo_args_free, also after a failure. */
enum ordo_status ordo_args_parse(struct ordo_args *args, const struct ordo_verb *verb, int argc, char **argv,
                                 struct ordo_err *err);
void ordo_args_free(struct ordo_args *args);

/* Whether --json stands in argv[1...] before `--`: errors want to know before anything is parsed. */
bool ordo_asks_json(int argc, char **argv);

/* Look-ups.  A name that the verb's table lacks, or has with another kind, is a bug of ours.  Without a value and
 * without a default: false, 0, NULL, and -1 for a choice. */
bool ordo_opt_given(const struct ordo_args *args, const char *name);
bool ordo_opt_flag(const struct ordo_args *args, const char *name);
int32_t ordo_opt_int(const struct ordo_args *args, const char *name); /* also a choice between numbers */
uint64_t ordo_opt_u64(const struct ordo_args *args, const char *name);
const char *ordo_opt_string(const struct ordo_args *args, const char *name); /* any kind: the text */
int ordo_opt_choice(const struct ordo_args *args, const char *name);         /* index in the metavar */

#endif
