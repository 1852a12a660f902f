/* db_none.c - `ordo db`: what to say when no run passes the filter; see db.h. */
#include "cli/db.h"

#include <stdio.h>
#include <string.h>

/* The names that runs have for one thing, "a, b"; whether `want` is among them. */
struct names {
    const char *want;
    bool there;
    char list[200];
};

static int no_heading(void *ctx, const char *table, int n, const char *const *name)
{
    (void)ctx, (void)table, (void)n, (void)name;
    return 0;
}

static int add_name(void *ctx, int n, const struct ordo_store_cell *cell)
{
    struct names *names = ctx;
    size_t used = strlen(names->list);

    (void)n;
    names->there = names->there || strcmp(cell[0].text, names->want) == 0;
    (void)snprintf(names->list + used, sizeof names->list - used, "%s%s", used ? ", " : "", cell[0].text);
    return 0;
}

enum ordo_status ordo_db_say_none(struct ordo_db_call *call, struct ordo_err *err)
{
    const struct {
        const char *what, *given;
        enum ordo_store_question question;
    } filter[] = {{"design", call->filter.design, ORDO_STORE_DESIGNS},
                  {"verdict", call->filter.verdict, ORDO_STORE_VERDICTS}};
    enum ordo_status status = ORDO_OK;
    bool said = false;

    for (size_t i = 0; i < sizeof filter / sizeof filter[0] && status == ORDO_OK; i++) {
        struct names names = {.want = filter[i].given};
        struct ordo_store_sink sink = {no_heading, add_name, &names};

        if (!filter[i].given)
            continue;
        status = ordo_store_ask(call->store, filter[i].question, &call->filter, &sink, err);
        if (status == ORDO_OK && !names.there && names.list[0])
            said = printf("no run has the %s '%s'; there are %s\n", filter[i].what, filter[i].given, names.list) > 0;
    }
    if (status == ORDO_OK && !said)
        puts("no run");
    return status;
}
