/* fuzz_golden.c - any bytes as a golden file. */
#include "tests/fuzz/harness.h"

#include "kernels/golden.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ordo_golden golden = {.n = 0};
    struct ordo_err err = {0};
    enum ordo_status status = ordo_golden_parse(&golden, "fuzz", (const char *)data, size, &err);

    ORDO_BUG_ON(status != ORDO_OK && ((status != ORDO_BAD_INPUT && status != ORDO_ENVIRONMENT) || !err.reason[0]));
    for (size_t i = 0; status == ORDO_OK && i < golden.n; i++)
        ORDO_BUG_ON(golden.item[i].word && golden.item[i].n_word != ordo_golden_words(golden.item[i].value));
    ordo_golden_free(&golden);
    return 0;
}
