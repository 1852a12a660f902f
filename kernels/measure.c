/* measure.c - from the values of a case to launches, and back to words. */
#include "kernels/measure.h"

#include "base/fnv.h"
#include "base/probes.h"
#include "kernels/golden_impl.h"
#include "kernels/layout.h"
#include "kernels/product.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SHARED 232448 /* bytes a CTA of sm_90 may have: CUDA C++ Programming Guide, compute capabilities */
#define POISON 0xffabcdefu /* a NaN that no instruction returns */

enum { ROOM_A, ROOM_B, ROOM_C, ROOM_OUT };

/* --- products --------------------------------------------------------------------------------------------------- */

struct job {
    struct ordo_tile_product product;
    struct ordo_gpu_launch launch;
    char kernel[32];
    size_t tiles, n_a, n_b, n_c; /* elements of one tile */
};

static enum ordo_status refuse(enum ordo_golden_key key, struct ordo_err *err)
{
    return ordo_fail(err, ORDO_BAD_INPUT, NULL, ordo_golden_field[key].name, "no kernel does this");
}

/* What kernels of FP16 operands have in their name. */
static const char *of_fp16(const uint64_t *v)
{
    return v[ORDO_KEY_UNIT] >= ORDO_UNIT_MMA_SYNC_FP16 ? "_f16" : "";
}

static enum ordo_status plan_mma_sync(struct job *job, const uint64_t *v, struct ordo_err *err)
{
    const struct ordo_tile_product *p = &job->product;

    if (p->m % 16 != 0)
        return refuse(ORDO_KEY_ROWS, err);
    if (p->n % 8 != 0)
        return refuse(ORDO_KEY_COLS, err);
    snprintf(job->kernel, sizeof job->kernel, "mma%s_m16n8k%" PRIu64, of_fp16(v), v[ORDO_KEY_GROUP]);
    job->launch = (struct ordo_gpu_launch){job->kernel, {p->m / 16, p->n / 8, (uint32_t)job->tiles}, 32, 0};
    return ORDO_OK;
}

static enum ordo_status plan_wgmma(struct job *job, const uint64_t *v, struct ordo_err *err)
{
    struct ordo_tile_product *p = &job->product;
    uint32_t n = (uint32_t)v[ORDO_KEY_X_N], groups = (uint32_t)v[ORDO_KEY_X_WARPGROUPS];
    bool registers = v[ORDO_KEY_X_A] == 1;
    struct ordo_layout a, b;

    p->stage = 16 * (uint32_t)v[ORDO_KEY_X_STAGE];
    p->width_a = 1u << v[ORDO_KEY_X_SWIZZLE_A];
    p->width_b = 1u << v[ORDO_KEY_X_SWIZZLE_B];
    a = (struct ordo_layout){(uint32_t)v[ORDO_KEY_X_MAJOR_A], p->width_a, 64, p->stage};
    b = (struct ordo_layout){(uint32_t)v[ORDO_KEY_X_MAJOR_B], p->width_b, n, p->stage};
    if (v[ORDO_KEY_GROUP] != 16)
        return refuse(ORDO_KEY_GROUP, err);
    if (n == 0 || p->n % n != 0)
        return refuse(ORDO_KEY_X_N, err);
    if (groups == 0 || p->m % (64 * groups) != 0)
        return refuse(ORDO_KEY_X_WARPGROUPS, err);
    if (p->stage == 0 || p->k % p->stage != 0)
        return refuse(ORDO_KEY_X_STAGE, err);
    snprintf(job->kernel, sizeof job->kernel, "wgmma%s_%u_%s_%c%c", of_fp16(v), (unsigned)n,
             !registers ? "ss" : p->stage % 64 == 0 ? "r4" : "r1", a.mn_major ? 'm' : 'k', b.mn_major ? 'm' : 'k');
    job->launch = (struct ordo_gpu_launch){job->kernel,
                                           {p->m / (64 * groups), p->n / n, (uint32_t)job->tiles},
                                           128 * groups,
                                           (registers ? 0 : groups * ordo_layout_bytes(&a)) + ordo_layout_bytes(&b)};
    return job->launch.shared <= MOST_SHARED ? ORDO_OK : refuse(ORDO_KEY_X_STAGE, err);
}

