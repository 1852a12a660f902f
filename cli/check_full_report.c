/* check_full_report.c - what `--level full` found, as lines of the page and as JSON. */
#include "cli/check.h"
#include "cli/out.h"

#include <inttypes.h>
#include <stdio.h>

static void print_stages(const struct ordo_stages *s)
{
    printf("stages   %" PRId32 " of %" PRId32 " queries, each sum against the exact one of its own inputs",
           s->queries, s->all_queries);
    if (s->period > 1)
        printf(", one in %" PRId64 " of each product", s->period);
    printf("\n");
    for (int i = 0; i < ORDO_STAGES; i++)
        if (s->tally[i].n + s->tally[i].n_open)
            printf("         %-8s %" PRIu64 " sums, %" PRIu64 " exact, %" PRIu64
                   " outside the bound (worst %.6f of it)\n",
                   ordo_stage_name[i], s->tally[i].n, s->tally[i].n_exact, s->tally[i].n_outside,
                   s->tally[i].worst_ratio);
}

static json_t *stages_json(const struct ordo_stages *s)
{
    json_t *o = ordo_need(json_object());

    ordo_json_int(o, "queries", s->queries);
    ordo_json_int(o, "all_queries", s->all_queries);
    ordo_json_int(o, "period", s->period);
    for (int i = 0; i < ORDO_STAGES; i++) {
        const struct ordo_stage_tally *t = &s->tally[i];
        json_t *stage = ordo_need(json_object());

        ordo_json_u64(stage, "sums", t->n);
        ordo_json_u64(stage, "exact", t->n_exact);
        ordo_json_u64(stage, "not_finite", t->n_open);
        ordo_json_u64(stage, "outside_bound", t->n_outside);
        ordo_json_real(stage, "worst_ratio", t->worst_ratio);
        ordo_json_set(o, ordo_stage_name[i], stage);
    }
    return o;
}

void ordo_check_full_print(const struct ordo_full *f)
{
    const struct ordo_oracle_summary *s = &f->oracle;
    char hex[ORDO_DIGEST_HEX];

    if (f->extent == ORDO_FULL_NOT_ASKED)
        return;
    printf("full     %s%s%s\n", ordo_full_extent_name[f->extent], f->why ? ": " : "", f->why ? f->why : "");
    if (f->extent >= ORDO_FULL_SAMPLED)
        printf("         values   %s\n", ordo_digest_hex(&f->values, hex));
    if (f->extent == ORDO_FULL_WHOLE)
        for (int i = 0; i < ORDO_OUTPUT_PLANES; i++)
            printf("         %-8s %s\n", ordo_output_name[i], ordo_digest_hex(&f->digest[i], hex));
    if (f->extent == ORDO_FULL_NOT_RUN)
        return;
    printf("         %" PRIu32 " of %" PRIu32 " rows of dKV by the proved order%s, %" PRIu64 " terms: ", f->rows,
           f->all_rows, f->extent == ORDO_FULL_SAMPLED ? " with dO for O and ln Top-K for LSE" : "", s->terms);
    if (f->extent == ORDO_FULL_WHOLE)
        printf("%" PRIu64 " elements differ from the walk's, ", f->different);
    printf("%" PRIu64 " outside the bound (worst %.6f of it)\n", s->outside_bound, s->worst_ratio);
    print_stages(&f->stages);
}

json_t *ordo_check_full_json(const struct ordo_full *f)
{
    json_t *o, *digests = f->extent == ORDO_FULL_WHOLE ? ordo_need(json_object()) : json_null();

    if (f->extent == ORDO_FULL_NOT_ASKED)
        return digests;
    o = ordo_need(json_object());
    ordo_json_text(o, "extent", ordo_full_extent_name[f->extent]);
    ordo_json_text(o, "why", f->why);
    if (f->extent >= ORDO_FULL_SAMPLED)
        ordo_json_text(o, "forward", f->extent == ORDO_FULL_WHOLE ? "computed" : "given");
    if (f->extent >= ORDO_FULL_SAMPLED)
        ordo_json_digest(o, "values", &f->values);
    for (int i = 0; i < ORDO_OUTPUT_PLANES && f->extent == ORDO_FULL_WHOLE; i++)
        ordo_json_digest(digests, ordo_output_name[i], &f->digest[i]);
    ordo_json_set(o, "digests", digests);
    ordo_json_u64(o, "rows", f->rows);
    ordo_json_u64(o, "all_rows", f->all_rows);
    ordo_json_u64(o, "terms", f->oracle.terms);
    ordo_json_u64(o, "different", f->different);
    ordo_json_u64(o, "outside_bound", f->oracle.outside_bound);
    ordo_json_u64(o, "mpfr_disagreements", f->oracle.mpfr_disagreements);
    ordo_json_real(o, "worst_ratio", f->oracle.worst_ratio);
    ordo_json_set(o, "stages", stages_json(&f->stages));
    return o;
}
