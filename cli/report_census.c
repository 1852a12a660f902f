/* report_census.c - what is in the tensor; see report.h. */
#include "cli/out.h"
#include "cli/report.h"

#include <inttypes.h>
#include <stdio.h>

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

void ordo_report_duplicates(const struct ordo_contract_scan *scan, uint64_t most)
{
    for (uint64_t i = 0; i < scan->n_duplicate && i < most; i++) {
        const struct ordo_duplicate *d = &scan->duplicate[i];

        printf("         query %" PRId32 " names row %" PRId32 " in columns %" PRId32 " and %" PRId32 "\n", d->query,
               d->row, d->first, d->column);
    }
    if (most && scan->n_duplicate > most)
        printf("         and %" PRIu64 " more (all with --json)\n", scan->n_duplicate - most);
}

static void print_fan_in(const struct ordo_fan_in *f)
{
    printf("         C=%-2" PRId32 " %2" PRId32 " planes, %" PRIu64
           " updates, %.1f %% wait, plane rows with 1, 2, ... writers:",
           f->cluster, f->planes, f->updates, percent(f->waits, f->updates));
    for (int i = 0; i < f->max_fan_in; i++)
        printf(" %" PRIu64, f->fan_in[i]);
    putchar('\n');
}

void ordo_report_census(const char *file, const struct ordo_problem *p, const struct ordo_census *c, uint64_t most)
{
    const struct ordo_contract_scan *s = &c->scan;

    printf("tensor   %s: %" PRId32 " queries x Top-K %" PRId32 " over %" PRId32 " KV rows%s\n", file, p->n_query,
           p->topk, p->n_kv, p->length ? ", with lengths" : "");
    printf("slots    %" PRIu64 " live, %" PRIu64 " dead; %" PRId32 " queries without a live slot\n", s->live, c->dead,
           s->dead_queries);
    printf("rows     %" PRIu64 " touched, the most popular by %" PRIu32 " queries; ", c->rows_touched,
           c->max_writers);
    printf("neighbours keep %.1f %%, shift %.1f %%\n", percent(c->kept, c->neighbour_rows),
           percent(c->shifted, c->neighbour_rows));
    printf("repeats  %" PRIu64 " duplicates in %" PRId32 " queries%s\n", s->n_duplicate, s->duplicate_queries,
           s->n_duplicate ? ": outside the contract" : "");
    ordo_report_duplicates(s, most);
    printf("relay    wave of %d\n", ORDO_CENSUS_WAVE);
    for (int i = 0; i < ORDO_N_CLUSTER_SIZES; i++)
        print_fan_in(&c->by_cluster[i]);
}

static json_t *fan_in_json(const struct ordo_fan_in *f)
{
    json_t *o = ordo_need(json_object()), *histogram = ordo_need(json_array());

    for (int i = 0; i < f->cluster; i++)
        (void)json_array_append_new(histogram, ordo_need(json_integer((json_int_t)f->fan_in[i])));
    ordo_json_int(o, "planes", f->planes);
    ordo_json_u64(o, "plane_rows", f->plane_rows);
    ordo_json_u64(o, "updates", f->updates);
    ordo_json_u64(o, "waits", f->waits);
    ordo_json_int(o, "max_fan_in", f->max_fan_in);
    ordo_json_set(o, "fan_in", histogram);
    return o;
}

void ordo_report_duplicates_json(json_t *o, const struct ordo_contract_scan *s)
{
    json_t *places = ordo_need(json_array());

    for (uint64_t i = 0; i < s->n_duplicate; i++) {
        json_t *place = ordo_need(json_object());

        ordo_json_int(place, "query", s->duplicate[i].query);
        ordo_json_int(place, "row", s->duplicate[i].row);
        ordo_json_int(place, "first_column", s->duplicate[i].first);
        ordo_json_int(place, "column", s->duplicate[i].column);
        (void)json_array_append_new(places, place);
    }
    ordo_json_set(o, "duplicate_places", places);
}

void ordo_report_census_json(json_t *o, const struct ordo_problem *p, const struct ordo_census *c)
{
    const struct ordo_contract_scan *s = &c->scan;
    json_t *clusters = ordo_need(json_object());
    struct ordo_digest digest = ordo_problem_digest(p);

    ordo_json_int(o, "q", p->n_query);
    ordo_json_int(o, "topk", p->topk);
    ordo_json_int(o, "kv", p->n_kv);
    ordo_json_u64(o, "live", s->live);
    ordo_json_u64(o, "dead", c->dead);
    ordo_json_int(o, "dead_queries", s->dead_queries);
    ordo_json_u64(o, "duplicates", s->n_duplicate);
    ordo_json_int(o, "duplicate_queries", s->duplicate_queries);
    ordo_json_u64(o, "rows_touched", c->rows_touched);
    ordo_json_int(o, "max_writers", c->max_writers);
    ordo_json_real(o, "neighbours_keep_percent", percent(c->kept, c->neighbour_rows));
    ordo_json_real(o, "neighbours_shift_percent", percent(c->shifted, c->neighbour_rows));
    for (int i = 0; i < ORDO_N_CLUSTER_SIZES; i++) {
        char key[16];

        (void)snprintf(key, sizeof key, "%d", (int)c->by_cluster[i].cluster);
        ordo_json_set(clusters, key, fan_in_json(&c->by_cluster[i]));
    }
    ordo_json_set(o, "clusters", clusters);
    ordo_report_duplicates_json(o, s);
    ordo_json_digest(o, "problem_digest", &digest);
}
