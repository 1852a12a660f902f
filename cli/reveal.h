/* reveal.h - between the files of `ordo reveal`: what is asked, the boxes, what is said. */
#ifndef ORDO_CLI_REVEAL_H
#define ORDO_CLI_REVEAL_H

#include "cli/option.h"
#include "oracle/planned.h"
#include "oracle/reveal.h"
#include "ref/probe.h"
#include "sim/prove.h"

/* All of one run.  A fresh one is all zero. */
struct ordo_reveal_work {
    const struct ordo_args *args;
    struct ordo_problem problem;
    struct ordo_plan plan;
    struct ordo_proof proof;
    struct ordo_sum sum;
    struct ordo_probe probe;
    struct ordo_sumtree planned;
    struct ordo_reveal reveal;
    struct ordo_sumtree_view view[2]; /* planned, revealed */
    struct ordo_digest digest[2];
    struct ordo_sumtree_parting parting;
    double seconds;
};

/* --- boxes ------------------------------------------------------------------------------------------------------ */

/* Asks the twin, or the program of command, which is run by sh in a folder of its own in TMPDIR with two file names
 * behind it (or where it says $1 and $2): the .npz of the inputs, which is there, and the one of the outputs, which
 * it writes.  Errors of the program: ORDO_BAD_INPUT, what it said last among the reason. */
enum ordo_status ordo_reveal_twin(struct ordo_reveal_work *w, int n_thread, struct ordo_err *err);
enum ordo_status ordo_reveal_exec(struct ordo_reveal_work *w, const char *command, struct ordo_err *err);

/* --- what is said ----------------------------------------------------------------------------------------------- */

/* Prints the report; returns the exit code. */
int ordo_reveal_say(const struct ordo_reveal_work *w);

#endif
