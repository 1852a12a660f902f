/* protocol_variant.c - `ordo prove --protocol --variant`: one broken variant or control, with its counterexample. */
#include "cli/out.h"
#include "cli/protocol_e2.h"
#include "sim/e2_replay.h"
#include "sim/e2_trail.h"

#include <inttypes.h>
#include <stdio.h>

static void say_variant(const struct ordo_args *args, const struct ordo_e2_replay *r,
                        const struct ordo_e2_result *result, const struct ordo_e2 *e2)
{
    struct ordo_e2_trail t = {0};
    char scheduler[32];

    ordo_say_scheduler(&r->options, scheduler, sizeof scheduler);
    if (args->json) {
        json_t *o = ordo_json_new("ordo.prove/1");

        ordo_json_text(o, "subject", "variant");
        ordo_json_text(o, "variant", r->variant->id);
        ordo_json_text(o, "text", r->variant->text);
        ordo_json_text(o, "scheduler", scheduler);
        ordo_json_text(o, "verdict", ordo_e2_verdict_name[result->verdict]);
        ordo_json_text(o, "harm", ordo_e2_bad_name[result->bad]);
        ordo_json_u64(o, "states", result->states);
        ordo_json_int(o, "steps", result->n_move);
        ordo_out_json(o);
        return;
    }
    printf("variant  %s: %s, under %s\n", r->variant->id, r->variant->text, scheduler);
    if (result->n_move && ordo_e2_follow(e2, result->move, result->n_move, &t))
        ordo_e2_history_text(e2, &t, stdout);
    ordo_e2_trail_free(&t);
    printf("verdict  %s%s%s: %" PRIu64 " states (E2)\n", ordo_e2_verdict_name[result->verdict],
           result->bad ? ", " : "", result->bad ? ordo_e2_bad_name[result->bad] : "", result->states);
}

int ordo_protocol_variant(const struct ordo_args *args)
{
    const char *id = ordo_opt_string(args, "variant"), *trail = ordo_opt_string(args, "trail");
    struct ordo_e2_replay r = {.variant = ordo_e2_variant_find(id)};
    struct ordo_e2_program p = {0};
    struct ordo_e2_result result = {0};
    struct ordo_e2 *e2 = NULL;
    struct ordo_err err = {0};
    enum ordo_status status = ORDO_OK;

    if (!r.variant) {
        status = ordo_fail(&err, ORDO_USAGE, NULL, "--variant",
                           ordo_e2_variant_of_e4(id) ? "%s is an error of one tape: E4 decides it, not E2"
                                                     : "there is no variant '%s'",
                           id);
        return ordo_report_error(args, status, &err);
    }
    r.spec = ordo_e2_spec_whole(r.variant->spec);
    r.options = (struct ordo_e2_options){.scheduler = r.variant->scheduler, .slots = r.variant->slots};
    if (!ordo_e2_variant_program(r.variant, NULL, &p) || !ordo_e2_decide(&p, &r.options, &result) ||
        !(e2 = ordo_e2_make(&p, &r.options)))
        status = ordo_fail(&err, ORDO_ENVIRONMENT, NULL, "E2", "no memory for its states");
    if (status == ORDO_OK) {
        say_variant(args, &r, &result, e2);
        r.ends = result.bad;
        r.move = result.move;
        r.n_move = result.n_move;
        if (trail && result.n_move)
            status = ordo_write_trail(trail, &r, &err);
    }
    if (status != ORDO_OK)
        status = (enum ordo_status)ordo_report_error(args, status, &err);
    else if (result.verdict == ORDO_E2_VIOLATED)
        status = ORDO_FINDING;
    ordo_e2_free(e2);
    ordo_e2_result_free(&result);
    ordo_e2_program_free(&p);
    return (int)status;
}
