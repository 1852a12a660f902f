/* protocol_e2.c - see protocol_e2.h: E2's claims and the table of schedulers. */
#include "cli/protocol_e2.h"

#include "cli/out.h"
#include "sim/e2_protocol.h"
#include "sim/e2_replay.h"
#include "sim/e2_trail.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- what was asked --------------------------------------------------------------------------------------------- */

/* "grid" or "obe=3". */
static enum ordo_status read_scheduler(const char *text, struct ordo_e2_asked *asked, struct ordo_err *err)
{
    size_t n = strcspn(text, "=");
    char *end = NULL;
    long slots = text[n] ? strtol(text + n + 1, &end, 10) : 0;

    for (int i = 0; i < ORDO_N_SCHEDS; i++)
        if (strlen(ordo_e2_scheduler_name[i]) == n && memcmp(text, ordo_e2_scheduler_name[i], n) == 0) {
            if ((text[n] != '\0') != ordo_e2_scheduler_slots[i] || (text[n] && (*end || slots < 1 || slots > 256)))
                break;
            asked->scheduler = (enum ordo_e2_scheduler)i;
            asked->slots = (int32_t)slots;
            return ORDO_OK;
        }
    return ordo_fail(err, ORDO_USAGE, NULL, "--scheduler",
                     "'%s' is none of unfair, obe=S, window=S, cluster=S, grid, fair (S slots, 1 to 256)", text);
}

void ordo_say_scheduler(const struct ordo_e2_options *o, char *out, size_t size)
{
    if (ordo_e2_scheduler_slots[o->scheduler])
        (void)snprintf(out, size, "%s=%" PRId32, ordo_e2_scheduler_name[o->scheduler], o->slots);
    else
        (void)snprintf(out, size, "%s", ordo_e2_scheduler_name[o->scheduler]);
}

enum ordo_status ordo_write_trail(const char *path, const struct ordo_e2_replay *r, struct ordo_err *err)
{
    FILE *f = fopen(path, "w");

    if (!f)
        return ordo_fail_errno(err, ORDO_ENVIRONMENT, errno, path, "trail", "cannot be written");
    ordo_e2_replay_write(r, f);
    if (fclose(f) != 0)
        return ordo_fail_errno(err, ORDO_ENVIRONMENT, errno, path, "trail", "cannot be written");
    return ORDO_OK;
}

/* The schedule of a violated claim. */
static enum ordo_status write_claim(const char *path, const struct ordo_e2_claim *c, struct ordo_err *err)
{
    const struct ordo_e2_replay r = {
        .spec = c->spec,
        .options = {.scheduler = c->options.scheduler, .slots = c->options.slots},
        .ends = c->result.bad,
        .move = c->result.move,
        .n_move = c->result.n_move,
    };

    return ordo_write_trail(path, &r, err);
}

/* --- claims ----------------------------------------------------------------------------------------------------- */

static const char *verdict_text(const struct ordo_e2_claim *c)
{
    return c->result.verdict == ORDO_E2_PROVED     ? "holds"
           : c->result.verdict == ORDO_E2_VIOLATED ? "violated"
                                                   : ordo_e2_verdict_name[c->result.verdict];
}

/* What a search left out, and why it may: the fields of ordo_e2_options. */
static const char *reductions(const struct ordo_e2_options *o)
{
    if (o->project)
        return o->persist ? "fused, persistent, row symmetry, row projection" : "fused, row symmetry, row projection";
    return o->persist ? "fused, persistent" : o->fuse ? "fused" : "none";
}

static void say_reasons_json(json_t *o, const char *key, int32_t n, char reason[24][256])
{
    json_t *list = ordo_need(json_array());

    for (int32_t i = 0; i < n; i++)
        (void)json_array_append_new(list, ordo_need(json_string(reason[i])));
    ordo_json_set(o, key, list);
}

static void say_claim_json(json_t *claims, const char *name, const char *scheduler, struct ordo_e2_claim *c)
{
    json_t *o = ordo_need(json_object());

    ordo_json_text(o, "engine", "E2");
    ordo_json_text(o, "claim", name);
    ordo_json_text(o, "verdict", verdict_text(c));
    ordo_json_u64(o, "states", c->result.states);
    ordo_json_u64(o, "edges", c->result.edges);
    ordo_json_int(o, "state_bits", c->result.bits);
    ordo_json_real(o, "seconds", c->result.seconds);
    ordo_json_text(o, "scheduler", scheduler);
    ordo_json_int(o, "ranks", c->spec.ranks);
    ordo_json_int(o, "rows", c->spec.rows);
    ordo_json_int(o, "masks", c->masks);
    ordo_json_text(o, "reductions", reductions(&c->options));
    ordo_json_text(o, "reason",
                   c->result.reason[0]                     ? c->result.reason
                   : c->result.verdict == ORDO_E2_VIOLATED ? ordo_e2_bad_name[c->result.bad]
                                                           : NULL);
    if (c->n_reason)
        say_reasons_json(o, "counterexample", c->n_reason, c->reason);
    (void)json_array_append_new(claims, o);
}

