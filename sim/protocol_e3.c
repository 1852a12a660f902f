/* protocol_e3.c - see protocol_e3.h.
 *
 * Two ranks of one cluster of 8 (of two clusters where they take tickets), one row, one thread for each role: the
 * cutoff for the hand-off itself, since adjacent writers suffice and other rows of the word only lengthen the
 * observation chain (project facts, 3.3).  Rank 0 adds 1, rank 1 adds 10 to what it finds.  The bad outcome is that
 * it finds anything but 1, or that there is a race. */
#include "sim/protocol_e3.h"

#include "protocol/launch.h"
#include "protocol/relay.h"
#include "protocol/ticket.h"
#include "sim/ptx_litmus.h"
#include "sim/tape_litmus.h"

#include <stdlib.h>
#include <string.h>

const char *const ordo_claim_verdict_name[3] = {"holds", "violated", "refused"};

enum { CLUSTER = 8, ROW = 2, GO = 3, DONE = 11, ROOM = 32, ROLES = 2, RANKS = 2 };

enum update { REDUCE, BULK };
enum hand_off { RELAY, TICKET, WAVES }; /* WAVES: rank 0 is first writer in the wave before */

static const struct instance {
    const char *name, *text;
    enum hand_off hand_off;
    enum update update[RANKS];
    const char *exists; /* the bad outcome */
} instances[ORDO_N_E3_CLAIMS] = {
    {"relay, reducers", "rank 1 finds rank 0's sum, and nobody races", RELAY, {REDUCE, REDUCE}, "P3:r0 != 1"},
    {"relay, bulk before reducers", "a completed bulk addition is found", RELAY, {BULK, REDUCE}, "P3:r0 != 1"},
    {"relay, reducers before bulk", "a bulk addition finds what was stored", RELAY, {REDUCE, BULK}, "p != 11"},
    {"relay, bulk before bulk", "two bulk additions both arrive", RELAY, {BULK, BULK}, "p != 11"},
    {"ticket, reducers", "writer 1 finds writer 0's sum, and nobody races", TICKET, {REDUCE, REDUCE}, "P3:r0 != 1"},
    {"first writer, hand-over, reducers", "what the first writer stored is found", WAVES, {REDUCE, REDUCE},
     "P3:r0 != 1"},
};

struct recording {
    struct ordo_record record[RANKS * ROLES][ROOM];
    struct ordo_tape tape[RANKS * ROLES];
    struct ordo_litmus_thread thread[RANKS * ROLES];
};

static void record(const struct instance *in, struct recording *r)
{
    const struct ordo_handoff hand = {GO, DONE, ROLES};
    const struct ordo_mem mask = {ORDO_SPACE_MASK}, counter = {ORDO_SPACE_COUNTER}, plane = {ORDO_SPACE_PLANE};
    const int64_t row[1] = {ROW};

    for (int t = 0; t < RANKS * ROLES; t++) {
        r->tape[t] = (struct ordo_tape){r->record[t], 0, ROOM};
        r->thread[t] = (struct ordo_litmus_thread){&r->tape[t], t / ROLES, in->hand_off == TICKET ? t / ROLES : 0,
                                                   t < ROLES ? 1 : 10};
    }
    for (int rank = 0; rank < RANKS; rank++) {
        struct ordo_tape *lane = &r->tape[rank * ROLES], *adder = lane + 1;

        if (in->hand_off == WAVES) {
            if (rank == 0)
                ordo_launch_first(adder, plane, ROW, (struct ordo_unread){0}, 1, 0, 1);
            ordo_launch_hand_over(lane);
            ordo_launch_hand_over(adder);
            if (rank == 0)
                continue;
        }
        if (in->hand_off != TICKET)
            ordo_relay_slot(lane, mask, CLUSTER, rank, ROW, hand);
        else
            ordo_ticket_turn(lane, counter, 0, (uint32_t)rank, hand);
        if (in->update[rank] == BULK)
            ordo_relay_bulk(adder, plane, row, 1, 0, 1, hand);
        else
            ordo_relay_reduce(adder, plane, row, 1, (struct ordo_unread){0}, 1, 0, 1, hand);
    }
}

/* Program text of an instance, to be freed; NULL with *wrong set, or with *wrong NULL without memory. */
static char *program_text(const struct instance *in, const char **wrong)
{
    struct recording r;
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    uint32_t mask = ordo_mask_own(ROW, CLUSTER, 1) | (in->hand_off == WAVES ? 0 : ordo_mask_own(ROW, CLUSTER, 0));

    *wrong = NULL;
    if (!out)
        return NULL;
    record(in, &r);
    *wrong = ordo_tape_litmus("protocol", r.thread, RANKS * ROLES, mask, in->exists, out);
    if (fclose(out) == 0 && !*wrong)
        return text;
    free(text);
    return NULL;
}

static enum ordo_status decide(const char *text, struct ordo_claim *c, struct ordo_err *err)
{
    struct ordo_ptx_program *p = malloc(sizeof *p);
    struct ordo_err wrong = {0};
    struct ordo_ptx_verdict v;

    if (p && ordo_ptx_parse(c->name, text, strlen(text), p, &wrong) == ORDO_BAD_INPUT) {
        c->verdict = ORDO_CLAIM_REFUSED;
        (void)snprintf(c->reason, sizeof c->reason, "the axioms have no such instruction: %s", wrong.reason);
        free(p);
        return ORDO_OK;
    }
    if (!p || wrong.reason[0] || !ordo_ptx_decide(p, false, &v)) {
        free(p);
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, c->name, "no memory for its executions");
    }
    c->executions = v.tally.executions;
    c->race = v.tally.race;
    if (!v.decided) {
        c->verdict = ORDO_CLAIM_REFUSED;
        (void)snprintf(c->reason, sizeof c->reason, "%s", v.refused);
    } else if (v.holds || v.tally.race || v.tally.blocked || v.tally.executions == 0) {
        c->verdict = ORDO_CLAIM_VIOLATED;
        (void)snprintf(c->reason, sizeof c->reason, "%s",
                       v.holds               ? "the bad outcome is allowed"
                       : v.tally.blocked     ? "a thread waits at a barrier for ever"
                       : v.tally.race        ? "there is a data race"
                                             : "no execution ends");
    }
    ordo_ptx_verdict_free(&v);
    free(p);
    return ORDO_OK;
}

enum ordo_status ordo_protocol_e3(struct ordo_claim claim[ORDO_N_E3_CLAIMS], struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;

    for (int i = 0; i < ORDO_N_E3_CLAIMS && status == ORDO_OK; i++) {
        const char *wrong;
        char *text = program_text(&instances[i], &wrong);

        claim[i] = (struct ordo_claim){.name = instances[i].name, .text = instances[i].text};
        if (text) {
            status = decide(text, &claim[i], err);
        } else if (wrong) {
            claim[i].verdict = ORDO_CLAIM_REFUSED;
            (void)snprintf(claim[i].reason, sizeof claim[i].reason, "%s", wrong);
        } else {
            status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, claim[i].name, "no memory for its program");
        }
        free(text);
    }
    return status;
}

void ordo_protocol_litmus(int i, FILE *out)
{
    const char *wrong;
    char *text = program_text(&instances[i], &wrong);

    fputs(text ? text : wrong ? wrong : "", out);
    free(text);
}
