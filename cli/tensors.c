/* tensors.c - see tensors.h. */
#include "cli/tensors.h"

#include "base/size.h"
#include "corpus/npz_tensor.h"
#include "ref/fp.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const ordo_output_name[ORDO_OUTPUTS] = {"o", "lse", "delta", "dq", "dkv", "dkv_fp32", "dsink", "planes"};

/* --- shapes ----------------------------------------------------------------------------------------------------- */

enum extent { NONE, Q, KV, H, DQK, DV, P };

static const struct shape {
    size_t member; /* of ordo_attention_outputs */
    const char *descr;
    enum extent extent[3];
} shape[ORDO_OUTPUTS] = {
    {offsetof(struct ordo_attention_outputs, o), "<u2", {Q, H, DV}},
    {offsetof(struct ordo_attention_outputs, lse), "<f4", {Q, H, NONE}},
    {offsetof(struct ordo_attention_outputs, delta), "<f4", {Q, H, NONE}},
    {offsetof(struct ordo_attention_outputs, dq), "<u2", {Q, H, DQK}},
    {offsetof(struct ordo_attention_outputs, dkv), "<u2", {KV, DQK, NONE}},
    {offsetof(struct ordo_attention_outputs, dkv_fp32), "<f4", {KV, DQK, NONE}},
    {offsetof(struct ordo_attention_outputs, dsink), "<f4", {H, NONE, NONE}},
    {offsetof(struct ordo_attention_outputs, planes), "<f4", {P, KV, DQK}},
};

static uint64_t extent_of(const struct ordo_plan *p, enum extent e)
{
    const struct ordo_request *r = &p->request;
    const int32_t n[] = {1, r->n_query, r->n_kv, r->n_head, r->d_qk, r->d_v, p->planes};

    return (uint64_t)n[e];
}

static uint64_t width_of(const struct shape *s)
{
    return s->descr[2] == '2' ? 2 : 4;
}

/* Elements; false past 64 bits. */
static bool count_of(const struct ordo_plan *p, const enum extent extent[3], uint64_t *n)
{
    *n = extent_of(p, extent[0]);
    return ordo_mul(*n, extent_of(p, extent[1]), n) && ordo_mul(*n, extent_of(p, extent[2]), n);
}

static void **member_of(struct ordo_attention_outputs *out, const struct shape *s)
{
    return (void **)(void *)((char *)out + s->member);
}

uint64_t ordo_output_count(const struct ordo_plan *plan, enum ordo_output output)
{
    uint64_t n;

    return count_of(plan, shape[output].extent, &n) ? n : 0;
}

size_t ordo_output_width(enum ordo_output output)
{
    return width_of(&shape[output]);
}

void **ordo_output_place(struct ordo_attention_outputs *out, enum ordo_output output)
{
    return member_of(out, &shape[output]);
}

/* --- bytes ------------------------------------------------------------------------------------------------------ */

static uint64_t sum_or_max(uint64_t a, const struct ordo_plan *p, const enum extent extent[3], uint64_t width)
{
    uint64_t n;

    return count_of(p, extent, &n) && ordo_mul(n, width, &n) && ordo_add(a, n, &a) ? a : UINT64_MAX;
}

uint64_t ordo_twin_run_tensor_bytes(const struct ordo_plan *p)
{
    static const enum extent extent[3][3] = {{Q, H, DQK}, {Q, H, DV}, {KV, DQK, NONE}};
    uint64_t bytes = 0;

    for (int i = 0; i < 3 && bytes < UINT64_MAX; i++)
        bytes = sum_or_max(bytes, p, extent[i], 2);
    return bytes;
}

uint64_t ordo_outputs_bytes(const struct ordo_plan *p, bool planes)
{
    uint64_t bytes = 0;

    for (int i = 0; i < ORDO_OUTPUTS - !planes && bytes < UINT64_MAX; i++)
        bytes = sum_or_max(bytes, p, shape[i].extent, width_of(&shape[i]));
    return bytes;
}

uint64_t ordo_twin_run_bytes(const struct ordo_plan *p, int n_thread, bool planes)
{
    static const enum extent plane[3] = {KV, DQK, NONE};
    uint64_t bytes = ordo_outputs_bytes(p, planes);

    for (int i = 0; i < n_thread + 2 && bytes < UINT64_MAX; i++) /* open planes, group, total */
        bytes = sum_or_max(bytes, p, plane, sizeof(float));
    return bytes;
}

