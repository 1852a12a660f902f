/* prove_dense.c - `ordo prove --dense`: is a dense schedule's dQ order total, who waits for whom, how many CTAs
 * must be resident, and on what do the bits hang? */
#include "cli/prove_dense.h"

#include "cli/dense.h"
#include "cli/line.h"
#include "cli/out.h"
#include "cli/story.h"
#include "sim/dense_hang.h"
#include "sim/dense_variant.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_HANG = 8 };

/* What is proved, where it runs, and what came out. */
struct subject {
    struct ordo_dense_launch launch;
    struct ordo_dense_model machine;
    struct ordo_dense dense;
    struct ordo_dense_proof proof;
    int64_t shown_slots; /* of the hang below; 0: none */
    struct ordo_dense_hang hang[MOST_HANG];
    int n_hang, back;
    struct ordo_story story;
};

/* --- text ------------------------------------------------------------------------------------------------------- */

static void print_conviction(const struct ordo_dense_conviction *c)
{
    printf("order    violated: head %" PRId32 ", KV tile %" PRId32 " %s", c->tile.head, c->tile.kv,
           ordo_dense_fault_text[c->fault]);
    if (c->query >= 0 || c->fault == ORDO_DENSE_FAULT_QUERY_RANGE)
        printf("; query tile %" PRId32, c->query);
    if (c->adds >= 0)
        printf(", rank %" PRId32 " of %" PRId32, c->rank, c->adds);
    if (c->other >= 0)
        printf(", which KV tile %" PRId32 " has", c->other);
    putchar('\n');
}

/* A long cycle is cut to a line. */
static void print_cycle(const char *what, const char *node, const struct ordo_dense_cycle *c)
{
    enum { SHOWN = 8 };

    printf("waits    %s: ", what);
    if (c->n == 0) {
        puts("acyclic, so any order of launch along the waits ends");
        return;
    }
    printf("cyclic, %s ", node);
    for (int32_t i = 0; i < c->n && i < SHOWN; i++)
        printf("%" PRId64 " -> ", c->node[i]);
    if (c->n > SHOWN)
        printf("... -> ");
    printf("%" PRId64 " (%" PRId32 " of them)\n", c->node[0], c->n);
}

static void print_hang(const struct subject *s)
{
    if (s->n_hang) {
        printf("         with %" PRId64 " resident CTAs, started in launch order, each going on until it waits\n",
               s->shown_slots);
        ordo_story_print(&s->story, "         ");
    }
    for (int i = 0; i < s->n_hang; i++) {
        const struct ordo_dense_hang *h = &s->hang[i];

        printf("         CTA %" PRId64 ": head %" PRId32 ", KV tile %" PRId32 ", after %" PRId32
               " query tiles waits at %" PRId32 " for rank %" PRId32 ";",
               h->who.cta, h->who.tile.head, h->who.tile.kv, h->who.done, h->who.query, h->who.rank);
        if (h->turn_kv < 0)
            printf(" rank %" PRId32 " %s\n", h->who.next, ordo_dense_turn_text[h->turn]);
        else if (h->turn_cta < 0)
            printf(" rank %" PRId32 " is KV tile %" PRId32 ", which %s\n", h->who.next, h->turn_kv,
                   ordo_dense_turn_text[h->turn]);
        else
            printf(" rank %" PRId32 " is KV tile %" PRId32 ", CTA %" PRId64 ", which %s\n", h->who.next, h->turn_kv,
                   h->turn_cta, ordo_dense_turn_text[h->turn]);
    }
    if (s->back >= 0)
        printf("         and so round, from CTA %" PRId64 "\n", s->hang[s->back].who.cta);
}

static void print_signatures(const struct subject *s)
{
    const struct ordo_dense_signatures *g = &s->proof.signatures;

    printf("bits     %" PRId64 " signature%s of (row order, dQ order) over %" PRId32 " heads", g->all,
           g->all == 1 ? "" : "s", s->launch.heads);
    if (g->classes == 2)
        printf(", %" PRId64 " for each parity of the head", g->most);
    printf("; %s", g->most > 1 ? "they hang on the head's place in the grid"
           : "the head's place in this grid is nothing to them");
    if (g->by_sms)
        printf("; made for %" PRId32 " SMs they differ\n", g->other_sms);
    else
        puts("; 78, 114, 132 and 148 SMs give the same");
}

