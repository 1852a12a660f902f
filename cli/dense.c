/* dense.c - see cli/dense.h. */
#include "cli/dense.h"

#include "cli/near.h"
#include "corpus/block_mask.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static enum ordo_status mask_from_file(const char *path, struct ordo_dense_mask *mask, struct ordo_err *err)
{
    struct ordo_block_mask file;
    enum ordo_status status = ordo_read_block_mask(path, &file, err);

    if (status == ORDO_OK)
        status = ordo_dense_mask_take(file.value, file.n_q, file.n_kv, mask, err);
    free(file.value);
    return status;
}

enum ordo_status ordo_dense_input_mask(const struct ordo_args *args, struct ordo_dense_mask *mask,
                                       struct ordo_err *err)
{
    static const char *const of_file[] = {"mask", "kv-tiles", "q-tiles"};
    const char *path = ordo_opt_string(args, "mask-file");
    struct ordo_dense_mask_spec spec = {
        .kind = (enum ordo_dense_mask_kind)ordo_opt_choice(args, "mask"),
        .n_q = ordo_opt_int(args, ordo_opt_given(args, "q-tiles") ? "q-tiles" : "kv-tiles"),
        .n_kv = ordo_opt_int(args, "kv-tiles"),
        .window = ordo_opt_int(args, "window"),
        .documents = ordo_opt_int(args, "documents"),
        .density = ordo_opt_int(args, "density"),
        .seed = ordo_opt_u64(args, "seed"),
    };

    *mask = (struct ordo_dense_mask){.n_q = 0};
    if (!path)
        return ordo_dense_mask_make(&spec, mask, err);
    for (size_t i = 0; i < sizeof of_file / sizeof of_file[0]; i++)
        if (ordo_opt_given(args, of_file[i]))
            return ordo_fail(err, ORDO_USAGE, NULL, "--mask-file", "does not go with --%s", of_file[i]);
    return mask_from_file(path, mask, err);
}

struct ordo_dense_launch ordo_dense_input_launch(const struct ordo_args *args, const struct ordo_dense_mask *mask)
{
    return (struct ordo_dense_launch){
        .mask = mask,
        .heads = ordo_opt_int(args, "heads"),
        .sms = ordo_opt_int(args, ordo_opt_given(args, "for-sms") ? "for-sms" : "sms"),
        .section = ordo_opt_int(args, "section"),
    };
}

struct ordo_dense_model ordo_dense_input_machine(const struct ordo_args *args)
{
    struct ordo_dense_model m = {.c = {3, 1}, .r = {1, 1}, .edge = {0, 1}, .start = {0, 1}, .jitter = {0, 1},
                                 .slots = ordo_opt_int(args, "sms")};

    m.grid = ordo_opt_choice(args, "dispatch") == 1 ? m.slots : 0;
    return m;
}

static enum ordo_status fraction(const struct ordo_args *args, const char *name, const char *field,
                                 struct ordo_rational *x, struct ordo_err *err)
{
    const char *text = ordo_opt_string(args, name);

    if (ordo_rational_parse(text, x))
        return ORDO_OK;
    return ordo_fail(err, ORDO_USAGE, NULL, field, "must be a number like 3, 3/2 or 1.5, not '%s'", text);
}

enum ordo_status ordo_dense_input_model(const struct ordo_args *args, struct ordo_dense_model *m,
                                        struct ordo_err *err)
{
    enum ordo_status status;

    *m = ordo_dense_input_machine(args);
    m->distribution = (enum ordo_dense_jitter)ordo_opt_choice(args, "distribution");
    m->seed = ordo_opt_u64(args, "seed");
    m->overlap = ordo_opt_flag(args, "overlap");
    if ((status = fraction(args, "c", "--c", &m->c, err)) || (status = fraction(args, "r", "--r", &m->r, err)) ||
        (status = fraction(args, "edge", "--edge", &m->edge, err)) ||
        (status = fraction(args, "start", "--start", &m->start, err)) ||
        (status = fraction(args, "jitter", "--jitter", &m->jitter, err)))
        return status;
    if (m->jitter.num > m->jitter.den)
        return ordo_fail(err, ORDO_USAGE, NULL, "--jitter", "is at most 1: no cost is negative");
    if (m->c.num == 0 && m->r.num == 0)
        return ordo_fail(err, ORDO_USAGE, NULL, "--c", "with --r 0 too nothing costs anything");
    return ORDO_OK;
}

enum ordo_status ordo_dense_input_schedule(const struct ordo_args *args, const struct ordo_dense_schedule **schedule,
                                           struct ordo_err *err)
{
    const char *name = ordo_opt_string(args, "order"), *best = NULL;

    *schedule = name ? ordo_dense_find(name) : NULL;
    if (!name || *schedule)
        return ORDO_OK;
    for (int i = 0; ordo_dense_schedules[i]; i++)
        ordo_near(name, ordo_dense_schedules[i]->name, &best);
    if (best)
        return ordo_fail(err, ORDO_USAGE, NULL, "--order", "there is no '%s'; did you mean %s?", name, best);
    return ordo_fail(err, ORDO_USAGE, NULL, "--order", "there is no '%s'", name);
}

void ordo_dense_print_shape(const struct ordo_args *args, const struct ordo_dense_launch *l)
{
    const char *file = ordo_opt_string(args, "mask-file");
    int32_t sms = ordo_opt_int(args, "sms");

    printf("dense    %s, %" PRId32 " x %" PRId32 " tiles, %" PRId64 " pairs a head, %" PRId32 " heads\n",
           file ? file : ordo_opt_string(args, "mask"), l->mask->n_q, l->mask->n_kv, l->mask->pairs, l->heads);
    printf("grid     %" PRId32 " SMs, %s", sms,
           ordo_opt_choice(args, "dispatch") == 1 ? "persistent CTAs" : "CTAs in launch order");
    if (l->section > 1)
        printf(", sections of %" PRId32 " heads", l->section);
    if (l->sms != sms)
        printf("; schedules made for %" PRId32 " SMs", l->sms);
    putchar('\n');
}
