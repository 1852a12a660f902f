/* verify.c - the header's claims against what is found again. */
#include "cert/cert.h"

#include <stdarg.h>
#include <string.h>

#define ORDO_X(id, text) {#id, text},
const struct ordo_cert_reason ordo_cert_reason[ORDO_N_CERT_REFUSALS] = {ORDO_CERT_REFUSALS(ORDO_X)};
#undef ORDO_X

bool ordo_cert_refuse(struct ordo_cert_verdict *v, enum ordo_cert_refusal why, const char *what, ...)
{
    va_list args;

    if (v->why != ORDO_CERT_NONE)
        return false;
    v->why = why;
    va_start(args, what);
    (void)vsnprintf(v->what, sizeof v->what, what, args);
    va_end(args);
    return false;
}

static bool verify_tensor(const struct ordo_sealed *c, const struct ordo_problem *p, struct ordo_cert_verdict *v,
                          bool *whole)
{
    const char *problem, *text, *plan_digest, *mask_digest = NULL, *order_digest, *schedule, *scheduler;
    json_int_t q, kv, topk, updates, rows, waits;
    struct ordo_cert_plan plan;
    struct ordo_digest mask, order;
    char suffices[24] = "unfair";
    bool events;

    *whole = json_unpack(c->header, "{s:{s:I,s:I,s:I,s:s},s:s,s:s,s?s,s:s,s:s,s:s,s:{s:I,s:I,s:I}}", "problem", "q",
                         &q, "kv", &kv, "topk", &topk, "digest", &problem, "plan", &text, "plan_digest", &plan_digest,
                         "mask_digest", &mask_digest, "order_digest", &order_digest, "schedule", &schedule,
                         "scheduler", &scheduler, "claims", "updates", &updates, "rows", &rows, "waits", &waits) == 0;
    events = *whole && strcmp(schedule, "events") == 0;
    if (!*whole || (!events && strcmp(schedule, "rank-major") != 0))
        return *whole = false;
    if (q != p->n_query || kv != p->n_kv || topk != p->topk || !ordo_digest_is(ordo_problem_digest(p), problem))
        return ordo_cert_refuse(v, ORDO_CERT_TENSOR, "problem");
    if (!ordo_digest_is(ordo_digest_texts((const char *const[]){text, NULL}), plan_digest))
        return ordo_cert_refuse(v, ORDO_CERT_PLAN_DIGEST, "plan_digest");
    if (!events && c->n_payload > 0)
        return ordo_cert_refuse(v, ORDO_CERT_PAYLOAD, "rank-major has none");
    if (!ordo_cert_plan(text, p, &plan, v) || !ordo_cert_skeleton(plan.cluster, v) ||
        !ordo_cert_walk(&plan, p, events ? c->payload : NULL, c->n_payload, &mask, &order, v))
        return false;
    if (plan.relay ? !ordo_digest_is(mask, mask_digest) : mask_digest != NULL)
        return ordo_cert_refuse(v, ORDO_CERT_MASK, "mask_digest");
    if (!ordo_digest_is(order, order_digest))
        return ordo_cert_refuse(v, ORDO_CERT_ORDER, "order_digest");
    if (v->waits > 0)
        (void)snprintf(suffices, sizeof suffices, "cluster=%d", (int)plan.cluster);
    if (strcmp(scheduler, suffices) != 0)
        return ordo_cert_refuse(v, ORDO_CERT_SCHEDULER, "scheduler: %s", suffices);
    return updates == (json_int_t)v->updates && rows == (json_int_t)v->rows && waits == (json_int_t)v->waits
               ? true
               : ordo_cert_refuse(v, ORDO_CERT_CLAIM, "updates, rows or waits");
}

static bool verify_protocol(const struct ordo_sealed *c, struct ordo_cert_verdict *v, bool *whole)
{
    const char *invariant, *scheduler;

    if (!(*whole = json_unpack(c->header, "{s:s,s:s}", "invariant", &invariant, "scheduler", &scheduler) == 0))
        return false;
    if (strcmp(invariant, ORDO_CERT_INVARIANT) != 0)
        return ordo_cert_refuse(v, ORDO_CERT_CLAIM, "invariant");
    if (strcmp(scheduler, "cluster=C") != 0)
        return ordo_cert_refuse(v, ORDO_CERT_SCHEDULER, "scheduler: cluster=C");
    if (c->n_payload > 0)
        return ordo_cert_refuse(v, ORDO_CERT_PAYLOAD, "an invariant has none");
    return ordo_cert_skeleton(1, v) && ordo_cert_skeleton(4, v) && ordo_cert_skeleton(8, v) &&
           ordo_cert_skeleton(16, v);
}

enum ordo_status ordo_cert_verify(const struct ordo_sealed *c, const struct ordo_problem *p,
                                  struct ordo_cert_verdict *v, struct ordo_err *err)
{
    const char *kind = "", *protocol, *ordering, *deadlock, *race;
    bool whole = json_unpack(c->header, "{s:s,s:s,s:{s:s,s:s,s:s}}", "kind", &kind, "protocol_digest", &protocol,
                             "claims", "ordering", &ordering, "deadlock", &deadlock, "race", &race) == 0;

    *v = (struct ordo_cert_verdict){0};
    if (c->broken)
        return ordo_cert_refuse(v, ORDO_CERT_END_DIGEST, "end"), ORDO_OK;
    if (strcmp(kind, "tensor") != 0 && strcmp(kind, "protocol") != 0)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "kind", "is neither tensor nor protocol");
    if (whole && !ordo_digest_is(ordo_digest_texts(ordo_cert_protocol_text), protocol))
        (void)ordo_cert_refuse(v, ORDO_CERT_PROTOCOL, "protocol_digest");
    else if (whole && (strcmp(ordering, "total") || strcmp(deadlock, "free") || strcmp(race, "none")))
        (void)ordo_cert_refuse(v, ORDO_CERT_CLAIM, "ordering, deadlock or race");
    else if (whole)
        (void)(kind[0] == 't' ? verify_tensor(c, p, v, &whole) : verify_protocol(c, v, &whole));
    if (!whole)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "header", "lacks a field of its kind or has one of another type");
    if (v->why == ORDO_CERT_NO_MEMORY)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "certificate", "%s", ordo_cert_reason[v->why].text);
    return ORDO_OK;
}
