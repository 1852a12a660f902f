/* cases.c - the table of recorded cases.
 *
 * The families are what tells models apart, so every instruction and every way to hold an operand meets all ten or,
 * for the sizes between, three of them that change from layout to layout.  A case's name is its values. */
#include "kernels/cases.h"
#include "kernels/cases_impl.h"

#include "base/families.h"

#include <stdio.h>

/* --- chains of the tensor core ---------------------------------------------------------------------------------- */

enum layouts { ONE_LAYOUT, SS_LAYOUTS, RS_LAYOUTS, MIXED_SWIZZLES };

/* Rows, columns, tiles, steps; then how. */
struct chain {
    uint16_t unit, rows, cols, tiles, groups, group, init;
    uint16_t n, warpgroups, stage, registers, major_a, major_b, swizzle_a, swizzle_b;
    enum layouts layouts;
    int families; /* 10, or how many of them for each layout */
    bool words;
};

#define SYNC ORDO_UNIT_MMA_SYNC
#define WG ORDO_UNIT_WGMMA
#define SYNC_16 ORDO_UNIT_MMA_SYNC_FP16
#define WG_16 ORDO_UNIT_WGMMA_FP16
static const struct chain chains[] = {
    /* one step, a chain of 4 in full, one of 36; k8 */
    {SYNC, 16, 8, 256, 1, 16, 0, 8, 1, 1, 0, 0, 0, 0, 0, ONE_LAYOUT, 10, false},
    {SYNC, 16, 8, 2, 4, 16, 0, 8, 1, 1, 0, 0, 0, 0, 0, ONE_LAYOUT, 10, true},
    {SYNC, 16, 8, 32, 36, 16, 0, 8, 1, 1, 0, 0, 0, 0, 0, ONE_LAYOUT, 10, false},
    {SYNC, 16, 8, 256, 1, 16, 1, 8, 1, 1, 0, 0, 0, 0, 0, ONE_LAYOUT, 10, false},
    {SYNC, 16, 8, 1, 2, 8, 0, 8, 1, 1, 0, 0, 0, 0, 0, ONE_LAYOUT, 10, true},
    {SYNC, 16, 8, 64, 1, 8, 0, 8, 1, 1, 0, 0, 0, 0, 0, ONE_LAYOUT, 10, false},
    {SYNC, 16, 8, 32, 16, 8, 0, 8, 1, 1, 0, 0, 0, 0, 0, ONE_LAYOUT, 10, false},
    {SYNC, 64, 64, 1, 8, 16, 0, 8, 1, 1, 0, 0, 0, 0, 0, ONE_LAYOUT, 10, false},
    /* wgmma in full: A in shared memory, in registers, from nothing */
    {WG, 64, 8, 1, 3, 16, 0, 8, 1, 3, 0, 0, 0, 3, 3, ONE_LAYOUT, 10, true},
    {WG, 64, 8, 1, 3, 16, 0, 8, 1, 3, 1, 0, 0, 0, 3, ONE_LAYOUT, 10, true},
    {WG, 64, 8, 1, 1, 16, 1, 8, 1, 1, 0, 0, 0, 3, 3, ONE_LAYOUT, 10, true},
    /* every major and swizzle at every n */
    {WG, 64, 8, 1, 4, 16, 0, 8, 1, 4, 0, 0, 0, 0, 0, SS_LAYOUTS, 3, false},
    {WG, 64, 16, 1, 4, 16, 0, 16, 1, 4, 0, 0, 0, 0, 0, SS_LAYOUTS, 3, false},
    {WG, 64, 32, 1, 4, 16, 0, 32, 1, 4, 0, 0, 0, 0, 0, SS_LAYOUTS, 3, false},
    {WG, 64, 64, 1, 4, 16, 0, 64, 1, 4, 0, 0, 0, 0, 0, SS_LAYOUTS, 10, false},
    {WG, 64, 128, 1, 4, 16, 0, 128, 1, 4, 0, 0, 0, 0, 0, SS_LAYOUTS, 3, false},
    {WG, 64, 256, 1, 2, 16, 0, 256, 1, 2, 0, 0, 0, 0, 0, SS_LAYOUTS, 10, false},
    {WG, 64, 64, 1, 4, 16, 0, 64, 1, 4, 0, 0, 0, 0, 0, MIXED_SWIZZLES, 1, false},
    {WG, 64, 8, 1, 4, 16, 0, 8, 1, 4, 1, 0, 0, 0, 0, RS_LAYOUTS, 3, false},
    {WG, 64, 16, 1, 4, 16, 0, 16, 1, 4, 1, 0, 0, 0, 0, RS_LAYOUTS, 3, false},
    {WG, 64, 32, 1, 4, 16, 0, 32, 1, 4, 1, 0, 0, 0, 0, RS_LAYOUTS, 3, false},
    {WG, 64, 64, 1, 4, 16, 0, 64, 1, 4, 1, 0, 0, 0, 0, RS_LAYOUTS, 10, false},
    {WG, 64, 128, 1, 4, 16, 0, 128, 1, 4, 1, 0, 0, 0, 0, RS_LAYOUTS, 3, false},
    {WG, 64, 256, 1, 4, 16, 0, 256, 1, 4, 1, 0, 0, 0, 0, RS_LAYOUTS, 10, false},
    /* 36 steps in one commit group; at n = 256 they do not fit, so nine groups of four */
    {WG, 64, 64, 1, 36, 16, 0, 64, 1, 36, 0, 0, 0, 3, 3, ONE_LAYOUT, 10, false},
    {WG, 64, 64, 1, 36, 16, 0, 64, 1, 36, 0, 1, 1, 3, 3, ONE_LAYOUT, 10, false},
    {WG, 64, 64, 1, 36, 16, 0, 64, 1, 36, 0, 0, 1, 2, 1, ONE_LAYOUT, 10, false},
    {WG, 64, 64, 1, 36, 16, 1, 64, 1, 36, 0, 1, 0, 1, 0, ONE_LAYOUT, 10, false},
    {WG, 64, 128, 1, 36, 16, 0, 128, 1, 36, 0, 0, 0, 0, 3, ONE_LAYOUT, 10, false},
    {WG, 64, 64, 1, 36, 16, 0, 64, 1, 36, 1, 0, 1, 0, 3, ONE_LAYOUT, 10, false},
    {WG, 64, 256, 1, 36, 16, 1, 256, 1, 4, 0, 0, 0, 3, 3, ONE_LAYOUT, 10, false},
    /* two warpgroups on one B; a grid of both */
    {WG, 128, 64, 1, 36, 16, 0, 64, 2, 12, 0, 0, 0, 3, 3, ONE_LAYOUT, 10, false},
    {WG, 128, 128, 1, 8, 16, 0, 128, 2, 4, 1, 0, 1, 0, 3, ONE_LAYOUT, 10, false},
    {WG, 128, 256, 1, 4, 16, 0, 256, 2, 4, 0, 1, 1, 3, 3, ONE_LAYOUT, 10, false},
    {WG, 256, 128, 1, 4, 16, 0, 64, 2, 2, 0, 0, 1, 2, 2, ONE_LAYOUT, 10, false},
    /* scale-d = 0 */
    {WG, 64, 64, 4, 1, 16, 1, 64, 1, 1, 0, 0, 0, 3, 3, ONE_LAYOUT, 10, false},
    {WG, 64, 64, 1, 8, 16, 1, 64, 1, 4, 1, 0, 0, 0, 2, ONE_LAYOUT, 10, false},
    {WG, 64, 256, 1, 4, 16, 1, 256, 1, 4, 0, 0, 0, 3, 3, ONE_LAYOUT, 10, false},
    /* n that is no power of two: a last atom in part */
    {WG, 64, 24, 1, 4, 16, 0, 24, 1, 4, 0, 0, 0, 0, 0, SS_LAYOUTS, 1, false},
    {WG, 64, 40, 1, 4, 16, 0, 40, 1, 4, 0, 0, 0, 0, 0, SS_LAYOUTS, 1, false},
    {WG, 64, 96, 1, 4, 16, 0, 96, 1, 4, 0, 0, 0, 0, 0, SS_LAYOUTS, 1, false},
    {WG, 64, 144, 1, 4, 16, 0, 144, 1, 4, 0, 0, 0, 0, 0, SS_LAYOUTS, 1, false},
    {WG, 64, 240, 1, 4, 16, 0, 240, 1, 4, 0, 0, 0, 0, 0, SS_LAYOUTS, 1, false},
    {WG, 64, 248, 1, 4, 16, 0, 248, 1, 4, 0, 0, 0, 0, 0, SS_LAYOUTS, 1, false},
    {WG, 64, 24, 1, 4, 16, 0, 24, 1, 4, 1, 0, 0, 0, 0, RS_LAYOUTS, 1, false},
    {WG, 64, 40, 1, 4, 16, 0, 40, 1, 4, 1, 0, 0, 0, 0, RS_LAYOUTS, 1, false},
    {WG, 64, 96, 1, 4, 16, 0, 96, 1, 4, 1, 0, 0, 0, 0, RS_LAYOUTS, 1, false},
    {WG, 64, 144, 1, 4, 16, 0, 144, 1, 4, 1, 0, 0, 0, 0, RS_LAYOUTS, 1, false},
    {WG, 64, 240, 1, 4, 16, 0, 240, 1, 4, 1, 0, 0, 0, 0, RS_LAYOUTS, 1, false},
    {WG, 64, 248, 1, 4, 16, 0, 248, 1, 4, 1, 0, 0, 0, 0, RS_LAYOUTS, 1, false},
    {WG, 128, 288, 1, 36, 16, 0, 96, 2, 4, 0, 0, 1, 3, 3, ONE_LAYOUT, 10, false},
    /* FP16: the families' bits read as such */
    {SYNC_16, 16, 8, 256, 1, 16, 0, 8, 1, 1, 0, 0, 0, 0, 0, ONE_LAYOUT, 10, false},
    {SYNC_16, 16, 8, 2, 4, 16, 0, 8, 1, 1, 0, 0, 0, 0, 0, ONE_LAYOUT, 10, true},
    {SYNC_16, 16, 8, 32, 36, 16, 0, 8, 1, 1, 0, 0, 0, 0, 0, ONE_LAYOUT, 10, false},
    {SYNC_16, 16, 8, 64, 1, 8, 0, 8, 1, 1, 0, 0, 0, 0, 0, ONE_LAYOUT, 10, false},
    {SYNC_16, 16, 8, 32, 16, 8, 0, 8, 1, 1, 0, 0, 0, 0, 0, ONE_LAYOUT, 10, false},
    {WG_16, 64, 8, 16, 1, 16, 0, 8, 1, 1, 0, 0, 0, 3, 3, ONE_LAYOUT, 10, false},
    {WG_16, 64, 64, 1, 4, 16, 0, 64, 1, 4, 0, 0, 0, 0, 0, SS_LAYOUTS, 1, false},
    {WG_16, 64, 64, 1, 4, 16, 0, 64, 1, 4, 1, 0, 0, 0, 0, RS_LAYOUTS, 1, false},
    {WG_16, 64, 64, 1, 36, 16, 0, 64, 1, 36, 0, 0, 0, 3, 3, ONE_LAYOUT, 10, false},
    {WG_16, 64, 64, 1, 36, 16, 1, 64, 1, 36, 1, 0, 1, 0, 3, ONE_LAYOUT, 10, false},
};