static void print_proof(const struct ordo_args *args, const struct subject *s)
{
    const struct ordo_dense_proof *p = &s->proof;

    if (p->conviction.fault != ORDO_DENSE_FAULT_NONE) {
        print_conviction(&p->conviction);
    } else {
        puts("order    total: every visit once, every row's ranks a permutation");
        print_cycle("over KV tiles", "head's tiles", &p->tiles);
        print_cycle("over items", "items", &p->items);
    }
    if (p->run.den)
        printf("progress %s with %" PRId32 " resident CTAs: %" PRId64 " of %" PRId64 " tasks\n",
               p->finishes ? "ends" : p->run.n_blocked ? "hangs" : "ends too early", s->machine.slots, p->run.done,
               p->run.tasks);
    if (p->conviction.fault == ORDO_DENSE_FAULT_NONE && p->least)
        printf("         %" PRId64 " resident CTA%s, started in launch order, %s\n", p->least,
               p->least == 1 ? "" : "s", p->least == 1 ? "suffices" : "suffice; fewer hang");
    else if (p->conviction.fault == ORDO_DENSE_FAULT_NONE)
        puts("         no number of this grid's CTAs suffices");
    print_hang(s);
    if (p->conviction.fault == ORDO_DENSE_FAULT_NONE)
        print_signatures(s);
    printf("verdict  %s\n", ordo_dense_proved(p) ? "proved" : "violated");
    if (!ordo_dense_proved(p)) {
        char *line = ordo_need(ordo_args_line(args));

        printf("replay   %s\n", line);
        free(line);
    }
}

/* --- JSON ------------------------------------------------------------------------------------------------------- */

static json_t *cycle_json(const struct ordo_dense_cycle *c)
{
    json_t *list = ordo_need(json_array());

    for (int32_t i = 0; i < c->n && i < ORDO_DENSE_MOST_CYCLE; i++)
        ordo_need(json_array_append_new(list, ordo_need(json_integer(c->node[i]))) ? NULL : list);
    return list;
}

static void conviction_json(json_t *o, const struct ordo_dense_conviction *c)
{
    ordo_json_text(o, "fault", ordo_dense_fault_text[c->fault]);
    ordo_json_int(o, "head", c->tile.head);
    ordo_json_int(o, "kv_tile", c->tile.kv);
    ordo_json_int(o, "query_tile", c->query);
    ordo_json_int(o, "rank", c->rank);
}

static json_t *hang_json(const struct subject *s)
{
    json_t *list = ordo_need(json_array());

    for (int i = 0; i < s->n_hang; i++) {
        const struct ordo_dense_hang *h = &s->hang[i];
        json_t *o = ordo_need(json_object());

        ordo_json_int(o, "cta", h->who.cta);
        ordo_json_int(o, "head", h->who.tile.head);
        ordo_json_int(o, "kv_tile", h->who.tile.kv);
        ordo_json_int(o, "query_tile", h->who.query);
        ordo_json_int(o, "waits_for", h->who.rank);
        ordo_json_int(o, "turn", h->who.next);
        ordo_json_int(o, "turn_kv_tile", h->turn_kv);
        ordo_json_int(o, "turn_cta", h->turn_cta);
        ordo_json_text(o, "turn_cta_state", ordo_dense_turn_text[h->turn]);
        ordo_need(json_array_append_new(list, o) ? NULL : list);
    }
    return list;
}

static void print_json(const struct subject *s)
{
    const struct ordo_dense_proof *p = &s->proof;
    json_t *o = ordo_json_new("ordo.prove/1");

    ordo_json_text(o, "subject", "dense");
    ordo_json_text(o, "schedule", s->dense.schedule->name);
    ordo_json_text(o, "verdict", ordo_dense_proved(p) ? "proved" : "violated");
    if (p->conviction.fault != ORDO_DENSE_FAULT_NONE) {
        conviction_json(o, &p->conviction);
    } else {
        ordo_json_bool(o, "waits_acyclic_over_tiles", p->tiles.n == 0);
        ordo_json_bool(o, "waits_acyclic_over_items", p->items.n == 0);
        ordo_json_set(o, "tile_cycle", cycle_json(&p->tiles));
        ordo_json_set(o, "item_cycle", cycle_json(&p->items));
        ordo_json_int(o, "least_resident", p->least);
        ordo_json_int(o, "signatures", p->signatures.all);
        ordo_json_int(o, "signatures_of_a_class", p->signatures.most);
        ordo_json_int(o, "classes", p->signatures.classes);
        ordo_json_bool(o, "depends_on_sms", p->signatures.by_sms);
    }
    ordo_json_bool(o, "ends", p->finishes);
    ordo_json_int(o, "resident", s->machine.slots);
    ordo_json_int(o, "done", p->run.done);
    ordo_json_int(o, "tasks", p->run.tasks);
    ordo_json_int(o, "hang_resident", s->shown_slots);
    ordo_json_text(o, "hang_steps", s->n_hang ? s->story.text : NULL);
    ordo_json_set(o, "hang", hang_json(s));
    ordo_out_json(o);
}

