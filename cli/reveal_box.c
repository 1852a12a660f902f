/* reveal_box.c - what `ordo reveal` asks: the attention twin, or a program that reads and writes .npz. */
#include "base/clock.h"
#include "base/parallel.h"
#include "base/size.h"
#include "cli/command.h"
#include "cli/reveal.h"
#include "corpus/npz_tensor.h"
#include "corpus/npz_write.h"
#include "ref/attention.h"

#include <stdlib.h>
#include <string.h>

/* --- the twin --------------------------------------------------------------------------------------------------- */

struct twin {
    struct ordo_reveal_work *w;
    int n_thread;
    struct ordo_attention a;
    struct ordo_attention_outputs out;
    struct ordo_probe_output got;
};

static enum ordo_status run_twin(struct ordo_reveal_box *box, const uint16_t *value, uint32_t n_vector, float *sum,
                                 struct ordo_err *err)
{
    struct twin *t = box->ctx;
    enum ordo_status status;

    ordo_probe_set(&t->w->probe, value, n_vector);
    status = ordo_attention(&t->a, t->n_thread, &t->out, err);
    for (uint32_t i = 0; i < n_vector && status == ORDO_OK; i++)
        sum[i] = ordo_probe_read(&t->w->probe, &t->got, i);
    box->exact = ordo_probe_exact(&t->w->probe, &t->got);
    return status;
}

static enum ordo_status ask(struct ordo_reveal_work *w, struct ordo_reveal_box *box, struct ordo_err *err)
{
    double start = ordo_seconds();
    enum ordo_status status = ordo_reveal(box, ordo_opt_u64(w->args, "seed"), &w->reveal, err);

    w->seconds = ordo_seconds() - start;
    return status;
}

enum ordo_status ordo_reveal_twin(struct ordo_reveal_work *w, int n_thread, struct ordo_err *err)
{
    const struct ordo_probe *p = &w->probe;
    const struct ordo_request *r = &w->plan.request;
    enum ordo_probe_from from = ordo_probe_from(w->sum.request.kind);
    struct twin t = {
        .w = w,
        .n_thread = n_thread,
        .a = {&w->plan, &p->problem,
              {p->tensors.q, p->tensors.kv, p->tensors.dout, p->tensors.sink, p->o, p->lse, p->scale}, false},
    };
    struct ordo_reveal_box box = {w->sum.n_term, p->n_lane, 256, run_twin, &t};
    enum ordo_status status;

    if (from == ORDO_FROM_DQ)
        t.got.bf16 = t.out.dq = ordo_alloc((uint64_t)r->n_query * (uint64_t)r->n_head * (uint64_t)r->d_qk, 2);
    else if (from == ORDO_FROM_DKV)
        t.got.fp32 = t.out.dkv_fp32 = ordo_alloc((uint64_t)r->n_kv * (uint64_t)r->d_qk, sizeof(float));
    else
        t.got.fp32 = t.out.dsink = ordo_alloc((uint64_t)r->n_head, sizeof(float));
    if (!t.got.bf16 && !t.got.fp32)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for the twin's output");
    status = ask(w, &box, err);
    free(t.out.dq);
    free(t.out.dkv_fp32);
    free(t.out.dsink);
    return status;
}

/* --- a program -------------------------------------------------------------------------------------------------- */

struct exec {
    struct ordo_reveal_work *w;
    struct ordo_command command;
};

static enum ordo_status write_inputs(const struct ordo_reveal_work *w, const char *path, struct ordo_err *err)
{
    const struct ordo_probe *p = &w->probe;
    const struct ordo_request *r = &w->plan.request;
    uint64_t n_query = (uint64_t)r->n_query, n_head = (uint64_t)r->n_head, d_qk = (uint64_t)r->d_qk;
    const struct ordo_npz_array array[] = {
        {"q", "<u2", 3, {n_query, n_head, d_qk, 0}, p->tensors.q},
        {"kv", "<u2", 2, {(uint64_t)r->n_kv, d_qk, 0, 0}, p->tensors.kv},
        {"do", "<u2", 3, {n_query, n_head, (uint64_t)r->d_v, 0}, p->tensors.dout},
        {"sink", "<f4", 1, {n_head, 0, 0, 0}, p->tensors.sink},
        {"o", "<u2", 3, {n_query, n_head, (uint64_t)r->d_v, 0}, p->o},
        {"lse", "<f4", 2, {n_query, n_head, 0, 0}, p->lse},
        {"scale", "<f4", 0, {0, 0, 0, 0}, &p->scale},
        {"topk_idxs", "<i4", 2, {n_query, (uint64_t)r->topk, 0, 0}, p->problem.idx},
        {"topk_length", "<i4", 1, {n_query, 0, 0, 0}, p->problem.length},
    };

