/* fuzz_litmus.c - any bytes as a litmus file; what is taken is decided, if it is small. */
#include "tests/fuzz/harness.h"

#include "sim/ptx_impl.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ordo_ptx_program p;
    static struct ordo_ptx_search q;
    struct ordo_ptx_tally tally = {0};
    struct ordo_err err = {0};
    enum ordo_status status = ordo_ptx_parse("fuzz", (const char *)data, size, &p, &err);

    ORDO_BUG_ON(status != ORDO_OK && (status != ORDO_BAD_INPUT || !err.reason[0] || !err.field[0]));
    for (int liveness = 0; status == ORDO_OK && liveness < 2; liveness++) {
        q = (struct ordo_ptx_search){.p = &p, .liveness = liveness, .left = 300, .tally = &tally};
        ordo_ptx_enumerate(&q);
        free(tally.witness);
        tally.witness = NULL;
    }
    return 0;
}
