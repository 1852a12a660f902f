/* tree.c - see tree.h. */
#include "sim/tree.h"

#include "sim/fold.h"

#include <inttypes.h>
#include <stdbool.h>

static void print_planes(const struct ordo_plan *plan, const struct ordo_row *row, FILE *out)
{
    uint32_t hb = (uint32_t)plan->head_blocks;

    for (uint32_t i = 0; i < row->n_add; i++) {
        const struct ordo_add *a = &row->add[i];

        if (i == 0 || a->plane != row->add[i - 1].plane)
            fprintf(out, "%sP%" PRIu32 " = +0", i ? "\n" : "", a->plane);
        fprintf(out, " + q%" PRIu32 ".h%" PRIu32, a->leaf / hb, a->leaf % hb);
    }
    if (row->n_add)
        putc('\n', out);
}

/* Prints the group's line and returns true, or returns false if no plane of it has a writer.  *i moves past it. */
static bool print_group(const struct ordo_plan *plan, const struct ordo_row *row, uint32_t group, uint32_t *i,
                        FILE *out)
{
    uint32_t planes = (uint32_t)plan->planes, end = ordo_fold_group_end(group, planes);
    uint32_t n = end - group * ORDO_FOLD_GROUP, empty = n;

    while (*i < row->n_add && row->add[*i].plane < end) {
        if (empty == n)
            fprintf(out, "G%" PRIu32 " = +0", group);
        if (*i == 0 || row->add[*i].plane != row->add[*i - 1].plane) {
            fprintf(out, " + P%" PRIu32, row->add[*i].plane);
            empty--;
        }
        ++*i;
    }
    if (empty == n)
        return false;
    fprintf(out, " (%" PRIu32 " planes, %" PRIu32 " of them +0.0)\n", n, empty);
    return true;
}

void ordo_tree_print(const struct ordo_plan *plan, const struct ordo_row *row, FILE *out)
{
    uint32_t n_group = ordo_fold_groups((uint32_t)plan->planes), i = 0, previous = UINT32_MAX, empty = n_group;

    fprintf(out, "row %" PRId32 "\n", row->row);
    print_planes(plan, row, out);
    for (uint32_t g = 0; g < n_group; g++)
        empty -= print_group(plan, row, g, &i, out);
    fputs("sum = +0", out);
    for (i = 0; i < row->n_add; i++)
        if (ordo_fold_group(row->add[i].plane) != previous) {
            previous = ordo_fold_group(row->add[i].plane);
            fprintf(out, " + G%" PRIu32, previous);
        }
    fprintf(out, " (%" PRIu32 " groups, %" PRIu32 " of them +0.0)\n", n_group, empty);
}

uint32_t ordo_tree_depth(const struct ordo_plan *plan, const struct ordo_row *row)
{
    uint32_t planes = (uint32_t)plan->planes, deepest = 0, run = 0;

    for (uint32_t i = 0; i < row->n_add; i++) {
        uint32_t plane = row->add[i].plane, group = ordo_fold_group(plane);

        run = i && plane == row->add[i - 1].plane ? run + 1 : 1;
        /* run additions in the plane, then the rest of its group, then the rest of the groups */
        uint32_t depth =
            run + (ordo_fold_group_end(group, planes) - plane) + (ordo_fold_groups(planes) - group);
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest;
}
