/* protocol.c - see protocol.h: the claims of E4 (side conditions on tapes), E3 (axioms on small instances) and E2
 * (every interleaving). */
#include "cli/protocol.h"

#include "cli/cert_write.h"
#include "cli/out.h"
#include "cli/protocol_e2.h"
#include "cli/report.h"
#include "sim/e4.h"
#include "sim/protocol_e3.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const int32_t clusters[] = {1, 4, 8, 16};
/* One group, a full one, a short one after it, as many groups as the widest plan's private shards have, and rows
 * whose number, planes counted, leaves 32 bits. */
static const struct ordo_e4_planes planes[] = {{1, 64, 8}, {8, 4096, 576}, {9, 4104, 576}, {128, 1 << 20, 576},
                                               {16, 1 << 28, 1024}};

struct table {
    json_t *claims;
    bool json; /* only collected */
    int n, n_violated, n_refused;
};

/* One claim, collected and said.  at: where E4 found what is wrong; NULL if nowhere. */
static void say(struct table *t, const char *engine, const char *name, const char *verdict, const char *counted,
                uint64_t count, const struct ordo_e4_finding *at, const char *reason)
{
    json_t *o = ordo_need(json_object());

    t->n++;
    t->n_violated += strcmp(verdict, "violated") == 0;
    t->n_refused += strcmp(verdict, "refused") == 0;
    ordo_json_text(o, "engine", engine);
    ordo_json_text(o, "claim", name);
    ordo_json_text(o, "verdict", verdict);
    ordo_json_u64(o, counted, count);
    if (at && at->file) {
        ordo_json_text(o, "source_file", ordo_report_header(at->file));
        ordo_json_int(o, "source_line", at->line);
    }
    if (at && at->other_file) {
        ordo_json_text(o, "other_file", ordo_report_header(at->other_file));
        ordo_json_int(o, "other_line", at->other_line);
    }
    ordo_json_text(o, "reason", reason[0] ? reason : NULL);
    (void)json_array_append_new(t->claims, o);
    if (t->json)
        return;
    printf("%-3s  %-42s %-8s  %" PRIu64 " %s", engine, name, verdict, count, counted);
    if (reason[0])
        printf("\n     %s", reason);
    if (at && at->file)
        printf("\n     at %s:%d", ordo_report_header(at->file), at->line);
    if (at && at->other_file)
        printf(", the other at %s:%d", ordo_report_header(at->other_file), at->other_line);
    putchar('\n');
}

static void say_e4_claims(struct table *t, const char *of, int32_t n, const char *counted,
                          const struct ordo_e4_protocol *p)
{
    char name[96];

    for (int j = 0; j < p->n_claim; j++) {
        const struct ordo_e4_claim *c = &p->claim[j];
        const struct ordo_e4_finding *f = &c->finding;

        (void)snprintf(name, sizeof name, "%s=%" PRId32 ", %s", of, n, c->name);
        say(t, "E4", name, ordo_e4_verdict_name[c->verdict], counted, f->pairs, f,
            c->verdict == ORDO_E4_HOLDS ? "" : ordo_e4_rule_info[f->rule].text);
    }
}

static void say_e4(struct table *t, int32_t only)
{
    struct ordo_e4_protocol p;

    for (size_t i = 0; i < sizeof clusters / sizeof clusters[0]; i++) {
        if (only && clusters[i] != only && clusters[i] != 1)
            continue;
        ordo_e4_protocol(clusters[i], &p);
        say_e4_claims(t, "C", clusters[i], "ordered_pairs", &p);
    }
    for (size_t i = 0; i < sizeof planes / sizeof planes[0]; i++) {
        p = (struct ordo_e4_protocol){.verdict = ORDO_E4_HOLDS};
        ordo_e4_launch(&planes[i], &p);
        say_e4_claims(t, "P", planes[i].n_plane, "elements", &p);
    }
}

static void say_e3(struct table *t, const struct ordo_claim *claim)
{
    for (int i = 0; i < ORDO_N_E3_CLAIMS; i++)
        say(t, "E3", claim[i].name, ordo_claim_verdict_name[claim[i].verdict], "executions", claim[i].executions,
            NULL, claim[i].reason);
}

/* All engines' claims; those of E2 with the table of schedulers. */
static enum ordo_status decide(const struct ordo_args *args, struct table *t, json_t *lives, struct ordo_err *err)
{
    struct ordo_claim claim[ORDO_N_E3_CLAIMS];
    struct ordo_e2_said said = {.claims = t->claims, .lives = lives, .json = t->json};
    enum ordo_status status = ordo_protocol_e3(claim, err);

    if (status != ORDO_OK)
        return status;
    say_e4(t, ordo_opt_given(args, "cluster") ? ordo_opt_int(args, "cluster") : 0);
    say_e3(t, claim);
    status = ordo_protocol_e2(args, &said, err);
    t->n += said.n;
    t->n_violated += said.n_violated;
    t->n_refused += said.n_refused;
    return status;
}

static void say_verdict(const struct table *t, json_t *lives)
{
    const char *verdict = t->n_violated ? "violated" : t->n_refused ? "refused" : "proved";
    json_t *o;

    if (!t->json) {
        printf("verdict  %s: %d of %d claims hold\n", verdict, t->n - t->n_violated - t->n_refused, t->n);
        return;
    }
    o = ordo_json_new("ordo.prove/1");
    ordo_json_text(o, "subject", "protocol");
    ordo_json_text(o, "verdict", verdict);
    ordo_json_set(o, "claims", json_incref(t->claims));
    ordo_json_set(o, "schedulers", json_incref(lives));
    ordo_out_json(o);
}

int ordo_prove_protocol(const struct ordo_args *args)
{
    const char *cert = ordo_opt_string(args, "cert");
    struct table t = {.json = args->json};
    struct ordo_err err = {0};
    struct ordo_e2_asked asked;
    json_t *lives;
    enum ordo_status status = ordo_protocol_e2_asked(args, &asked, &err); /* before anything is said */
    bool bad;

    if (ordo_opt_string(args, "variant"))
        return ordo_protocol_variant(args);
    if (status != ORDO_OK)
        return ordo_report_error(args, status, &err);
    t.claims = ordo_need(json_array());
    lives = ordo_need(json_array());
    status = decide(args, &t, lives, &err);
    bad = t.n_violated || t.n_refused;
    if (status == ORDO_OK && cert && !bad)
        status = ordo_cert_write_protocol(cert, t.claims, &err);
    if (status == ORDO_OK)
        say_verdict(&t, lives);
    json_decref(t.claims);
    json_decref(lives);
    return status != ORDO_OK ? ordo_report_error(args, status, &err) : bad ? ORDO_FINDING : ORDO_OK;
}
