/* contract.c - see contract.h: the table of all choices and their names. */
#include "sim/contract.h"

#include <stddef.h>

const struct ordo_contract ordo_contract_sparse = {
    .s_groups = ORDO_ASCENDING,
    .dp_groups = ORDO_ASCENDING,
    .pv_groups = ORDO_ASCENDING,
    .dq_groups = ORDO_ASCENDING,
    .dkv_groups = ORDO_ASCENDING,
    .tile_walk = ORDO_ASCENDING,
    .dkv_first = ORDO_DKV_DO_P,
    .exp = ORDO_EXP_6,
    .add = ORDO_ADD_IEEE,
};

static const char *const group_name[] = {"ascending-16", "descending-16"};
static const char *const walk_name[] = {"ascending", "descending"};
static const char *const first_name[] = {"do-p-then-q-ds", "q-ds-then-do-p"};
static const char *const exp_name[] = {"exp2.6", "exp2.5", "ex2.approx.ftz"};
static const char *const add_name[] = {"ieee", "red-ftz"};

/* A choice among names, or one that has a single value. */
struct choice {
    const char *name;
    const char *const *word;
    size_t offset; /* of the member */
    const char *only;
};

/* All members are enumerations of the same size. */
#define AMONG(name, words, member)                                                                                   \
    {                                                                                                                \
        name, words, offsetof(struct ordo_contract, member), NULL                                                    \
    }
#define ONLY(name, value)                                                                                            \
    {                                                                                                                \
        name, NULL, 0, value                                                                                         \
    }

static const struct choice table[] = {
    ONLY("mma", "k16-steps-from-zero"),    /* each product's chain starts at +0.0 unless it shares a fragment */
    ONLY("tile", "64-slots"),              /* of a query's row */
    ONLY("head_block", "64"),              /* heads of a CTA; those that are not there are zeros */
    AMONG("s_groups", group_name, s_groups),
    AMONG("dp_groups", group_name, dp_groups),
    AMONG("pv_groups", group_name, pv_groups),
    AMONG("dq_groups", group_name, dq_groups),
    AMONG("dkv_groups", group_name, dkv_groups),
    AMONG("tile_walk", walk_name, tile_walk),
    AMONG("dkv_first", first_name, dkv_first),
    ONLY("scale", "s-by-fma-then-ds"),     /* into S by one fma with the folded LSE; dS = (scale p) (dP - delta) */
    ONLY("bf16_rounds", "p,ds,o,dq,dkv"),  /* to nearest even */
    AMONG("exp", exp_name, exp),
    ONLY("log", "log2"),                   /* base/log2.h */
    ONLY("lse", "natural-without-sink"),   /* ln = log2 times ln 2; back by times log2 e */
    ONLY("folded_lse", "max+log2(1+exp2(min-max))"), /* of LSE log2 e and sink log2 e */
    ONLY("row_max", "online-per-tile"),    /* O and the row's sum are scaled down when it grows */
    ONLY("row_sum_tree", "4-lanes-of-pairs-then-1-2"), /* lane (j / 2) mod 4 adds slot j, all tiles; then offsets */
    ONLY("o", "acc-times-reciprocal"),     /* fma(acc, 1 / (sum + exp2(sink - max)), +0.0) */
    ONLY("delta_tree", "32-lanes-of-8-then-16-8-4-2-1"), /* lane (d / 8) mod 32 by fma, d ascending from +0.0 */
    ONLY("dsink_tree", "32-strided-then-16-8-4-2-1"), /* lane q mod 32: fma of p and -delta, q ascending, from 0 */
    AMONG("add", add_name, add),
    ONLY("plane_start", "zero"),           /* +0.0 */
    ONLY("fold", "groups-of-8-from-zero"), /* sim/fold.h */
};

int ordo_contract_line(const struct ordo_contract *contract, int i, struct ordo_contract_line *line)
{
    const struct choice *c = &table[i];

    if (i >= (int)(sizeof table / sizeof table[0]))
        return 0;
    line->name = c->name;
    line->value =
        c->only ? c->only : c->word[*(const unsigned *)(const void *)((const char *)contract + c->offset)];
    return 1;
}
