/* cert_forge.h - certificates made by hand for the tests: honest ones, and forged ones with a right seal.
 *
 * Shares nothing with the writer (cli/cert_write.c): the mask digest and the events are made the slow way. */
#ifndef ORDO_TESTS_CERT_FORGE_H
#define ORDO_TESTS_CERT_FORGE_H

#include "base/seal.h"
#include "base/varint.h"
#include "cert/cert.h"
#include "sim/design.h"
#include "sim/prove.h"
#include "tests/naive.h"

#include <string.h>
#include <unistd.h>

struct forged {
    struct ordo_problem p;
    struct ordo_plan plan;
    json_t *header;
    uint8_t payload[1 << 16];
    size_t n_payload;
};

static char cert_path[64];

NAIVE void put_digest(json_t *o, const char *key, const struct ordo_digest *d)
{
    char hex[ORDO_DIGEST_HEX];

    assert_int_equal(json_object_set_new(o, key, json_string(ordo_digest_hex(d, hex))), 0);
}

/* From the sorted additions: row, plane, wave, head block, rank. */
NAIVE struct ordo_digest naive_mask(const struct ordo_plan *plan, const struct ordo_problem *p)
{
    struct naive_order o = {0};
    struct ordo_hasher h;
    struct ordo_digest d;

    naive_fill(plan, p, &o);
    ordo_hasher_init(&h);
    ordo_hasher_u32(&h, (uint32_t)plan->cluster);
    for (size_t i = 0; i < o.n;) {
        const struct naive_add *a = &o.add[i];
        uint32_t bits = 0;
        int64_t group;

        if (i == 0 || a->row != a[-1].row) {
            ordo_hasher_u32(&h, 0xFFFFFFFE);
            ordo_hasher_u32(&h, (uint32_t)a->row);
        }
        for (; i < o.n && o.add[i].row == a->row && o.add[i].plane == a->plane && o.add[i].wave == a->wave; i++)
            bits |= 1u << o.add[i].rank;
        group = a->plane * (int64_t)plan->waves + a->wave;
        if ((int64_t)plan->planes * plan->waves < 65536) {
            ordo_hasher_u32(&h, (uint32_t)(group * 65536 + bits));
        } else {
            ordo_hasher_u32(&h, (uint32_t)group);
            ordo_hasher_u32(&h, bits);
        }
    }
    d = ordo_hasher_done(&h);
    free(o.add);
    return d;
}

/* The plan's text is the header's "plan"; its digest follows. */
NAIVE void set_plan_text(json_t *header, const char *text)
{
    struct ordo_hasher h;
    struct ordo_digest d;

    ordo_hasher_init(&h);
    ordo_hasher_text(&h, text);
    d = ordo_hasher_done(&h);
    assert_int_equal(json_object_set_new(header, "plan", json_string(text)), 0);
    put_digest(header, "plan_digest", &d);
}

NAIVE void set_plan(json_t *header, const struct ordo_plan *plan)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);

    assert_non_null(out);
    ordo_plan_print(plan, out);
    assert_int_equal(fclose(out), 0);
    set_plan_text(header, text);
    free(text);
}

NAIVE json_t *common_header(const char *kind, const char *scheduler, json_t *claims)
{
    struct ordo_digest protocol = ordo_digest_texts(ordo_cert_protocol_text);
    json_t *o = json_pack("{s:s, s:s, s:s, s:o, s:[s,s], s:[{s:s, s:s, s:s, s:i}]}", "schema", ORDO_CERT_SCHEMA,
                          "kind", kind, "scheduler", scheduler, "claims", claims, "assumptions", ORDO_CERT_MEMORY,
                          ORDO_CERT_AXIOMS, "facts", "engine", "E1", "claim", "one", "verdict", "holds", "n", 7);

    assert_non_null(o);
    put_digest(o, "protocol_digest", &protocol);
    return o;
}

/* Claims, problem and digests of the problem as it is, duplicates and all. */
NAIVE void make_header(struct forged *f)
{
    struct naive_order o = naive_order(&f->plan, &f->p);
    struct ordo_digest mask = naive_mask(&f->plan, &f->p), problem = ordo_problem_digest(&f->p);
    char scheduler[24] = "unfair";
    json_t *about = json_pack("{s:i, s:i, s:i}", "q", f->p.n_query, "kv", f->p.n_kv, "topk", f->p.topk);

    if (f->plan.cluster > 1 && o.waits)
        (void)snprintf(scheduler, sizeof scheduler, "cluster=%d", (int)f->plan.cluster);
    f->header = common_header("tensor", scheduler,
                              json_pack("{s:s, s:s, s:s, s:I, s:I, s:I}", "ordering", "total", "deadlock", "free",
                                        "race", "none", "updates", (json_int_t)o.n, "rows", (json_int_t)o.rows,
                                        "waits", (json_int_t)(f->plan.cluster > 1 ? o.waits : 0)));
    put_digest(about, "digest", &problem);
    assert_int_equal(json_object_set_new(f->header, "problem", about), 0);
    set_plan(f->header, &f->plan);
    if (f->plan.cluster > 1)
        put_digest(f->header, "mask_digest", &mask);
    put_digest(f->header, "order_digest", &o.digest);
    assert_int_equal(json_object_set_new(f->header, "schedule", json_string("rank-major")), 0);
    assert_int_equal(json_object_set_new(f->header, "payload", json_integer(0)), 0);
    free(o.add);
}

