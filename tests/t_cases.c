/* t_cases.c - the seeds of corpus/cases, each by name: the shipped code gives what the case promises, the file is
 * canonical, and its name ends with the first 16 digits of its digest.  Where it claims outputs of attention, the
 * twin makes them, and each lies inside its bound of the formulas in fp64. */
#include "fuzz/campaign.h"
#include "fuzz/outputs.h"
#include "ref/fp.h"
#include "tests/attention64.h"

#include "tests/test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[512];

static char *slurp(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);

    assert_non_null(f);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, f) > 0);
    (void)fclose(f);
    return text;
}

/* --- against fp64 ----------------------------------------------------------------------------------------------- */

static double *widen(const uint16_t *bf16, const float *fp32, size_t n)
{
    double *x = calloc(n + 1, sizeof *x);

    assert_non_null(x);
    for (size_t i = 0; i < n; i++)
        x[i] = bf16 ? attention64_bf16(bf16[i]) : (double)fp32[i];
    return x;
}

static void near(const char *name, const struct number64 *a, const uint16_t *bf16, const float *fp32)
{
    for (size_t i = 0; i < a->n; i++) {
        double got = bf16 ? attention64_bf16(bf16[i]) : (double)fp32[i];

        if (!attention64_holds(a, i, got))
            fail_msg("%s[%zu] is %.9g, should be %.9g +- %.3g", name, i, got, a->value[i], a->bound[i]);
    }
}

/* A given forward has no fp64 to be held against. */
static void outputs_near_fp64(const struct ordo_case *c, const struct ordo_plan *plan)
{
    const struct ordo_request *r = &plan->request;
    size_t rows = (size_t)r->n_query * (size_t)r->n_head, d_qk = (size_t)r->d_qk, d_v = (size_t)r->d_v;
    struct ordo_outputs x = {.o = NULL};
    struct ordo_err err = {0};
    struct attention64 a;

    if (!c->outputs[0] || c->filled >> ORDO_FILL_LSE & 1)
        return;
    assert_ok(ordo_outputs_make(c, plan, &x, &err), err);
    double *q = widen(x.a.in.q, NULL, rows * d_qk), *kv = widen(x.a.in.kv, NULL, (size_t)r->n_kv * d_qk);
    double *dout = widen(x.a.in.dout, NULL, rows * d_v), *sink = widen(NULL, x.a.in.sink, (size_t)r->n_head);
    const struct attention64_in in = {r->n_query, r->n_kv, r->n_head, r->topk, r->d_qk, r->d_v,
                                      (double)x.a.in.scale, q, kv, dout, sink, c->problem.idx, c->problem.length};

    attention64(&in, &a);
    near("o", &a.o, x.out.o, NULL);
    near("lse", &a.lse, NULL, x.out.lse);
    near("delta", &a.delta, NULL, x.out.delta);
    near("dq", &a.dq, x.out.dq, NULL);
    near("dkv", &a.dkv, x.out.dkv, NULL);
    near("dsink", &a.dsink, NULL, x.out.dsink);
    attention64_free(&a);
    free(q), free(kv), free(dout), free(sink);
    ordo_outputs_free(&x);
}

/* --- by name ---------------------------------------------------------------------------------------------------- */

static void one(void **state)
{
    const char *name = *state;
    char path[1024], broken[200], hex[ORDO_DIGEST_HEX], *text, *printed;
    struct ordo_trial_result r = {.verdict = ORDO_REFUSED};
    struct ordo_err err = {0};
    struct ordo_digest digest;
    struct ordo_case c;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_ok(ordo_case_read(path, &c, &err), err);
    assert_true(c.expect[0] && c.link[0] && c.report[0] && c.note[0]);
    assert_ok(ordo_replay_case(&c, &r, &err), err);
    assert_string_equal(r.finding.signature, "");
    if (ordo_trial_breaks_promise(&c, &r, broken, sizeof broken))
        fail_msg("%s: %s", name, broken);
    outputs_near_fp64(&c, &r.plan);
    assert_ok(ordo_case_digest(&c, &digest, &err), err);
    assert_non_null(strrchr(name, '-'));
    assert_memory_equal(strrchr(name, '-') + 1, ordo_digest_hex(&digest, hex), 16);
    text = slurp(path);
    printed = ordo_case_print(&c, false);
    assert_string_equal(text, printed);
    free(text);
    free(printed);
    ordo_case_free(&c);
}

static int is_case(const struct dirent *e)
{
    size_t n = strlen(e->d_name);

    return n > 5 && strcmp(e->d_name + n - 5, ".case") == 0;
}

int main(void)
{
    const char *srcdir = getenv("srcdir");
    struct dirent **entry;
    struct CMUnitTest *test;
    int n, failed;

    (void)snprintf(folder, sizeof folder, "%s/corpus/cases", srcdir ? srcdir : ".");
    n = scandir(folder, &entry, is_case, alphasort);
    test = calloc(n > 0 ? (size_t)n : 1, sizeof *test);
    if (n <= 0 || !test) {
        fprintf(stderr, "%s: no cases\n", folder);
        return 1;
    }
    for (int i = 0; i < n; i++)
        test[i] = (struct CMUnitTest){entry[i]->d_name, one, NULL, NULL, entry[i]->d_name};
    failed = _cmocka_run_group_tests("cases", test, (size_t)n, NULL, NULL);
    for (int i = 0; i < n; i++)
        free(entry[i]);
    free(entry);
    free(test);
    return failed;
}
