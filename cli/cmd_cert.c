/* cmd_cert.c - `ordo cert verify`: is this certificate right about this tensor, or about this build's protocol?
 *
 * All checking is in cert/; this is the command line. */
#include "cert/cert.h"
#include "cli/group.h"
#include "cli/input.h"
#include "cli/out.h"
#include "cli/verb.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As a JSON string: what the file says forges no line of ours. */
static void quote(const char *before, const json_t *text)
{
    char *said = ordo_need(json_dumps(text, JSON_ENCODE_ANY | JSON_ENSURE_ASCII));

    printf("%s%s", before, said);
    free(said);
}

/* What engines found is quoted, nothing rests on it: yet each has to say that it holds. */
static enum ordo_status check_facts(const json_t *facts, struct ordo_err *err)
{
    size_t i;
    json_t *f;

    json_array_foreach(facts, i, f)
    {
        const char *verdict = json_string_value(json_object_get(f, "verdict"));

        if (!json_is_string(json_object_get(f, "engine")) || !json_is_string(json_object_get(f, "claim")) ||
            !verdict || strcmp(verdict, "holds") != 0)
            return ordo_fail(err, ORDO_BAD_INPUT, NULL, "facts", "entry %zu is no engine's claim that holds",
                             i + 1);
    }
    return ORDO_OK;
}

static void quote_facts(const json_t *facts)
{
    size_t i;
    json_t *f;

    json_array_foreach(facts, i, f)
    {
        quote(i ? "         " : "quoted   ", json_object_get(f, "engine"));
        quote(": ", json_object_get(f, "claim"));
        printf(" holds\n");
    }
}

static void say(const struct ordo_args *args, const struct ordo_sealed *c, const struct ordo_cert_verdict *v)
{
    bool valid = v->why == ORDO_CERT_NONE;
    const char *kind = json_string_value(json_object_get(c->header, "kind"));
    const char *scheduler = json_string_value(json_object_get(c->header, "scheduler"));
    json_t *o;

    if (!args->json) {
        printf("cert     %s: %s\n", args->operand[1], valid ? "valid" : "refused");
        if (!valid) {
            printf("         %s: %s%s%s%s\n", ordo_cert_reason[v->why].name, ordo_cert_reason[v->why].text,
                   v->what[0] ? " (" : "", v->what, v->what[0] ? ")" : "");
            return;
        }
        printf("checked  ordering total, deadlock free, race none, under scheduler %s\n", scheduler);
        printf("         %s: %" PRIu64 " updates of %" PRIu64 " rows, %" PRIu64 " after a wait; %" PRIu64
               " states of two ranks\n",
               kind, v->updates, v->rows, v->waits, v->states);
        quote_facts(json_object_get(c->header, "facts"));
        return;
    }
    o = ordo_json_new("ordo.cert-verify/1");
    ordo_json_text(o, "file", args->operand[1]);
    ordo_json_text(o, "verdict", valid ? "valid" : "refused");
    if (!valid) {
        ordo_json_text(o, "rule", ordo_cert_reason[v->why].name);
        ordo_json_text(o, "reason", ordo_cert_reason[v->why].text);
        ordo_json_text(o, "where", v->what);
    } else {
        ordo_json_text(o, "kind", kind);
        ordo_json_text(o, "scheduler", scheduler);
        ordo_json_u64(o, "updates", v->updates);
        ordo_json_u64(o, "rows", v->rows);
        ordo_json_u64(o, "waits", v->waits);
        ordo_json_u64(o, "states", v->states);
        ordo_json_set(o, "quoted", json_incref(json_object_get(c->header, "facts")));
    }
    ordo_out_json(o);
}

/* The tensor that a certificate of kind tensor is about; --kv may be left to the certificate. */
static enum ordo_status read_tensor(const struct ordo_args *args, const struct ordo_sealed *c, struct ordo_problem *p,
                                    struct ordo_err *err)
{
    json_int_t kv = json_integer_value(json_object_get(json_object_get(c->header, "problem"), "kv"));
    enum ordo_status status;

    if (args->n_operand < 3)
        return ordo_fail(err, ORDO_USAGE, NULL, "INDEX", "the certificate is of a tensor: its index file is needed");
    status = ordo_input_read(args, args->operand[2], p, err);
    if (status == ORDO_OK && !ordo_opt_given(args, "kv"))
        p->n_kv = kv < 0 || kv > INT32_MAX ? 0 : (int32_t)kv;
    return status;
}

static int run(struct ordo_args *args)
{
    struct ordo_sealed c = {0};
    struct ordo_cert_verdict v = {0};
    struct ordo_problem p = {0};
    struct ordo_err err = {0};
    enum ordo_status status = ORDO_OK;
    const char *kind;
    int code;

    if (strcmp(args->operand[0], "verify") != 0)
        status = ordo_fail(&err, ORDO_USAGE, NULL, NULL, "there is no `cert %s`; did you mean verify?",
                           args->operand[0]);
    if (status == ORDO_OK)
        status = ordo_sealed_read(args->operand[1], ORDO_CERT_SCHEMA, &c, &err);
    kind = json_string_value(json_object_get(c.header, "kind"));
    if (status == ORDO_OK && kind && strcmp(kind, "tensor") == 0)
        status = read_tensor(args, &c, &p, &err);
    else if (status == ORDO_OK && kind && strcmp(kind, "protocol") == 0 && args->n_operand > 2)
        status = ordo_fail(&err, ORDO_USAGE, NULL, "INDEX", "the certificate is about the protocol, not a tensor");
    if (status == ORDO_OK) {
        status = ordo_cert_verify(&c, &p, &v, &err);
        if (status == ORDO_OK)
            status = check_facts(json_object_get(c.header, "facts"), &err);
        if (status != ORDO_OK)
            (void)snprintf(err.file, sizeof err.file, "%s", args->operand[1]);
    }
    if (status == ORDO_OK)
        say(args, &c, &v);
    code = status != ORDO_OK          ? ordo_report_error(args, status, &err)
           : v.why == ORDO_CERT_NONE ? ORDO_OK
                                     : ORDO_FINDING;
    ordo_problem_free(&p);
    ordo_sealed_free(&c);
    return code;
}

static const struct ordo_option options[] = {
    ORDO_OPTIONS_INPUT_KV(false),
    ORDO_OPTION_JSON,
    ORDO_OPTION_END,
};

const struct ordo_verb ordo_verb_cert = {
    .name = "cert",
    .summary = "check a proof's certificate again, by other code than the prover's",
    .operands = "verify CERT [INDEX]",
    .min_operands = 2,
    .max_operands = 3,
    .option = options,
    .detail = "CERT comes from `ordo prove FILE ... --cert CERT` (then INDEX is that file) or `ordo prove\n"
              "--protocol --cert CERT`.  What engines found is quoted, not checked; nothing rests on it.\n",
    .run = run,
};
