/* store.h - the results database: what was checked, when, with which verdict and which bits.
 *
 * One SQLite file (WAL, synchronous=FULL), to be read with any SQLite tool; schema.h documents its tables and views,
 * which are API.  A run is stored whole, in one transaction, or not at all, and its id is handed out only after
 * the commit: a writer that is killed loses nothing that it reported as stored.
 *
 * Status everywhere: ORDO_BAD_INPUT for a file that is missing (reading), no database, not ours, damaged or newer
 * than this program; ORDO_ENVIRONMENT for a full disk, missing rights, an I/O error, a long-held lock, no memory. */
#ifndef ORDO_STORE_STORE_H
#define ORDO_STORE_STORE_H

#include "base/digest.h"
#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ordo_store; /* opaque: an open database */

enum ordo_store_mode {
    ORDO_STORE_READ, /* the file must exist; nothing in it changes */
    ORDO_STORE_WRITE /* made when missing or empty */
};

enum ordo_status ordo_store_open(const char *path, enum ordo_store_mode mode, struct ordo_store **out,
                                 struct ordo_err *err);
/* Opening an older file for writing upgrades it, after a whole copy of it was made beside it.  The copy's name, and
 * the version that it has; NULL when there was nothing to upgrade. */
const char *ordo_store_backup(const struct ordo_store *store, int *version);
/* Harmless on NULL. */
void ordo_store_close(struct ordo_store *store);

/* --- writing: plain structs, one field a column.  Texts are the caller's; NULL is stored as "not measured" ------ */

struct ordo_store_problem {
    struct ordo_digest digest;
    int32_t n_query, topk, n_kv;
    uint64_t live;            /* live slots */
    int32_t dead_queries;     /* queries without one */
    uint64_t duplicates;      /* live slots that repeat an id of their query */
    int32_t duplicate_queries;
};

struct ordo_store_plan {
    struct ordo_digest digest;
    const char *text; /* the canonical text that the digest is of */
    const char *design, *target;
    int32_t wave, cluster, planes, head_blocks, waves;
    uint64_t workspace_bytes, private_workspace_bytes;
};

struct ordo_store_proof {
    const char *verdict;
    const char *ordering, *deadlock, *race; /* the three claims, each with its own verdict */
    const char *assumption;                 /* weakest scheduler that suffices */
    const char *engines;                    /* who spoke, comma-separated */
    uint64_t updates, row_count, accumulators;
    const struct ordo_digest *order; /* NULL without a proved order */
};

/* Reference bits of one input class. */
struct ordo_store_bits {
    const char *input_class;
    uint64_t seed;
    int32_t width;
    struct ordo_digest digest;
};

/* What the oracle said of one input class. */
struct ordo_store_oracle {
    const char *input_class;
    uint64_t rows, columns, terms;
    uint64_t sampled; /* sums done once more with MPFR */
    uint64_t outside_bound, not_exact, mpfr_disagreements;
    double worst_ratio; /* error / bound; what is not a number is stored as infinity, never as "not measured" */
};

/* One sampled output element. */
struct ordo_store_value {
    const char *input_class;
    int32_t row, column;
    uint32_t bits;
};

/* What a kernel was compiled to. */
struct ordo_store_build {
    struct ordo_digest digest;       /* of its sources and flags */
    const struct ordo_digest *cubin; /* NULL: not known */
    const char *toolkit, *flags;     /* "CUDA 13.0"; NULL: not known */
};

/* What it ran on; named by the digest of these texts. */
struct ordo_store_device {
    const char *name;                /* "NVIDIA H200" */
    const char *arch, *uuid, *driver; /* "sm_90"; NULL: not known */
};

/* The values that it read. */
struct ordo_store_input {
    struct ordo_digest digest;
    const char *text; /* how they were made, or NULL */
};