static void chain_values(const struct chain *c, uint64_t *v)
{
    ordo_golden_defaults(v);
    v[ORDO_KEY_KIND] = ORDO_GOLDEN_MMA;
    v[ORDO_KEY_UNIT] = c->unit;
    v[ORDO_KEY_ROWS] = c->rows;
    v[ORDO_KEY_COLS] = c->cols;
    v[ORDO_KEY_TILES] = c->tiles;
    v[ORDO_KEY_GROUPS] = c->groups;
    v[ORDO_KEY_GROUP] = c->group;
    v[ORDO_KEY_INIT] = c->init;
    v[ORDO_KEY_X_N] = c->n;
    v[ORDO_KEY_X_WARPGROUPS] = c->warpgroups;
    v[ORDO_KEY_X_STAGE] = c->stage;
    v[ORDO_KEY_X_A] = c->registers;
    v[ORDO_KEY_X_MAJOR_A] = c->major_a;
    v[ORDO_KEY_X_MAJOR_B] = c->major_b;
    v[ORDO_KEY_X_SWIZZLE_A] = c->swizzle_a;
    v[ORDO_KEY_X_SWIZZLE_B] = c->swizzle_b;
}

/* Changes the layout to the i-th of the set; false: there is none. */
static bool layout(const struct chain *c, unsigned i, uint64_t *v)
{
    switch (c->layouts) {
    case ONE_LAYOUT:
        return i == 0;
    case SS_LAYOUTS: /* major x major x swizzle of both */
        v[ORDO_KEY_X_MAJOR_A] = i & 1;
        v[ORDO_KEY_X_MAJOR_B] = i >> 1 & 1;
        v[ORDO_KEY_X_SWIZZLE_A] = v[ORDO_KEY_X_SWIZZLE_B] = i >> 2 & 3;
        return i < 16;
    case RS_LAYOUTS:
        v[ORDO_KEY_X_MAJOR_B] = i & 1;
        v[ORDO_KEY_X_SWIZZLE_B] = i >> 1 & 3;
        return i < 8;
    default:
        v[ORDO_KEY_X_MAJOR_A] = v[ORDO_KEY_X_MAJOR_B] = i & 1;
        v[ORDO_KEY_X_SWIZZLE_A] = i >> 1 & 3;
        v[ORDO_KEY_X_SWIZZLE_B] = (v[ORDO_KEY_X_SWIZZLE_A] + 1 + (i >> 3)) % 4; /* unlike A's */
        return i < 24;
    }
}

