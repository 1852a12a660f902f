/* harness.h - what every fuzzing harness does with what a parser gave it. */
#ifndef ORDO_TESTS_FUZZ_HARNESS_H
#define ORDO_TESTS_FUZZ_HARNESS_H

#include "corpus/problem.h"

#include <string.h>

/* The entry that libFuzzer and replay_main.c call. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A success must be a whole problem, a failure an empty one with a reason.  Touches every slot; frees. */
static inline void harness_judge(enum ordo_status status, struct ordo_problem *p, const struct ordo_err *err)
{
    int64_t sum = 0;

    ORDO_BUG_ON(status != ORDO_OK && status != ORDO_BAD_INPUT && status != ORDO_ENVIRONMENT);
    if (status) {
        ORDO_BUG_ON(!err->reason[0] || !err->field[0]);
    } else {
        ORDO_BUG_ON(p->n_query < 0 || p->topk < 0 || !p->idx);
        for (int64_t i = 0; i < (int64_t)p->n_query * p->topk; i++)
            sum += p->idx[i];
        for (int32_t q = 0; p->length && q < p->n_query; q++)
            sum += p->length[q];
    }
    ORDO_BUG_ON(sum == INT64_MAX);
    ordo_problem_free(p);
}

#endif
