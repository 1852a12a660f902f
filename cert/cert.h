/* cert.h - certificates: what a proof leaves behind, and the small program that checks one again.
 *
 * This room is the verifier: at most 600 lines that share nothing with the prover but protocol/ (tests/cert_room.sh).
 * The format is in manual/certificate.md. */
#ifndef ORDO_CERT_CERT_H
#define ORDO_CERT_CERT_H

#include "corpus/problem.h"

#include <jansson.h>
#include <stdbool.h>

#define ORDO_CERT_SCHEMA "ordo.cert/1"
#define ORDO_CERT_INVARIANT "relay-row/1" /* what the verifier checks of the role headers: cert/skeleton.c */

/* X(id, sentence): why a certificate is refused. */
#define ORDO_CERT_REFUSALS(X)                                                                                        \
    X(NONE, "nothing is wrong")                                                                                      \
    X(NO_MEMORY, "no memory to check it")                                                                            \
    X(END_DIGEST, "its bytes are not those that were written")                                                       \
    X(PROTOCOL, "is about another protocol source than this build's")                                                \
    X(TENSOR, "is about another tensor")                                                                             \
    X(PLAN_DIGEST, "its plan's text does not have its plan digest")                                                  \
    X(PLAN, "its plan contradicts itself or its tensor")                                                             \
    X(CLAIM, "claims what the check does not find")                                                                  \
    X(SCHEDULER, "names another scheduler than the one that suffices")                                               \
    X(MASK, "is about another mask")                                                                                 \
    X(ORDER, "is about another addition order")                                                                      \
    X(INDEX_MAP, "the index maps of protocol/ disagree with the plan")                                               \
    X(DUPLICATE, "the tensor names a row twice in a query, which is outside the contract")                           \
    X(PAYLOAD, "its payload is no list of all events and nothing else")                                              \
    X(NOT_NEXT, "an event is not the next update of its CTA")                                                        \
    X(LOWER_BITS, "a CTA passes its wait before all lower ranks have cleared their bits")                            \
    X(OWN_BIT, "a CTA adds or clears without its own bit set")                                                       \
    X(RANKS, "the ranks of a row do not ascend")                                                                     \
    X(RESIDUAL, "a bit is never cleared")                                                                            \
    X(OPERATION, "a role header has another operation, order, scope or width than the one-run class")                \
    X(OPERAND, "a role header names other words, bits, rows, barriers or counts than the plan's")                    \
    X(RACE, "an addition does not happen after that of the lower rank")                                              \
    X(STUCK, "two ranks of a row wait for ever")

enum ordo_cert_refusal {
#define ORDO_X(id, text) ORDO_CERT_##id,
    ORDO_CERT_REFUSALS(ORDO_X)
#undef ORDO_X
        ORDO_N_CERT_REFUSALS
};
extern const char *const ordo_cert_refusal_name[], *const ordo_cert_refusal_text[];

struct ordo_cert {
    json_t *header;
    uint8_t *file;
    const uint8_t *payload; /* in it */
    size_t n_payload;
};

struct ordo_cert_verdict {
    enum ordo_cert_refusal why; /* the first; NONE: valid */
    char what[160];             /* the field or place; may be "" */
    uint64_t updates, rows, waits, states;
};

/* The plan as the header has it. */
struct ordo_cert_plan {
    int32_t q, kv, topk, heads, dqk, wave, cluster, planes, head_blocks, waves;
    bool relay;
};

/* The text of protocol/ that was compiled in, "== NAME" lines between; its digest is the protocol's. */
extern const char *const ordo_cert_protocol_text[];
struct ordo_digest ordo_cert_protocol_digest(void);

/* ORDO_BAD_INPUT if the file is no whole certificate of this schema; with a wrong end digest, v refuses.  Free with
 * ordo_cert_free, also after a failure. */
enum ordo_status ordo_cert_read(const char *path, struct ordo_cert *c, struct ordo_cert_verdict *v,
                                struct ordo_err *err);
void ordo_cert_free(struct ordo_cert *c);

/* Checks all again; p: the tensor of a certificate of kind tensor.  ORDO_BAD_INPUT where the header lacks a field. */
enum ordo_status ordo_cert_verify(const struct ordo_cert *c, const struct ordo_problem *p,
                                  struct ordo_cert_verdict *v, struct ordo_err *err);

/* The parts of that; false with the reason in v.  event NULL: rank-major. */
bool ordo_cert_refuse(struct ordo_cert_verdict *v, enum ordo_cert_refusal why, const char *what, ...)
    __attribute__((format(printf, 3, 4), cold));
bool ordo_cert_plan(const char *text, const struct ordo_problem *p, struct ordo_cert_plan *plan,
                    struct ordo_cert_verdict *v);
bool ordo_cert_skeleton(int32_t cluster, struct ordo_cert_verdict *v);
bool ordo_cert_walk(const struct ordo_cert_plan *plan, const struct ordo_problem *p, const uint8_t *event,
                    size_t n_event, struct ordo_digest *mask, struct ordo_digest *order, struct ordo_cert_verdict *v);

#endif
