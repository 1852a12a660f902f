/* e2_variant.h - the published ways to break the relay and the controls that must pass, as edits of recorded
 * programs. */
#ifndef ORDO_SIM_E2_VARIANT_H
#define ORDO_SIM_E2_VARIANT_H

#include "sim/e2.h"
#include "sim/e2_edit.h"

enum { ORDO_E2_MAX_EDITS = 5 };

struct ordo_e2_variant {
    const char *id, *text;
    struct ordo_e2_spec spec;
    enum ordo_e2_scheduler scheduler;
    int32_t slots;
    enum ordo_e2_verdict verdict;
    unsigned bad;   /* violated: 1 << kind of the harms that count as this row's */
    bool sc_passes; /* violated, but not under sequential consistency */
    struct ordo_e2_edit edit[ORDO_E2_MAX_EDITS];
};

extern const struct ordo_e2_variant ordo_e2_variants[];
extern const size_t ordo_n_e2_variants;

/* NULL if there is none of that name. */
const struct ordo_e2_variant *ordo_e2_variant_find(const char *id);
/* Whether the row of that name is an error of one tape, which E4 decides. */
bool ordo_e2_variant_of_e4(const char *id);

/* The edited program of a spec (of the variant's own if spec is NULL); variant NULL: unedited.  As ordo_e2_design. */
bool ordo_e2_variant_program(const struct ordo_e2_variant *variant, const struct ordo_e2_spec *spec,
                             struct ordo_e2_program *p);

#endif
