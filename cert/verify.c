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

    va_start(args, what);
    if (v->why == ORDO_CERT_NONE)
        (void)vsnprintf(v->what, sizeof v->what, what, args);
    va_end(args);
    v->why = v->why == ORDO_CERT_NONE ? why : v->why;
    return false;
}

#define WORDS "s:s, s:s, s:s"
#define CLAIMED "ordering", "total", "deadlock", "free", "race", "none"
#define FIELD(key, rule, want) (ordo_sealed_field(k, key, want) || ordo_cert_refuse(v, ORDO_CERT_##rule, key))
#define DIGEST(key, rule, want) (ordo_sealed_digest(k, key, want) || ordo_cert_refuse(v, ORDO_CERT_##rule, key))

static bool verify_tensor(struct ordo_sealed_check *k, const struct ordo_sealed *c, const struct ordo_problem *p,
                          struct ordo_cert_verdict *v)
{
    const char *text = json_string_value(json_object_get(c->header, "plan"));
    const char *schedule = json_string_value(json_object_get(c->header, "schedule"));
    bool events = schedule && strcmp(schedule, "events") == 0;
    struct ordo_cert_plan plan;
    struct ordo_digest mask, order, problem = ordo_problem_digest(p);
    char suffices[24] = "unfair", hex[ORDO_DIGEST_HEX];

    k->alien |= !text || !schedule || (!events && strcmp(schedule, "rank-major") != 0);
    if (k->alien || !FIELD("problem", TENSOR,
                           json_pack("{s:i, s:i, s:i, s:s}", "q", p->n_query, "kv", p->n_kv, "topk", p->topk,
                                     "digest", ordo_digest_hex(&problem, hex))) ||
        !DIGEST("plan_digest", PLAN_DIGEST, ordo_digest_texts((const char *const[]){text, NULL})) ||
        !FIELD("payload", PAYLOAD, json_integer((json_int_t)c->n_payload)) ||
        (!events && c->n_payload > 0 && !ordo_cert_refuse(v, ORDO_CERT_PAYLOAD, "rank-major has none")) ||
        !ordo_cert_plan(text, p, &plan, v) || !ordo_cert_skeleton(plan.cluster, v) ||
        !ordo_cert_walk(&plan, p, events ? c->payload : NULL, c->n_payload, &mask, &order, v))
        return false;
    if (v->waits > 0)
        (void)snprintf(suffices, sizeof suffices, "cluster=%d", (int)plan.cluster);
    return (!plan.relay || DIGEST("mask_digest", MASK, mask)) && DIGEST("order_digest", ORDER, order) &&
           FIELD("scheduler", SCHEDULER, json_string(suffices)) &&
           FIELD("claims", CLAIM,
                 json_pack("{" WORDS ", s:I, s:I, s:I}", CLAIMED, "updates", (json_int_t)v->updates, "rows",
                           (json_int_t)v->rows, "waits", (json_int_t)v->waits));
}

static bool verify_protocol(struct ordo_sealed_check *k, const struct ordo_sealed *c, struct ordo_cert_verdict *v)
{
    if (c->n_payload > 0)
        return ordo_cert_refuse(v, ORDO_CERT_PAYLOAD, "an invariant has none");
    return FIELD("invariant", CLAIM, json_string(ORDO_CERT_INVARIANT)) &&
           FIELD("scheduler", SCHEDULER, json_string("cluster=C")) &&
           FIELD("claims", CLAIM, json_pack("{" WORDS "}", CLAIMED)) && ordo_cert_skeleton(1, v) &&
           ordo_cert_skeleton(4, v) && ordo_cert_skeleton(8, v) && ordo_cert_skeleton(16, v);
}

enum ordo_status ordo_cert_verify(const struct ordo_sealed *c, const struct ordo_problem *p,
                                  struct ordo_cert_verdict *v, struct ordo_err *err)
{
    const char *kind = json_string_value(json_object_get(c->header, "kind"));
    bool tensor = kind && strcmp(kind, "tensor") == 0;
    /* Not held against anything there: schema, kind, facts; plan, schedule. */
    struct ordo_sealed_check check = {.header = c->header, .n = tensor ? 5 : 3}, *k = &check;

    *v = (struct ordo_cert_verdict){0};
    if (c->broken)
        return ordo_cert_refuse(v, ORDO_CERT_END_DIGEST, "end"), ORDO_OK;
    if (!tensor && (!kind || strcmp(kind, "protocol") != 0))
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "kind", "is neither tensor nor protocol");
    k->alien = !json_is_array(json_object_get(c->header, "facts"));
    if (DIGEST("protocol_digest", PROTOCOL, ordo_digest_texts(ordo_cert_protocol_text)) &&
        FIELD("assumptions", CLAIM, json_pack("[s, s]", ORDO_CERT_MEMORY, ORDO_CERT_AXIOMS)) &&
        (tensor ? verify_tensor(k, c, p, v) : verify_protocol(k, c, v)))
        k->alien |= k->n != json_object_size(c->header);
    if (k->lacks_memory || v->why == ORDO_CERT_NO_MEMORY)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "certificate", "no memory to check it");
    return !k->alien ? ORDO_OK
                     : ordo_fail(err, ORDO_BAD_INPUT, NULL, "header",
                                 "lacks a field of its kind, or has one more or one of another type");
}
