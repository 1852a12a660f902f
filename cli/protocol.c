/* protocol.c - see protocol.h: the claims of E4 (side conditions on tapes) and E3 (axioms on small instances). */
#include "cli/protocol.h"

#include "cli/cert_write.h"
#include "cli/out.h"
#include "sim/e4.h"
#include "sim/protocol_e3.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const int32_t clusters[] = {1, 4, 8, 16};

struct table {
    json_t *claims;
    bool json; /* only collected */
    int n, n_bad;
};

/* One claim, collected and said.  line: of the role header, 0 if none. */
static void say(struct table *t, const char *engine, const char *name, const char *verdict, const char *counted,
                uint64_t count, int line, const char *reason)
{
    json_t *o = ordo_need(json_object());

    t->n++;
    t->n_bad += strcmp(verdict, "holds") != 0;
    ordo_json_text(o, "engine", engine);
    ordo_json_text(o, "claim", name);
    ordo_json_text(o, "verdict", verdict);
    ordo_json_u64(o, counted, count);
    if (line)
        ordo_json_int(o, "source_line", line);
    ordo_json_text(o, "reason", reason[0] ? reason : NULL);
    (void)json_array_append_new(t->claims, o);
    if (t->json)
        return;
    printf("%-3s  %-42s %-8s  %" PRIu64 " %s", engine, name, verdict, count, counted);
    if (reason[0])
        printf("\n     %s", reason);
    if (line)
        printf(" (line %d of its role header)", line);
    putchar('\n');
}

static void say_e4(struct table *t)
{
    struct ordo_e4_protocol p;
    char name[96];

    for (size_t i = 0; i < sizeof clusters / sizeof clusters[0]; i++) {
        ordo_e4_protocol(clusters[i], &p);
        for (int j = 0; j < p.n_claim; j++) {
            const struct ordo_e4_claim *c = &p.claim[j];
            bool holds = c->verdict == ORDO_E4_HOLDS;

            (void)snprintf(name, sizeof name, "C=%d, %s", (int)clusters[i], c->name);
            say(t, "E4", name, ordo_e4_verdict_name[c->verdict], "ordered_pairs", c->finding.pairs, c->finding.line,
                holds ? "" : ordo_e4_rule_info[c->finding.rule].text);
        }
    }
}

static void say_e3(struct table *t, const struct ordo_claim *claim)
{
    for (int i = 0; i < ORDO_N_E3_CLAIMS; i++)
        say(t, "E3", claim[i].name, ordo_claim_verdict_name[claim[i].verdict], "executions", claim[i].executions, 0,
            claim[i].reason);
}

int ordo_prove_protocol(const struct ordo_args *args)
{
    struct ordo_claim claim[ORDO_N_E3_CLAIMS];
    struct ordo_err err = {0};
    enum ordo_status status = ordo_protocol_e3(claim, &err);
    const char *cert = ordo_opt_string(args, "cert");
    struct table t;
    json_t *o;

    if (status != ORDO_OK)
        return ordo_report_error(args, status, &err);
    t = (struct table){.claims = ordo_need(json_array()), .json = args->json};
    say_e4(&t);
    say_e3(&t, claim);
    if (cert && !t.n_bad && (status = ordo_cert_write_protocol(cert, t.claims, &err)) != ORDO_OK) {
        json_decref(t.claims);
        return ordo_report_error(args, status, &err);
    }
    if (args->json) {
        o = ordo_json_new("ordo.prove/1");
        ordo_json_text(o, "subject", "protocol");
        ordo_json_text(o, "verdict", t.n_bad ? "violated" : "proved");
        ordo_json_set(o, "claims", t.claims);
        ordo_out_json(o);
    } else {
        printf("verdict  %s: %d of %d claims hold\n", t.n_bad ? "violated" : "proved", t.n - t.n_bad, t.n);
        json_decref(t.claims);
    }
    return t.n_bad ? ORDO_FINDING : ORDO_OK;
}
