/* add.c - see store.h: one run, in one transaction.
 *
 * A statement is filled from left to right; the first thing that goes wrong stays in the struct and the rest does
 * nothing, so the lists of columns below need no checks in between. */
#include "store/impl.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

struct insert {
    struct ordo_store *store;
    struct ordo_err *err;
    enum ordo_status status; /* of all statements so far */
    sqlite3_stmt *stmt;
    int column;
};

static void check(struct insert *in, int rc)
{
    if (rc != SQLITE_OK && in->status == ORDO_OK)
        in->status = ordo_store_fail(in->store, rc, "cannot store the run", in->err);
}

static void start(struct insert *in, const char *sql)
{
    in->column = 0;
    if (in->status == ORDO_OK)
        check(in, sqlite3_prepare_v2(in->store->db, sql, -1, &in->stmt, NULL));
}

static void bind_int(struct insert *in, int64_t x)
{
    in->column++;
    if (in->status == ORDO_OK)
        check(in, sqlite3_bind_int64(in->stmt, in->column, x));
}

static void bind_null(struct insert *in)
{
    in->column++; /* unbound parameters are NULL */
}

static void bind_count(struct insert *in, const char *name, uint64_t x)
{
    if (x > INT64_MAX && in->status == ORDO_OK)
        in->status = ordo_fail(in->err, ORDO_BAD_INPUT, in->store->path, name,
                               "is %" PRIu64 ", above 2^63-1, and cannot be stored", x);
    bind_int(in, (int64_t)x);
}

static void bind_text(struct insert *in, const char *text)
{
    in->column++;
    if (in->status == ORDO_OK && text)
        check(in, sqlite3_bind_text(in->stmt, in->column, text, -1, SQLITE_TRANSIENT));
}

static void bind_digest(struct insert *in, const struct ordo_digest *d)
{
    char hex[ORDO_DIGEST_HEX];

    bind_text(in, d ? ordo_digest_hex(d, hex) : NULL);
}

static void bind_real(struct insert *in, double x)
{
    in->column++;
    if (in->status == ORDO_OK)
        check(in, sqlite3_bind_double(in->stmt, in->column, x));
}

/* Runs the statement; returns the integer that it yields, 0 for none. */
static int64_t finish(struct insert *in)
{
    int64_t id = 0;
    int rc;

    if (in->status == ORDO_OK) {
        ORDO_BUG_ON(in->column != sqlite3_bind_parameter_count(in->stmt));
        while ((rc = sqlite3_step(in->stmt)) == SQLITE_ROW)
            id = sqlite3_column_int64(in->stmt, 0);
        check(in, rc == SQLITE_DONE ? SQLITE_OK : rc);
    }
    (void)sqlite3_finalize(in->stmt);
    in->stmt = NULL;
    return id;
}

/* --- the tables ------------------------------------------------------------------------------------------------- */

/* The update changes nothing; it makes RETURNING speak for a row that was there. */
#define ONCE " ON CONFLICT (digest) DO UPDATE SET digest = excluded.digest RETURNING id"

static int64_t add_problem(struct insert *in, const struct ordo_store_problem *p)
{
    start(in, "INSERT INTO problem (digest, n_query, topk, n_kv, live, dead_queries, duplicates, duplicate_queries) "
              "VALUES (?, ?, ?, ?, ?, ?, ?, ?)" ONCE);
    bind_digest(in, &p->digest);
    bind_int(in, p->n_query);
    bind_int(in, p->topk);
    bind_int(in, p->n_kv);
    bind_count(in, "live", p->live);
    bind_int(in, p->dead_queries);
    bind_count(in, "duplicates", p->duplicates);
    bind_int(in, p->duplicate_queries);
    return finish(in);
}

static int64_t add_plan(struct insert *in, const struct ordo_store_plan *p)
{
    start(in, "INSERT INTO plan (digest, text, design, target, wave, cluster, planes, head_blocks, waves, "
              "workspace_bytes, private_workspace_bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)" ONCE);
    bind_digest(in, &p->digest);
    bind_text(in, p->text);
    bind_text(in, p->design);
    bind_text(in, p->target);
    bind_int(in, p->wave);
    bind_int(in, p->cluster);
    bind_int(in, p->planes);
    bind_int(in, p->head_blocks);
    bind_int(in, p->waves);
    bind_count(in, "workspace_bytes", p->workspace_bytes);
    bind_count(in, "private_workspace_bytes", p->private_workspace_bytes);
    return finish(in);
}

static void bind_reference(struct insert *in, int64_t id)
{
    if (id)
        bind_int(in, id);
    else
        bind_null(in);
}