/* A problem of Top-K `topk` over n_kv rows; cluster 1: private shards. */
NAIVE struct forged *forged(int32_t n_query, int32_t topk, int32_t n_kv, int32_t cluster, int32_t wave,
                            int32_t n_head)
{
    struct forged *f = calloc(1, sizeof *f);
    struct ordo_request request;
    struct ordo_err err = {0};

    assert_non_null(f);
    f->p = random_problem((uint64_t)n_query * 31 + (uint64_t)cluster, n_query, topk, n_kv, 5);
    request = request_of(&f->p);
    request.design = cluster == 1 ? &ordo_design_private_shards : NULL;
    request.cluster = cluster == 1 ? 0 : cluster;
    request.wave = wave;
    request.n_head = n_head;
    assert_ok(ordo_plan_make(&request, &f->plan, &err), err);
    make_header(f);
    return f;
}

NAIVE void forged_free(struct forged *f)
{
    json_decref(f->header);
    ordo_problem_free(&f->p);
    free(f);
}

/* --- events ----------------------------------------------------------------------------------------------------- */

struct event {
    int64_t rank, row;
    int launch;
};

NAIVE void put_events(struct forged *f, const struct event *e, size_t n)
{
    int64_t rank = 0;

    f->n_payload = 0;
    for (size_t i = 0; i < n; rank = e[i++].rank) {
        rank = i && e[i].launch != e[i - 1].launch ? 0 : rank;
        f->n_payload += (size_t)ordo_varint_put(ordo_zigzag(e[i].rank - rank), f->payload + f->n_payload);
        f->n_payload += (size_t)ordo_varint_put((uint64_t)e[i].row, f->payload + f->n_payload);
    }
    assert_int_equal(json_object_set_new(f->header, "schedule", json_string("events")), 0);
    assert_int_equal(json_object_set_new(f->header, "payload", json_integer((json_int_t)f->n_payload)), 0);
}

/* --- files ------------------------------------------------------------------------------------------------------ */

/* To a fresh file, which judge removes. */
NAIVE void write_bytes(const uint8_t *bytes, size_t n)
{
    int fd;
    FILE *out;

    (void)snprintf(cert_path, sizeof cert_path, "./t_cert-XXXXXX");
    fd = mkstemp(cert_path);
    assert_true(fd >= 0);
    out = fdopen(fd, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, n, out), n);
    assert_int_equal(fclose(out), 0);
}

/* The file's bytes, to be freed. */
NAIVE uint8_t *sealed(const json_t *header, const uint8_t *payload, size_t n_payload, size_t *n)
{
    char *text = json_dumps(header, JSON_COMPACT);
    uint8_t *bytes;

    assert_non_null(text);
    *n = strlen(text);
    bytes = malloc(*n + 1 + n_payload + ORDO_SEAL_BYTES + 1);
    assert_non_null(bytes);
    memcpy(bytes, text, *n);
    bytes[(*n)++] = '\n';
    if (n_payload)
        memcpy(bytes + *n, payload, n_payload);
    *n += n_payload;
    ordo_seal_line(bytes, *n, (char *)bytes + *n);
    *n += ORDO_SEAL_BYTES;
    free(text);
    return bytes;
}

/* What the verifier says of the file at cert_path about p. */
NAIVE enum ordo_status judge(const struct ordo_problem *p, struct ordo_cert_verdict *v, struct ordo_err *err)
{
    struct ordo_sealed c;
    enum ordo_status status = ordo_sealed_read(cert_path, ORDO_CERT_SCHEMA, &c, err);

    if (status == ORDO_OK)
        status = ordo_cert_verify(&c, p, v, err);
    ordo_sealed_free(&c);
    (void)unlink(cert_path);
    return status;
}

NAIVE enum ordo_status judge_forged(const struct forged *f, struct ordo_cert_verdict *v, struct ordo_err *err)
{
    size_t n;
    uint8_t *bytes = sealed(f->header, f->payload, f->n_payload, &n);

    write_bytes(bytes, n);
    free(bytes);
    return judge(&f->p, v, err);
}

#define assert_verdict(f, wanted)                                                                                    \
    do {                                                                                                             \
        struct ordo_cert_verdict v_;                                                                                 \
        struct ordo_err e_ = {0};                                                                                    \
        assert_ok(judge_forged(f, &v_, &e_), e_);                                                                    \
        if (v_.why != (wanted))                                                                                      \
            fail_msg("%s (%s), not %s", ordo_cert_reason[v_.why].name, v_.what, ordo_cert_reason[wanted].name);    \
    } while (0)

#define assert_unreadable(f, wanted)                                                                                 \
    do {                                                                                                             \
        struct ordo_cert_verdict v_;                                                                                 \
        struct ordo_err e_ = {0};                                                                                    \
        assert_int_equal(judge_forged(f, &v_, &e_), ORDO_BAD_INPUT);                                                 \
        assert_string_equal(e_.field, wanted);                                                                       \
    } while (0)

#endif
