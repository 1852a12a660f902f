/* views.c - the views, which are API as the tables are: what `ordo db` prints, the stock sqlite3 shell answers too.
 *
 * All are dropped and made again whenever a file is brought up to a newer version, so each is described here once
 * (version 1 made v_moved, which stays).  Text and integers are compared by SQL, so two NaN of different bits differ
 * and the same bits are the same. */
#include "store/schema.h"

#define VIEW(name) "DROP VIEW IF EXISTS " name ";\nCREATE VIEW " name " AS "

#define V_RUN                                                                                                        \
    VIEW("v_run") "SELECT r.id, "                                                                                    \
    "strftime('%Y-%m-%dT%H:%M:%SZ', r.started_us / 1000000, 'unixepoch') AS started, "                               \
    "(r.finished_us - r.started_us) / 1e6 AS seconds, r.verb, r.verdict, r.finding, "                                \
    "q.n_query, q.topk, q.n_kv, q.live, q.duplicates, l.design, l.target, l.wave, l.cluster, l.planes, "             \
    "l.workspace_bytes, p.verdict AS proof, p.ordering, p.deadlock, p.race, p.assumption, p.engines, p.updates, "    \
    "p.order_digest, "                                                                                               \
    "(SELECT bits_digest FROM bits WHERE run = r.id AND input_class = 'exact') AS exact_bits, "                      \
    "(SELECT bits_digest FROM bits WHERE run = r.id AND input_class = 'rough') AS rough_bits, "                      \
    "(SELECT sum(outside_bound) FROM oracle WHERE run = r.id) AS outside_bound, "                                    \
    "(SELECT sum(not_exact) FROM oracle WHERE run = r.id) AS not_exact, "                                            \
    "(SELECT sum(mpfr_disagreements) FROM oracle WHERE run = r.id) AS mpfr_disagreements, "                          \
    "(SELECT max(worst_ratio) FROM oracle WHERE run = r.id) AS worst_ratio, "                                        \
    "q.digest AS problem, l.digest AS plan, r.input, r.version, r.argv, r.started_us, "                              \
    "(SELECT d.name FROM result x JOIN device d ON d.id = x.device WHERE x.run = r.id LIMIT 1) AS device, "          \
    "(SELECT count(*) FROM result WHERE run = r.id) AS results "                                                     \
    "FROM run r LEFT JOIN problem q ON q.id = r.problem LEFT JOIN plan l ON l.id = r.plan "                          \
    "LEFT JOIN proof p ON p.run = r.id;\n"

/* On the CPU the program's version stands for the build. */
#define V_OUTPUT                                                                                                     \
    VIEW("v_output") "SELECT x.run, x.seq, q.digest AS problem, l.digest AS plan, b.digest AS build, "               \
    "d.name AS device, d.driver, i.digest AS input, i.text AS input_text, x.output, x.output_digest, x.verdict, "    \
    "x.seconds "                                                                                                     \
    "FROM result x JOIN problem q ON q.id = x.problem JOIN plan l ON l.id = x.plan JOIN build b ON b.id = x.build "  \
    "JOIN device d ON d.id = x.device JOIN input i ON i.id = x.input "                                               \
    "UNION ALL "                                                                                                     \
    "SELECT r.id, NULL, q.digest, l.digest, 'ordo ' || r.version, 'cpu', NULL, NULL, "                               \
    "x.input_class || ' seed ' || x.seed || ' width ' || x.width, 'sums', x.bits_digest, r.verdict, NULL "           \
    "FROM bits x JOIN run r ON r.id = x.run LEFT JOIN problem q ON q.id = r.problem "                                \
    "LEFT JOIN plan l ON l.id = r.plan;\n"