static const char *value_name(const uint64_t *v, enum ordo_golden_key key)
{
    return ordo_golden_value_name(key, v[key]);
}

static void name_chain(struct ordo_golden_case *item)
{
    const uint64_t *v = item->value;
    bool wgmma = v[ORDO_KEY_UNIT] & WG;
    char how[48] = "";

    if (wgmma && v[ORDO_KEY_X_A] == 0)
        snprintf(how, sizeof how, ".n%u.%s-%s.%s-%s", (unsigned)v[ORDO_KEY_X_N], value_name(v, ORDO_KEY_X_MAJOR_A),
                 value_name(v, ORDO_KEY_X_MAJOR_B), value_name(v, ORDO_KEY_X_SWIZZLE_A),
                 value_name(v, ORDO_KEY_X_SWIZZLE_B));
    else if (wgmma)
        snprintf(how, sizeof how, ".n%u.registers-%s.%s", (unsigned)v[ORDO_KEY_X_N],
                 value_name(v, ORDO_KEY_X_MAJOR_B), value_name(v, ORDO_KEY_X_SWIZZLE_B));
    snprintf(item->name, sizeof item->name, "%s%s%s.%ux%ux%u.k%u.%u.%s.%s", wgmma ? "wgmma" : "mma",
             v[ORDO_KEY_UNIT] >= SYNC_16 ? ".f16" : "", how, (unsigned)v[ORDO_KEY_TILES],
             (unsigned)v[ORDO_KEY_ROWS], (unsigned)v[ORDO_KEY_COLS], (unsigned)v[ORDO_KEY_GROUP],
             (unsigned)v[ORDO_KEY_GROUPS], value_name(v, ORDO_KEY_INIT), value_name(v, ORDO_KEY_FAMILY));
}

