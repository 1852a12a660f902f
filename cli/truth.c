/* truth.c - see truth.h. */
#include "cli/truth.h"

#include "base/size.h"
#include "corpus/npz_write.h"
#include "oracle/units.h"
#include "ref/fp.h"

#include <stdlib.h>

/* Of one output at a time: a gigabyte. */
#define MOST_ELEMENTS 1e7

const char *const ordo_unit_name[ORDO_REAL_OUTPUTS] = {"heads of queries", "KV rows", "heads"};

enum ordo_status ordo_truth_run(const struct ordo_args *args, const struct ordo_case_run *c,
                                struct ordo_real_gradient *g, struct ordo_err *err)
{
    struct ordo_units units[ORDO_REAL_OUTPUTS];
    enum ordo_status status = ordo_units_choose(&c->attend, &ordo_unit_cost_real, ordo_opt_int(args, "budget") * 1e6,
                                                MOST_ELEMENTS, units, err);

    for (int i = 0; i < ORDO_REAL_OUTPUTS && status == ORDO_OK; i++)
        status = ordo_real_want(g, &c->attend, i, units[i].n, units[i].unit, err);
    ordo_units_free(units);
    return status == ORDO_OK ? ordo_real_run(&c->attend, g, err) : status;
}

void ordo_truth_outputs(const struct ordo_case_run *c, const struct ordo_real_gradient *g,
                        struct ordo_truth_output output[ORDO_REAL_OUTPUTS])
{
    const struct ordo_request *r = &c->plan.request;
    uint64_t q = (uint64_t)r->n_query, h = (uint64_t)r->n_head, d = (uint64_t)r->d_qk;

    output[ORDO_REAL_DQ] = (struct ordo_truth_output){
        .bf16_key = "dq", .fp32_key = "dq_fp32", .unit_key = "dq_unit", .n_dim = 3, .dim = {q, h, d, 0}};
    output[ORDO_REAL_DKV] = (struct ordo_truth_output){
        .bf16_key = "dkv", .fp32_key = "dkv_fp32", .unit_key = "dkv_unit", .n_dim = 2,
        .dim = {(uint64_t)r->n_kv, d, 0, 0}};
    output[ORDO_REAL_DSINK] = (struct ordo_truth_output){
        .fp32_key = "dsink", .unit_key = "dsink_unit", .n_dim = 1, .dim = {h, 0, 0, 0}};
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++) {
        output[i].name = ordo_real_name[i];
        output[i].unit_name = ordo_unit_name[i];
        output[i].all = ordo_real_units(&c->attend, i);
        output[i].set = &g->set[i];
    }
}

/* --- the .npz --------------------------------------------------------------------------------------------------- */

struct columns {
    uint16_t *bf16;
    float *fp32;
    int32_t *unit;
};

static enum ordo_status columns_make(const struct ordo_real_set *s, struct columns *to, struct ordo_err *err)
{
    uint64_t n = (uint64_t)(s->n_unit * s->width);

    *to = (struct columns){ordo_alloc(n, sizeof *to->bf16), ordo_alloc(n, sizeof *to->fp32),
                           ordo_alloc((uint64_t)s->n_unit, sizeof *to->unit)};
    if (!to->bf16 || !to->fp32 || !to->unit)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for the arrays to write");
    for (uint64_t i = 0; i < n; i++) {
        to->bf16[i] = s->value[i].bf16;
        to->fp32[i] = ordo_fp32(s->value[i].fp32);
    }
    for (int64_t i = 0; i < s->n_unit; i++)
        to->unit[i] = (int32_t)s->unit[i];
    return ORDO_OK;
}

/* The output's own shape, or units x width of a sample. */
static struct ordo_npz_array array_of(const struct ordo_truth_output *o, const char *name, const char *descr,
                                      const void *data)
{
    const struct ordo_real_set *s = o->set;
    bool whole = s->n_unit == o->all;
    struct ordo_npz_array a = {name, descr, 2, {(uint64_t)s->n_unit, (uint64_t)s->width, 0, 0}, data};

    if (o->n_dim == 1)
        a.n_dim = 1;
    else if (whole)
        a.n_dim = o->n_dim;
    for (int i = 0; i < o->n_dim && whole; i++)
        a.dim[i] = o->dim[i];
    return a;
}

enum ordo_status ordo_truth_write(const char *path, const struct ordo_truth_output output[ORDO_REAL_OUTPUTS],
                                  struct ordo_err *err)
{
    struct columns column[ORDO_REAL_OUTPUTS] = {{0}};
    struct ordo_npz_array array[3 * ORDO_REAL_OUTPUTS];
    enum ordo_status status = ORDO_OK;
    size_t n = 0;

    for (int i = 0; i < ORDO_REAL_OUTPUTS && status == ORDO_OK; i++) {
        const struct ordo_truth_output *o = &output[i];

        status = columns_make(o->set, &column[i], err);
        if (o->bf16_key)
            array[n++] = array_of(o, o->bf16_key, "<u2", column[i].bf16);
        array[n++] = array_of(o, o->fp32_key, "<f4", column[i].fp32);
        if (o->set->n_unit < o->all)
            array[n++] = (struct ordo_npz_array){o->unit_key, "<i4", 1, {(uint64_t)o->set->n_unit, 0, 0, 0},
                                                 column[i].unit};
    }
    if (status == ORDO_OK)
        status = ordo_npz_write(path, array, n, err);
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++) {
        free(column[i].bf16);
        free(column[i].fp32);
        free(column[i].unit);
    }
    return status;
}
