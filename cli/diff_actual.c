/* diff_actual.c - somebody's outputs out of an .npz: any subset of the keys, float32, float16, or BF16 as uint16.
 *
 * dkv_fp32 is what its name says, and so are the dense ones: float32, whatever it holds, so that what stands beside
 * it is never left unjudged. */
#include "cli/diff.h"

#include "base/size.h"
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
        {NULL, "dq", 3, {q, h, d, 0}}, {"dkv_fp32", "dkv", 2, {(uint64_t)r->n_kv, d, 0, 0}},
        {NULL, "dsink", 1, {h, 0, 0, 0}}};

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
    int which = 0, first = key == want->fp32 ? 2 : 0;
    enum ordo_status status =
        ordo_npz_tensor_of(path, key, descr + first, 3 - first, &which, want->n_dim, want->dim, data, err);

    if (status != ORDO_OK || !*data)
        return status;
    *to = (struct ordo_actual){.format = format[first + which], .data = *data, .n = 1};
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

/* What stands beside an fp32 output in the same file, of run 0 or 1. */
static enum ordo_status read_converted(struct ordo_diff_work *w, const char *path, int output, int run,
                                       struct ordo_actual *to, struct ordo_err *err)
{
    struct wanted want = wanted_of(w, output);
    void **data = &w->data[2 * ORDO_REAL_OUTPUTS + 2 * output + run];

    if (!w->has[output] || w->key[output] == want.plain)
        return ORDO_OK;
    return read_one(path, want.plain, &want, data, to, err);
}

/* As the file holds it. */
static enum ordo_near_format stored(const struct ordo_actual *a)
{
    return a->narrow ? ORDO_NEAR_FP32 : a->format;
}

/* The second run has what the first has, in the same types: else nothing could be said of every bit. */
static enum ordo_status read_again(struct ordo_diff_work *w, const char *path, int output, struct ordo_err *err)
{
    struct wanted want = wanted_of(w, output);
    const char *key = w->key[output];
    enum ordo_status status;

    if (!w->has[output])
        return ORDO_OK;
    status = read_one(path, key, &want, &w->data[2 * output + 1], &w->again[output], err);
    if (status == ORDO_OK && !w->again[output].data)
        status = ordo_fail(err, ORDO_BAD_INPUT, path, key, "there is no such array");
    else if (status == ORDO_OK && stored(&w->again[output]) != stored(&w->actual[output]))
        status = ordo_fail(err, ORDO_BAD_INPUT, path, key, "the first run has it in another type");
    return status;
}

static enum ordo_status read_converted_again(struct ordo_diff_work *w, const char *path, int output,
                                             struct ordo_err *err)
{
    struct wanted want = wanted_of(w, output);
    const struct ordo_actual *first = &w->converted[output], *again = &w->converted_again[output];
    enum ordo_status status = read_converted(w, path, output, 1, &w->converted_again[output], err);

    if (status == ORDO_OK && (!first->data != !again->data || stored(first) != stored(again)))
        status = ordo_fail(err, ORDO_BAD_INPUT, path, want.plain,
                           "one run has it beside %s, the other has not, or in another type", want.fp32);
    return status;
}

static enum ordo_status narrow(void **data, int64_t n, struct ordo_err *err)
{
    const float *x = *data;
    uint16_t *y = ordo_alloc((uint64_t)n, sizeof *y);

    if (!y)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for o in BF16");
    for (int64_t i = 0; i < n; i++)
        y[i] = (uint16_t)(ordo_fp32_bits(x[i]) >> 16);
    free(*data);
    *data = y;
    return ORDO_OK;
}

/* How o and lse are shaped; returns how many elements o has. */
static int64_t forward_of(const struct ordo_diff_work *w, struct wanted *o, struct wanted *lse)
{
    const struct ordo_request *r = &w->c.plan.request;
    int64_t n = 1;

    *o = (struct wanted){NULL, "o", 3, {(uint64_t)r->n_query, (uint64_t)r->n_head, (uint64_t)r->d_v, 0}};
    *lse = (struct wanted){NULL, "lse", 2, {(uint64_t)r->n_query, (uint64_t)r->n_head, 0, 0}};
    if (w->dense) {
        o->n_dim = ordo_dense_output_dims(&w->dense->problem, ORDO_DENSE_OUTPUT_O, o->dim);
        lse->n_dim = ordo_dense_output_dims(&w->dense->problem, ORDO_DENSE_OUTPUT_LSE, lse->dim);
    }
    for (int i = 0; i < o->n_dim; i++)
        n *= (int64_t)o->dim[i];
    return n;
}

/* O and LSE of the forward that the outputs started from; both or none.  float32 counts if it holds BF16. */
static enum ordo_status read_forward(struct ordo_diff_work *w, const char *path, struct ordo_err *err)
{
    static const char *const descr[] = {"<u2", "<f4"};
    void **o = &w->data[4 * ORDO_REAL_OUTPUTS], **lse = o + 1;
    struct wanted of_o, of_lse;
    int64_t n = forward_of(w, &of_o, &of_lse);
    int wide = 0, which;
    enum ordo_status status = ordo_npz_tensor_of(path, of_o.plain, descr, 2, &wide, of_o.n_dim, of_o.dim, o, err);

    if (status == ORDO_OK && *o)
        status = ordo_npz_tensor_of(path, of_lse.plain, descr + 1, 1, &which, of_lse.n_dim, of_lse.dim, lse, err);
    if (status != ORDO_OK || !*o || !*lse || (wide && !holds_bf16(*o, n)))
        return status;
    if (wide)
        status = narrow(o, n, err);
    if (status != ORDO_OK)
        return status;
    w->shown = (struct ordo_near_saved){*o, *lse};
    return ORDO_OK;
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
    }
    for (int i = 0; i < ORDO_REAL_OUTPUTS && status == ORDO_OK; i++)
        status = read_converted(w, path, i, 0, &w->converted[i], err);
    for (int i = 0; i < ORDO_REAL_OUTPUTS && status == ORDO_OK && again; i++)
        status = read_again(w, again, i, err);
    for (int i = 0; i < ORDO_REAL_OUTPUTS && status == ORDO_OK && again; i++)
        status = read_converted_again(w, again, i, err);
    if (status == ORDO_OK)
        status = read_forward(w, path, err);
    if (status == ORDO_OK && !any)
        status = ordo_fail(err, ORDO_BAD_INPUT, path, "dq", "none of %s is there",
                           w->dense ? "dq, dk, dv" : "dq, dkv, dkv_fp32, dsink");
    return status;
}