/* One output tensor of one execution.  Results that share a pointer to a part share its row. */
struct ordo_store_result {
    const struct ordo_store_problem *problem;
    const struct ordo_store_plan *plan;
    const struct ordo_store_build *build;
    const struct ordo_store_device *device;
    const struct ordo_store_input *input;
    const char *output; /* "dq", "dkv", "dsink", ... */
    struct ordo_digest digest;
    const char *verdict;
    double seconds; /* NaN: not measured */
};

/* Any other number; the repetitions of a metric count from 0.  NaN is stored as infinity. */
struct ordo_store_sample {
    const char *metric;
    int64_t rep;
    double value;
};

struct ordo_store_run {
    int64_t started_us, finished_us; /* since 1970, UTC */
    const char *verb, *argv, *version;
    const char *input;   /* the file as named, or NULL */
    const char *verdict; /* "clean", "finding", ... */
    const char *finding; /* one sentence, NULL when there is none */
    /* Each may be NULL: not known, not run. */
    const struct ordo_store_problem *problem;
    const struct ordo_store_plan *plan;
    const struct ordo_store_proof *proof;
    size_t n_bits, n_oracle, n_value;
    const struct ordo_store_bits *bits;
    const struct ordo_store_oracle *oracle;
    const struct ordo_store_value *value;
    size_t n_result, n_sample;
    const struct ordo_store_result *result; /* no part of one is NULL */
    const struct ordo_store_sample *sample;
};

/* Stores run and sets *run_id (> 0), which is never used again for another run.  On failure the database is as before
 * and *run_id is 0.  A count above 2^63-1 is ORDO_BAD_INPUT. */
enum ordo_status ordo_store_add_run(struct ordo_store *store, const struct ordo_store_run *run, int64_t *run_id,
                                    struct ordo_err *err);

/* All that is stored in between is stored whole, or not at all: ordo_store_end commits if status is ORDO_OK, and
 * returns the first status that is not.  An ordo_store_add_run in between that fails undoes only itself. */
enum ordo_status ordo_store_begin(struct ordo_store *store, struct ordo_err *err);
enum ordo_status ordo_store_end(struct ordo_store *store, enum ordo_status status, struct ordo_err *err);

/* A case of the corpus: bytes that nobody here reads, named by who knows what they say. */
struct ordo_store_case {
    const char *name;                  /* of its file */
    const char *expected, *provenance; /* the right verdict; where it comes from; may be NULL */
    int64_t added_us;
    const void *body;
    size_t size;
    const struct ordo_digest *digest; /* its name; NULL for the digest of the bytes */
};

enum ordo_store_added {
    ORDO_STORE_THERE, /* already, the same bytes */
    ORDO_STORE_ADDED,
    ORDO_STORE_OTHERWISE /* there is one of this name already, whose bytes differ; it stays */
};

/* hex: room for ORDO_DIGEST_HEX, the name under which the corpus has it.  If it was there, a verdict is added where
 * it had none, and ORDO_BAD_INPUT says that it has another. */
enum ordo_status ordo_store_add_case(struct ordo_store *store, const struct ordo_store_case *c, char *hex,
                                     enum ordo_store_added *added, struct ordo_err *err);

/* --- reading: rows of cells, streamed --------------------------------------------------------------------------- */

enum ordo_store_type { ORDO_STORE_NULL, ORDO_STORE_INT, ORDO_STORE_REAL, ORDO_STORE_TEXT, ORDO_STORE_BLOB };

struct ordo_store_cell {
    enum ordo_store_type type;
    int64_t integer;
    double real;
    const char *text; /* TEXT and BLOB: size bytes, then a zero */
    size_t size;
};

/* Receives rows; all pointers die with the call.  `columns` comes once before the rows of a table, also when there
 * are none.  A non-zero result ends the reading, which then returns ORDO_OK. */
struct ordo_store_sink {
    int (*columns)(void *ctx, const char *table, int n, const char *const *name);
    int (*row)(void *ctx, int n, const struct ordo_store_cell *cell);
    void *ctx;
};

