/* inputs.c - see inputs.h.
 *
 * One key per (seed, class, tensor, line), then a splitmix64 stream over the columns; a line is a (query, head), a KV
 * row, or for the sink the only one. */
#include "ref/inputs.h"

#include "base/rng.h"
#include "base/size.h"
#include "ref/fp.h"

#include <stdlib.h>

const char *const ordo_sink_kind_name[5] = {"seeded", "off", "inf", "huge", "mixed"};

enum tensor { Q, KV, DOUT, SINK, K, V };

/* Exponent field low + [0, count) of a rough tensor; an exact one has even (0) or odd (1) columns, or all (2). */
static const struct {
    uint32_t low, count, columns;
} shape_of[] = {[Q] = {127 - 4, 6, 0},    [KV] = {127 - 5, 6, 1}, [DOUT] = {127 - 6, 6, 2},
                [K] = {127 - 5, 6, 1}, [V] = {127 - 5, 6, 2}};

static struct ordo_rng line_rng(const struct ordo_values *v, enum tensor tensor, uint32_t row, uint32_t head)
{
    uint64_t number = 1 + (uint64_t)(tensor % 4) + 4 * (uint64_t)v->kind + 8 * (uint64_t)(tensor / 4);
    uint64_t stream = ordo_mix(ordo_mix(v->seed) + number * UINT64_C(0x9e3779b97f4a7c15));

    return (struct ordo_rng){ordo_mix(stream + ((uint64_t)row << 32 | head))};
}

/* Of 64 elements one is +0 or -0 and one subnormal. */
static uint16_t rough_value(uint64_t x, enum tensor tensor)
{
    uint32_t exponent = shape_of[tensor].low + ((uint32_t)(x >> 16 & 0xffff) * shape_of[tensor].count >> 16);
    uint32_t sign = (uint32_t)x & 0x8000, fraction = (uint32_t)x & 0x7f;

    switch (x >> 58) {
    case 0:
        return (uint16_t)sign;
    case 1:
        return (uint16_t)(sign | fraction | 1);
    default:
        return (uint16_t)(sign | exponent << 7 | fraction);
    }
}

/* An integer from -4 to 4 times 1 or 2; +0 in the columns that the tensor does not have. */
static uint16_t exact_value(uint64_t x, enum tensor tensor, int32_t column)
{
    static const uint16_t magnitude[5] = {0, 0x3f80, 0x4000, 0x4040, 0x4080}; /* 0 to 4 */
    int32_t whole = (int32_t)((x & 0xffff) * 9 >> 16) - 4;
    uint32_t bits = magnitude[whole < 0 ? -whole : whole], columns = shape_of[tensor].columns;

    if (whole == 0 || (columns < 2 && (uint32_t)column % 2 != columns))
        return 0;
    return (uint16_t)((whole < 0 ? 0x8000 : 0) | (bits + (uint32_t)(x >> 16 & 1) * 0x80));
}

static void fill_line(const struct ordo_values *v, enum tensor tensor, uint32_t row, uint32_t head, int32_t n,
                      uint16_t *out)
{
    struct ordo_rng rng = line_rng(v, tensor, row, head);

    if (v->kind == ORDO_ROUGH)
        for (int32_t c = 0; c < n; c++)
            out[c] = rough_value(ordo_rng_next(&rng), tensor);
    else
        for (int32_t c = 0; c < n; c++)
            out[c] = exact_value(ordo_rng_next(&rng), tensor, c);
}

static void make_tiny(uint64_t n, uint16_t *x)
{
    for (uint64_t i = 0; i < n; i++)
        if (x[i] & 0x7f80)
            x[i] = (uint16_t)(x[i] - (120 << 7));
}

/* rows x heads lines of n columns. */
static void fill(const struct ordo_values *v, enum tensor tensor, int32_t rows, int32_t heads, int32_t n,
                 uint16_t *out)
{
    for (int32_t row = 0; row < rows; row++)
        for (int32_t head = 0; head < heads; head++) {
            fill_line(v, tensor, (uint32_t)row, (uint32_t)head, n, out);
            out += n;
        }
}

/* seeded: multiples of 2^-20 from -4 to below 4. */
static float sink_of(const struct ordo_values *v, uint64_t x, int32_t head)
{
    static const uint32_t mixed[6] = {0xff800000, 0x7f800000, 0x7f348e52, 0xff348e52, 0xc3c80000, 0};
    static const uint32_t fixed[] = {[ORDO_SINK_OFF] = 0xff800000, [ORDO_SINK_INF] = 0x7f800000,
                                     [ORDO_SINK_HUGE] = 0x7f348e52};

    if (v->sink == ORDO_SINK_MIXED && head % 8 < 6)
        return ordo_fp32(mixed[head % 8]);
    if (v->sink != ORDO_SINK_SEEDED && v->sink != ORDO_SINK_MIXED)
        return ordo_fp32(fixed[v->sink]);
    return v->kind == ORDO_EXACT ? 0.0f : (float)((int32_t)(x >> 41) - (1 << 22)) * 0x1p-20f;
}

static enum ordo_status check(const struct ordo_request *r, struct ordo_err *err)
{
    const struct {
        const char *name;
        int32_t value;
    } extent[] = {{"queries", r->n_query}, {"kv", r->n_kv}, {"heads", r->n_head}, {"dqk", r->d_qk}, {"dv", r->d_v}};

