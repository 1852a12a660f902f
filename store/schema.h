/* schema.h - the tables and views, which are API: columns are added, never changed in meaning.
 *
 *   problem, plan   named by digest, stored once
 *   build, device   what a kernel was compiled to (kernel digest, cubin digest, toolkit) and ran on (with its driver)
 *   input           the digest of the values that a kernel read
 *   run             one command on one input; verdict as the program printed it; `content`: see content.c
 *   proof           of a run: claims, assumption, engines, order digest
 *   bits, oracle    of a run and an input class (exact, rough; oracle: attention too), on the CPU
 *   row_bits        sampled output elements: the fp32 bits as an integer from 0 to 2^32-1
 *   result          one output tensor of one execution: problem, plan, build, device, input, digest of the output;
 *                   of `check --level full` too: build "ordo VERSION", device "cpu twin"
 *   sample          any other number of a run: metric, repetition, value
 *   corpus          cases, byte for byte, named by digest, with provenance and expected verdict
 *
 *   v_run           one line per run with all of the above but elements and results
 *   v_moved         runs whose order or bits differ from the run before of the same problem, plan, class, seed, width
 *   v_output        every output digest, of kernels and of the CPU, with what decides it
 *   v_flip          same problem, plan, build, device and input, yet two output digests
 *   v_compare       two runs, thing by thing: WHERE a = 1 AND b = 2
 *   v_metric        numbers over time; v_trend: per problem, plan and device, the last one against those before
 *   v_corpus        the corpus without the bytes
 *
 * Digests are 64 lower-case hex digits, seeds decimal text (they need all 64 bits), times integer microseconds since
 * 1970.  NULL means "not measured". */
#ifndef ORDO_STORE_SCHEMA_H
#define ORDO_STORE_SCHEMA_H

#include <stdint.h>

#define ORDO_STORE_APPLICATION_ID INT32_C(0x6f72646f) /* "ordo" */

/* Element i takes a file from user_version i to i + 1.  NULL-terminated.  A step that was shipped is never edited. */
extern const char *const ordo_store_steps[];
/* views.c: run after the last step; drops and makes every view, so a view is described once. */
extern const char ordo_store_views[];
/* The user_version that this program writes. */
int ordo_store_version(void);

#endif