static int64_t add_run(struct insert *in, const struct ordo_store_run *r)
{
    int64_t problem = r->problem ? add_problem(in, r->problem) : 0, plan = r->plan ? add_plan(in, r->plan) : 0;

    start(in, "INSERT INTO run (started_us, finished_us, verb, argv, version, input, problem, plan, verdict, "
              "finding) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id");
    bind_int(in, r->started_us);
    bind_int(in, r->finished_us);
    bind_text(in, r->verb);
    bind_text(in, r->argv);
    bind_text(in, r->version);
    bind_text(in, r->input);
    bind_reference(in, problem);
    bind_reference(in, plan);
    bind_text(in, r->verdict);
    bind_text(in, r->finding);
    return finish(in);
}

static void add_proof(struct insert *in, int64_t run, const struct ordo_store_proof *p)
{
    start(in, "INSERT INTO proof (run, verdict, ordering, deadlock, race, assumption, engines, updates, row_count, "
              "accumulators, order_digest) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    bind_int(in, run);
    bind_text(in, p->verdict);
    bind_text(in, p->ordering);
    bind_text(in, p->deadlock);
    bind_text(in, p->race);
    bind_text(in, p->assumption);
    bind_text(in, p->engines);
    bind_count(in, "updates", p->updates);
    bind_count(in, "row_count", p->row_count);
    bind_count(in, "accumulators", p->accumulators);
    bind_digest(in, p->order);
    (void)finish(in);
}

static void add_bits(struct insert *in, int64_t run, const struct ordo_store_bits *b)
{
    char seed[24];

    (void)snprintf(seed, sizeof seed, "%" PRIu64, b->seed);
    start(in, "INSERT INTO bits (run, input_class, seed, width, bits_digest) VALUES (?, ?, ?, ?, ?)");
    bind_int(in, run);
    bind_text(in, b->input_class);
    bind_text(in, seed);
    bind_int(in, b->width);
    bind_digest(in, &b->digest);
    (void)finish(in);
}

static void add_oracle(struct insert *in, int64_t run, const struct ordo_store_oracle *o)
{
    start(in, "INSERT INTO oracle (run, input_class, rows, columns, terms, sampled, outside_bound, not_exact, "
              "mpfr_disagreements, worst_ratio) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    bind_int(in, run);
    bind_text(in, o->input_class);
    bind_count(in, "rows", o->rows);
    bind_count(in, "columns", o->columns);
    bind_count(in, "terms", o->terms);
    bind_count(in, "sampled", o->sampled);
    bind_count(in, "outside_bound", o->outside_bound);
    bind_count(in, "not_exact", o->not_exact);
    bind_count(in, "mpfr_disagreements", o->mpfr_disagreements);
    bind_real(in, isnan(o->worst_ratio) ? HUGE_VAL : o->worst_ratio); /* SQLite would make NaN a NULL */
    (void)finish(in);
}

static void add_value(struct insert *in, int64_t run, const struct ordo_store_value *v)
{
    start(in, "INSERT INTO row_bits (run, input_class, row, col, bits) VALUES (?, ?, ?, ?, ?)");
    bind_int(in, run);
    bind_text(in, v->input_class);
    bind_int(in, v->row);
    bind_int(in, v->column);
    bind_int(in, v->bits);
    (void)finish(in);
}

static int64_t add_all(struct insert *in, const struct ordo_store_run *r)
{
    int64_t run = add_run(in, r);
    size_t i;

    if (r->proof)
        add_proof(in, run, r->proof);
    for (i = 0; i < r->n_bits; i++)
        add_bits(in, run, &r->bits[i]);
    for (i = 0; i < r->n_oracle; i++)
        add_oracle(in, run, &r->oracle[i]);
    for (i = 0; i < r->n_value; i++)
        add_value(in, run, &r->value[i]);
    return run;
}

enum ordo_status ordo_store_add_run(struct ordo_store *store, const struct ordo_store_run *run, int64_t *run_id,
                                    struct ordo_err *err)
{
    struct insert in = {.store = store, .err = err};
    int64_t id = 0;

    *run_id = 0;
    in.status = ordo_store_exec(store, "BEGIN IMMEDIATE", "cannot store the run", err);
    if (in.status != ORDO_OK)
        return in.status;
    id = add_all(&in, run);
    if (in.status == ORDO_OK)
        in.status = ordo_store_exec(store, "COMMIT", "cannot store the run", err);
    if (in.status == ORDO_OK)
        *run_id = id;
    else if (!sqlite3_get_autocommit(store->db)) /* SQLite rolls back by itself after some errors */
        (void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return in.status;
}

int64_t ordo_store_now_us(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}
