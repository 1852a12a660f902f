/* ordered.c - see ordered.h.
 *
 * Planes that nobody wrote are not visited.  That is the same sum: it would add +0.0 to a partial sum that itself
 * began at +0.0, x + +0.0 is x for every x but -0.0, and no such partial sum is -0.0, because rounding to nearest
 * gives -0.0 only for -0.0 + -0.0.  So a row costs its additions, not its planes.
 *
 * Eight columns at a time, whatever the width: the three levels stay in registers and every column is independent. */
#include "ref/ordered.h"

#include "base/status.h"
#include "sim/fold.h"

#include <float.h>
#include <string.h>

#if FLT_EVAL_METHOD != 0
#error "fp32 sums must be evaluated in fp32: on x86 build with -msse2 -mfpmath=sse"
#endif

enum { SPAN = 8, BLOCK = 32 };

/* The three open sums of a span of columns, and the plane that is being added to. */
struct fold {
    float plane[SPAN], group[SPAN], total[SPAN];
    uint32_t at;
};

static inline void add(float *sum, const float *term)
{
    for (int c = 0; c < SPAN; c++)
        sum[c] += term[c];
}

/* Adds an open sum to the level above and opens the next one at +0.0. */
static inline void close_level(float *sum, float *above)
{
    add(above, sum);
    memset(sum, 0, SPAN * sizeof *sum);
}

static inline void move_to(struct fold *f, uint32_t plane)
{
    close_level(f->plane, f->group);
    if (ordo_fold_group(plane) != ordo_fold_group(f->at))
        close_level(f->group, f->total);
    f->at = plane;
}

static inline void fold_add(struct fold *f, uint32_t plane, const float *term)
{
    if (plane != f->at)
        move_to(f, plane);
    add(f->plane, term);
}

static void fold_end(struct fold *f, float *out, int32_t n)
{
    close_level(f->plane, f->group);
    close_level(f->group, f->total);
    memcpy(out, f->total, (size_t)n * sizeof *out);
}

static void check_order(const struct ordo_row *row, uint32_t planes)
{
    for (uint32_t i = 1; i < row->n_add; i++)
        ORDO_BUG_ON(row->add[i].plane < row->add[i - 1].plane);
    ORDO_BUG_ON(row->n_add && row->add[row->n_add - 1].plane >= planes);
}

static inline int32_t span_at(int32_t first, int32_t width)
{
    return width - first < SPAN ? width - first : SPAN;
}

/* The terms of a block are all made before the first is added: reading back at once what was stored in other sizes
 * stalls the processor. */
static void add_block(const struct ordo_inputs *in, int32_t row, const struct ordo_add *leaf, uint32_t n_add,
                      int32_t first, struct fold *f)
{
    float term[BLOCK * SPAN] = {0};
    int32_t n = span_at(first, in->width);

    for (uint32_t i = 0; i < n_add; i++)
        ordo_contribution_span(in, leaf[i].leaf, row, first, n, term + i * SPAN);
    for (uint32_t i = 0; i < n_add; i++)
        fold_add(f, leaf[i].plane, term + i * SPAN);
}

void ordo_ref_row(const struct ordo_inputs *in, const struct ordo_row *row, uint32_t planes, float *out)
{
    check_order(row, planes);
    for (int32_t first = 0; first < in->width; first += SPAN) {
        struct fold f = {.at = 0};

        for (uint32_t i = 0; i < row->n_add; i += BLOCK) {
            uint32_t rest = row->n_add - i;

            add_block(in, row->row, row->add + i, rest < BLOCK ? rest : BLOCK, first, &f);
        }
        fold_end(&f, out + first, span_at(first, in->width));
    }
}

void ordo_ref_terms(const struct ordo_inputs *in, const struct ordo_row *row, float *term)
{
    for (uint32_t i = 0; i < row->n_add; i++)
        ordo_contribution(in, row->add[i].leaf, row->row, term + (size_t)i * (size_t)in->width);
}

void ordo_ref_sum(const struct ordo_row *row, uint32_t planes, const float *term, int32_t width, float *out)
{
    check_order(row, planes);
    for (int32_t first = 0; first < width; first += SPAN) {
        int32_t n = span_at(first, width);
        struct fold f = {.at = 0};
        float padded[SPAN] = {0};

        for (uint32_t i = 0; i < row->n_add; i++) {
            const float *line = term + (size_t)i * (size_t)width + first;

            if (n < SPAN)
                line = memcpy(padded, line, (size_t)n * sizeof *padded);
            fold_add(&f, row->add[i].plane, line);
        }
        fold_end(&f, out + first, n);
    }
}
