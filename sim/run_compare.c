/* run_compare.c - is a list the plan's run, line by line; see run_op.h. */
#include "sim/run_op.h"

struct comparison {
    const struct ordo_run_list *list;
    struct ordo_run_difference *difference;
    uint64_t at;
};

static bool same_op(const struct ordo_run_op *a, const struct ordo_run_op *b)
{
    return a->wave == b->wave && a->head_block == b->head_block && a->plane == b->plane && a->rank == b->rank &&
           a->kind == b->kind && a->row == b->row;
}

static int compare_op(void *ctx, const struct ordo_run_op *expected)
{
    struct comparison *c = ctx;
    bool has_found = c->at < c->list->n;

    if (has_found && same_op(expected, &c->list->op[c->at])) {
        c->at++;
        return 0;
    }
    *c->difference = (struct ordo_run_difference){c->at + 1, true, has_found, *expected, *expected};
    if (has_found)
        c->difference->found = c->list->op[c->at];
    return 1;
}

struct ordo_run_difference ordo_run_compare(const struct ordo_run_list *list, const struct ordo_plan *plan,
                                            const struct ordo_problem *problem)
{
    struct ordo_run_difference difference = {0};
    struct comparison c = {list, &difference, 0};

    if (!ordo_run_stream(plan, problem, compare_op, &c) && c.at < list->n)
        difference = (struct ordo_run_difference){c.at + 1, false, true, list->op[c.at], list->op[c.at]};
    return difference;
}
