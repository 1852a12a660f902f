/* fuzz_schedule.c - any bytes as a recorded schedule; what is taken prints, and the print is taken and prints the
 * same. */
#include "tests/fuzz/harness.h"

#include "sim/e2_replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *print(const struct ordo_e2_replay *r)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);

    ORDO_BUG_ON(!out);
    ordo_e2_replay_write(r, out);
    ORDO_BUG_ON(fclose(out) != 0);
    return text;
}

static enum ordo_status take(const void *bytes, size_t n, struct ordo_e2_replay *r, struct ordo_err *err)
{
    FILE *in = fmemopen((void *)(uintptr_t)bytes, n, "r");
    enum ordo_status status;

    ORDO_BUG_ON(!in);
    status = ordo_e2_replay_read("fuzz", in, r, err);
    (void)fclose(in);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ordo_e2_replay r, again;
    struct ordo_err err = {0};
    enum ordo_status status;

    if (!size)
        return 0; /* nothing at all is no file here */
    status = take(data, size, &r, &err);
    ORDO_BUG_ON(status != ORDO_OK && (status != ORDO_BAD_INPUT || !err.reason[0] || !err.field[0]));
    if (status == ORDO_OK) {
        char *text = print(&r), *second;

        ORDO_BUG_ON(take(text, strlen(text), &again, &err) != ORDO_OK);
        second = print(&again);
        ORDO_BUG_ON(strcmp(text, second) != 0);
        ordo_e2_replay_free(&again);
        free(text);
        free(second);
    }
    ordo_e2_replay_free(&r);
    return 0;
}
