/* input.c - see input.h. */
#include "cli/input.h"

#include "kernels/ordo_kernels.h"
#include "sim/design.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum ordo_status ordo_input_read(const struct ordo_args *args, const char *path, struct ordo_problem *p,
                                 struct ordo_err *err)
{
    struct ordo_source source = {
        .path = path,
        .length_path = ordo_opt_string(args, "length"),
        .topk_key = ordo_opt_string(args, "topk-key"),
        .length_key = ordo_opt_string(args, "length-key"),
        .raw_dtype = ordo_opt_string(args, "dtype"),
        .raw_shape = ordo_opt_string(args, "shape"),
    };
    enum ordo_status status = ordo_read_problem(&source, p, err);

    if (status == ORDO_OK)
        p->n_kv = ordo_opt_int(args, "kv");
    return status;
}

struct ordo_request ordo_input_request(const struct ordo_args *args, const struct ordo_problem *p)
{
    const char *design = ordo_opt_string(args, "design");
    bool by_policy = ordo_opt_choice(args, "design") == 0;
    struct ordo_request r = {
        .n_query = p->n_query,
        .n_kv = p->n_kv,
        .topk = p->topk,
        .n_head = ordo_opt_int(args, "heads"),
        .d_qk = ordo_opt_int(args, "dqk"),
        .d_v = ordo_opt_int(args, "dv"),
        .target = (enum ordo_target)ordo_opt_choice(args, "target"),
        .design = by_policy ? NULL : ordo_design_find(design),
        .cluster = ordo_opt_int(args, "cluster"),
        .wave = ordo_opt_int(args, "wave"),
    };

    ORDO_BUG_ON(!by_policy && !r.design);
    return r;
}

enum ordo_status ordo_input_kernels(const struct ordo_request *request, struct ordo_err *err)
{
    static const char *const option[] = {"heads", "dqk", "dv", "target"};
    enum ordo_status status = ordo_kernels_check_request(request, err);
    struct ordo_err why = *err;
    char name[16];

    for (size_t i = 0; i < sizeof option / sizeof option[0] && status == ORDO_BAD_INPUT; i++)
        if (strcmp(why.field, option[i]) == 0) {
            (void)snprintf(name, sizeof name, "--%s", option[i]);
            status = ordo_fail(err, ORDO_USAGE, NULL, name, "%s", why.reason);
        }
    return status;
}

const char *ordo_input_db(const struct ordo_args *args)
{
    const char *db = ordo_opt_string(args, "db");

    if (!db)
        db = getenv("ORDO_DB");
    return db && *db ? db : NULL;
}
