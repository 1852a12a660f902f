/* census.c - see census.h. */
#include "cli/census.h"

#include "base/fnv.h"
#include "base/progress.h"
#include "base/size.h"
#include "ref/fp.h"

#include <stdlib.h>
#include <string.h>

/* One block of results: the census's and the digest's unit. */
struct block {
    double truth[2][ORDO_FNV_BLOCK];
    uint32_t got[ORDO_FNV_BLOCK];
};

static void digest_block(struct ordo_census_row *row, const uint32_t *word, size_t n)
{
    uint64_t h = ORDO_FNV_START;

    for (size_t i = 0; i < n; i++)
        h = ordo_fnv_word(h, word[i]);
    row->digest = ordo_fnv_block(row->digest, h);
}

/* A conversion has no truth in ulp; what is counted is where the one by integers and the general one part. */
static void count_rounding(const struct ordo_format *f, uint32_t first, uint32_t step, size_t n, const uint32_t *got,
                           struct ordo_census *count)
{
    for (size_t i = 0; i < n; i++)
        count->not_nearest += got[i] != ordo_round(f, first + (uint32_t)i * step);
    count->n += n;
}

static void take(struct block *b, uint32_t first, uint32_t step, size_t n, struct ordo_census_row *row)
{
    ordo_census_truth(ORDO_TRUE_EXP2, first, step, n, b->truth[ORDO_TRUE_EXP2]);
    ordo_census_truth(ORDO_TRUE_LOG2, first, step, n, b->truth[ORDO_TRUE_LOG2]);
    for (int op = 0; op < ORDO_UNARIES; op++) {
        enum ordo_truth f = op == ORDO_LOG2 ? ORDO_TRUE_LOG2 : ORDO_TRUE_EXP2;

        ordo_unary((enum ordo_unary)op, first, step, n, b->got);
        if (op >= ORDO_CVT_BF16)
            count_rounding(op == ORDO_CVT_BF16 ? &ordo_format_bf16 : &ordo_format_fp16, first, step, n, b->got,
                           &row[op].count);
        else
            ordo_census_add(f, first, step, n, b->truth[f], b->got, &row[op].count);
        if (step == 1)
            digest_block(&row[op], b->got, n);
    }
}

enum ordo_status ordo_census_all(uint32_t step, struct ordo_census_row row[ORDO_UNARIES], struct ordo_err *err)
{
    uint64_t total = ordo_div_up(UINT64_C(1) << 32, step);
    struct block *b = ordo_alloc(1, sizeof *b);

    if (!b)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for a block of results");
    for (int op = 0; op < ORDO_UNARIES; op++)
        row[op] = (struct ordo_census_row){.name = ordo_unary_name[op], .digest = ORDO_FNV_START};
    for (uint64_t i = 0; i < total; i += ORDO_FNV_BLOCK) {
        size_t n = total - i < ORDO_FNV_BLOCK ? (size_t)(total - i) : ORDO_FNV_BLOCK;

        take(b, (uint32_t)(i * step), step, n, row);
        ordo_progress("inputs", i + n, total);
    }
    ordo_progress_end();
    free(b);
    return ORDO_OK;
}
