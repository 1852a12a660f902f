/* protocol.c - see protocol.h: the claims of E4 (side conditions on tapes) and E3 (axioms on small instances). */
#include "cli/protocol.h"

#include "cli/out.h"
#include "cli/report.h"
#include "sim/e4.h"
#include "sim/protocol_e3.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const int32_t clusters[] = {1, 4, 8, 16};
/* One group, a full one, a short one after it, as many groups as the widest plan's private shards have, and rows whose
 * number, planes counted, leaves 32 bits. */
static const struct ordo_e4_planes planes[] = {{1, 64, 8}, {8, 4096, 576}, {9, 4104, 576}, {128, 1 << 20, 576},
                                               {16, 1 << 28, 1024}};

struct table {
    json_t *claims; /* NULL: text */
    int n, n_violated, n_refused;
};

/* One claim, said or collected.  at: where E4 found what is wrong; NULL if nowhere. */
static void say(struct table *t, const char *engine, const char *name, const char *verdict, const char *counted,
                uint64_t count, const struct ordo_e4_finding *at, const char *reason)
{
    t->n++;
    t->n_violated += strcmp(verdict, "violated") == 0;
    t->n_refused += strcmp(verdict, "refused") == 0;
    if (t->claims) {
        json_t *o = ordo_need(json_object());

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
        return;
    }
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

static void say_e4(struct table *t)
{
    struct ordo_e4_protocol p;

    for (size_t i = 0; i < sizeof clusters / sizeof clusters[0]; i++) {
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
        say(t, "E3", claim[i].name, ordo_claim_verdict_name[claim[i].verdict], "executions", claim[i].executions, NULL,
            claim[i].reason);
}

int ordo_prove_protocol(const struct ordo_args *args)
{
    struct ordo_claim claim[ORDO_N_E3_CLAIMS];
    struct ordo_err err = {0};
    enum ordo_status status = ordo_protocol_e3(claim, &err);
    struct table t = {0};
    const char *verdict;
    json_t *o;

    if (status != ORDO_OK)
        return ordo_report_error(args, status, &err);
    t.claims = args->json ? ordo_need(json_array()) : NULL;
    say_e4(&t);
    say_e3(&t, claim);
    verdict = t.n_violated ? "violated" : t.n_refused ? "refused" : "proved";
    if (args->json) {
        o = ordo_json_new("ordo.prove/1");
        ordo_json_text(o, "subject", "protocol");
        ordo_json_text(o, "verdict", verdict);
        ordo_json_set(o, "claims", t.claims);
        ordo_out_json(o);
    } else {
        printf("verdict  %s: %d of %d claims hold\n", verdict, t.n - t.n_violated - t.n_refused, t.n);
    }
    return t.n_violated || t.n_refused ? ORDO_FINDING : ORDO_OK;
}
