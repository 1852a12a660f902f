/* census.h - the twin's functions of one number against the true ones: the table of `ordo bench exp2`. */
#ifndef ORDO_CLI_CENSUS_H
#define ORDO_CLI_CENSUS_H

#include "base/status.h"
#include "oracle/census.h"
#include "ref/unary.h"

struct ordo_census_row {
    const char *name;
    struct ordo_census count; /* of the conversion to BF16: inputs only, integers decide there */
    uint64_t digest;          /* of the results for all 2^32 inputs (base/fnv.h); only with step 1 */
};

/* Inputs 0, step, 2 step, ... below 2^32; step > 0.  A progress line on a terminal.  ORDO_ENVIRONMENT without memory.
 */
enum ordo_status ordo_census_all(uint32_t step, struct ordo_census_row row[ORDO_UNARIES], struct ordo_err *err);

#endif