/* Rooms for all operands, and which kernel. */
static enum ordo_status plan_product(struct ordo_gpu *gpu, struct job *job, const uint64_t *v, struct ordo_err *err)
{
    struct ordo_tile_product *p = &job->product;
    uint64_t a, b, c, d;
    enum ordo_status status;

    memset(job, 0, sizeof *job);
    p->m = (uint32_t)v[ORDO_KEY_ROWS];
    p->n = (uint32_t)v[ORDO_KEY_COLS];
    p->k = (uint32_t)(v[ORDO_KEY_GROUPS] * v[ORDO_KEY_GROUP]);
    job->tiles = v[ORDO_KEY_TILES];
    job->n_a = (size_t)p->m * p->k;
    job->n_b = (size_t)p->n * p->k;
    job->n_c = (size_t)p->m * p->n;
    if (p->m == 0 || p->n == 0 || p->k == 0 || job->tiles == 0)
        return refuse(ORDO_KEY_ROWS, err);
    status = v[ORDO_KEY_UNIT] & ORDO_UNIT_WGMMA ? plan_wgmma(job, v, err) : plan_mma_sync(job, v, err);
    if (status || (status = ordo_gpu_room(gpu, ROOM_A, job->tiles * job->n_a * sizeof *p->a, &a, err)) ||
        (status = ordo_gpu_room(gpu, ROOM_B, job->tiles * job->n_b * sizeof *p->b, &b, err)) ||
        (status = ordo_gpu_room(gpu, ROOM_C, job->tiles * job->n_c * sizeof *p->c, &c, err)) ||
        (status = ordo_gpu_room(gpu, ROOM_OUT, job->tiles * job->n_c * sizeof *p->d, &d, err)))
        return status;
    p->a = (uint16_t *)(uintptr_t)a;
    p->b = (uint16_t *)(uintptr_t)b;
    p->c = v[ORDO_KEY_INIT] == 0 ? (uint32_t *)(uintptr_t)c : NULL;
    p->d = (uint32_t *)(uintptr_t)d;
    return ORDO_OK;
}

/* Operands stand; poisons D, multiplies, reads D. */
static enum ordo_status multiply(struct ordo_gpu *gpu, struct job *job, uint32_t *d, struct ordo_err *err)
{
    size_t bytes = job->tiles * job->n_c * sizeof *d;
    uint64_t out = (uintptr_t)job->product.d;
    void *arguments[] = {&job->product};
    enum ordo_status status;

    if ((status = ordo_gpu_fill(gpu, out, POISON, bytes, err)) ||
        (status = ordo_gpu_start(gpu, &job->launch, arguments, err)))
        return status;
    return ordo_gpu_read(gpu, d, out, bytes, err);
}

enum ordo_status ordo_measure_product(struct ordo_gpu *gpu, const uint64_t value[ORDO_KEYS], const uint16_t *a,
                                      const uint16_t *b, const uint32_t *c, uint32_t *d, struct ordo_err *err)
{
    struct job job;
    enum ordo_status status = plan_product(gpu, &job, value, err);
    struct ordo_tile_product *p = &job.product;

    if (status ||
        (status = ordo_gpu_write(gpu, (uintptr_t)p->a, a, job.tiles * job.n_a * sizeof *a, err)) ||
        (status = ordo_gpu_write(gpu, (uintptr_t)p->b, b, job.tiles * job.n_b * sizeof *b, err)) ||
        (p->c != NULL && (status = ordo_gpu_write(gpu, (uintptr_t)p->c, c, job.tiles * job.n_c * sizeof *c, err))))
        return status;
    return multiply(gpu, &job, d, err);
}