static enum ordo_status use_chains(ordo_case_fn *use, void *context, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;
    struct ordo_golden_case item = {.word = NULL};
    uint64_t seed = 1000;

    for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++) {
        chain_values(&chains[i], item.value);
        for (unsigned l = 0; layout(&chains[i], l, item.value); l++)
            for (unsigned f = 0; f < (unsigned)chains[i].families && status == ORDO_OK; f++) {
                bool all = chains[i].families == ORDO_FAMILIES;

                item.value[ORDO_KEY_FAMILY] = all ? f : (l + 3 * f) % ORDO_FAMILIES;
                item.value[ORDO_KEY_SEED] = seed += 1000;
                name_chain(&item);
                status = use(context, &item, chains[i].words, err);
            }
    }
    return status;
}

/* --- probes ----------------------------------------------------------------------------------------------------- */

static const struct chain probes[] = {
    {.unit = SYNC, .n = 8, .warpgroups = 1, .stage = 1},
    {.unit = WG, .n = 8, .warpgroups = 1, .stage = 1, .swizzle_a = 3, .swizzle_b = 3},
    {.unit = WG, .n = 64, .warpgroups = 2, .stage = 1, .major_a = 1, .major_b = 1, .swizzle_a = 3, .swizzle_b = 3},
    {.unit = WG, .n = 256, .warpgroups = 1, .stage = 1, .registers = 1, .major_b = 1},
};

static enum ordo_status use_probes(ordo_case_fn *use, void *context, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;

    for (size_t i = 0; i < sizeof probes / sizeof probes[0] && status == ORDO_OK; i++) {
        struct ordo_golden_case item = {.word = NULL};

        chain_values(&probes[i], item.value);
        item.value[ORDO_KEY_KIND] = ORDO_GOLDEN_PROBE;
        item.value[ORDO_KEY_ROWS] = item.value[ORDO_KEY_COLS] = item.value[ORDO_KEY_GROUPS] = 0;
        item.value[ORDO_KEY_TILES] = 1;
        item.value[ORDO_KEY_GROUP] = 16;
        snprintf(item.name, sizeof item.name, "probes.%s.n%u%s", value_name(item.value, ORDO_KEY_UNIT),
                 (unsigned)probes[i].n, probes[i].registers ? ".registers" : "");
        status = use(context, &item, true, err);
    }
    return status;
}

enum ordo_status ordo_cases_main(ordo_case_fn *use, void *context, struct ordo_err *err)
{
    enum ordo_status status = use_probes(use, context, err);

    if (status == ORDO_OK)
        status = ordo_cases_scalar(use, context, err);
    return status == ORDO_OK ? use_chains(use, context, err) : status;
}
