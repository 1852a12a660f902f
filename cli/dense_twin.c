/* dense_twin.c - see dense_twin.h. */
#include "cli/dense_twin.h"

#include "base/size.h"
#include "cli/tensors.h"
#include "corpus/npz_tensor.h"
#include "ref/fp.h"
#include "sim/contract.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

const char *const ordo_dense_output_name[ORDO_DENSE_OUTPUTS] = {"o",  "lse",     "delta",   "dq",     "dk",
                                                                "dv", "dq_fp32", "dk_fp32", "dv_fp32"};

/* --- shapes ----------------------------------------------------------------------------------------------------- */

enum side { OF_QUERIES, OF_KV, OF_ROWS };

static const struct shape {
    size_t member; /* of ordo_dense_outputs */
    const char *descr;
    enum side side;
} shape[ORDO_DENSE_OUTPUTS] = {
    {offsetof(struct ordo_dense_outputs, o), "<u2", OF_QUERIES},
    {offsetof(struct ordo_dense_outputs, lse), "<f4", OF_ROWS},
    {offsetof(struct ordo_dense_outputs, delta), "<f4", OF_ROWS},
    {offsetof(struct ordo_dense_outputs, dq), "<u2", OF_QUERIES},
    {offsetof(struct ordo_dense_outputs, dk), "<u2", OF_KV},
    {offsetof(struct ordo_dense_outputs, dv), "<u2", OF_KV},
    {offsetof(struct ordo_dense_outputs, dq_fp32), "<f4", OF_QUERIES},
    {offsetof(struct ordo_dense_outputs, dk_fp32), "<f4", OF_KV},
    {offsetof(struct ordo_dense_outputs, dv_fp32), "<f4", OF_KV},
};

static int dims_of(const struct ordo_dense_problem *p, enum side side, uint64_t dim[4])
{
    const int32_t extent[3][4] = {
        {p->batch, p->q_len, p->q_heads, p->d},
        {p->batch, p->kv_len, p->kv_heads, p->d},
        {p->batch, p->q_heads, p->q_len, 1}};

    for (int i = 0; i < 4; i++)
        dim[i] = (uint64_t)extent[side][i];
    return side == OF_ROWS ? 3 : 4;
}

static bool count_of(const struct ordo_dense_problem *p, enum side side, uint64_t *n)
{
    uint64_t dim[4];

    (void)dims_of(p, side, dim);
    return ordo_mul(dim[0], dim[1], n) && ordo_mul(*n, dim[2], n) && ordo_mul(*n, dim[3], n);
}

uint64_t ordo_dense_output_count(const struct ordo_dense_problem *p, enum ordo_dense_output output)
{
    uint64_t n;

    return count_of(p, shape[output].side, &n) ? n : UINT64_MAX;
}

int ordo_dense_output_dims(const struct ordo_dense_problem *p, enum ordo_dense_output output, uint64_t dim[4])
{
    int n = dims_of(p, shape[output].side, dim);

    if (n == 3)
        dim[3] = 0;
    return n;
}

static void **member_of(struct ordo_dense_outputs *out, const struct shape *s)
{
    return (void **)(void *)((char *)out + s->member);
}

const void *ordo_dense_output_data(const struct ordo_dense_case *c, enum ordo_dense_output output)
{
    struct ordo_dense_outputs out = c->out;

    return *member_of(&out, &shape[output]);
}

static uint64_t width_of(const struct shape *s)
{
    return s->descr[2] == '2' ? 2 : 4;
}

/* --- the problem ------------------------------------------------------------------------------------------------ */

/* Tiles as FlashAttention-3 has them for a head dimension (facts on its hopper/ sources): queries by KV rows. */
static int32_t tile_q_of(int32_t d, bool causal)
{
    return d <= 64 ? 128 : causal ? 64 : 80;
}