/* Zero and NULL mean "all". */
struct ordo_store_filter {
    const char *verdict, *design;
    const char *problem, *plan; /* how the digest starts */
    int64_t since_us, until_us; /* started at or after the one, before the other */
    int64_t limit;
    const char *metric; /* trend */
    int64_t a, b;       /* compare: two runs */
};

enum ordo_store_question {
    ORDO_STORE_RUNS,         /* v_run, the newest first: verdict, design, problem, plan, time, limit */
    ORDO_STORE_RUNS_UPWARDS, /* the oldest first */
    ORDO_STORE_RUN_IDS,      /* their ids only */
    ORDO_STORE_FLIPS,        /* v_flip: problem, plan */
    ORDO_STORE_COMPARE,      /* v_compare: a, b */
    ORDO_STORE_TREND,        /* v_trend, what went up first: metric, problem, plan */
    ORDO_STORE_METRICS,      /* the metrics that there are */
    ORDO_STORE_DESIGNS,      /* the designs and */
    ORDO_STORE_VERDICTS,     /* verdicts that runs have */
    ORDO_STORE_CASES,        /* v_corpus */
    ORDO_STORE_CASE_BYTES,   /* with the bytes */
    ORDO_STORE_PROBLEMS,     /* tables, for an export */
    ORDO_STORE_PLANS,
    ORDO_STORE_BUILDS,
    ORDO_STORE_DEVICES,
    ORDO_STORE_INPUTS,
    ORDO_STORE_N_QUESTIONS
};

enum ordo_status ordo_store_ask(struct ordo_store *store, enum ordo_store_question question,
                                const struct ordo_store_filter *filter, const struct ordo_store_sink *sink,
                                struct ordo_err *err);

/* ORDO_BAD_INPUT when there is no such run. */
enum ordo_status ordo_store_exists(struct ordo_store *store, int64_t run_id, struct ordo_err *err);

/* All that is known of a run, as tables run, problem, plan, proof, bits, oracle, row_bits, result,
 * sample.  ORDO_BAD_INPUT when there
 * is no such run. */
enum ordo_status ordo_store_show(struct ordo_store *store, int64_t run_id, const struct ordo_store_sink *sink,
                                 struct ordo_err *err);

/* One statement of the user's that only reads; anything else is ORDO_USAGE, and so is a mistake in it. */
enum ordo_status ordo_store_sql(struct ordo_store *store, const char *sql, const struct ordo_store_sink *sink,
                                struct ordo_err *err);

/* Everything that can be checked: SQLite's own integrity check, references, digests made again (plans, devices,
 * cases, the content of runs).  Each thing found is a row (check, what, says) and counted in *found.  A case may be
 * named by its bytes, or as name_case says, which may be NULL. */
enum ordo_status ordo_store_verify(struct ordo_store *store,
                                   struct ordo_digest (*name_case)(const void *body, size_t size),
                                   const struct ordo_store_sink *sink, uint64_t *found,
                                   uint64_t *digests_made, struct ordo_err *err);

/* --- rows that come back from an export, inside a batch --------------------------------------------------------- */

/* Stores one row of a table by column names.  problem, plan, build, device and input come before what names them by
 * digest; "run" sets *id, with which its parts (proof, bits, ...) follow; elsewhere run_id is 0.  A row that is there
 * is left alone.  ORDO_BAD_INPUT for what does not fit. */
enum ordo_status ordo_store_put(struct ordo_store *store, const char *table, int64_t run_id, int n,
                                const char *const *name, const struct ordo_store_cell *cell, int64_t *id,
                                struct ordo_err *err);
/* After the last part: computes the run's digest, which must be `content` (unless that is NULL), and takes the run
 * out again if another one says the same (*known). */
enum ordo_status ordo_store_put_end(struct ordo_store *store, int64_t run_id, const char *content, bool *known,
                                    struct ordo_err *err);

/* Microseconds since 1970, UTC. */
int64_t ordo_store_now_us(void);

/* Version of the SQLite library. */
const char *ordo_store_library(void);

#endif
