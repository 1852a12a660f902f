/* fuzz_case.c - any bytes as a case; what is taken prints, and the print is taken and prints the same. */
#include "tests/fuzz/harness.h"

#include "corpus/case.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ordo_case c, again;
    struct ordo_err err = {0};
    enum ordo_status status = ordo_case_parse("fuzz", (const char *)data, size, &c, &err);

    ORDO_BUG_ON(status != ORDO_OK && (status != ORDO_BAD_INPUT || !err.reason[0] || !err.field[0]));
    if (status == ORDO_OK) {
        char *text = ordo_case_print(&c, false), *second;

        ORDO_BUG_ON(!text || ordo_case_parse("again", text, strlen(text), &again, &err) != ORDO_OK);
        second = ordo_case_print(&again, false);
        ORDO_BUG_ON(!second || strcmp(text, second) != 0);
        free(text);
        free(second);
        ordo_case_free(&again);
    }
    ordo_case_free(&c);
    return 0;
}
