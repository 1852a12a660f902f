/* e2_protocol.c - see e2_protocol.h. */
#include "sim/e2_protocol.h"

#include "sim/e2_trail.h"

#include <string.h>

/* --- instances -------------------------------------------------------------------------------------------------- */

/* Extents by name: C the cluster, N the rows asked for, FEW at most four of them, WORDS more rows than a word
 * holds. */
enum { C = -1, N = -2, FEW = -3, WORDS = -4 };

static const struct instance {
    const char *name;
    enum ordo_e2_design_id design;
    int32_t ranks, rows, slots, reducers, order, bulk, waves, setup;
    bool all_masks, project;
} instances[ORDO_E2_CLAIMS] = {
    {"slot lanes, two reducers, both barriers", ORDO_E2_RELAY, C, 1, 1, 2, 0, 0, 1, 0, false, false},
    {"barriers again: 2 ranks, 3 tiles, 2 reducers", ORDO_E2_RELAY, 2, 3, 1, 2, 0, 0, 1, 0, false, false},
    {"barriers again: 3 ranks, 3 tiles, 2 reducers", ORDO_E2_RELAY, 3, 3, 1, 2, 0, 0, 1, 0, false, false},
    {"several rows a tile", ORDO_E2_RELAY, C, 2, 2, 1, 0, 0, 1, 0, false, false},
    {"rows in one word, same order", ORDO_E2_RELAY, C, N, 1, 0, ORDO_E2_SAME, 0, 1, 0, false, false},
    {"rows in one word, rotated", ORDO_E2_RELAY, C, N, 1, 0, ORDO_E2_ROTATED, 0, 1, 0, false, false},
    {"rows in any order", ORDO_E2_RELAY, C, N, 1, 0, ORDO_E2_ANY, 0, 1, 0, false, true},
    {"up to 4 rows in any order, no projection", ORDO_E2_RELAY, C, FEW, 1, 0, ORDO_E2_ANY, 0, 1, 0, false, false},
    {"rows in two words", ORDO_E2_RELAY, C, WORDS, 1, 0, ORDO_E2_ROTATED, 0, 1, 0, false, false},
    {"all masks of 4 ranks and 2 rows", ORDO_E2_RELAY, 4, 2, 1, 0, ORDO_E2_SAME, 0, 1, 0, true, false},
    {"mask build in any order", ORDO_E2_RELAY, C, 2, 1, 0, 0, 0, 1, 1, false, false},
    {"bulk copies", ORDO_E2_RELAY, C, 1, 1, 1, 0, 0xFFFF, 1, 0, false, false},
    {"two waves of a persistent cluster", ORDO_E2_RELAY, C, 1, 1, 1, 0, 0, 2, 0, false, false},
    {"tickets of a row tile", ORDO_E2_TICKET, 3, 1, 1, 1, 0, 0, 1, 0, false, false},
};

static int32_t extent(const struct ordo_e2_asked *asked, int32_t x)
{
    switch (x) {
    case C:
        return asked->cluster;
    case N:
        return asked->rows;
    case FEW:
        return asked->rows < 4 ? asked->rows : 4;
    case WORDS:
        return 32 / asked->cluster + 1;
    default:
        return x;
    }
}

static struct ordo_e2_spec spec_of(const struct ordo_e2_asked *asked, const struct instance *in)
{
    struct ordo_e2_spec s = {
        .design = in->design,
        .stride = in->all_masks ? 4 : asked->cluster,
        .ranks = extent(asked, in->ranks),
        .rows = extent(asked, in->rows),
        .slots = in->slots,
        .reducers = in->reducers,
        .order = in->order,
        .bulk = in->bulk,
        .waves = in->waves,
        .setup = in->setup,
    };

    return ordo_e2_spec_whole(s);
}

/* Decides; a violation is explained, if its schedule is known. */
static bool decide_program(const struct ordo_e2_spec *spec, const struct ordo_e2_options *options,
                           struct ordo_e2_result *r, int32_t *n_reason, char reason[24][256])
{
    struct ordo_e2_options full = {.sc = options->sc, .scheduler = options->scheduler, .slots = options->slots};
    struct ordo_e2_program p;
    struct ordo_e2 *e2 = NULL;
    struct ordo_e2_trail t = {0};
    bool ok = ordo_e2_design(spec, &p) && ordo_e2_decide(&p, options, r);

