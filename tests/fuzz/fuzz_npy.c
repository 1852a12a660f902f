/* fuzz_npy.c - .npy as an index tensor, and again as the lengths of as many queries as it has. */
#include "tests/fuzz/harness.h"

#include "corpus/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ordo_bytes b = ordo_bytes_memory(data, size);
    struct ordo_err err = {0};
    struct ordo_site at = {"fuzz", NULL, &err};
    struct ordo_stream s = ordo_stream_range(&b, 0, size);
    struct ordo_problem p = {0};
    enum ordo_status status = ordo_npy_topk(&at, &s, &p);
    int64_t count = (int64_t)p.n_query * p.topk;

    if (!status && count <= INT32_MAX) {
        struct ordo_problem q = {.n_query = (int32_t)count, .idx = NULL};

        s = ordo_stream_range(&b, 0, size);
        ORDO_BUG_ON(ordo_npy_length(&at, &s, &q) != ORDO_OK);
        ORDO_BUG_ON(count && (p.n_query == 1 || p.topk == 1) && memcmp(p.idx, q.length, (size_t)count * 4) != 0);
        ordo_problem_free(&q);
    }
    harness_judge(status, &p, &err);
    return 0;
}
