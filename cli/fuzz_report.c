/* fuzz_report.c - see fuzz_report.h. */
#include "cli/fuzz_report.h"

#include "cli/out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void ordo_report_case(const struct ordo_case *c, char *out, size_t size)
{
    (void)snprintf(out, size, "%" PRId32 " queries x %" PRId32 " columns over %" PRId32 " KV rows, %s C=%" PRId32
                   " wave %" PRId32 ", %" PRId32 " heads", c->problem.n_query, c->problem.topk, c->problem.n_kv,
                   c->design[0] ? c->design : "policy", c->cluster, c->wave, c->heads);
}

void ordo_report_finding(const struct ordo_campaign_finding *f, uint64_t seed, const char *path)
{
    char what[200];

    ordo_report_case(&f->shrunk, what, sizeof what);
    printf("finding  %s\n         %s\n         case %" PRIu64 ", after %.3f s; shrunk to %s\n", f->finding.signature,
           f->finding.text, f->number, f->seconds, what);
    if (path)
        printf("replay   ordo replay %s\n", path);
    else
        printf("replay   ordo fuzz --seed %" PRIu64 " --from %" PRIu64 " --cases 1\n", seed, f->number);
    (void)fflush(stdout);
}

/* --- a campaign, as text ---------------------------------------------------------------------------------------- */

static void report_coverage(const struct ordo_cover *c)
{
    for (int kind = 0; kind < ORDO_N_COVER_KINDS; kind++) {
        printf("%s %-20s", kind ? "        " : "coverage", ordo_cover_name[kind]);
        for (int i = 0; i < ORDO_COVER_CLUSTERS; i++)
            printf("  C=%d %" PRIu64 "/%" PRIu64, 4 << i, c->reached[kind][i],
                   ordo_cover_targets((enum ordo_cover_kind)kind, 4 << i));
        putchar('\n');
    }
}

static void report_census(const char *name, const char *draws, const struct ordo_cover_census *census)
{
    printf("%-8s %" PRIu64 " classes%s in %" PRIu64 " %s, %" PRIu64 " of them seen once: "
           "the next is new with chance %.2e (Good-Turing)\n",
           name, census->n_class, census->full ? " (no room for more)" : "", census->n_draw, draws, census->n_once,
           ordo_cover_unseen(census));
}

/* One bug has many launches to appear in, and each launch few runs: so the promise is for what they all have. */
static void report_pct(const struct ordo_cover_pct *pct)
{
    if (pct->n_run)
        printf("pct      %" PRIu64 " runs of launches with a wait, up to n=%" PRId32 " threads and k=%" PRIu64
               " steps:\n"
               "         each meets a given bug of depth 3 with chance 1 / (n k^2) at least, %.2e for the largest;\n"
               "         a bug that all these launches have was missed with chance %.2e at most\n",
               pct->n_run, pct->most_threads, pct->most_steps,
               1 / ((double)pct->most_threads * (double)pct->most_steps * (double)pct->most_steps), pct->missed);
}

void ordo_report_campaign(const struct ordo_campaign *c)
{
    printf("cases    %" PRIu64 " from number %" PRIu64 " in %.1f s (%.0f a second), seed %" PRIu64 "; %" PRIu64
           " of them larger, for what was new\n",
           c->n_done, c->first, c->elapsed, c->elapsed > 0 ? (double)c->n_done / c->elapsed : 0, c->seed,
           c->n_larger);
    report_coverage(&c->cover);
    report_census("shapes", "swarms", &c->cover.shape);
    report_census("traces", "schedules", &c->cover.trace);
    report_pct(&c->cover.pct);
    if (!c->n_finding)
        printf("bound    below %.2e of such cases fail, with 95 %% confidence (rule of three)\n",
               ordo_cover_rule_of_three(c->n_done));
    for (int32_t i = 0; i < c->n_finding; i++)
        printf("count    %" PRIu64 " cases: %s\n", c->finding[i].n, c->finding[i].finding.signature);
    if (c->n_dropped)
        printf("count    %" PRIu64 " cases with further signatures\n", c->n_dropped);
    printf("verdict  %s%s\n", c->n_finding ? "findings" : "no finding", c->was_interrupted ? ", interrupted" : "");
}

