/* diff_actual.c - somebody's outputs out of an .npz: any subset of the keys, float32, float16, or BF16 as uint16. */
#include "cli/diff.h"

#include "corpus/npz_tensor.h"
#include "ref/fp.h"

#include <stdlib.h>

/* float32 with nothing below BF16's last place: so a framework hands over BF16. */
static bool holds_bf16(const float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (ordo_fp32_bits(x[i]) & 0xffff)
            return false;
    return n > 0;
}

/* What an output is called and how it is shaped; fp32: its name before it rounds, NULL for none. */
struct wanted {
    const char *fp32, *plain;
    int n_dim;
    uint64_t dim[4];
};

static struct wanted sparse_of(const struct ordo_diff_work *w, int output)
{
    const struct ordo_request *r = &w->c.plan.request;
    uint64_t q = (uint64_t)r->n_query, h = (uint64_t)r->n_head, d = (uint64_t)r->d_qk;
    const struct wanted want[ORDO_REAL_OUTPUTS] = {
        {NULL, "dq", 3, {q, h, d, 0}}, {"dkv_fp32", "dkv", 2, {(uint64_t)r->n_kv, d, 0, 0}}, {NULL, "dsink", 1, {h, 0, 0, 0}}};

    return want[output];
}

static struct wanted wanted_of(const struct ordo_diff_work *w, int output)
{
    struct wanted want;

    if (!w->dense)
        return sparse_of(w, output);
    want.fp32 = ordo_dense_output_name[ordo_dense_gradient_fp32[output]];
    want.plain = ordo_dense_gradient_name[output];
    want.n_dim = ordo_dense_output_dims(&w->dense->problem, ordo_dense_gradient_output[output], want.dim);
    return want;
}

static enum ordo_status read_one(const char *path, const char *key, const struct wanted *want, void **data,
                                 struct ordo_actual *to, struct ordo_err *err)
{
    static const char *const descr[] = {"<u2", "<f2", "<f4"};
    static const enum ordo_near_format format[] = {ORDO_NEAR_BF16, ORDO_NEAR_FP16, ORDO_NEAR_FP32};
    int which = 0;
    enum ordo_status status = ordo_npz_tensor_of(path, key, descr, 3, &which, want->n_dim, want->dim, data, err);

    if (status != ORDO_OK || !*data)
        return status;
    *to = (struct ordo_actual){.format = format[which], .data = *data, .n = 1};
    for (int i = 0; i < want->n_dim; i++)
        to->n *= (int64_t)want->dim[i];
    if (to->format == ORDO_NEAR_FP32 && key == want->plain && holds_bf16(*data, to->n)) {
        to->format = ORDO_NEAR_BF16;
        to->narrow = true;
    }
    return ORDO_OK;
}

/* The fp32 one where there is one: it shows what BF16 hides. */
static enum ordo_status read_output(struct ordo_diff_work *w, const char *path, int output, void **data,
                                    struct ordo_actual *to, struct ordo_err *err)
{
    struct wanted want = wanted_of(w, output);
    enum ordo_status status = ORDO_OK;

    w->key[output] = want.fp32;
    if (want.fp32)
        status = read_one(path, want.fp32, &want, data, to, err);
    if (status != ORDO_OK || *data)
        return status;
    w->key[output] = want.plain;
    return read_one(path, want.plain, &want, data, to, err);
}

/* What stands beside an fp32 output in the same file. */
static enum ordo_status read_converted(struct ordo_diff_work *w, const char *path, int output, struct ordo_err *err)
{
    struct wanted want = wanted_of(w, output);

    if (!w->has[output] || w->key[output] == want.plain)
        return ORDO_OK;
    return read_one(path, want.plain, &want, &w->data[2 * ORDO_REAL_OUTPUTS + output], &w->converted[output], err);
}

enum ordo_status ordo_diff_read(const struct ordo_args *args, struct ordo_diff_work *w, struct ordo_err *err)
{
    const char *path = ordo_opt_string(args, "actual"), *again = ordo_opt_string(args, "again");
    enum ordo_status status = ORDO_OK;
    bool any = false;

    w->repeated = again != NULL;
    for (int i = 0; i < ORDO_REAL_OUTPUTS && status == ORDO_OK; i++) {
        void **data = &w->data[2 * i];

        status = read_output(w, path, i, data, &w->actual[i], err);
        w->has[i] = *data != NULL;
        any |= w->has[i];
        if (status == ORDO_OK)
            status = read_converted(w, path, i, err);
        if (status == ORDO_OK && again && w->has[i])
            status = read_output(w, again, i, data + 1, &w->again[i], err);
        if (status == ORDO_OK && again && w->has[i] && !data[1])
            status = ordo_fail(err, ORDO_BAD_INPUT, again, w->key[i], "there is no such array");
    }
    if (status == ORDO_OK && !any)
        status = ordo_fail(err, ORDO_BAD_INPUT, path, "dq", "none of %s is there",
                           w->dense ? "dq, dk, dv" : "dq, dkv, dkv_fp32, dsink");
    return status;
}
