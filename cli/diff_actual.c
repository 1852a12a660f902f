/* diff_actual.c - somebody's outputs out of an .npz: any subset of the keys, float32, float16, or BF16 as uint16.
 *
 * dkv_fp32 is what its name says: float32, whatever it holds, so that dkv beside it is never left unjudged. */
#include "cli/diff.h"

#include "base/size.h"
#include "corpus/npz_tensor.h"
#include "ref/fp.h"

#include <stdlib.h>

static const char wide_key[] = "dkv_fp32";

/* float32 with nothing below BF16's last place: so a framework hands over BF16. */
static bool holds_bf16(const float *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (ordo_fp32_bits(x[i]) & 0xffff)
            return false;
    return n > 0;
}

static enum ordo_status read_one(const struct ordo_diff_work *w, const char *path, const char *key, int output,
                                 void **data, struct ordo_actual *to, struct ordo_err *err)
{
    static const char *const descr[] = {"<u2", "<f2", "<f4"};
    static const enum ordo_near_format format[] = {ORDO_NEAR_BF16, ORDO_NEAR_FP16, ORDO_NEAR_FP32};
    const struct ordo_request *r = &w->c.plan.request;
    const uint64_t dim[ORDO_REAL_OUTPUTS][3] = {
        {(uint64_t)r->n_query, (uint64_t)r->n_head, (uint64_t)r->d_qk}, {(uint64_t)r->n_kv, (uint64_t)r->d_qk},
        {(uint64_t)r->n_head}};
    static const int n_dim[ORDO_REAL_OUTPUTS] = {3, 2, 1};
    int which = 0, first = key == wide_key ? 2 : 0;
    enum ordo_status status =
        ordo_npz_tensor_of(path, key, descr + first, 3 - first, &which, n_dim[output], dim[output], data, err);

    if (status != ORDO_OK || !*data)
        return status;
    *to = (struct ordo_actual){.format = format[first + which], .data = *data, .n = 1};
    for (int i = 0; i < n_dim[output]; i++)
        to->n *= (int64_t)dim[output][i];
    if (to->format == ORDO_NEAR_FP32 && key != wide_key && holds_bf16(*data, to->n)) {
        to->format = ORDO_NEAR_BF16;
        to->narrow = true;
    }
    return ORDO_OK;
}

/* dkv_fp32 where there is one: it shows what BF16 hides. */
static enum ordo_status read_output(struct ordo_diff_work *w, const char *path, int output, void **data,
                                    struct ordo_actual *to, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;

    w->key[output] = wide_key;
    if (output == ORDO_REAL_DKV)
        status = read_one(w, path, w->key[output], output, data, to, err);
    if (status != ORDO_OK || *data)
        return status;
    w->key[output] = ordo_real_name[output];
    return read_one(w, path, w->key[output], output, data, to, err);
}

/* dkv, where what is judged is dkv_fp32. */
static enum ordo_status read_converted(const struct ordo_diff_work *w, const char *path, void **data,
                                       struct ordo_actual *to, struct ordo_err *err)
{
    if (!w->has[ORDO_REAL_DKV] || w->key[ORDO_REAL_DKV] != wide_key)
        return ORDO_OK;
    return read_one(w, path, ordo_real_name[ORDO_REAL_DKV], ORDO_REAL_DKV, data, to, err);
}

/* As the file holds it. */
static enum ordo_near_format stored(const struct ordo_actual *a)
{
    return a->narrow ? ORDO_NEAR_FP32 : a->format;
}

/* The second run has what the first has, in the same types: else nothing could be said of every bit. */
static enum ordo_status read_again(struct ordo_diff_work *w, const char *path, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;

    for (int i = 0; i < ORDO_REAL_OUTPUTS && status == ORDO_OK; i++) {
        if (!w->has[i])
            continue;
        status = read_one(w, path, w->key[i], i, &w->data[2 * i + 1], &w->again[i], err);
        if (status == ORDO_OK && !w->again[i].data)
            status = ordo_fail(err, ORDO_BAD_INPUT, path, w->key[i], "there is no such array");
        else if (status == ORDO_OK && stored(&w->again[i]) != stored(&w->actual[i]))
            status = ordo_fail(err, ORDO_BAD_INPUT, path, w->key[i], "the first run has it in another type");
    }
    if (status == ORDO_OK)
        status = read_converted(w, path, &w->data[2 * ORDO_REAL_OUTPUTS + 1], &w->converted_again, err);
    if (status == ORDO_OK && (!w->converted.data != !w->converted_again.data ||
                              stored(&w->converted) != stored(&w->converted_again)))
        status = ordo_fail(err, ORDO_BAD_INPUT, path, ordo_real_name[ORDO_REAL_DKV],
                           "one run has it beside dkv_fp32, the other has not, or in another type");
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

/* O and LSE of the forward that the outputs started from; both or none.  float32 counts if it holds BF16. */
static enum ordo_status read_forward(struct ordo_diff_work *w, const char *path, struct ordo_err *err)
{
    static const char *const descr[] = {"<u2", "<f4"};
    const struct ordo_request *r = &w->c.plan.request;
    const uint64_t dim[] = {(uint64_t)r->n_query, (uint64_t)r->n_head, (uint64_t)r->d_v};
    void **o = &w->data[2 * ORDO_REAL_OUTPUTS + 2], **lse = o + 1;
    int64_t n = (int64_t)r->n_query * r->n_head * r->d_v;
    int wide = 0, which;
    enum ordo_status status = ordo_npz_tensor_of(path, "o", descr, 2, &wide, 3, dim, o, err);

    if (status == ORDO_OK && *o)
        status = ordo_npz_tensor_of(path, "lse", descr + 1, 1, &which, 2, dim, lse, err);
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
    if (status == ORDO_OK)
        status = read_converted(w, path, &w->data[2 * ORDO_REAL_OUTPUTS], &w->converted, err);
    if (status == ORDO_OK && again)
        status = read_again(w, again, err);
    if (status == ORDO_OK)
        status = read_forward(w, path, err);
    if (status == ORDO_OK && !any)
        status = ordo_fail(err, ORDO_BAD_INPUT, path, "dq", "none of dq, dkv, dkv_fp32, dsink is there");
    return status;
}
