/* fuzz_litmus.c - any bytes as a litmus file; what is taken is decided, if it is small.  Where the enumeration of
 * executions and the machines over values both know whether everything ends, they agree.  With ORDO_FUZZ=parse in the
 * environment nothing is decided, which takes most of the time. */
#include "tests/fuzz/harness.h"

#include "sim/ptx_live.h"

#include <stdlib.h>

static void compare(const struct ordo_ptx_program *p, const struct ordo_ptx_tally *tally)
{
    struct ordo_ptx_circle circle = {0};
    enum ordo_ptx_answer ends = ORDO_PTX_UNKNOWN;

    if (p->n_thread <= 3 && p->thread[0].n_op + p->thread[1].n_op + p->thread[2].n_op <= 12)
        ends = ordo_ptx_always_ends(p, &circle);
    ORDO_BUG_ON(ends == ORDO_PTX_YES && tally->stuck > 0);
    ORDO_BUG_ON(ends == ORDO_PTX_NO && tally->stuck == 0 && !tally->cut && !tally->exhausted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct ordo_ptx_program p;
    static struct ordo_ptx_search q;
    static int parse = -1;
    struct ordo_ptx_tally tally = {0};
    struct ordo_err err = {0};
    enum ordo_status status = ordo_ptx_parse("fuzz", (const char *)data, size, &p, &err);

    ORDO_BUG_ON(status != ORDO_OK && (status != ORDO_BAD_INPUT || !err.reason[0] || !err.field[0]));
    if (parse < 0)
        parse = getenv("ORDO_FUZZ") && strcmp(getenv("ORDO_FUZZ"), "parse") == 0;
    for (int liveness = 0; !parse && status == ORDO_OK && liveness < 2; liveness++) {
        q = (struct ordo_ptx_search){.p = &p, .liveness = liveness, .left = 3000, .tally = &tally,
                                        .visits = ORDO_PTX_VISITS};
        tally = (struct ordo_ptx_tally){0};
        ordo_ptx_enumerate(&q);
        if (liveness)
            compare(&p, &tally);
        free(tally.witness);
        tally.witness = NULL;
    }
    return 0;
}