    return ordo_npz_write(path, array, sizeof array / sizeof array[0] - (p->problem.length == NULL), err);
}

/* Whether an array was refused for its type. */
static bool other_type(enum ordo_status status, const struct ordo_err *err)
{
    return status == ORDO_BAD_INPUT && strncmp(err->reason, "descr:", 6) == 0;
}

/* An array as fp32 or as BF16; neither and ORDO_OK if there is none of that name. */
static enum ordo_status read_either(const char *path, const char *key, int n_dim, const uint64_t *dim,
                                    struct ordo_probe_output *got, struct ordo_err *err)
{
    void *data = NULL;
    enum ordo_status status = ordo_npz_tensor(path, key, "<f4", n_dim, dim, &data, err);

    got->fp32 = data;
    if (!other_type(status, err))
        return status;
    data = NULL;
    status = ordo_npz_tensor(path, key, "<u2", n_dim, dim, &data, err);
    got->bf16 = data;
    if (other_type(status, err))
        return ordo_fail(err, status, path, key, "must be float32 ('<f4') or BF16 as uint16 ('<u2')");
    return status;
}

static enum ordo_status read_output(const struct ordo_reveal_work *w, const char *path, struct ordo_probe_output *got,
                                    struct ordo_err *err)
{
    const struct ordo_request *r = &w->plan.request;
    uint64_t n_query = (uint64_t)r->n_query, n_head = (uint64_t)r->n_head, d_qk = (uint64_t)r->d_qk;
    static const char *const key[] = {"dkv", "dq", "dsink"};
    const uint64_t dim[][3] = {{(uint64_t)r->n_kv, d_qk, 0}, {n_query, n_head, d_qk}, {n_head, 0, 0}};
    static const int n_dim[] = {2, 3, 1};
    enum ordo_probe_from from = ordo_probe_from(w->sum.request.kind);
    enum ordo_status status = ORDO_OK;

    *got = (struct ordo_probe_output){NULL, NULL};
    if (from == ORDO_FROM_DKV) /* before it rounds, where the program shows that */
        status = read_either(path, "dkv_fp32", n_dim[from], dim[from], got, err);
    if (status == ORDO_OK && !got->fp32 && !got->bf16)
        status = read_either(path, key[from], n_dim[from], dim[from], got, err);
    if (status == ORDO_OK && !got->fp32 && !got->bf16)
        return ordo_fail(err, ORDO_BAD_INPUT, path, key[from], "the command wrote no such array");
    return status;
}

static enum ordo_status run_exec(struct ordo_reveal_box *box, const uint16_t *value, uint32_t n_vector, float *sum,
                                 struct ordo_err *err)
{
    struct exec *x = box->ctx;
    struct ordo_probe_output got = {NULL, NULL};
    enum ordo_status status;

    ordo_probe_set(&x->w->probe, value, n_vector);
    status = write_inputs(x->w, x->command.in, err);
    if (status == ORDO_OK)
        status = ordo_command_run(&x->command, err);
    if (status == ORDO_OK)
        status = read_output(x->w, x->command.out, &got, err);
    for (uint32_t i = 0; i < n_vector && status == ORDO_OK; i++)
        sum[i] = ordo_probe_read(&x->w->probe, &got, i);
    if (status == ORDO_OK)
        box->exact = ordo_probe_exact(&x->w->probe, &got);
    free((void *)(uintptr_t)got.fp32);
    free((void *)(uintptr_t)got.bf16);
    return status;
}

enum ordo_status ordo_reveal_exec(struct ordo_reveal_work *w, const char *command, struct ordo_err *err)
{
    struct exec x = {.w = w};
    struct ordo_reveal_box box = {w->sum.n_term, w->probe.n_lane, 256, run_exec, &x};
    enum ordo_status status = ordo_command_begin(command, &x.command, err);

    if (status == ORDO_OK)
        status = ask(w, &box, err);
    ordo_command_end(&x.command);
    return status;
}