uint64_t ordo_memory_bytes(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : UINT64_MAX;
}

/* --- tensors ---------------------------------------------------------------------------------------------------- */

static void link_tensors(struct ordo_twin_run *run, const struct ordo_plan *plan, const struct ordo_problem *problem,
                         float scale)
{
    run->a = (struct ordo_attention){
        .plan = plan,
        .problem = problem,
        .in = {run->tensors.q, run->tensors.kv, run->tensors.dout, run->tensors.sink, run->o, run->lse, scale},
    };
}

static float default_scale(const struct ordo_plan *plan)
{
    return (float)(1 / sqrt((double)plan->request.d_qk));
}

enum ordo_status ordo_twin_run_seed(struct ordo_twin_run *run, const struct ordo_plan *plan,
                                    const struct ordo_problem *problem, const struct ordo_values *values,
                                    struct ordo_err *err)
{
    enum ordo_status status = ordo_tensors_seed(&plan->request, values, &run->tensors, err);

    link_tensors(run, plan, problem, default_scale(plan));
    return status;
}

/* One array of the file. */
static enum ordo_status read_array(const char *path, const struct ordo_plan *plan, const char *key,
                                   const struct shape *s, bool required, void **data, struct ordo_err *err)
{
    uint64_t dim[3];
    int n_dim = 0;
    enum ordo_status status;

    for (; n_dim < 3 && s->extent[n_dim] != NONE; n_dim++)
        dim[n_dim] = extent_of(plan, s->extent[n_dim]);
    status = ordo_npz_tensor(path, key, s->descr, n_dim, dim, data, err);
    if (status == ORDO_OK && !*data && required)
        status = ordo_fail(err, ORDO_BAD_INPUT, path, key, "there is no such array");
    return status;
}

enum ordo_status ordo_twin_run_read(struct ordo_twin_run *run, const struct ordo_plan *plan,
                                    const struct ordo_problem *problem, const char *path,
                                    struct ordo_err *err)
{
    void *q = NULL, *kv = NULL, *dout = NULL, *sink = NULL, *o = NULL, *lse = NULL, *scale = NULL;
    const struct {
        const char *key;
        struct shape shape;
        bool required;
        void **data;
    } array[] = {
        {"q", {0, "<u2", {Q, H, DQK}}, true, &q},         {"kv", {0, "<u2", {KV, DQK, NONE}}, true, &kv},
        {"do", {0, "<u2", {Q, H, DV}}, true, &dout},      {"sink", {0, "<f4", {H, NONE, NONE}}, false, &sink},
        {"o", {0, "<u2", {Q, H, DV}}, false, &o},         {"lse", {0, "<f4", {Q, H, NONE}}, false, &lse},
        {"scale", {0, "<f4", {NONE, NONE, NONE}}, false, &scale},
    };
    enum ordo_status status = ORDO_OK;

    for (size_t i = 0; i < sizeof array / sizeof array[0] && status == ORDO_OK; i++)
        status = read_array(path, plan, array[i].key, &array[i].shape, array[i].required, array[i].data, err);
    if (status == ORDO_OK && (o == NULL) != (lse == NULL))
        status = ordo_fail(err, ORDO_BAD_INPUT, path, o ? "lse" : "o",
                           "o and lse come from one forward: both or none");
    if (status == ORDO_OK && scale && !(*(float *)scale > 0 && *(float *)scale < HUGE_VALF))
        status = ordo_fail(err, ORDO_BAD_INPUT, path, "scale", "must be a positive number");
    run->tensors = (struct ordo_tensors){q, kv, dout, sink};
    run->o = o;
    run->lse = lse;
    link_tensors(run, plan, problem, scale ? *(float *)scale : default_scale(plan));
    free(scale);
    return status;
}

void ordo_twin_run_free(struct ordo_twin_run *run)
{
    ordo_tensors_free(&run->tensors);
    free(run->o);
    free(run->lse);
    for (int i = 0; i < ORDO_OUTPUTS; i++)
        free(*member_of(&run->out, &shape[i]));
    *run = (struct ordo_twin_run){0};
}