static enum ordo_status measure_mma(struct ordo_gpu *gpu, const uint64_t *v, uint32_t *word, struct ordo_err *err)
{
    struct job job;
    enum ordo_status status = plan_product(gpu, &job, v, err);
    size_t most = job.n_a > job.n_b ? job.n_a : job.n_b;
    int family = (int)v[ORDO_KEY_FAMILY];
    uint64_t seed = v[ORDO_KEY_SEED];
    void *arguments[] = {&job.product, &family, &seed};
    struct ordo_gpu_launch make = {"make_operands", {0, 1, (uint32_t)job.tiles}, 256, 0};

    if (status)
        return status;
    make.grid[0] = (uint32_t)(((most > job.n_c ? most : job.n_c) + 255) / 256);
    if ((status = ordo_gpu_start(gpu, &make, arguments, err)))
        return status;
    return multiply(gpu, &job, word, err);
}

/* --- probes ----------------------------------------------------------------------------------------------------- */

/* A tile a probe, all rows and columns alike.  Its word is the first output, or one that differs from what the table
 * wants: no place may. */
static enum ordo_status measure_probes(struct ordo_gpu *gpu, const uint64_t *v, uint32_t *word, struct ordo_err *err)
{
    uint64_t asked[ORDO_KEYS];
    bool wgmma = v[ORDO_KEY_UNIT] == ORDO_UNIT_WGMMA;
    size_t m = wgmma ? 64 * v[ORDO_KEY_X_WARPGROUPS] : 16, n = v[ORDO_KEY_X_N];
    uint16_t *a = calloc(ORDO_PROBES, 16 * m * sizeof *a), *b = calloc(ORDO_PROBES, 16 * n * sizeof *b);
    uint32_t *c = calloc(ORDO_PROBES, m * n * sizeof *c), *d = calloc(ORDO_PROBES, m * n * sizeof *d);
    enum ordo_status status;

    memcpy(asked, v, sizeof asked);
    asked[ORDO_KEY_ROWS] = m;
    asked[ORDO_KEY_COLS] = n;
    asked[ORDO_KEY_GROUPS] = 1;
    asked[ORDO_KEY_TILES] = ORDO_PROBES;
    if (a == NULL || b == NULL || c == NULL || d == NULL) {
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, NULL, "no memory for the probes");
        goto out;
    }
    for (size_t i = 0; i < ORDO_PROBES; i++) {
        uint16_t one_a[16], one_b[16];

        ordo_probe_operands(&ordo_probe[i], one_a, one_b);
        for (size_t row = 0; row < m; row++)
            memcpy(a + 16 * (i * m + row), one_a, sizeof one_a);
        for (size_t col = 0; col < n; col++)
            memcpy(b + 16 * (i * n + col), one_b, sizeof one_b);
        for (size_t at = 0; at < m * n; at++)
            c[i * m * n + at] = ordo_probe[i].c;
    }
    status = ordo_measure_product(gpu, asked, a, b, c, d, err);
    for (size_t i = 0; status == ORDO_OK && i < ORDO_PROBES; i++) {
        word[i] = d[i * m * n];
        for (size_t at = 0; at < m * n; at++)
            if (d[i * m * n + at] != ordo_probe[i].want)
                word[i] = d[i * m * n + at];
    }
out:
    free(a);
    free(b);
    free(c);
    free(d);
    return status;
}

/* --- functions of one word, additions --------------------------------------------------------------------------- */

/* Words where `word` is given, else the digest only. */
static enum ordo_status measure_unary(struct ordo_gpu *gpu, const uint64_t *v, uint32_t *word, uint64_t *digest,
                                      struct ordo_err *err)
{
    int op = (int)v[ORDO_KEY_OP], form = (int)v[ORDO_KEY_X_FORM];
    uint32_t first = (uint32_t)v[ORDO_KEY_FIRST], step = (uint32_t)v[ORDO_KEY_STEP];
    uint64_t n = v[ORDO_KEY_N], blocks = (n + ORDO_FNV_BLOCK - 1) / ORDO_FNV_BLOCK, address;
    size_t bytes = word != NULL ? n * sizeof *word : blocks * sizeof *digest;
    struct ordo_gpu_launch launch = {word != NULL ? "unary_words" : "unary_blocks", {0, 1, 1}, 64, 0};
    void *arguments[] = {&op, &form, &first, &step, &n, &address};
    uint64_t *block = NULL;
    enum ordo_status status;