static void problem_of(const struct ordo_args *args, struct ordo_dense_problem *p)
{
    bool causal = ordo_opt_choice(args, "mask") == 1;

    *p = (struct ordo_dense_problem){
        .batch = ordo_opt_int(args, "batch"),
        .q_len = ordo_opt_int(args, "q-len"),
        .kv_len = ordo_opt_int(args, ordo_opt_given(args, "kv-len") ? "kv-len" : "q-len"),
        .q_heads = ordo_opt_int(args, "heads"),
        .kv_heads = ordo_opt_int(args, ordo_opt_given(args, "kv-heads") ? "kv-heads" : "heads"),
        .d = ordo_opt_int(args, "head-dim"),
        .tile_kv = ordo_opt_given(args, "tile-kv") ? ordo_opt_int(args, "tile-kv") : 128,
        .causal = causal,
    };
    p->tile_q = ordo_opt_given(args, "tile-q") ? ordo_opt_int(args, "tile-q") : tile_q_of(p->d, causal);
}

/* --- tensors ---------------------------------------------------------------------------------------------------- */

static enum ordo_status read_tensors(const char *path, struct ordo_dense_case *c, struct ordo_err *err)
{
    void *q = NULL, *k = NULL, *v = NULL, *dout = NULL, *o = NULL, *lse = NULL, *scale = NULL;
    const struct {
        const char *key, *descr;
        enum side side;
        bool required;
        void **data;
    } array[] = {
        {"q", "<u2", OF_QUERIES, true, &q},   {"k", "<u2", OF_KV, true, &k},
        {"v", "<u2", OF_KV, true, &v},        {"do", "<u2", OF_QUERIES, true, &dout},
        {"o", "<u2", OF_QUERIES, false, &o},  {"lse", "<f4", OF_ROWS, false, &lse},
    };
    enum ordo_status status = ORDO_OK;

    for (size_t i = 0; i < sizeof array / sizeof array[0] && status == ORDO_OK; i++) {
        uint64_t dim[4];
        int n_dim = dims_of(&c->problem, array[i].side, dim);

        status = ordo_npz_tensor(path, array[i].key, array[i].descr, n_dim, dim, array[i].data, err);
        if (status == ORDO_OK && !*array[i].data && array[i].required)
            status = ordo_fail(err, ORDO_BAD_INPUT, path, array[i].key, "there is no such array");
    }
    if (status == ORDO_OK)
        status = ordo_npz_tensor(path, "scale", "<f4", 0, NULL, &scale, err);
    if (scale)
        c->scale = *(float *)scale;
    free(scale);
    c->tensors = (struct ordo_dense_tensors){q, k, v, dout};
    c->o = o;
    c->lse = lse;
    return status;
}

enum ordo_status ordo_dense_case_seed(struct ordo_dense_case *c, struct ordo_err *err)
{
    const struct ordo_dense_problem *p = &c->problem;
    int64_t q_rows = (int64_t)p->batch * p->q_len, kv_rows = (int64_t)p->batch * p->kv_len;
    struct ordo_dense_extents e = {(int32_t)q_rows, (int32_t)kv_rows, p->q_heads, p->kv_heads, p->d};

    if (q_rows > INT32_MAX || kv_rows > INT32_MAX)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "batch", "batch times length leaves 32 bits");
    return ordo_dense_tensors_seed(&e, &c->values, &c->tensors, err);
}

static enum ordo_status set_scale(const struct ordo_args *args, struct ordo_dense_case *c, struct ordo_err *err)
{
    const char *text = ordo_opt_string(args, "scale");
    char *end;

    if (!text)
        return ORDO_OK;
    c->scale = strtof(text, &end);
    if (*end || !(c->scale > 0 && c->scale < HUGE_VALF))
        return ordo_fail(err, ORDO_USAGE, NULL, "--scale", "must be a positive number, not '%s'", text);
    return ORDO_OK;
}

/* Of all that a run of the problem holds at once; UINT64_MAX past 64 bits. */
static uint64_t bytes_of(const struct ordo_dense_problem *p)
{
    uint64_t total = 0, n;

    for (int i = 0; i < ORDO_DENSE_OUTPUTS; i++) /* tensors are not more than outputs */
        if (!count_of(p, shape[i].side, &n) || !ordo_mul(n, 2 * width_of(&shape[i]), &n) ||
            !ordo_add(total, n, &total))
            return UINT64_MAX;
    return total;
}

enum ordo_status ordo_dense_case_problem(const struct ordo_args *args, struct ordo_dense_case *c,
                                         struct ordo_err *err)
{
    enum ordo_status status;