/* Integers first, so that a million results are sorted in a second or two; names are looked up for what is found. */
#define V_FLIP                                                                                                       \
    VIEW("v_flip") "SELECT q.digest AS problem, l.digest AS plan, b.digest AS build, d.name AS device, "             \
    "i.digest AS input, f.output, f.results, "                                                                       \
    "(SELECT count(DISTINCT y.output_digest) FROM result y WHERE y.problem = f.problem AND y.plan = f.plan "         \
    "AND y.build = f.build AND y.device = f.device AND y.input = f.input AND y.output = f.output) AS digests, "      \
    "f.first_run, f.last_run, f.digest, f.other_digest FROM ("                                                       \
    "SELECT problem, plan, build, device, input, output, count(*) AS results, min(run) AS first_run, "               \
    "max(run) AS last_run, min(output_digest) AS digest, max(output_digest) AS other_digest "                        \
    "FROM result GROUP BY problem, plan, build, device, input, output "                                              \
    "HAVING min(output_digest) <> max(output_digest)) f "                                                            \
    "JOIN problem q ON q.id = f.problem JOIN plan l ON l.id = f.plan JOIN build b ON b.id = f.build "                \
    "JOIN device d ON d.id = f.device JOIN input i ON i.id = f.input "                                               \
    "UNION ALL "                                                                                                     \
    "SELECT q.digest, l.digest, 'ordo ' || f.version, 'cpu', "                                                       \
    "f.input_class || ' seed ' || f.seed || ' width ' || f.width, 'sums', f.results, f.digests, f.first_run, "       \
    "f.last_run, f.digest, f.other_digest FROM ("                                                                    \
    "SELECT r.problem, r.plan, r.version, x.input_class, x.seed, x.width, count(*) AS results, "                     \
    "count(DISTINCT x.bits_digest) AS digests, min(r.id) AS first_run, max(r.id) AS last_run, "                      \
    "min(x.bits_digest) AS digest, max(x.bits_digest) AS other_digest FROM bits x JOIN run r ON r.id = x.run "       \
    "WHERE r.problem IS NOT NULL AND r.plan IS NOT NULL "                                                            \
    "GROUP BY r.problem, r.plan, r.version, x.input_class, x.seed, x.width "                                         \
    "HAVING min(x.bits_digest) <> max(x.bits_digest)) f "                                                            \
    "JOIN problem q ON q.id = f.problem JOIN plan l ON l.id = f.plan;\n"

/* --- two runs --------------------------------------------------------------------------------------------------- */

/* Equal problem and plan promise equal order and bits; other numbers may move, and other plans may differ. */
#define PROMISED "x.problem = y.problem AND x.plan = y.plan"
#define JUDGED(a, b, promise)                                                                                        \
    "CASE WHEN " a " IS " b " THEN 'same' WHEN " a " IS NULL THEN 'only in B' WHEN " b " IS NULL THEN 'only in A' "  \
    "WHEN " promise " THEN 'differs' ELSE 'moved' END"
#define SCALAR(what, a, b, promise)                                                                            \
    "SELECT x.id, y.id, " what ", NULL, " a ", " b ", " JUDGED(a, b, promise) " FROM run x, run y UNION ALL "
#define DIGEST_OF(table, r) "(SELECT digest FROM " table " WHERE id = " r "." table ")"
#define WORST_OF(r) "(SELECT max(worst_ratio) FROM oracle WHERE run = " r ".id)"
#define SECONDS_OF(r) "(" r ".finished_us - " r ".started_us) / 1e6"
#define BYTES_OF(r) "(SELECT workspace_bytes FROM plan WHERE id = " r ".plan)"
#define ORDER_OF(r) "(SELECT order_digest FROM proof WHERE run = " r ".id)"
#define PROOF_OF(r) "(SELECT verdict FROM proof WHERE run = " r ".id)"

#define BITS                                                                                                         \
    "SELECT x.id, y.id, 'bits', v.input_class || ' seed ' || v.seed || ' width ' || v.width, v.bits_digest, "        \
    "w.bits_digest, " JUDGED("v.bits_digest", "w.bits_digest", PROMISED)                                             \
    " FROM run x, run y JOIN bits v ON v.run = x.id LEFT JOIN bits w ON w.run = y.id "                               \
    "AND w.input_class = v.input_class AND w.seed = v.seed AND w.width = v.width UNION ALL "                         \
    "SELECT x.id, y.id, 'bits', w.input_class || ' seed ' || w.seed || ' width ' || w.width, NULL, w.bits_digest, "  \
    "'only in B' FROM run x, run y JOIN bits w ON w.run = y.id WHERE NOT EXISTS (SELECT 1 FROM bits v "              \
    "WHERE v.run = x.id AND v.input_class = w.input_class AND v.seed = w.seed AND v.width = w.width) UNION ALL "