/* --- and as JSON ------------------------------------------------------------------------------------------------ */

static json_t *finding_json(const struct ordo_campaign_finding *f)
{
    json_t *o = ordo_need(json_object());
    char *text = ordo_need(ordo_case_print(&f->shrunk, false));

    ordo_json_text(o, "signature", f->finding.signature);
    ordo_json_text(o, "text", f->finding.text);
    ordo_json_u64(o, "number", f->number);
    ordo_json_u64(o, "cases", f->n);
    ordo_json_real(o, "seconds", f->seconds);
    ordo_json_int(o, "n_query", f->shrunk.problem.n_query);
    ordo_json_int(o, "topk", f->shrunk.problem.topk);
    ordo_json_text(o, "case", text);
    free(text);
    return o;
}

static json_t *coverage_json(const struct ordo_cover *c)
{
    json_t *list = ordo_need(json_array());

    for (int kind = 0; kind < ORDO_N_COVER_KINDS; kind++)
        for (int i = 0; i < ORDO_COVER_CLUSTERS; i++) {
            json_t *o = ordo_need(json_object());

            ordo_json_text(o, "kind", ordo_cover_name[kind]);
            ordo_json_int(o, "cluster", 4 << i);
            ordo_json_u64(o, "reached", c->reached[kind][i]);
            ordo_json_u64(o, "targets", ordo_cover_targets((enum ordo_cover_kind)kind, 4 << i));
            (void)json_array_append_new(list, o);
        }
    return list;
}

static json_t *census_json(const struct ordo_cover_census *census)
{
    json_t *o = ordo_need(json_object());

    ordo_json_u64(o, "draws", census->n_draw);
    ordo_json_u64(o, "classes", census->n_class);
    ordo_json_u64(o, "once", census->n_once);
    ordo_json_real(o, "unseen", ordo_cover_unseen(census));
    return o;
}

static json_t *pct_json(const struct ordo_cover_pct *pct)
{
    json_t *o = ordo_need(json_object());

    ordo_json_u64(o, "runs", pct->n_run);
    ordo_json_int(o, "most_threads", pct->most_threads);
    ordo_json_u64(o, "most_steps", pct->most_steps);
    ordo_json_int(o, "depth", 3);
    ordo_json_real(o, "missed_at_most", pct->n_run ? pct->missed : 1);
    return o;
}

void ordo_report_campaign_json(const struct ordo_campaign *c)
{
    json_t *o = ordo_json_new("ordo.fuzz/1"), *findings = ordo_need(json_array());

    for (int32_t i = 0; i < c->n_finding; i++)
        (void)json_array_append_new(findings, finding_json(&c->finding[i]));
    ordo_json_u64(o, "seed", c->seed);
    ordo_json_u64(o, "first", c->first);
    ordo_json_u64(o, "cases", c->n_done);
    ordo_json_u64(o, "larger", c->n_larger);
    ordo_json_u64(o, "schedules", c->n_schedule);
    ordo_json_real(o, "seconds", c->elapsed);
    ordo_json_bool(o, "interrupted", c->was_interrupted);
    ordo_json_set(o, "coverage", coverage_json(&c->cover));
    ordo_json_set(o, "shapes", census_json(&c->cover.shape));
    ordo_json_set(o, "traces", census_json(&c->cover.trace));
    ordo_json_set(o, "pct", pct_json(&c->cover.pct));
    ordo_json_set(o, "findings", findings);
    if (!c->n_finding)
        ordo_json_real(o, "rule_of_three", ordo_cover_rule_of_three(c->n_done));
    ordo_out_json(o);
}
