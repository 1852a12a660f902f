/* cert.h - certificates: what a proof leaves behind, and the small program that checks one again.  This room is that
 * program: at most 600 lines that share nothing with sim/ but protocol/ (tests/cert.sh); manual/certificate.md. */
#ifndef ORDO_CERT_CERT_H
#define ORDO_CERT_CERT_H

#include "corpus/problem.h"
#include "corpus/sealed.h"

#define ORDO_CERT_SCHEMA "ordo.cert/1"
#define ORDO_CERT_INVARIANT "relay-row/1" /* what the verifier checks of the role headers: cert/skeleton.c */
/* What no check of this program discharges. */
#define ORDO_CERT_MEMORY "memory fairness: a strong poll misses a write only finitely often"
#define ORDO_CERT_AXIOMS "the axioms of the PTX memory model, as `ordo litmus` reads them"

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
extern const struct ordo_cert_reason {
    const char *name, *text;
} ordo_cert_reason[ORDO_N_CERT_REFUSALS];

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

/* The lines of protocol/ that were compiled in, "== NAME" between the headers; their digest is the protocol's. */
extern const char *const ordo_cert_protocol_text[];

/* Checks all again; c: read with ORDO_CERT_SCHEMA; p: the tensor, of kind tensor.  ORDO_BAD_INPUT: the header lacks a
 * field. */
enum ordo_status ordo_cert_verify(const struct ordo_sealed *c, const struct ordo_problem *p,
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