/* Sampled elements of the same inputs, only those that are not the same bits. */
#define ELEMENTS                                                                                                     \
    "SELECT x.id, y.id, 'element', v.input_class || ' row ' || v.row || ' column ' || v.col, "                       \
    "printf('0x%08x', v.bits), printf('0x%08x', w.bits), iif(" PROMISED ", 'differs', 'moved') "                     \
    "FROM run x, run y JOIN bits s ON s.run = x.id JOIN bits t ON t.run = y.id AND t.input_class = s.input_class "   \
    "AND t.seed = s.seed AND t.width = s.width JOIN row_bits v ON v.run = x.id AND v.input_class = s.input_class "   \
    "JOIN row_bits w ON w.run = y.id AND w.input_class = v.input_class AND w.row = v.row AND w.col = v.col "         \
    "WHERE v.bits <> w.bits UNION ALL "

/* What kernels gave, whatever build and device: the promise is the plan's.  A run with two digests is unstable. */
#define OUTPUTS_OF(run)                                                                                              \
    "(SELECT run, problem, plan, input, output, min(output_digest) AS least, max(output_digest) AS most "            \
    "FROM result GROUP BY run, problem, plan, input, output) " run
#define OUTPUTS                                                                                                      \
    "SELECT v.run, w.run, 'output', v.output || ' input ' || "                                                       \
    "(SELECT substr(digest, 1, 12) FROM input WHERE id = v.input), "                                                 \
    "v.least, w.least, CASE WHEN v.least <> v.most THEN 'unstable in A' WHEN w.least <> w.most "                     \
    "THEN 'unstable in B' WHEN v.least = w.least THEN 'same' ELSE 'differs' END "                                    \
    "FROM " OUTPUTS_OF("v") " JOIN " OUTPUTS_OF("w") " ON w.problem = v.problem AND w.plan = v.plan "                \
    "AND w.input = v.input AND w.output = v.output"

#define V_COMPARE                                                                                                    \
    VIEW("v_compare") "SELECT 0 AS a, 0 AS b, '' AS what, '' AS item, '' AS value_a, '' AS value_b, '' AS verdict "  \
    "WHERE 0 UNION ALL "                                                                                             \
    SCALAR("'problem'", DIGEST_OF("problem", "x"), DIGEST_OF("problem", "y"), "0")                               \
    SCALAR("'plan'", DIGEST_OF("plan", "x"), DIGEST_OF("plan", "y"), "0")                                        \
    SCALAR("'version'", "x.version", "y.version", "0")                                                           \
    SCALAR("'verdict'", "x.verdict", "y.verdict", PROMISED)                                                      \
    SCALAR("'proof'", PROOF_OF("x"), PROOF_OF("y"), PROMISED)                                                    \
    SCALAR("'order'", ORDER_OF("x"), ORDER_OF("y"), PROMISED)                                                    \
    BITS ELEMENTS                                                                                                    \
    SCALAR("'worst_ratio'", WORST_OF("x"), WORST_OF("y"), "0")                                                   \
    SCALAR("'workspace_bytes'", BYTES_OF("x"), BYTES_OF("y"), "0")                                               \
    SCALAR("'seconds'", SECONDS_OF("x"), SECONDS_OF("y"), "0")                                                   \
    OUTPUTS ";\n"

/* --- numbers over time ------------------------------------------------------------------------------------------ */

/* Of every metric one wants less.  Repeated samples and timings count as their lower median. */
#define OF_RUN(name, value, from)                                                                                    \
    "SELECT '" name "' AS metric, r.id AS run, r.problem, r.plan, "                                                  \
    "(SELECT y.device FROM result y WHERE y.run = r.id LIMIT 1) AS device, " value " AS value FROM run r " from      \
    " UNION ALL "
#define MEDIAN(columns, value, from, key)                                                                            \
    "SELECT " columns ", value FROM (SELECT " columns ", " value " AS value, "                                       \
    "row_number() OVER (PARTITION BY " key " ORDER BY " value ") AS rank, "                                          \
    "count(*) OVER (PARTITION BY " key ") AS n "                                                                     \
    "FROM " from ") WHERE rank = (n + 1) / 2"