/* --- digests --------------------------------------------------------------------------------------------------- */

static void hash_elements(struct ordo_hasher *h, const void *data, uint64_t n, size_t width)
{
    for (uint64_t i = 0; i < n; i++)
        ordo_hasher_u32(h, width == 2 ? ((const uint16_t *)data)[i] : ordo_fp32_bits(((const float *)data)[i]));
}

struct ordo_digest ordo_elements_digest(const void *data, uint64_t n, size_t width)
{
    struct ordo_hasher h;

    ordo_hasher_init(&h);
    hash_elements(&h, data, n, width);
    return ordo_hasher_done(&h);
}

struct ordo_digest ordo_output_digest(const struct ordo_plan *plan, enum ordo_output output, const void *data)
{
    return ordo_elements_digest(data, ordo_output_count(plan, output), width_of(&shape[output]));
}

struct ordo_digest ordo_twin_run_input(const struct ordo_twin_run *run)
{
    const struct ordo_plan *plan = run->a.plan;
    struct ordo_digest tensors = ordo_tensors_digest(&plan->request, &run->tensors);
    struct ordo_hasher h;

    ordo_hasher_init(&h);
    ordo_hasher_text(&h, "ordo-run-input/1\n");
    ordo_hasher_bytes(&h, tensors.byte, sizeof tensors.byte);
    ordo_hasher_u32(&h, ordo_fp32_bits(run->a.in.scale));
    if (run->o)
        hash_elements(&h, run->o, ordo_output_count(plan, ORDO_OUTPUT_O), 2);
    if (run->lse)
        hash_elements(&h, run->lse, ordo_output_count(plan, ORDO_OUTPUT_LSE), 4);
    return ordo_hasher_done(&h);
}

/* --- the twin --------------------------------------------------------------------------------------------------- */

enum ordo_status ordo_twin_run(struct ordo_twin_run *run, int n_thread, bool planes, struct ordo_err *err)
{
    const struct ordo_plan *plan = run->a.plan;
    uint64_t need = ordo_twin_run_bytes(plan, n_thread, planes), n;
    enum ordo_status status = ORDO_OK;

    if (need > ordo_memory_bytes())
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory",
                         "the twin's outputs and planes need %" PRIu64 " bytes, more than this machine has", need);
    for (int i = 0; i < ORDO_OUTPUTS - !planes; i++) {
        void **data = member_of(&run->out, &shape[i]);

        *data = count_of(plan, shape[i].extent, &n) ? ordo_alloc(n, width_of(&shape[i])) : NULL;
        if (!*data)
            return ordo_fail(err, ORDO_ENVIRONMENT, NULL, ordo_output_name[i], "no memory for it");
    }
    status = ordo_attention(&run->a, n_thread, &run->out, err);
    for (int i = 0; i < ORDO_OUTPUTS - !planes && status == ORDO_OK; i++) {
        (void)count_of(plan, shape[i].extent, &n);
        run->digest[i] = ordo_elements_digest(*member_of(&run->out, &shape[i]), n, width_of(&shape[i]));
    }
    return status;
}

size_t ordo_output_arrays(const struct ordo_plan *plan, const struct ordo_attention_outputs *outputs,
                          struct ordo_npz_array array[ORDO_OUTPUTS])
{
    struct ordo_attention_outputs out = *outputs;
    size_t n = 0;

    for (int i = 0; i < ORDO_OUTPUTS; i++) {
        const struct shape *s = &shape[i];
        struct ordo_npz_array *a = &array[n];

        if (!*member_of(&out, s))
            continue;
        *a = (struct ordo_npz_array){.name = ordo_output_name[i], .descr = s->descr, .data = *member_of(&out, s)};
        for (; a->n_dim < 3 && s->extent[a->n_dim] != NONE; a->n_dim++)
            a->dim[a->n_dim] = extent_of(plan, s->extent[a->n_dim]);
        n++;
    }
    return n;
}

size_t ordo_twin_run_arrays(const struct ordo_twin_run *run, struct ordo_npz_array array[ORDO_OUTPUTS])
{
    return ordo_output_arrays(run->a.plan, &run->out, array);
}
