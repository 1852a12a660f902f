/* fuzz_run.c - any bytes as the run of a small relay plan; what is taken is proved, or convicted, in the plan's
 * stead. */
#include "tests/fuzz/harness.h"

#include "sim/run_op.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int32_t idx[] = {0, 1, 1, 2, -1, 1};
    static const struct ordo_request request = {
        .n_query = 3, .n_kv = 4, .topk = 2, .n_head = 64, .d_qk = 576, .d_v = 512, .cluster = 4, .wave = 4};
    static const struct ordo_problem problem = {3, 2, 4, idx, NULL};
    static struct ordo_prover prover;
    static struct ordo_plan plan;
    struct ordo_run_list list;
    struct ordo_err err = {0};
    FILE *in = fmemopen((void *)(uintptr_t)data, size, "r");
    enum ordo_status status;

    if (!in)
        return 0; /* nothing at all is no file here */
    status = ordo_run_parse("fuzz", in, &list, &err);
    (void)fclose(in);
    ORDO_BUG_ON(status != ORDO_OK && (status != ORDO_BAD_INPUT || !err.reason[0] || !err.field[0]));
    if (status == ORDO_OK) {
        struct ordo_run_difference difference;
        struct ordo_proof proof;

        if (!plan.design)
            ORDO_BUG_ON(ordo_plan_make(&request, &plan, &err) != ORDO_OK);
        status = ordo_run_prove_by(&prover, &list, &plan, &problem, &proof, &difference, &err);
        ORDO_BUG_ON(status != ORDO_OK || (proof.verdict == ORDO_PROVED) != (difference.line == 0));
        ordo_proof_free(&proof);
    }
    free(list.op);
    return 0;
}
