/* replay_schedule.c - `ordo replay` of a recorded schedule: makes it again, step by step, and says where it ends. */
#include "cli/out.h"
#include "cli/replay.h"
#include "sim/e2_replay.h"
#include "sim/e2_trail.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static enum ordo_status read_schedule(const char *path, struct ordo_e2_replay *r, struct ordo_err *err)
{
    FILE *in = fopen(path, "r");
    enum ordo_status status;

    if (!in)
        return ordo_fail_errno(err, ORDO_BAD_INPUT, errno, path, "open", "cannot be opened");
    status = ordo_e2_replay_read(path, in, r, err);
    (void)fclose(in);
    return status;
}

static void say_json(const char *file, const struct ordo_e2_replay *r, const struct ordo_e2_trail *t)
{
    json_t *o = ordo_json_new("ordo.replay/1"), *reasons = ordo_need(json_array());

    ordo_json_text(o, "file", file);
    ordo_json_text(o, "design", ordo_e2_design_name[r->spec.design]);
    ordo_json_text(o, "variant", r->variant ? r->variant->id : NULL);
    ordo_json_int(o, "steps", t->n);
    ordo_json_text(o, "recorded", ordo_e2_bad_name[r->ends]);
    ordo_json_bool(o, "as_recorded", t->wrong < 0 && t->bad == r->ends);
    ordo_json_text(o, "ends", t->wrong < 0 ? ordo_e2_bad_name[t->bad] : "cannot be made");
    for (int32_t i = 0; i < t->n_reason; i++)
        (void)json_array_append_new(reasons, ordo_need(json_string(t->reason[i])));
    ordo_json_set(o, "reasons", reasons);
    ordo_out_json(o);
}

static enum ordo_status draw(const char *path, const struct ordo_e2 *e2, const struct ordo_e2_trail *t,
                             struct ordo_err *err)
{
    FILE *f = fopen(path, "w");

    if (!f)
        return ordo_fail_errno(err, ORDO_ENVIRONMENT, errno, path, "svg", "cannot be written");
    ordo_e2_picture(e2, t, f);
    if (fclose(f) != 0)
        return ordo_fail_errno(err, ORDO_ENVIRONMENT, errno, path, "svg", "cannot be written");
    return ORDO_OK;
}

static enum ordo_status follow(const struct ordo_args *args, const struct ordo_e2_replay *r, const struct ordo_e2 *e2,
                               struct ordo_e2_trail *t, struct ordo_err *err)
{
    const char *file = args->operand[0], *svg = ordo_opt_string(args, "svg");

    if (!e2 || !ordo_e2_follow(e2, r->move, r->n_move, t))
        return ordo_fail(err, ORDO_ENVIRONMENT, file, "memory", "no memory for the program");
    if (args->json)
        say_json(file, r, t);
    else
        ordo_e2_history_text(e2, t, stdout);
    if (!args->json && t->wrong < 0 && t->bad != r->ends)
        printf("replay   ends otherwise than recorded: %s, not %s\n", ordo_e2_bad_name[t->bad],
               ordo_e2_bad_name[r->ends]);
    if (t->wrong >= 0)
        return ordo_fail(err, ORDO_BAD_INPUT, file, "move", "step %d cannot be made", (int)t->wrong + 1);
    return svg ? draw(svg, e2, t, err) : ORDO_OK;
}

enum ordo_status ordo_replay_schedule(const struct ordo_args *args, int *code, struct ordo_err *err)
{
    const char *file = args->operand[0];
    struct ordo_e2_replay r = {0};
    struct ordo_e2_program p = {0};
    struct ordo_e2_trail t = {0};
    struct ordo_e2 *e2 = NULL;
    enum ordo_status status = read_schedule(file, &r, err);

    if (status == ORDO_OK && !ordo_e2_variant_program(r.variant, &r.spec, &p))
        status = ordo_fail(err, ORDO_ENVIRONMENT, file, "memory", "no memory for the program");
    if (status == ORDO_OK && p.wrong)
        status = ordo_fail(err, ORDO_BAD_INPUT, file, "design", "%s", p.wrong);
    if (status == ORDO_OK) {
        e2 = ordo_e2_make(&p, &r.options);
        if (e2 && ordo_e2_refused(e2))
            status = ordo_fail(err, ORDO_BAD_INPUT, file, "design", "%s", ordo_e2_refused(e2));
    }
    if (status == ORDO_OK)
        status = follow(args, &r, e2, &t, err);
    *code = t.bad || t.bad != r.ends ? ORDO_FINDING : ORDO_OK;
    ordo_e2_trail_free(&t);
    ordo_e2_free(e2);
    ordo_e2_program_free(&p);
    ordo_e2_replay_free(&r);
    return status;
}