    if (ok && r->verdict == ORDO_E2_VIOLATED && r->shortest) {
        e2 = ordo_e2_make(&p, &full);
        ok = e2 && ordo_e2_follow(e2, r->move, r->n_move, &t);
    }
    *n_reason = t.n_reason;
    memcpy(reason, t.reason, sizeof t.reason);
    ordo_e2_trail_free(&t);
    ordo_e2_free(e2);
    ordo_e2_program_free(&p);
    return ok;
}

static bool decide(struct ordo_e2_claim *c)
{
    return decide_program(&c->spec, &c->options, &c->result, &c->n_reason, c->reason);
}

/* Each mask of 4 ranks and 2 rows in full; sums in the result. */
static bool decide_masks(struct ordo_e2_claim *c)
{
    struct ordo_e2_result sum = {.verdict = ORDO_E2_PROVED};

    c->options.persist = false;
    for (c->masks = 0; c->masks < 256 && sum.verdict == ORDO_E2_PROVED; c->masks++) {
        c->spec.writes = (UINT64_C(1) << 63) | (uint64_t)c->masks;
        if (!decide(c))
            return false;
        sum.states += c->result.states;
        sum.edges += c->result.edges;
        sum.seconds += c->result.seconds;
        sum.verdict = c->result.verdict;
        if (sum.verdict == ORDO_E2_PROVED)
            ordo_e2_result_free(&c->result);
    }
    c->result.states = sum.states;
    c->result.edges = sum.edges;
    c->result.seconds = sum.seconds;
    return true;
}

bool ordo_e2_claim(const struct ordo_e2_asked *asked, int i, struct ordo_e2_claim *c)
{
    const struct instance *in = &instances[i];

    *c = (struct ordo_e2_claim){.name = in->name, .spec = spec_of(asked, in), .masks = 1};
    c->options = (struct ordo_e2_options){
        .scheduler = asked->scheduler,
        .slots = asked->slots ? asked->slots : c->spec.ranks * c->spec.groups,
        .fuse = true,
        .persist = asked->scheduler != ORDO_SCHED_UNFAIR && (asked->cluster > 4 || c->spec.rows > 3),
        .project = in->project,
        .symmetry = in->project,
        .brief = asked->brief,
    };
    return in->all_masks ? decide_masks(c) : decide(c);
}

/* --- schedulers ------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    struct ordo_e2_spec spec;
} lives[ORDO_E2_LIVES] = {
    {"private shards", {.design = ORDO_E2_PRIVATE, .groups = 4}},
    {"row relay, ranks in one cluster", {.design = ORDO_E2_RELAY, .stride = 4, .ranks = 2, .groups = 2}},
    {"row relay over clusters", {.design = ORDO_E2_RELAY, .stride = 4, .ranks = 4, .spread = 2}},
    {"tickets, ascending block id", {.design = ORDO_E2_TICKET, .ranks = 4}},
    {"tickets, permuted", {.design = ORDO_E2_PERMUTED, .ranks = 4}},
    {"persistent grid barrier", {.design = ORDO_E2_GRID, .ranks = 3}},
    {"waves in one launch, plane reused", {.design = ORDO_E2_WAVES, .ranks = 4, .rows = 2}},
};

bool ordo_e2_live(int d, int s, struct ordo_e2_life *life)
{
    static const enum ordo_e2_scheduler under[ORDO_E2_UNDER] = {ORDO_SCHED_UNFAIR, ORDO_SCHED_OBE, ORDO_SCHED_WINDOW,
                                                                ORDO_SCHED_CLUSTER, ORDO_SCHED_GRID};
    struct ordo_e2_result r = {.verdict = ORDO_E2_REFUSED};
    bool ok;

    *life = (struct ordo_e2_life){.design = lives[d].name, .spec = ordo_e2_spec_whole(lives[d].spec)};
    life->options = (struct ordo_e2_options){.scheduler = under[s], .slots = 2};
    ok = decide_program(&life->spec, &life->options, &r, &life->n_reason, life->reason);
    life->verdict = r.verdict;
    life->bad = r.bad;
    life->states = r.states;
    ordo_e2_result_free(&r);
    return ok;
}
