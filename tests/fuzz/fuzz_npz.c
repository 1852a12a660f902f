/* fuzz_npz.c - .npz under the default keys, after the look for an archive of torch.save. */
#include "tests/fuzz/harness.h"

#include "corpus/bundle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ordo_bytes b = ordo_bytes_memory(data, size);
    struct ordo_source src = {.path = "fuzz"};
    struct ordo_err err = {0};
    struct ordo_problem p = {0};
    bool torch;
    enum ordo_status status = ordo_npz_is_torch(&src, &b, &torch, &err);

    if (!status)
        status = ordo_npz_read(&src, &b, &p, &err);
    harness_judge(status, &p, &err);
    return 0;
}
