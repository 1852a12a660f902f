/* fuzz_text.c - text index tensors. */
#include "tests/fuzz/harness.h"

#include "corpus/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ordo_err err = {0};
    struct ordo_site at = {"fuzz", NULL, &err};
    struct ordo_problem p = {0};
    enum ordo_status status = ordo_text_parse(&at, data, size, &p);

    harness_judge(status, &p, &err);
    return 0;
}
