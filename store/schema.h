/* schema.h - the tables and views, which are API: columns are added, never changed in meaning.
 *
 *   problem, plan   named by digest, stored once
 *   run             one command on one input; verdict as the program printed it
 *   proof           of a run: claims, assumption, engines, order digest
 *   bits, oracle    of a run and an input class (exact, rough)
 *   row_bits        sampled output elements: the fp32 bits as an integer from 0 to 2^32-1
 *   v_run           one line per run with all of the above but the sampled elements
 *   v_moved         runs whose order or bits differ from the run before of the same problem, plan, class, seed, width
 *
 * Digests are 64 lower-case hex digits, seeds decimal text (they need all 64 bits), times integer microseconds since
 * 1970.  NULL means "not measured". */
#ifndef ORDO_STORE_SCHEMA_H
#define ORDO_STORE_SCHEMA_H

#include <stdint.h>

#define ORDO_STORE_APPLICATION_ID INT32_C(0x6f72646f) /* "ordo" */

/* Element i takes a file from user_version i to i + 1.  NULL-terminated. */
extern const char *const ordo_store_steps[];
/* The user_version that this program writes. */
int ordo_store_version(void);

#endif
