/* store_plan.c - see store_plan.h. */
#include "cli/store_plan.h"

#include "cli/out.h"
#include "sim/design.h"

#include <stdio.h>

struct ordo_store_problem ordo_store_problem_of(const struct ordo_problem *p, const struct ordo_digest *digest,
                                                const struct ordo_contract_scan *scan)
{
    return (struct ordo_store_problem){
        .digest = *digest,
        .n_query = p->n_query,
        .topk = p->topk,
        .n_kv = p->n_kv,
        .live = scan->live,
        .dead_queries = scan->dead_queries,
        .duplicates = scan->n_duplicate,
        .duplicate_queries = scan->duplicate_queries,
    };
}

char *ordo_store_plan_text(const struct ordo_plan *plan)
{
    char *text = NULL;
    size_t n;
    FILE *out = ordo_need(open_memstream(&text, &n));

    ordo_plan_print(plan, out);
    (void)fclose(out);
    return ordo_need(text);
}

struct ordo_store_plan ordo_store_plan_of(const struct ordo_plan *p, const char *text)
{
    return (struct ordo_store_plan){
        .digest = p->digest,
        .text = text,
        .design = p->design->name,
        .target = ordo_target_name[p->request.target],
        .wave = p->wave,
        .cluster = p->cluster,
        .planes = p->planes,
        .head_blocks = p->head_blocks,
        .waves = p->waves,
        .workspace_bytes = p->workspace_bytes,
        .private_workspace_bytes = p->private_workspace_bytes,
    };
}

static void say_upgrade(const char *verb, const struct ordo_store *store)
{
    int version;
    const char *backup = ordo_store_backup(store, &version);

    if (backup)
        fprintf(stderr, "ordo %s: the database was of version %d and is upgraded; as it was, it is %s\n", verb,
                version, backup);
}

enum ordo_status ordo_store_keep(const char *db, const struct ordo_store_run *run, int64_t *id, struct ordo_err *err)
{
    struct ordo_store *store = NULL;
    enum ordo_status status = ordo_store_open(db, ORDO_STORE_WRITE, &store, err);

    if (status == ORDO_OK)
        say_upgrade(run->verb, store);
    if (status == ORDO_OK)
        status = ordo_store_add_run(store, run, id, err);
    ordo_store_close(store);
    return status;
}
