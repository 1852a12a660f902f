/* verb.h - a verb of the program: one file cmd_NAME.c that defines one `const struct ordo_verb ordo_verb_NAME`.
 *
 * To plug one in: declare it here, add it to the table in main.c and the file to Makefile.inc. */
#ifndef ORDO_CLI_VERB_H
#define ORDO_CLI_VERB_H

#include "cli/option.h"

#include <stdio.h>

/* What may stand first behind a verb that does several things. */
struct ordo_word {
    const char *name;     /* "list", "corpus add"; NULL ends a table */
    const char *operands; /* what follows it, "" for nothing */
    const char *help;
};

struct ordo_verb {
    const char *name, *summary;
    const char *operands; /* as the usage line shows them, "" for none */
    int min_operands, max_operands; /* max -1: any number */
    const struct ordo_option *option; /* ended by ORDO_OPTION_END */
    const struct ordo_word *word;     /* or NULL */
    const char *(*first)(size_t i);   /* names of first operands from another room's table, then NULL; or NULL */
    const char *detail;      /* more for --help, whole lines; may be NULL */
    void (*more)(FILE *out); /* and what a table of another room knows; may be NULL */
    /* Does the work and returns the exit code.  Results on stdout, all else on stderr (cli/out.h). */
    int (*run)(struct ordo_args *args);
};

extern const struct ordo_verb ordo_verb_gen, ordo_verb_inspect, ordo_verb_plan, ordo_verb_tree, ordo_verb_prove,
    ordo_verb_check, ordo_verb_bench, ordo_verb_db, ordo_verb_litmus, ordo_verb_fuzz, ordo_verb_shrink,
    ordo_verb_replay, ordo_verb_doctor, ordo_verb_cert, ordo_verb_inputs, ordo_verb_ref,
    ordo_verb_run;

#endif
