/* cert_write.h - `prove --cert`: what was proved, as a certificate (manual/certificate.md). */
#ifndef ORDO_CLI_CERT_WRITE_H
#define ORDO_CLI_CERT_WRITE_H

#include "sim/prove.h"

#include <jansson.h>

/* A growing payload; free(bytes->at). */
struct ordo_cert_bytes {
    uint8_t *at;
    uint64_t n, room;
};

/* schedule: NULL or "rank-major" for no payload, "seed=N" for the events of a random linear extension.  Writes path
 * whole or not at all.  ORDO_USAGE for another schedule, or a seed above 2^24 updates; ORDO_ENVIRONMENT if it cannot
 * be written.  proof must be proved. */
enum ordo_status ordo_cert_write_tensor(const char *path, const char *schedule, const struct ordo_problem *p,
                                        const struct ordo_plan *plan, const struct ordo_proof *proof,
                                        struct ordo_err *err);

/* facts: every claim that held, and who found it; not taken over. */
enum ordo_status ordo_cert_write_protocol(const char *path, const json_t *facts, struct ordo_err *err);

/* Appends the events of all groups.  ORDO_ENVIRONMENT without memory. */
enum ordo_status ordo_cert_events(const struct ordo_plan *plan, const struct ordo_problem *p, uint64_t seed,
                                  struct ordo_cert_bytes *bytes, struct ordo_err *err);

#endif
