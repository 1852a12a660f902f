/* schema.c - see schema.h. */
#include "store/schema.h"

#include <stddef.h>

#define DIGEST(column) column " TEXT CHECK (length(" column ") = 64 AND " column " NOT GLOB '*[^0-9a-f]*')"
#define COUNT(column) column " INTEGER NOT NULL CHECK (" column " >= 0)"
#define OF_RUN "run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE"

static const char version_1[] =
    "CREATE TABLE problem (id INTEGER PRIMARY KEY, " DIGEST("digest") " NOT NULL UNIQUE, "
    COUNT("n_query") ", " COUNT("topk") ", " COUNT("n_kv") ", " COUNT("live") ", " COUNT("dead_queries") ", "
    COUNT("duplicates") ", " COUNT("duplicate_queries") ") STRICT;\n"

    "CREATE TABLE plan (id INTEGER PRIMARY KEY, " DIGEST("digest") " NOT NULL UNIQUE, text TEXT NOT NULL, "
    "design TEXT NOT NULL, target TEXT NOT NULL, " COUNT("wave") ", " COUNT("cluster") ", " COUNT("planes") ", "
    COUNT("head_blocks") ", " COUNT("waves") ", " COUNT("workspace_bytes") ", "
    COUNT("private_workspace_bytes") ") STRICT;\n"

    "CREATE TABLE run (id INTEGER PRIMARY KEY AUTOINCREMENT, started_us INTEGER NOT NULL, "
    "finished_us INTEGER NOT NULL, verb TEXT NOT NULL, argv TEXT NOT NULL, version TEXT NOT NULL, input TEXT, "
    "problem INTEGER REFERENCES problem, plan INTEGER REFERENCES plan, verdict TEXT NOT NULL, finding TEXT) STRICT;\n"

    "CREATE TABLE proof (run INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE, verdict TEXT NOT NULL, "
    "ordering TEXT, deadlock TEXT, race TEXT, assumption TEXT, engines TEXT, " COUNT("updates") ", "
    COUNT("row_count") ", " COUNT("accumulators") ", " DIGEST("order_digest") ") STRICT;\n"

    "CREATE TABLE bits (" OF_RUN ", input_class TEXT NOT NULL, seed TEXT NOT NULL, " COUNT("width") ", "
    DIGEST("bits_digest") " NOT NULL, PRIMARY KEY (run, input_class)) STRICT, WITHOUT ROWID;\n"

    "CREATE TABLE oracle (" OF_RUN ", input_class TEXT NOT NULL, " COUNT("rows") ", " COUNT("columns") ", "
    COUNT("terms") ", " COUNT("sampled") ", " COUNT("outside_bound") ", " COUNT("not_exact") ", "
    COUNT("mpfr_disagreements") ", worst_ratio REAL NOT NULL CHECK (worst_ratio >= 0), "
    "PRIMARY KEY (run, input_class)) STRICT, WITHOUT ROWID;\n"

    "CREATE TABLE row_bits (" OF_RUN ", input_class TEXT NOT NULL, row INTEGER NOT NULL, col INTEGER NOT NULL, "
    "bits INTEGER NOT NULL CHECK (bits BETWEEN 0 AND 4294967295), "
    "PRIMARY KEY (run, input_class, row, col)) STRICT, WITHOUT ROWID;\n"

    "CREATE INDEX run_problem_plan ON run (problem, plan, id);\n"
    "CREATE INDEX run_plan ON run (plan);\n"

    "CREATE VIEW v_run AS SELECT r.id, "
    "strftime('%Y-%m-%dT%H:%M:%SZ', r.started_us / 1000000, 'unixepoch') AS started, "
    "(r.finished_us - r.started_us) / 1e6 AS seconds, r.verb, r.verdict, r.finding, "
    "q.n_query, q.topk, q.n_kv, q.live, q.duplicates, l.design, l.target, l.wave, l.cluster, l.planes, "
    "l.workspace_bytes, p.verdict AS proof, p.ordering, p.deadlock, p.race, p.assumption, p.engines, p.updates, "
    "p.order_digest, "
    "(SELECT bits_digest FROM bits WHERE run = r.id AND input_class = 'exact') AS exact_bits, "
    "(SELECT bits_digest FROM bits WHERE run = r.id AND input_class = 'rough') AS rough_bits, "
    "(SELECT sum(outside_bound) FROM oracle WHERE run = r.id) AS outside_bound, "
    "(SELECT sum(not_exact) FROM oracle WHERE run = r.id) AS not_exact, "
    "(SELECT sum(mpfr_disagreements) FROM oracle WHERE run = r.id) AS mpfr_disagreements, "
    "(SELECT max(worst_ratio) FROM oracle WHERE run = r.id) AS worst_ratio, "
    "q.digest AS problem, l.digest AS plan, r.input, r.version, r.argv "
    "FROM run r LEFT JOIN problem q ON q.id = r.problem LEFT JOIN plan l ON l.id = r.plan "
    "LEFT JOIN proof p ON p.run = r.id;\n"

    "CREATE VIEW v_moved AS SELECT * FROM ("
    "SELECT 'order' AS what, NULL AS input_class, r.id AS run, lag(r.id) OVER w AS run_before, "
    "p.order_digest AS digest, lag(p.order_digest) OVER w AS digest_before "
    "FROM run r JOIN proof p ON p.run = r.id WHERE p.order_digest IS NOT NULL "
    "WINDOW w AS (PARTITION BY r.problem, r.plan ORDER BY r.id) "
    "UNION ALL "
    "SELECT 'bits', b.input_class, r.id, lag(r.id) OVER w, b.bits_digest, lag(b.bits_digest) OVER w "
    "FROM run r JOIN bits b ON b.run = r.id "
    "WINDOW w AS (PARTITION BY r.problem, r.plan, b.input_class, b.seed, b.width ORDER BY r.id)) "
    "WHERE digest <> digest_before;\n";