#define V_METRIC                                                                                                     \
    VIEW("v_metric") "SELECT m.metric, m.run, "                                                                      \
    "strftime('%Y-%m-%dT%H:%M:%SZ', r.started_us / 1000000, 'unixepoch') AS started, q.digest AS problem, "          \
    "l.digest AS plan, coalesce(d.name, 'cpu') AS device, r.version, m.value FROM ("                                 \
    OF_RUN("seconds", "(r.finished_us - r.started_us) / 1e6", "")                                                    \
    OF_RUN("worst_ratio", "max(o.worst_ratio)", "JOIN oracle o ON o.run = r.id GROUP BY r.id")                       \
    OF_RUN("outside_bound", "sum(o.outside_bound)", "JOIN oracle o ON o.run = r.id GROUP BY r.id")                   \
    OF_RUN("not_exact", "sum(o.not_exact)", "JOIN oracle o ON o.run = r.id GROUP BY r.id")                           \
    OF_RUN("workspace_bytes", "l.workspace_bytes", "JOIN plan l ON l.id = r.plan")                                   \
    "SELECT metric, run, problem, plan, device, value FROM ("                                                        \
    MEDIAN("metric, run, problem, plan, device", "x",                                                                \
           "(SELECT s.metric, s.run, r.problem, r.plan, (SELECT y.device FROM result y WHERE y.run = r.id LIMIT 1) " \
           "AS device, s.value AS x FROM sample s JOIN run r ON r.id = s.run)", "run, metric") ") UNION ALL "        \
    MEDIAN("metric, run, problem, plan, device", "seconds",                                                          \
           "(SELECT 'kernel_seconds ' || output AS metric, run, problem, plan, device, seconds FROM result "         \
           "WHERE seconds IS NOT NULL)", "metric, run, problem, plan, device")                                       \
    ") m JOIN run r ON r.id = m.run LEFT JOIN problem q ON q.id = m.problem LEFT JOIN plan l ON l.id = m.plan "      \
    "LEFT JOIN device d ON d.id = m.device;\n"

/* The newest against all before: `up` and `down` lie more than three interquartile ranges outside their quartiles and
 * more than 1 % off their median; fewer than four before leave it undecided. */
#define V_TREND                                                                                                      \
    VIEW("v_trend") "WITH aged AS (SELECT *, "                                                                       \
    "row_number() OVER (PARTITION BY metric, problem, plan, device ORDER BY run DESC) AS age FROM v_metric), "       \
    "ranked AS (SELECT *, row_number() OVER (PARTITION BY metric, problem, plan, device ORDER BY value) AS rank, "   \
    "count(*) OVER (PARTITION BY metric, problem, plan, device) AS n FROM aged WHERE age > 1), "                     \
    "before AS (SELECT metric, problem, plan, device, max(n) AS n, "                                                 \
    "max(iif(rank = (n + 3) / 4, value, NULL)) AS q1, "                                                              \
    "max(iif(rank = (n + 1) / 2, value, NULL)) AS median, max(iif(rank = n + 1 - (n + 3) / 4, value, NULL)) AS q3 "  \
    "FROM ranked GROUP BY metric, problem, plan, device) "                                                           \
    "SELECT a.metric, CASE WHEN coalesce(b.n, 0) < 4 THEN 'undecided' "                                              \
    "WHEN a.value > b.q3 + 3 * (b.q3 - b.q1) AND a.value - b.median > abs(b.median) / 100 THEN 'up' "                \
    "WHEN a.value < b.q1 - 3 * (b.q3 - b.q1) AND b.median - a.value > abs(b.median) / 100 THEN 'down' "              \
    "ELSE 'same' END AS verdict, coalesce(b.n, 0) AS runs_before, b.q1, b.median, b.q3, a.value AS last, a.run, "    \
    "a.started, a.device, a.problem, a.plan "                                                                        \
    "FROM aged a LEFT JOIN before b ON b.metric = a.metric AND b.problem IS a.problem AND b.plan IS a.plan "         \
    "AND b.device = a.device WHERE a.age = 1;\n"

#define V_CORPUS                                                                                                     \
    VIEW("v_corpus") "SELECT digest, name, expected, provenance, length(body) AS bytes, "                            \
    "strftime('%Y-%m-%dT%H:%M:%SZ', added_us / 1000000, 'unixepoch') AS added FROM corpus;\n"

const char ordo_store_views[] = V_RUN V_OUTPUT V_FLIP V_COMPARE V_METRIC V_TREND V_CORPUS;
