/* case.h - a case: a small problem, its plan, its values and its schedule in one text file that replays in one line.
 *
 *     ordo-case/1
 *     # a comment; blank lines are skipped
 *     report D5
 *     link https://...
 *     expect proved
 *     design cluster-relay
 *     cluster 8
 *     wave 8
 *     heads 64
 *     values rough 7
 *     schedule 12
 *     kv 4
 *     length 2 -1
 *     rows
 *     0 3
 *     . 2147480000
 *
 * `name value` lines in any order, each at most once; then `rows` and one query a line, as corpus/text.h reads them.
 * `queries N` and `topk N` stand for rows where there are none; with `virtual` these are extents only: the plan is
 * made, nothing runs.  What is left out is 0, the policy's, or absent.  Written back, a case is the same bytes on
 * every machine; its digest, over all but report, link, note and expectations, is its name.
 *
 * A case that says what the outputs of attention must be is run through the attention twin too (fuzz/outputs.h):
 *
 *     outputs finite dq=0 dkv[0]=5.90295810e+20
 *     dqk 512
 *     dv 512
 *     fill q 16 kv -1 do 1.1529215e+18
 *
 * Left out, Dqk is 576 and Dv 512, a tensor is seeded from `values`, o and lse are the twin's own forward, and scale
 * is 1/sqrt(Dqk). */
#ifndef ORDO_CORPUS_CASE_H
#define ORDO_CORPUS_CASE_H

#include "corpus/problem.h"

#include <stdbool.h>

#define ORDO_CASE_MAGIC "ordo-case/1"
enum { ORDO_CASE_TEXT = 200, ORDO_CASE_RULE = 64 };
/* At most: bytes of the text, and slots or lengths in it. */
enum { ORDO_CASE_BYTES = 1 << 24, ORDO_CASE_SLOTS = 1 << 19 };

/* X(name): what the right outcome may promise beyond its verdict, each an unsigned number, UINT64_MAX for unsaid. */
#define ORDO_CASE_NUMBERS(X)                                                                                         \
    X(updates) X(touched) X(waits) X(duplicates) X(dead_queries) X(workspace) X(mask_words) X(planes)

/* X(id, name): tensors that may have one value everywhere. */
#define ORDO_CASE_FILLS(X)                                                                                           \
    X(Q, "q") X(KV, "kv") X(DO, "do") X(SINK, "sink") X(O, "o") X(LSE, "lse") X(SCALE, "scale")
enum ordo_case_fill {
#define ORDO_X(id, name) ORDO_FILL_##id,
    ORDO_CASE_FILLS(ORDO_X)
#undef ORDO_X
        ORDO_FILLS
};

struct ordo_case {
    struct ordo_problem problem; /* owned */
    bool is_virtual;
    char design[24]; /* "" for the policy's */
    int32_t cluster, wave; /* 0 for the policy's */
    int32_t heads;
    int32_t d_qk, d_v; /* 0 for 576 and 512 */
    uint32_t filled;   /* one bit each of ordo_case_fill */
    float fill[ORDO_FILLS];
    bool rough;
    uint64_t value_seed, schedule_seed;
    /* --- about it, not part of its name --- */
    char report[ORDO_CASE_TEXT], link[ORDO_CASE_TEXT], note[ORDO_CASE_TEXT];
    char outputs[ORDO_CASE_TEXT]; /* claims, as fuzz/outputs.h reads them; "" if unsaid */
    char expect[ORDO_CASE_RULE]; /* "proved", "refused", "planned" or a finding's signature; "" if unsaid */
#define ORDO_X(name) uint64_t name;
    ORDO_CASE_NUMBERS(ORDO_X)
#undef ORDO_X
};

/* Empty: 64 heads, nothing said. */
void ordo_case_init(struct ordo_case *c);
void ordo_case_free(struct ordo_case *c);
/* A copy that owns its arrays; a query's worth of zeros stands behind the ids, so that code at fault which reads a
 * query too far does so alike each time.  ORDO_ENVIRONMENT without memory; *to is then empty. */
enum ordo_status ordo_case_copy(const struct ordo_case *from, struct ordo_case *to, struct ordo_err *err);

/* Reads the file at path, or n bytes named by path.  ORDO_BAD_INPUT names the line.  On failure *c is empty. */
enum ordo_status ordo_case_read(const char *path, struct ordo_case *c, struct ordo_err *err);
enum ordo_status ordo_case_parse(const char *path, const char *text, size_t n, struct ordo_case *c,
                                 struct ordo_err *err);

/* Canonical text, malloc'd; NULL without memory.  bare: without what is not part of the name. */
char *ordo_case_print(const struct ordo_case *c, bool bare);
/* BLAKE2b-256 of the bare text. */
enum ordo_status ordo_case_digest(const struct ordo_case *c, struct ordo_digest *digest, struct ordo_err *err);
/* Writes it whole or not at all to path. */
enum ordo_status ordo_case_write(const char *path, const struct ordo_case *c, struct ordo_err *err);

#endif
