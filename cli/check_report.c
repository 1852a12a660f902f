/* check_report.c - the page of `ordo check`, and its JSON; see check.h. */
#include "cli/check.h"

#include "cli/line.h"
#include "cli/out.h"
#include "cli/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void print_evaluation(const struct ordo_evaluation *e)
{
    const struct ordo_oracle_summary *s = &e->oracle;
    char hex[ORDO_DIGEST_HEX];

    printf("%s    %s: %" PRIu64 " sums of %" PRIu64 " terms, seed %" PRIu64 ", bits %s\n",
           e->inputs.kind == ORDO_EXACT ? "bits " : "     ", ordo_input_class_name[e->inputs.kind], s->columns,
           s->terms, e->inputs.seed, ordo_digest_hex(&e->bits_digest, hex));
    printf("         ");
    if (e->must_be_exact)
        printf("%" PRIu64 " not exact, ", s->not_exact);
    printf("%" PRIu64 " outside the bound (worst %.6f of it", s->outside_bound, s->worst_ratio);
    if (s->worst_row >= 0)
        printf(", row %" PRId32 " column %" PRId32, s->worst_row, s->worst_column);
    printf("), %" PRIu64 " correctly rounded, MPFR agrees on %" PRIu64 " of %" PRIu64 "\n", s->correctly_rounded,
           s->sampled - s->mpfr_disagreements, s->sampled);
}

static void print_next(const struct ordo_check *c, const struct ordo_args *args)
{
    char *line = ordo_args_line(args);

    if (c->verdict != ORDO_CHECK_PASS)
        printf("replay   %s\n", line ? line : "");
    if (c->verdict == ORDO_CHECK_REFUSED && c->proof.scan.n_duplicate > 0)
        printf("next     make the ids of each query unique (as -1, a repeated slot is dead), then check again\n");
    free(line);
}

void ordo_check_print(const struct ordo_check *c, const struct ordo_args *args)
{
    ordo_report_census(c->file, &c->problem, &c->census, 0);
    ordo_report_plan(&c->plan);
    ordo_report_proof(&c->proof);
    for (int i = 0; i < c->n_evaluation; i++)
        print_evaluation(&c->evaluation[i]);
    ordo_check_full_print(&c->full);
    if (c->run_id)
        printf("stored   run %" PRId64 " in %s (ordo db show %" PRId64 ")\n", c->run_id, c->db, c->run_id);
    else if (c->db)
        printf("stored   no: the database %s could not be written\n", c->db);
    for (int i = 0; i < ORDO_N_WARNINGS; i++)
        if (c->warnings & 1u << i)
            printf("warning  %s\n", ordo_check_warning[i]);
    printf("verdict  %s%s%s\n", ordo_check_verdict_name[c->verdict], c->finding[0] ? ": " : "", c->finding);
    print_next(c, args);
}

static json_t *bits_json(const struct ordo_evaluation *e)
{
    json_t *o = ordo_need(json_object());

    ordo_json_u64(o, "seed", e->inputs.seed);
    ordo_json_int(o, "width", e->inputs.width);
    ordo_json_digest(o, "bits_digest", &e->bits_digest);
    return o;
}

static json_t *oracle_json(const struct ordo_evaluation *e)
{
    const struct ordo_oracle_summary *s = &e->oracle;
    json_t *o = ordo_need(json_object());

    ordo_json_bool(o, "clean", ordo_oracle_clean(s));
    ordo_json_bool(o, "must_be_exact", e->must_be_exact);
    ordo_json_u64(o, "rows", s->rows);
    ordo_json_u64(o, "sums", s->columns);
    ordo_json_u64(o, "terms", s->terms);
    ordo_json_u64(o, "not_exact", s->not_exact);
    ordo_json_u64(o, "outside_bound", s->outside_bound);
    ordo_json_u64(o, "correctly_rounded", s->correctly_rounded);
    ordo_json_real(o, "worst_ratio", s->worst_ratio);
    ordo_json_int(o, "worst_row", s->worst_row);
    ordo_json_int(o, "worst_column", s->worst_column);
    ordo_json_u64(o, "mpfr_sampled", s->sampled);
    ordo_json_u64(o, "mpfr_disagreements", s->mpfr_disagreements);
    if (s->failed) {
        ordo_json_int(o, "failed_row", s->failed_row);
        ordo_json_int(o, "failed_column", s->failed_column);
        ordo_json_bits(o, "failed_bits", s->failed_judgement.tree);
        ordo_json_bits(o, "failed_exact", s->failed_judgement.exact_fp32);
    }
    return o;
}

/* {"exact": .., "rough": ..}, or null without a proved order. */
static json_t *by_class(const struct ordo_check *c, json_t *(*one)(const struct ordo_evaluation *))
{
    json_t *o = c->n_evaluation ? ordo_need(json_object()) : json_null();

    for (int i = 0; i < c->n_evaluation; i++)
        ordo_json_set(o, ordo_input_class_name[c->evaluation[i].inputs.kind], one(&c->evaluation[i]));
    return o;
}

static json_t *warnings_json(const struct ordo_check *c)
{
    json_t *list = ordo_need(json_array());

    for (int i = 0; i < ORDO_N_WARNINGS; i++)
        if (c->warnings & 1u << i)
            (void)json_array_append_new(list, ordo_need(json_string(ordo_check_warning[i])));
    return list;
}

void ordo_check_print_json(const struct ordo_check *c)
{
    json_t *o = ordo_json_new("ordo.check/1"), *problem = ordo_need(json_object()),
           *plan = ordo_need(json_object()), *proof = ordo_need(json_object());

    ordo_report_census_json(problem, &c->problem, &c->census);
    ordo_report_plan_json(plan, &c->plan);
    ordo_report_proof_json(proof, &c->proof);
    ordo_json_text(o, "file", c->file);
    ordo_json_text(o, "verdict", ordo_check_verdict_name[c->verdict]);
    ordo_json_text(o, "finding", c->finding[0] ? c->finding : NULL);
    ordo_json_set(o, "problem", problem);
    ordo_json_set(o, "plan", plan);
    ordo_json_set(o, "proof", proof);
    ordo_json_set(o, "bits", by_class(c, bits_json));
    ordo_json_set(o, "oracle", by_class(c, oracle_json));
    ordo_json_set(o, "full", ordo_check_full_json(&c->full));
    ordo_json_set(o, "warnings", warnings_json(c));
    ordo_json_text(o, "db", c->db);
    if (c->run_id)
        ordo_json_int(o, "run_id", c->run_id);
    else
        ordo_json_set(o, "run_id", json_null());
    ordo_out_json(o);
}
