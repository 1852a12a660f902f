/* report_proof.c - the proof; see report.h. */
#include "cli/out.h"
#include "cli/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void ordo_report_place(const struct ordo_violation *v, char *out, size_t size)
{
    const struct ordo_worker *w = &v->worker;
    int n = 0;

    out[0] = '\0';
    if (w->wave >= 0)
        n = snprintf(out, size,
                     "wave %" PRId32 ", head block %" PRId32 ", plane %" PRId32 ", rank %" PRId32 " (query %" PRId32
                     "), ",
                     w->wave, w->head_block, w->plane, w->rank, w->query);
    if (n >= 0 && (size_t)n < size && v->row >= 0)
        (void)snprintf(out + n, size - (size_t)n, "row %" PRId32, v->row);
    else if (n >= 2 && (size_t)n < size)
        out[n - 2] = '\0';
}

const char *ordo_report_header(const char *path)
{
    const char *name = strrchr(path, '/');

    while (name && name > path && name[-1] != '/')
        name--;
    return name ? name : path;
}

/* Whether duplicates are why there is no proof. */
static bool duplicates(const struct ordo_proof *p)
{
    return p->verdict == ORDO_REFUSED && p->violation.kind == ORDO_VIOLATION_NONE;
}

void ordo_report_proof(const struct ordo_proof *p)
{
    char hex[ORDO_DIGEST_HEX], place[160];

    printf("proof    %s: ordering %s, deadlock %s, race %s", ordo_verdict_name[p->verdict], ordo_proof_ordering(p),
           ordo_proof_deadlock(p), ordo_proof_race(p));
    if (p->verdict == ORDO_PROVED)
        printf(", under scheduler %s", p->assumption);
    printf(" (%s)\n", p->e4 ? "E1, E4" : "E1");
    if (duplicates(p)) {
        printf("         duplicate ids inside a query are outside the contract:\n");
        ordo_report_duplicates(&p->scan, 20);
    }
    if (p->violation.kind != ORDO_VIOLATION_NONE) {
        ordo_report_place(&p->violation, place, sizeof place);
        if (p->violation.line)
            printf("         line %" PRIu64 ": ", p->violation.line);
        else
            printf("         ");
        printf("%s%s%s\n", place, place[0] ? ": " : "", ordo_violation_info[p->violation.kind].text);
        if (p->violation.source_file)
            printf("         at %s:%d\n", ordo_report_header(p->violation.source_file), p->violation.source_line);
        if (p->protocol)
            printf("         %s\n", p->protocol);
    }
    printf("         %" PRIu64 " updates of %" PRIu64 " rows", p->updates, p->rows);
    if (p->verdict == ORDO_PROVED)
        printf(" in %" PRIu64 " accumulators, %" PRIu64 " of them after a wait\n         order %s", p->accumulators,
               p->waits, ordo_digest_hex(&p->order_digest, hex));
    putchar('\n');
}

static json_t *violation_json(const struct ordo_proof *p)
{
    const struct ordo_violation *v = &p->violation;
    json_t *o = ordo_need(json_object());

    ordo_json_text(o, "rule", ordo_violation_info[v->kind].name);
    ordo_json_text(o, "reason", ordo_violation_info[v->kind].text);
    ordo_json_int(o, "wave", v->worker.wave);
    ordo_json_int(o, "head_block", v->worker.head_block);
    ordo_json_int(o, "plane", v->worker.plane);
    ordo_json_int(o, "rank", v->worker.rank);
    ordo_json_int(o, "query", v->worker.query);
    ordo_json_int(o, "row", v->row);
    if (v->line)
        ordo_json_u64(o, "line", v->line);
    if (v->source_file) {
        ordo_json_text(o, "source_file", ordo_report_header(v->source_file));
        ordo_json_int(o, "source_line", v->source_line);
    }
    if (p->protocol)
        ordo_json_text(o, "protocol", p->protocol);
    return o;
}

void ordo_report_proof_json(json_t *o, const struct ordo_proof *p)
{
    json_t *engines = ordo_need(json_array());

    (void)json_array_append_new(engines, ordo_need(json_string("E1")));
    if (p->e4)
        (void)json_array_append_new(engines, ordo_need(json_string("E4")));
    ordo_json_text(o, "verdict", ordo_verdict_name[p->verdict]);
    ordo_json_text(o, "ordering", ordo_proof_ordering(p));
    ordo_json_text(o, "deadlock", ordo_proof_deadlock(p));
    ordo_json_text(o, "race", ordo_proof_race(p));
    ordo_json_text(o, "assumption", p->assumption[0] ? p->assumption : NULL);
    ordo_json_set(o, "engines", engines);
    ordo_json_u64(o, "updates", p->updates);
    ordo_json_u64(o, "rows", p->rows);
    ordo_json_u64(o, "accumulators", p->accumulators);
    ordo_json_u64(o, "waits", p->waits);
    if (p->verdict == ORDO_PROVED)
        ordo_json_digest(o, "order_digest", &p->order_digest);
    else
        ordo_json_text(o, "order_digest", NULL);
    if (duplicates(p))
        ordo_report_duplicates_json(o, &p->scan);
    if (p->violation.kind != ORDO_VIOLATION_NONE)
        ordo_json_set(o, "violation", violation_json(p));
}
