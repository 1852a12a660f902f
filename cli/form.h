/* form.h - the forms of a verb that does the same to an index file, to dense attention or to the protocol, and which
 * options belong to which.
 *
 * The form is what a flag of the verb's table asks for (--dense, --protocol), else the index file.  An option of
 * another form would be passed over, and what it asked for be missing in silence, so it is refused. */
#ifndef ORDO_CLI_FORM_H
#define ORDO_CLI_FORM_H

#include "cli/option.h"

/* ORDO_USAGE at the first option given that the form of this command line has not. */
enum ordo_status ordo_form_check(const struct ordo_args *args, struct ordo_err *err);

/* ORDO_USAGE where FILE or --kv is missing, which only the index file's form of a verb with --dense needs. */
enum ordo_status ordo_form_has_file(const struct ordo_args *args, struct ordo_err *err);

enum { ORDO_FORM_TEXT = 64 };

/* What stands before an option's help: "--dense: ", or "" where all forms of the verb have it.  Returns out. */
char *ordo_form_prefix(const struct ordo_verb *verb, const struct ordo_option *o, char out[ORDO_FORM_TEXT]);

#endif