/* Results of kernels, and the corpus.  A result repeats its problem and plan: one run may execute many. */
static const char version_2[] =
    "CREATE TABLE build (id INTEGER PRIMARY KEY, " DIGEST("digest") " NOT NULL UNIQUE, " DIGEST("cubin_digest") ", "
    "toolkit TEXT, flags TEXT) STRICT;\n"

    "CREATE TABLE device (id INTEGER PRIMARY KEY, " DIGEST("digest") " NOT NULL UNIQUE, name TEXT NOT NULL, "
    "arch TEXT, uuid TEXT, driver TEXT) STRICT;\n"

    "CREATE TABLE input (id INTEGER PRIMARY KEY, " DIGEST("digest") " NOT NULL UNIQUE, text TEXT) STRICT;\n"

    "CREATE TABLE result (" OF_RUN ", seq INTEGER NOT NULL, problem INTEGER NOT NULL REFERENCES problem, "
    "plan INTEGER NOT NULL REFERENCES plan, build INTEGER NOT NULL REFERENCES build, "
    "device INTEGER NOT NULL REFERENCES device, input INTEGER NOT NULL REFERENCES input, output TEXT NOT NULL, "
    DIGEST("output_digest") " NOT NULL, verdict TEXT NOT NULL, seconds REAL, PRIMARY KEY (run, seq)) "
    "STRICT, WITHOUT ROWID;\n"

    "CREATE TABLE sample (" OF_RUN ", metric TEXT NOT NULL, rep INTEGER NOT NULL, value REAL NOT NULL, "
    "PRIMARY KEY (run, metric, rep)) STRICT, WITHOUT ROWID;\n"

    "CREATE TABLE corpus (id INTEGER PRIMARY KEY, " DIGEST("digest") " NOT NULL UNIQUE, name TEXT NOT NULL, "
    "expected TEXT, provenance TEXT, added_us INTEGER NOT NULL, body BLOB NOT NULL) STRICT;\n"

    "ALTER TABLE run ADD COLUMN " DIGEST("content") ";\n"
    "CREATE INDEX run_content ON run (content);\n";

const char *const ordo_store_steps[] = {version_1, version_2, NULL};

int ordo_store_version(void)
{
    return (int)(sizeof ordo_store_steps / sizeof ordo_store_steps[0]) - 1;
}