/* --- the work --------------------------------------------------------------------------------------------------- */

/* The hang of the launch, or where it ends the one of a launch that offers one CTA less than it needs. */
static enum ordo_status look_at_hang(struct subject *s, struct ordo_err *err)
{
    struct ordo_dense_model less = s->machine;
    struct ordo_dense_watch watch = ordo_story_watch(&s->story);
    struct ordo_dense_time t;
    enum ordo_status status;

    s->back = -1;
    if (!s->proof.run.den)
        return ORDO_OK;
    if (s->proof.finishes && s->proof.least < 2)
        return ORDO_OK;
    if (s->proof.finishes)
        less.slots = (int32_t)s->proof.least - 1;
    s->shown_slots = less.slots;
    status = ordo_dense_time(&s->dense, &less, &watch, &t, err);
    if (status == ORDO_OK)
        s->n_hang = ordo_dense_hang(&s->dense, &less, &t, s->hang, MOST_HANG, &s->back);
    ordo_dense_time_free(&t);
    return status;
}

static int prove(const struct ordo_args *args, const struct ordo_dense_schedule *schedule, bool checked,
                 struct subject *s, struct ordo_err *err)
{
    enum ordo_status status = ordo_dense_make(schedule, &s->launch, checked, &s->dense, err);
    int code;

    if (status == ORDO_OK)
        status = ordo_dense_prove(&s->dense, &s->machine, &s->proof, err);
    if (status == ORDO_OK)
        status = look_at_hang(s, err);
    if (status == ORDO_OK && args->json) {
        print_json(s);
    } else if (status == ORDO_OK) {
        printf("schedule %s: %s\n", schedule->name, schedule->about);
        print_proof(args, s);
    }
    code = status != ORDO_OK ? ordo_report_error(args, status, err)
                             : ordo_dense_proved(&s->proof) ? ORDO_OK : ORDO_FINDING;
    ordo_dense_proof_free(&s->proof);
    ordo_dense_free(&s->dense);
    return code;
}

static int prove_variant(const struct ordo_args *args, const char *name, struct ordo_err *err)
{
    const struct ordo_dense_variant *v = ordo_dense_variant_find(name);
    struct subject s = {.machine = ordo_dense_input_machine(args)};
    struct ordo_dense_mask mask = {.n_q = 0};
    enum ordo_status status = v ? ordo_dense_mask_make(&v->mask, &mask, err)
                                : ordo_fail(err, ORDO_USAGE, NULL, "--variant", "there is no dense variant '%s'",
                                            name);
    int code;

    if (status == ORDO_OK) {
        s.launch = (struct ordo_dense_launch){.mask = &mask, .heads = v->heads, .sms = v->for_sms};
        s.machine.slots = s.machine.grid = v->sms;
        if (!args->json)
            printf("variant  %s: %s\n", v->name, v->text);
        code = prove(args, v->schedule, false, &s, err);
    } else {
        code = ordo_report_error(args, status, err);
    }
    ordo_dense_mask_free(&mask);
    return code;
}

int ordo_prove_dense(const struct ordo_args *args)
{
    const struct ordo_dense_schedule *schedule = NULL;
    struct subject s = {.machine = ordo_dense_input_machine(args)};
    struct ordo_dense_mask mask = {.n_q = 0};
    struct ordo_err err = {0};
    enum ordo_status status;
    int code;

    if (ordo_opt_given(args, "variant"))
        return prove_variant(args, ordo_opt_string(args, "variant"), &err);
    status = ordo_dense_input_schedule(args, &schedule, &err);
    if (status == ORDO_OK && !schedule)
        status = ordo_fail(&err, ORDO_USAGE, NULL, "--order", "name the schedule to prove");
    if (status == ORDO_OK)
        status = ordo_dense_input_mask(args, &mask, &err);
    if (status == ORDO_OK) {
        s.launch = ordo_dense_input_launch(args, &mask);
        if (!args->json)
            ordo_dense_print_shape(args, &s.launch);
        code = prove(args, schedule, true, &s, &err);
    } else {
        code = ordo_report_error(args, status, &err);
    }
    ordo_dense_mask_free(&mask);
    return code;
}
