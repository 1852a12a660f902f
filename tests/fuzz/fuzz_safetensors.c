/* fuzz_safetensors.c - .safetensors under the default keys. */
#include "tests/fuzz/harness.h"

#include "corpus/bundle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ordo_bytes b = ordo_bytes_memory(data, size);
    struct ordo_source src = {.path = "fuzz"};
    struct ordo_err err = {0};
    struct ordo_problem p = {0};
    enum ordo_status status = ordo_safetensors_read(&src, &b, &p, &err);

    harness_judge(status, &p, &err);
    return 0;
}