    for (size_t i = 0; i < sizeof extent / sizeof extent[0]; i++)
        if (extent[i].value < 1)
            return ordo_fail(err, ORDO_BAD_INPUT, NULL, extent[i].name, "must be at least 1");
    if (r->d_v > r->d_qk)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, "dv", "must not be above dqk: V is a part of a KV row");
    return ORDO_OK;
}

/* rows * heads * n elements. */
static void *alloc(int32_t rows, int32_t heads, int32_t n, size_t size)
{
    uint64_t lines = (uint64_t)rows * (uint64_t)heads, count;

    return ordo_mul(lines, (uint64_t)n, &count) ? ordo_alloc(count, size) : NULL;
}

enum ordo_status ordo_tensors_seed(const struct ordo_request *r, const struct ordo_values *values,
                                   struct ordo_tensors *t, struct ordo_err *err)
{
    enum ordo_status status = check(r, err);
    struct ordo_rng sink = line_rng(values, SINK, 0, 0);

    *t = (struct ordo_tensors){0};
    if (status)
        return status;
    if (!(t->q = alloc(r->n_query, r->n_head, r->d_qk, sizeof *t->q)) ||
        !(t->kv = alloc(r->n_kv, 1, r->d_qk, sizeof *t->kv)) ||
        !(t->dout = alloc(r->n_query, r->n_head, r->d_v, sizeof *t->dout)) ||
        !(t->sink = alloc(r->n_head, 1, 1, sizeof *t->sink))) {
        ordo_tensors_free(t);
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "there is not enough for q, kv and do");
    }
    fill(values, Q, r->n_query, r->n_head, r->d_qk, t->q);
    fill(values, KV, r->n_kv, 1, r->d_qk, t->kv);
    fill(values, DOUT, r->n_query, r->n_head, r->d_v, t->dout);
    if (values->tiny)
        make_tiny((uint64_t)r->n_query * (uint64_t)r->n_head * (uint64_t)r->d_v, t->dout);
    for (int32_t head = 0; head < r->n_head; head++)
        t->sink[head] = sink_of(values, ordo_rng_next(&sink), head);
    return ORDO_OK;
}

enum ordo_status ordo_dense_tensors_seed(const struct ordo_dense_extents *e, const struct ordo_values *values,
                                         struct ordo_dense_tensors *t, struct ordo_err *err)
{
    const int32_t extent[] = {e->q_rows, e->kv_rows, e->q_heads, e->kv_heads, e->d};

    *t = (struct ordo_dense_tensors){0};
    for (size_t i = 0; i < sizeof extent / sizeof extent[0]; i++)
        if (extent[i] < 1)
            return ordo_fail(err, ORDO_BAD_INPUT, NULL, "extents", "must be at least 1");
    if (!(t->q = alloc(e->q_rows, e->q_heads, e->d, sizeof *t->q)) ||
        !(t->k = alloc(e->kv_rows, e->kv_heads, e->d, sizeof *t->k)) ||
        !(t->v = alloc(e->kv_rows, e->kv_heads, e->d, sizeof *t->v)) ||
        !(t->dout = alloc(e->q_rows, e->q_heads, e->d, sizeof *t->dout))) {
        ordo_dense_tensors_free(t);
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "there is not enough for q, k, v and do");
    }
    fill(values, Q, e->q_rows, e->q_heads, e->d, t->q);
    fill(values, K, e->kv_rows, e->kv_heads, e->d, t->k);
    fill(values, V, e->kv_rows, e->kv_heads, e->d, t->v);
    fill(values, DOUT, e->q_rows, e->q_heads, e->d, t->dout);
    return ORDO_OK;
}

void ordo_dense_tensors_free(struct ordo_dense_tensors *t)
{
    free(t->q);
    free(t->k);
    free(t->v);
    free(t->dout);
    *t = (struct ordo_dense_tensors){0};
}

void ordo_tensors_free(struct ordo_tensors *t)
{
    free(t->q);
    free(t->kv);
    free(t->dout);
    free(t->sink);
    *t = (struct ordo_tensors){0};
}

static void hash_bf16(struct ordo_hasher *h, const uint16_t *x, int32_t rows, int32_t heads, int32_t n)
{
    uint64_t count = (uint64_t)rows * (uint64_t)heads * (uint64_t)n;

    for (uint64_t i = 0; i < count; i++)
        ordo_hasher_u32(h, x[i]);
}

struct ordo_digest ordo_tensors_digest(const struct ordo_request *r, const struct ordo_tensors *t)
{
    const int32_t extent[5] = {r->n_query, r->n_kv, r->n_head, r->d_qk, r->d_v};
    struct ordo_hasher h;

    ordo_hasher_init(&h);
    ordo_hasher_text(&h, "ordo-tensors/1\n");
    for (int i = 0; i < 5; i++)
        ordo_hasher_u32(&h, (uint32_t)extent[i]);
    hash_bf16(&h, t->q, r->n_query, r->n_head, r->d_qk);
    hash_bf16(&h, t->kv, r->n_kv, 1, r->d_qk);
    hash_bf16(&h, t->dout, r->n_query, r->n_head, r->d_v);
    for (int32_t head = 0; head < r->n_head; head++)
        ordo_hasher_u32(&h, t->sink ? ordo_fp32_bits(t->sink[head]) : 0xff800000);
    return ordo_hasher_done(&h);
}
