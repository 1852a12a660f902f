/* census.c - see census.h.
 *
 * Each table is one pass with a stamped counter per row: a counter belongs to the present group of queries iff its
 * stamp says so, hence nothing is cleared between groups. */
#include "sim/census.h"

#include "base/progress.h"
#include "base/size.h"
#include "protocol/live.h"

const int32_t ordo_cluster_size[ORDO_N_CLUSTER_SIZES] = {4, 8, 16};

struct mark {
    uint32_t group; /* 1 + the group that counted last */
    uint32_t query; /* 1 + the query that counted last: a repeated id counts once */
    uint32_t count;
};

struct pass {
    const struct ordo_problem *p;
    const struct ordo_domain *d;
    struct mark *mark;
};

/* Runs body for each live slot of query q, with its compact row as c. */
#define FOR_EACH_LIVE(pass, q, c, body)                                                                              \
    do {                                                                                                             \
        const int32_t *idx_ = ordo_problem_row((pass)->p, q);                                                        \
        int32_t clamped_ = ordo_clamp_length(ordo_problem_length((pass)->p, q), (pass)->p->topk);                    \
        for (int32_t j_ = 0; j_ < clamped_; j_++)                                                                    \
            if (ordo_slot_live(idx_[j_], (pass)->p->n_kv, j_, clamped_)) {                                           \
                uint32_t c = ordo_domain_compact((pass)->d, idx_[j_]);                                               \
                body                                                                                                 \
            }                                                                                                        \
    } while (0)

static void count_fan_in(const struct pass *pass, struct ordo_fan_in *f)
{
    for (uint32_t c = 0; c < pass->d->n; c++)
        pass->mark[c] = (struct mark){0, 0, 0};
    /* Clusters are consecutive queries and 128 is a multiple of C: group = query / C is (wave, plane). */
    for (int32_t q = 0; q < pass->p->n_query; q++) {
        uint32_t group = (uint32_t)(q / f->cluster) + 1, query = (uint32_t)q + 1;

        FOR_EACH_LIVE(pass, q, c, {
            struct mark *m = &pass->mark[c];

            if (m->query == query)
                continue;
            m->query = query;
            m->count = m->group == group ? m->count + 1 : 1;
            m->group = group;
            f->fan_in[m->count - 1]++;
        });
        if (q % 4096 == 0)
            ordo_progress("inspect: query", (uint64_t)q, (uint64_t)pass->p->n_query);
    }
}

/* fan_in[i] counts so far how often a counter reached i + 1; turns that into how many stopped there. */
static void conclude(struct ordo_fan_in *f)
{
    f->plane_rows = f->fan_in[0];
    for (int i = 0; i < f->cluster; i++) {
        f->updates += f->fan_in[i];
        if (f->fan_in[i])
            f->max_fan_in = i + 1;
    }
    f->waits = f->updates - f->plane_rows;
    for (int i = 0; i + 1 < f->cluster; i++)
        f->fan_in[i] -= f->fan_in[i + 1];
}

static void count_neighbours(const struct pass *pass, struct ordo_census *census)
{
    for (uint32_t c = 0; c < pass->d->n; c++)
        pass->mark[c] = (struct mark){0, 0, 0};
    for (int32_t q = 0; q < pass->p->n_query; q++) {
        uint32_t query = (uint32_t)q + 1;
        const struct ordo_domain *d = pass->d;

        /* group holds the last query that named the row, count the one before that. */
        FOR_EACH_LIVE(pass, q, c, {
            struct mark *m = &pass->mark[c];

            if (m->group == query)
                continue;
            m->count = m->group;
            m->group = query;
            census->neighbour_rows += q > 0;
            census->kept += q > 0 && m->count == query - 1;
        });
        FOR_EACH_LIVE(pass, q, c, {
            int32_t row = ordo_domain_row(d, c);
            struct mark *m = &pass->mark[c];

            if (q == 0 || row == 0 || m->query == query)
                continue;
            m->query = query;
            if (d->live && !(d->live[(row - 1) >> 9] >> ((row - 1) >> 3 & 63) & 1))
                continue;
            m = &pass->mark[ordo_domain_compact(d, row - 1)];
            census->shifted += m->group == query - 1 || (m->group == query && m->count == query - 1);
        });
    }
}

static void count_rows(const struct ordo_domain *d, struct ordo_census *census)
{
    for (uint32_t c = 0; c < d->n; c++) {
        census->rows_touched += census->scan.writers[c] != 0;
        if (census->scan.writers[c] > census->max_writers)
            census->max_writers = census->scan.writers[c];
    }
}

static enum ordo_status count_all(const struct ordo_problem *p, const struct ordo_domain *d,
                                  struct ordo_census *census, struct ordo_err *err)
{
    struct pass pass = {p, d, ordo_alloc(d->n, sizeof *pass.mark)};

    if (!pass.mark)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "kv", "no memory for the row tables");
    count_rows(d, census);
    for (int i = 0; i < ORDO_N_CLUSTER_SIZES; i++) {
        struct ordo_fan_in *f = &census->by_cluster[i];

        f->cluster = ordo_cluster_size[i];
        f->planes = ORDO_CENSUS_WAVE / f->cluster;
        if (p->topk > 0)
            count_fan_in(&pass, f);
        conclude(f);
    }
    if (p->topk > 0)
        count_neighbours(&pass, census);
    ordo_progress_end();
    free(pass.mark);
    return ORDO_OK;
}

enum ordo_status ordo_census_make(const struct ordo_problem *p, struct ordo_census *census, struct ordo_err *err)
{
    struct ordo_domain d;
    enum ordo_status status = ordo_domain_make(p, &d, err);

    *census = (struct ordo_census){.dead = 0};
    if (status == ORDO_OK)
        status = ordo_contract_scan_make(p, &d, NULL, &census->scan, err);
    if (status == ORDO_OK) {
        census->dead = (uint64_t)p->n_query * (uint64_t)p->topk - census->scan.live;
        status = count_all(p, &d, census, err);
    }
    ordo_domain_free(&d);
    return status;
}

void ordo_census_free(struct ordo_census *census)
{
    ordo_contract_scan_free(&census->scan);
}