static void say_claim(struct ordo_e2_said *said, const struct ordo_e2_asked *asked, struct ordo_e2_claim *c)
{
    char name[96], scheduler[32];

    (void)snprintf(name, sizeof name, "C=%" PRId32 ", %s", asked->cluster, c->name);
    ordo_say_scheduler(&c->options, scheduler, sizeof scheduler);
    said->n++;
    said->n_violated += c->result.verdict == ORDO_E2_VIOLATED;
    said->n_refused += c->result.verdict != ORDO_E2_PROVED && c->result.verdict != ORDO_E2_VIOLATED;
    say_claim_json(said->claims, name, scheduler, c);
    if (said->json)
        return;
    printf("E2   %-52s %-8s  %" PRIu64 " states  %" PRId32 " ranks x %" PRId32 " rows, %s, %s  %.1f ms\n", name,
           verdict_text(c), c->result.states, c->spec.ranks, c->spec.rows, scheduler, reductions(&c->options),
           c->result.seconds * 1e3);
    if (c->result.verdict != ORDO_E2_PROVED)
        printf("     %s\n", c->result.reason[0] ? c->result.reason : ordo_e2_bad_name[c->result.bad]);
    if (c->result.verdict == ORDO_E2_VIOLATED && c->n_reason == 0)
        printf("     met under reductions; the search for a shortest schedule ended at its bound of states\n");
    for (int32_t i = 0; i < c->n_reason; i++)
        printf("     %s\n", c->reason[i]);
}

/* --- schedulers ------------------------------------------------------------------------------------------------- */

static void say_life_json(json_t *lives, struct ordo_e2_life *l)
{
    json_t *o = ordo_need(json_object());
    char scheduler[32];

    ordo_say_scheduler(&l->options, scheduler, sizeof scheduler);
    ordo_json_text(o, "design", l->design);
    ordo_json_text(o, "scheduler", scheduler);
    ordo_json_int(o, "ctas", l->spec.ranks * l->spec.groups);
    ordo_json_text(o, "verdict", l->verdict == ORDO_E2_PROVED ? "lives" : ordo_e2_bad_name[l->bad]);
    ordo_json_u64(o, "states", l->states);
    say_reasons_json(o, "waits", l->n_reason, l->reason);
    (void)json_array_append_new(lives, o);
}

static void say_waits(const struct ordo_e2_life *l)
{
    char scheduler[32];

    ordo_say_scheduler(&l->options, scheduler, sizeof scheduler);
    if (l->verdict != ORDO_E2_PROVED && l->options.scheduler != ORDO_SCHED_UNFAIR)
        printf("  %s, %s\n", l->design, scheduler);
    for (int32_t i = 0; i < l->n_reason && l->options.scheduler != ORDO_SCHED_UNFAIR; i++)
        printf("    %s\n", l->reason[i]);
}

/* The table, then the waits of what does not live. */
static bool say_lives(struct ordo_e2_said *said)
{
    struct ordo_e2_life(*life)[ORDO_E2_UNDER] = ordo_need(calloc(ORDO_E2_LIVES, sizeof *life));
    bool ok = true;

    for (int i = 0; i < ORDO_E2_LIVES * ORDO_E2_UNDER && ok; i++)
        ok = ordo_e2_live(i / ORDO_E2_UNDER, i % ORDO_E2_UNDER, &life[i / ORDO_E2_UNDER][i % ORDO_E2_UNDER]);
    if (ok && !said->json)
        printf("under    %-34s %-10s%-10s%-10s%-10s%-10s\n", "2 slots for 3 or 4 CTAs", "unfair", "obe", "window",
               "cluster", "grid");
    for (int d = 0; d < ORDO_E2_LIVES && ok; d++) {
        if (!said->json)
            printf("         %-34s", life[d][0].design);
        for (int s = 0; s < ORDO_E2_UNDER; s++) {
            say_life_json(said->lives, &life[d][s]);
            if (!said->json)
                printf(" %-9s", life[d][s].verdict == ORDO_E2_PROVED ? "lives"
                                : life[d][s].options.scheduler == ORDO_SCHED_UNFAIR
                                    ? "stuck"
                                    : ordo_e2_bad_name[life[d][s].bad]);
        }
        if (!said->json)
            putchar('\n');
    }
    for (int i = 0; i < ORDO_E2_LIVES * ORDO_E2_UNDER && ok && !said->json; i++)
        say_waits(&life[i / ORDO_E2_UNDER][i % ORDO_E2_UNDER]);
    free(life);
    return ok;
}

enum ordo_status ordo_protocol_e2_asked(const struct ordo_args *args, struct ordo_e2_asked *asked,
                                        struct ordo_err *err)
{
    const char *scheduler = ordo_opt_string(args, "scheduler");

    *asked = (struct ordo_e2_asked){.rows = ordo_opt_int(args, "rows"), .scheduler = ORDO_SCHED_CLUSTER};
    return scheduler ? read_scheduler(scheduler, asked, err) : ORDO_OK;
}

enum ordo_status ordo_protocol_e2(const struct ordo_args *args, struct ordo_e2_said *said, struct ordo_err *err)
{
    static const int32_t all[] = {4, 8, 16};
    const char *trail = ordo_opt_string(args, "trail");
    bool written = false;
    struct ordo_e2_asked asked;
    int32_t only = ordo_opt_given(args, "cluster") ? ordo_opt_int(args, "cluster") : 0;
    enum ordo_status status = ordo_protocol_e2_asked(args, &asked, err);

    for (int k = 0; k < 3 && status == ORDO_OK; k++)
        for (int i = 0; i < ORDO_E2_CLAIMS && status == ORDO_OK && (!only || only == all[k]); i++) {
            struct ordo_e2_claim c;

            asked.cluster = all[k];
            if (!ordo_e2_claim(&asked, i, &c))
                status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "E2", "no memory for its states");
            else
                say_claim(said, &asked, &c);
            asked.brief |= c.result.verdict == ORDO_E2_VIOLATED; /* the first is told whatever it takes */
            if (status == ORDO_OK && c.result.move && trail && !written) {
                status = write_claim(trail, &c, err);
                written = true;
            }
            ordo_e2_result_free(&c.result);
        }
    if (status == ORDO_OK && !say_lives(said))
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "E2", "no memory for its states");
    return status;
}
