/* add.c - see store.h: one run, in one transaction. */
#include "store/impl.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

/* --- the tables ------------------------------------------------------------------------------------------------- */

/* The row that has this digest, 0 for none.  An upsert would ask and write in one, but opens a journal of its own
 * each time, which costs more than all else. */
static int64_t known(struct ordo_insert *in, const char *sql, const struct ordo_digest *digest)
{
    ordo_insert_start(in, sql);
    ordo_insert_digest(in, digest);
    return ordo_insert_finish(in);
}

static int64_t added(struct ordo_insert *in)
{
    (void)ordo_insert_finish(in);
    return in->status == ORDO_OK ? sqlite3_last_insert_rowid(in->store->db) : 0;
}

static int64_t add_problem(struct ordo_insert *in, const struct ordo_store_problem *p)
{
    int64_t id = known(in, "SELECT id FROM problem WHERE digest = ?", &p->digest);

    if (id)
        return id;
    ordo_insert_start(in, "INSERT INTO problem (digest, n_query, topk, n_kv, live, dead_queries, duplicates, "
                          "duplicate_queries) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    ordo_insert_digest(in, &p->digest);
    ordo_insert_int(in, p->n_query);
    ordo_insert_int(in, p->topk);
    ordo_insert_int(in, p->n_kv);
    ordo_insert_count(in, "live", p->live);
    ordo_insert_int(in, p->dead_queries);
    ordo_insert_count(in, "duplicates", p->duplicates);
    ordo_insert_int(in, p->duplicate_queries);
    return added(in);
}

static int64_t add_plan(struct ordo_insert *in, const struct ordo_store_plan *p)
{
    int64_t id = known(in, "SELECT id FROM plan WHERE digest = ?", &p->digest);

    if (id)
        return id;
    ordo_insert_start(in, "INSERT INTO plan (digest, text, design, target, wave, cluster, planes, head_blocks, "
                          "waves, workspace_bytes, private_workspace_bytes) "
                          "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    ordo_insert_digest(in, &p->digest);
    ordo_insert_text(in, p->text);
    ordo_insert_text(in, p->design);
    ordo_insert_text(in, p->target);
    ordo_insert_int(in, p->wave);
    ordo_insert_int(in, p->cluster);
    ordo_insert_int(in, p->planes);
    ordo_insert_int(in, p->head_blocks);
    ordo_insert_int(in, p->waves);
    ordo_insert_count(in, "workspace_bytes", p->workspace_bytes);
    ordo_insert_count(in, "private_workspace_bytes", p->private_workspace_bytes);
    return added(in);
}

static void bind_reference(struct ordo_insert *in, int64_t id)
{
    if (id)
        ordo_insert_int(in, id);
    else
        ordo_insert_null(in);
}

static int64_t add_run(struct ordo_insert *in, const struct ordo_store_run *r)
{
    int64_t problem = r->problem ? add_problem(in, r->problem) : 0, plan = r->plan ? add_plan(in, r->plan) : 0;

    ordo_insert_start(in, "INSERT INTO run (started_us, finished_us, verb, argv, version, input, problem, plan, "
                          "verdict, finding) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    ordo_insert_int(in, r->started_us);
    ordo_insert_int(in, r->finished_us);
    ordo_insert_text(in, r->verb);
    ordo_insert_text(in, r->argv);
    ordo_insert_text(in, r->version);
    ordo_insert_text(in, r->input);
    bind_reference(in, problem);
    bind_reference(in, plan);
    ordo_insert_text(in, r->verdict);
    ordo_insert_text(in, r->finding);
    return added(in);
}

static void add_proof(struct ordo_insert *in, int64_t run, const struct ordo_store_proof *p)
{
    ordo_insert_start(in, "INSERT INTO proof (run, verdict, ordering, deadlock, race, assumption, engines, updates, "
                          "row_count, accumulators, order_digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    ordo_insert_int(in, run);
    ordo_insert_text(in, p->verdict);
    ordo_insert_text(in, p->ordering);
    ordo_insert_text(in, p->deadlock);
    ordo_insert_text(in, p->race);
    ordo_insert_text(in, p->assumption);
    ordo_insert_text(in, p->engines);
    ordo_insert_count(in, "updates", p->updates);
    ordo_insert_count(in, "row_count", p->row_count);
    ordo_insert_count(in, "accumulators", p->accumulators);
    ordo_insert_digest(in, p->order);
    (void)ordo_insert_finish(in);
}

static void add_bits(struct ordo_insert *in, int64_t run, const struct ordo_store_bits *b)
{
    char seed[24];

    (void)snprintf(seed, sizeof seed, "%" PRIu64, b->seed);
    ordo_insert_start(in, "INSERT INTO bits (run, input_class, seed, width, bits_digest) VALUES (?, ?, ?, ?, ?)");
    ordo_insert_int(in, run);
    ordo_insert_text(in, b->input_class);
    ordo_insert_text(in, seed);
    ordo_insert_int(in, b->width);
    ordo_insert_digest(in, &b->digest);
    (void)ordo_insert_finish(in);
}

static void add_oracle(struct ordo_insert *in, int64_t run, const struct ordo_store_oracle *o)
{
    ordo_insert_start(in, "INSERT INTO oracle (run, input_class, rows, columns, terms, sampled, outside_bound, "
                          "not_exact, mpfr_disagreements, worst_ratio) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    ordo_insert_int(in, run);
    ordo_insert_text(in, o->input_class);
    ordo_insert_count(in, "rows", o->rows);
    ordo_insert_count(in, "columns", o->columns);
    ordo_insert_count(in, "terms", o->terms);
    ordo_insert_count(in, "sampled", o->sampled);
    ordo_insert_count(in, "outside_bound", o->outside_bound);
    ordo_insert_count(in, "not_exact", o->not_exact);
    ordo_insert_count(in, "mpfr_disagreements", o->mpfr_disagreements);
    ordo_insert_real(in, isnan(o->worst_ratio) ? HUGE_VAL : o->worst_ratio); /* SQLite would make NaN a NULL */
    (void)ordo_insert_finish(in);
}

static void add_value(struct ordo_insert *in, int64_t run, const struct ordo_store_value *v)
{
    ordo_insert_start(in, "INSERT INTO row_bits (run, input_class, row, col, bits) VALUES (?, ?, ?, ?, ?)");
    ordo_insert_int(in, run);
    ordo_insert_text(in, v->input_class);
    ordo_insert_int(in, v->row);
    ordo_insert_int(in, v->column);
    ordo_insert_int(in, v->bits);
    (void)ordo_insert_finish(in);
}

static int64_t add_build(struct ordo_insert *in, const struct ordo_store_build *b)
{
    int64_t id = known(in, "SELECT id FROM build WHERE digest = ?", &b->digest);

    if (id)
        return id;
    ordo_insert_start(in, "INSERT INTO build (digest, cubin_digest, toolkit, flags) VALUES (?, ?, ?, ?)");
    ordo_insert_digest(in, &b->digest);
    ordo_insert_digest(in, b->cubin);
    ordo_insert_text(in, b->toolkit);
    ordo_insert_text(in, b->flags);
    return added(in);
}

static int64_t add_device(struct ordo_insert *in, const struct ordo_store_device *d)
{
    struct ordo_digest digest = ordo_store_device_digest(d);
    int64_t id = known(in, "SELECT id FROM device WHERE digest = ?", &digest);

    if (id)
        return id;
    ordo_insert_start(in, "INSERT INTO device (digest, name, arch, uuid, driver) VALUES (?, ?, ?, ?, ?)");
    ordo_insert_digest(in, &digest);
    ordo_insert_text(in, d->name);
    ordo_insert_text(in, d->arch);
    ordo_insert_text(in, d->uuid);
    ordo_insert_text(in, d->driver);
    return added(in);
}

static int64_t add_input(struct ordo_insert *in, const struct ordo_store_input *i)
{
    int64_t id = known(in, "SELECT id FROM input WHERE digest = ?", &i->digest);

    if (id)
        return id;
    ordo_insert_start(in, "INSERT INTO input (digest, text) VALUES (?, ?)");
    ordo_insert_digest(in, &i->digest);
    ordo_insert_text(in, i->text);
    return added(in);
}

/* What the result before named, so that a thousand repeats look each up once. */
struct named {
    const struct ordo_store_problem *problem;
    const struct ordo_store_plan *plan;
    const struct ordo_store_build *build;
    const struct ordo_store_device *device;
    const struct ordo_store_input *input;
    int64_t problem_id, plan_id, build_id, device_id, input_id;
};

#define NAME(kind)                                                                                                   \
    if (r->kind != last->kind) {                                                                                     \
        last->kind = r->kind;                                                                                        \
        last->kind##_id = add_##kind(in, r->kind);                                                                   \
    }

static void add_result(struct ordo_insert *in, int64_t run, size_t seq, const struct ordo_store_result *r,
                       struct named *last)
{
    NAME(problem)
    NAME(plan)
    NAME(build)
    NAME(device)
    NAME(input)
    ordo_insert_start(in, "INSERT INTO result (run, seq, problem, plan, build, device, input, output, "
                          "output_digest, verdict, seconds) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    ordo_insert_int(in, run);
    ordo_insert_int(in, (int64_t)seq);
    ordo_insert_int(in, last->problem_id);
    ordo_insert_int(in, last->plan_id);
    ordo_insert_int(in, last->build_id);
    ordo_insert_int(in, last->device_id);
    ordo_insert_int(in, last->input_id);
    ordo_insert_text(in, r->output);
    ordo_insert_digest(in, &r->digest);
    ordo_insert_text(in, r->verdict);
    if (isnan(r->seconds))
        ordo_insert_null(in);
    else
        ordo_insert_real(in, r->seconds);
    (void)ordo_insert_finish(in);
}

static void add_sample(struct ordo_insert *in, int64_t run, const struct ordo_store_sample *s)
{
    ordo_insert_start(in, "INSERT INTO sample (run, metric, rep, value) VALUES (?, ?, ?, ?)");
    ordo_insert_int(in, run);
    ordo_insert_text(in, s->metric);
    ordo_insert_int(in, s->rep);
    ordo_insert_real(in, isnan(s->value) ? HUGE_VAL : s->value);
    (void)ordo_insert_finish(in);
}

static int64_t add_all(struct ordo_insert *in, const struct ordo_store_run *r)
{
    int64_t run = add_run(in, r);
    struct named last = {.problem = NULL};
    size_t i;

    if (r->proof)
        add_proof(in, run, r->proof);
    for (i = 0; i < r->n_bits; i++)
        add_bits(in, run, &r->bits[i]);
    for (i = 0; i < r->n_oracle; i++)
        add_oracle(in, run, &r->oracle[i]);
    for (i = 0; i < r->n_value; i++)
        add_value(in, run, &r->value[i]);
    for (i = 0; i < r->n_result && in->status == ORDO_OK; i++)
        add_result(in, run, i, &r->result[i], &last);
    for (i = 0; i < r->n_sample; i++)
        add_sample(in, run, &r->sample[i]);
    return run;
}

enum ordo_status ordo_store_add_run(struct ordo_store *store, const struct ordo_store_run *run, int64_t *run_id,
                                    struct ordo_err *err)
{
    struct ordo_insert in = {.store = store, .err = err};
    struct ordo_digest content;
    int64_t id = 0;

    *run_id = 0;
    in.status = ordo_store_enter(store, "cannot store the run", err);
    if (in.status != ORDO_OK)
        return in.status;
    id = add_all(&in, run);
    if (in.status == ORDO_OK)
        in.status = ordo_store_seal(store, id, &content, err);
    in.status = ordo_store_leave(store, in.status, "cannot store the run", err);
    if (in.status == ORDO_OK)
        *run_id = id;
    return in.status;
}

int64_t ordo_store_now_us(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}