    if (args->n_operand)
        return ordo_fail(err, ORDO_USAGE, NULL, "--dense", "does not go with an index file");
    problem_of(args, &c->problem);
    c->values = (struct ordo_values){.seed = ordo_opt_u64(args, "seed"),
                                     .kind = (enum ordo_input_class)ordo_opt_choice(args, "values")};
    c->scale = (float)(1 / sqrt((double)c->problem.d));
    status = ordo_dense_problem_check(&c->problem, err);
    if (status != ORDO_OK)
        return status;
    if (bytes_of(&c->problem) > ordo_memory_bytes())
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "tensors and outputs need %" PRIu64 " bytes",
                         bytes_of(&c->problem));
    return ORDO_OK;
}

enum ordo_status ordo_dense_case_take(const struct ordo_args *args, const char *order, struct ordo_dense_case *c,
                                      struct ordo_err *err)
{
    const char *file = ordo_opt_string(args, "inputs");
    enum ordo_status status;

    if (file && ordo_opt_given(args, "seed"))
        return ordo_fail(err, ORDO_USAGE, NULL, "--inputs", "does not go with --seed");
    status = ordo_dense_case_problem(args, c, err);
    if (status == ORDO_OK && order)
        status = ordo_dense_case_order(c, order, ordo_opt_int(args, "sms"), ordo_opt_int(args, "section"), err);
    if (status == ORDO_OK)
        status = file ? read_tensors(file, c, err) : ordo_dense_case_seed(c, err);
    return status == ORDO_OK ? set_scale(args, c, err) : status;
}

void ordo_dense_case_free(struct ordo_dense_case *c)
{
    for (int i = 0; i < ORDO_DENSE_OUTPUTS; i++)
        free(*member_of(&c->out, &shape[i]));
    ordo_dense_tensors_free(&c->tensors);
    free(c->o);
    free(c->lse);
    ordo_dense_free(&c->schedule);
    ordo_dense_mask_free(&c->mask);
    *c = (struct ordo_dense_case){.scale = 0};
}

/* --- the twin --------------------------------------------------------------------------------------------------- */

enum ordo_status ordo_dense_case_run(struct ordo_dense_case *c, int n_thread, bool fp32, struct ordo_err *err)
{
    struct ordo_dense_twin twin = {
        .problem = &c->problem, .schedule = &c->schedule, .contract = &ordo_contract_sparse, .sm = 90,
        .in = {c->tensors.q, c->tensors.k, c->tensors.v, c->tensors.dout, c->o, c->lse, c->scale},
    };
    int n_output = fp32 ? ORDO_DENSE_OUTPUTS : ORDO_DENSE_OUTPUT_DQ_FP32;
    enum ordo_status status;

    for (int i = 0; i < n_output; i++) {
        void **data = member_of(&c->out, &shape[i]);

        *data = ordo_alloc(ordo_dense_output_count(&c->problem, (enum ordo_dense_output)i), width_of(&shape[i]));
        if (!*data)
            return ordo_fail(err, ORDO_ENVIRONMENT, NULL, ordo_dense_output_name[i], "no memory for it");
    }
    status = ordo_dense_attention(&twin, n_thread, &c->out, err);
    for (int i = 0; i < n_output && status == ORDO_OK; i++)
        c->digest[i] = ordo_elements_digest(*member_of(&c->out, &shape[i]),
                                            ordo_dense_output_count(&c->problem, (enum ordo_dense_output)i),
                                            width_of(&shape[i]));
    return status;
}

size_t ordo_dense_case_arrays(const struct ordo_dense_case *c, struct ordo_npz_array array[ORDO_DENSE_OUTPUTS])
{
    struct ordo_dense_outputs out = c->out;
    size_t n = 0;

    for (int i = 0; i < ORDO_DENSE_OUTPUTS; i++) {
        struct ordo_npz_array *a = &array[n];

        if (!*member_of(&out, &shape[i]))
            continue;
        *a = (struct ordo_npz_array){
            .name = ordo_dense_output_name[i], .descr = shape[i].descr, .data = *member_of(&out, &shape[i])};
        a->n_dim = dims_of(&c->problem, shape[i].side, a->dim);
        n++;
    }
    return n;
}
