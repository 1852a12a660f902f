/* e4_protocol.c - E4 over the small instances that stand for all.
 *
 * What each exercises: rows that share a word and rows in two words, dead slots, slots in any order, one and several
 * lanes and reducers, several tiles (barriers used again), two waves of a persistent cluster, both ways of adding,
 * both ways of starting a plane. */
#include "sim/e4_impl.h"

#include <stddef.h>

/* Slots of a rank: every fourth dead; the rest walk the rows, each rank from another start. */
enum { MAX_IDX = 2 * 16 * 4 };

static void fill(const struct ordo_cta_shape *s, bool dead, int32_t *idx)
{
    int32_t topk = s->n_tile * s->n_slot;

    for (int32_t i = 0; i < s->n_wave * s->n_rank * topk; i++) {
        int32_t rank = i / topk % s->n_rank, slot = i % topk;

        if (s->program == ORDO_CTA_FIRST && i < s->n_rank * topk) { /* one first writer a row */
            idx[i] = slot == 0 && rank < s->n_row ? rank : -1;
            continue;
        }
        idx[i] = dead && (slot + rank) % 4 == 3 ? -1 : (slot + rank + s->n_row / 2) % s->n_row;
    }
}

static void claim(struct ordo_e4_protocol *p, struct ordo_cta_shape shape, bool dead)
{
    struct ordo_e4_claim *c = &p->claim[p->n_claim++];
    struct ordo_cluster_tapes tapes;
    int32_t idx[MAX_IDX];

    fill(&shape, dead, idx);
    shape.idx = idx;
    shape.go = 1 + p->n_claim; /* another pair each time, and another place */
    shape.done = 15 - p->n_claim % 4;
    shape.stage = 1024 + 16 * (uint32_t)p->n_claim;
    *c = (struct ordo_e4_claim){.name = shape.name, .cluster = shape.cluster};
    c->finding.rule = ORDO_E4_NO_MEMORY;
    c->verdict = ORDO_E4_REFUSED;
    if (ordo_cluster_tapes_record(&tapes, &shape))
        c->verdict = ordo_e4_check(&tapes, &c->finding);
    c->n_thread = tapes.n_thread;
    ordo_cluster_tapes_free(&tapes);
    if (p->verdict == ORDO_E4_HOLDS)
        p->verdict = c->verdict;
}

static void claim_tile(struct ordo_e4_protocol *p, int32_t cluster)
{
    struct ordo_e4_claim *c = &p->claim[p->n_claim++];

    *c = (struct ordo_e4_claim){.name = "a tile of production size", .cluster = cluster};
    ordo_e4_tile(cluster, &c->finding);
    c->verdict = ordo_e4_rule_info[c->finding.rule].verdict;
    if (p->verdict == ORDO_E4_HOLDS)
        p->verdict = c->verdict;
}

void ordo_e4_protocol(int32_t cluster, struct ordo_e4_protocol *protocol)
{
    const int32_t c = cluster, beyond = c == 16 ? 4 : 32 / c + 1; /* more rows than a word holds */

    /* name, cluster, ranks, waves, tiles, slots, rows, columns, reducers, stagers, program, idx; claim() sets
     * these */
    const struct ordo_cta_shape relay[] = {
        {"one row, one writer", c, 1, 1, 1, 1, 1, 1, 1, 0, ORDO_CTA_RELAY, NULL, 0, 0, 0},
        {"one slot lane, one reducer", c, c, 1, 2, 1, 2, 1, 1, 0, ORDO_CTA_RELAY, NULL, 0, 0, 0},
        {"rows that share a word", c, c, 1, 1, 2, 2, 2, 2, 0, ORDO_CTA_RELAY, NULL, 0, 0, 0},
        {"rows in two words", c, c, 1, 2, 2, beyond, 2, 2, 0, ORDO_CTA_RELAY, NULL, 0, 0, 0},
        {"dead slots, two waves", c, c, 2, 1, 4, 4, 2, 2, 0, ORDO_CTA_RELAY, NULL, 0, 0, 0},
        {"bulk copies", c, c, 1, 2, 2, beyond, 2, 0, 2, ORDO_CTA_RELAY, NULL, 0, 0, 0},
        {"bulk copies, dead slots, two waves", c, c, 2, 1, 4, 4, 2, 0, 1, ORDO_CTA_RELAY, NULL, 0, 0, 0},
        {"first writers, hand-over, relay", c, c, 2, 1, 2, 2, 3, 2, 0, ORDO_CTA_FIRST, NULL, 0, 0, 0},
        {"tickets of row tiles", c, c, 1, 2, 1, 2, 2, 2, 0, ORDO_CTA_TICKET, NULL, 0, 0, 0},
    };
    const struct ordo_cta_shape private[] = {
        {"private shards, one reducer", 1, 1, 1, 2, 2, 4, 3, 1, 0, ORDO_CTA_RELAY, NULL, 0, 0, 0},
        {"private shards, two reducers", 1, 1, 1, 1, 4, 4, 3, 2, 0, ORDO_CTA_RELAY, NULL, 0, 0, 0},
        {"private shards, bulk copies", 1, 1, 1, 2, 2, 4, 2, 0, 2, ORDO_CTA_RELAY, NULL, 0, 0, 0},
    };
    int n = cluster > 1 ? (int)(sizeof relay / sizeof *relay) : (int)(sizeof private / sizeof *private);

    *protocol = (struct ordo_e4_protocol){.verdict = ORDO_E4_HOLDS};
    for (int i = 0; i < n; i++) {
        struct ordo_cta_shape s = cluster > 1 ? relay[i] : private[i];

        claim(protocol, s, s.n_slot == 4);
    }
    claim_tile(protocol, cluster);
}