    launch.grid[0] = word != NULL ? 1024 : (uint32_t)((blocks + 63) / 64);
    if ((status = ordo_gpu_room(gpu, ROOM_OUT, bytes, &address, err)) ||
        (status = ordo_gpu_start(gpu, &launch, arguments, err)))
        return status;
    if (word != NULL)
        return ordo_gpu_read(gpu, word, address, bytes, err);
    block = malloc(bytes);
    if (block == NULL)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, NULL, "no memory for %" PRIu64 " digests", blocks);
    status = ordo_gpu_read(gpu, block, address, bytes, err);
    *digest = ORDO_FNV_START;
    for (uint64_t i = 0; status == ORDO_OK && i < blocks; i++)
        *digest = ordo_fnv_block(*digest, block[i]);
    free(block);
    return status;
}

static enum ordo_status measure_add(struct ordo_gpu *gpu, const uint64_t *v, uint32_t *word, struct ordo_err *err)
{
    int op = (int)v[ORDO_KEY_OP] - ORDO_OPS, form = (int)v[ORDO_KEY_X_FORM], family = (int)v[ORDO_KEY_FAMILY];
    uint64_t seed = v[ORDO_KEY_SEED], n = v[ORDO_KEY_N], address;
    struct ordo_gpu_launch launch = {"additions", {(uint32_t)(n / ORDO_ADD_THREADS), 1, 1}, ORDO_ADD_THREADS, 0};
    void *arguments[] = {&op, &form, &family, &seed, &address};
    enum ordo_status status;

    if (n == 0 || n % ORDO_ADD_THREADS != 0)
        return refuse(ORDO_KEY_N, err);
    if ((status = ordo_gpu_room(gpu, ROOM_OUT, n * sizeof *word, &address, err)) ||
        (status = ordo_gpu_start(gpu, &launch, arguments, err)))
        return status;
    return ordo_gpu_read(gpu, word, address, n * sizeof *word, err);
}

/* --- all of them ------------------------------------------------------------------------------------------------ */

enum ordo_status ordo_measure(struct ordo_gpu *gpu, const uint64_t value[ORDO_KEYS], bool words,
                              struct ordo_golden_case *got, struct ordo_err *err)
{
    bool unary = value[ORDO_KEY_KIND] == ORDO_GOLDEN_UNARY;
    enum ordo_status status;

    memcpy(got->value, value, sizeof got->value);
    got->n_word = ordo_golden_words(value);
    got->word = NULL;
    if (got->n_word > ORDO_GOLDEN_MOST_WORDS && (words || !unary))
        return refuse(ORDO_KEY_N, err);
    if (words || !unary) {
        got->word = malloc((got->n_word + 1) * sizeof *got->word);
        if (got->word == NULL)
            return ordo_fail(err, ORDO_ENVIRONMENT, NULL, NULL, "no memory for %" PRIu64 " words", got->n_word);
    }
    switch (value[ORDO_KEY_KIND]) {
    case ORDO_GOLDEN_MMA:
        status = measure_mma(gpu, value, got->word, err);
        break;
    case ORDO_GOLDEN_PROBE:
        status = measure_probes(gpu, value, got->word, err);
        break;
    case ORDO_GOLDEN_UNARY:
        status = measure_unary(gpu, value, got->word, &got->digest, err);
        break;
    default:
        status = measure_add(gpu, value, got->word, err);
    }
    if (status == ORDO_OK && got->word != NULL)
        got->digest = ordo_golden_digest(got->word, got->n_word);
    if (status != ORDO_OK || !words) {
        free(got->word);
        got->word = NULL;
    }
    return status;
}
