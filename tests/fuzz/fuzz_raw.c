/* fuzz_raw.c - a line of dtype and shape, one blank between, as the command line gives them; then the array. */
#include "tests/fuzz/harness.h"

#include "corpus/raw.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL,
                  *blank = end ? memchr(data, ' ', (size_t)(end - data)) : NULL;
    char dtype[64], shape[64];
    struct ordo_source src = {.path = "fuzz", .raw_dtype = dtype, .raw_shape = shape};
    struct ordo_bytes b;
    struct ordo_err err = {0};
    struct ordo_problem p = {0};
    enum ordo_status status;

    if (!blank)
        return 0;
    (void)snprintf(dtype, sizeof dtype, "%.*s", (int)(blank - data), (const char *)data);
    (void)snprintf(shape, sizeof shape, "%.*s", (int)(end - blank - 1), (const char *)blank + 1);
    b = ordo_bytes_memory(end + 1, size - (size_t)(end + 1 - data));
    status = ordo_raw_read(&src, &b, &p, &err);
    harness_judge(status == ORDO_USAGE ? ORDO_BAD_INPUT : status, &p, &err);
    return 0;
}
