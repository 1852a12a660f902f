/* bench_cert.c - `ordo bench cert`: how long a certificate of production size takes to check, from files on disk. */
#include "base/clock.h"
#include "cert/cert.h"
#include "cli/bench.h"
#include "cli/cert_write.h"
#include "cli/out.h"
#include "cli/scratch.h"
#include "corpus/reader.h"

#include <inttypes.h>
#include <stdio.h>

enum { ROUNDS = 3 };

struct bench_cert {
    struct ordo_scratch scratch;
    char tensor[224], cert[224];
    int32_t cluster;
    double prove, verify; /* seconds, the fastest of the rounds */
    struct ordo_cert_verdict verdict;
};

static enum ordo_status prove(const struct ordo_problem *p, struct bench_cert *b, struct ordo_err *err)
{
    struct ordo_request request = {p->n_query, p->n_kv, p->topk, 64, 576, 512, ORDO_TARGET_SM100, NULL,
                                   b->cluster, 0};
    struct ordo_plan plan;
    struct ordo_proof proof = {0};
    enum ordo_status status = ordo_plan_make(&request, &plan, err);
    double start;

    for (int i = 0; i < ROUNDS && status == ORDO_OK; i++) {
        ordo_proof_free(&proof);
        start = ordo_seconds();
        status = ordo_prove(&plan, p, &proof, err);
        start = ordo_seconds() - start;
        b->prove = i == 0 || start < b->prove ? start : b->prove;
    }
    if (status == ORDO_OK && proof.verdict == ORDO_PROVED)
        status = ordo_cert_write_tensor(b->cert, NULL, p, &plan, &proof, err);
    ordo_proof_free(&proof);
    return status;
}

static enum ordo_status verify_once(struct bench_cert *b, int32_t n_kv, struct ordo_err *err)
{
    const struct ordo_source source = {.path = b->tensor};
    struct ordo_problem p = {0};
    struct ordo_sealed c = {0};
    enum ordo_status status = ordo_read_problem(&source, &p, err);

    p.n_kv = n_kv;
    if (status == ORDO_OK)
        status = ordo_sealed_read(b->cert, ORDO_CERT_SCHEMA, &c, err);
    if (status == ORDO_OK)
        status = ordo_cert_verify(&c, &p, &b->verdict, err);
    ordo_sealed_free(&c);
    ordo_problem_free(&p);
    return status;
}

static enum ordo_status verify(struct bench_cert *b, int32_t n_kv, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;
    double start;

    for (int i = 0; i < ROUNDS && status == ORDO_OK; i++) {
        start = ordo_seconds();
        status = verify_once(b, n_kv, err);
        start = ordo_seconds() - start;
        b->verify = i == 0 || start < b->verify ? start : b->verify;
    }
    return status;
}

static void say(const struct ordo_args *args, const struct bench_cert *b)
{
    bool valid = b->verdict.why == ORDO_CERT_NONE;
    const char *verdict = valid ? "valid" : ordo_cert_reason[b->verdict.why].name;
    json_t *o;

    if (!args->json) {
        printf("certificate    C=%-2" PRId32 " %s  %" PRIu64 " updates  read and checked in %.2f s (the proof alone "
               "%.2f s, %.2f x)\n",
               b->cluster, verdict, b->verdict.updates, b->verify, b->prove, b->verify / b->prove);
        return;
    }
    o = ordo_json_new("ordo.bench/1");
    ordo_json_text(o, "bench", "cert");
    ordo_json_int(o, "cluster", b->cluster);
    ordo_json_text(o, "verdict", verdict);
    ordo_json_u64(o, "updates", b->verdict.updates);
    ordo_json_real(o, "verify_seconds", b->verify);
    ordo_json_real(o, "prove_seconds", b->prove);
    ordo_json_real(o, "verify_over_prove", b->verify / b->prove);
    ordo_out_json(o);
}

enum ordo_status ordo_bench_cert(const struct ordo_args *args, struct ordo_err *err)
{
    static const int32_t clusters[] = {4, 8, 16};
    struct bench_cert b = {.prove = 0};
    struct ordo_problem p = {0};
    enum ordo_status status = ordo_scratch_make("bench", &b.scratch, err);

    (void)snprintf(b.tensor, sizeof b.tensor, "%s/tensor.npy", b.scratch.folder);
    (void)snprintf(b.cert, sizeof b.cert, "%s/proof.cert", b.scratch.folder);
    if (status == ORDO_OK)
        status = ordo_bench_problem(args, &p, err);
    if (status == ORDO_OK)
        status = ordo_write_npy(b.tensor, &p, err);
    for (size_t i = 0; i < sizeof clusters / sizeof *clusters && status == ORDO_OK; i++) {
        b.cluster = clusters[i];
        status = prove(&p, &b, err);
        if (status == ORDO_OK)
            status = verify(&b, p.n_kv, err);
        if (status == ORDO_OK)
            say(args, &b);
    }
    ordo_problem_free(&p);
    ordo_scratch_end(&b.scratch);
    return status;
}
