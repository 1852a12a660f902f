/* golden.c - the keys of golden files: names, values, which kind of case has which. */
#include "kernels/golden.h"

#include "base/families.h"
#include "base/fnv.h"
#include "base/probes.h"
#include "kernels/golden_impl.h"
#include "kernels/product.h"

#include <stdlib.h>
#include <string.h>

#define OF(kind) (1u << ORDO_GOLDEN_##kind)
#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

const struct ordo_golden_field ordo_golden_field[ORDO_KEYS] = {
    [ORDO_KEY_KIND] = {"kind", LIST("mma", "probe", "unary", "add"), 0, 0, OF(MMA) | OF(PROBE) | OF(UNARY) | OF(ADD)},
    [ORDO_KEY_ARCH] = {"arch", LIST("sm90"), 0, 0, OF(MMA)},
    [ORDO_KEY_UNIT] = {"unit", LIST("mma.sync", "wgmma", "mma.sync.f16", "wgmma.f16"), 0, 0, OF(MMA) | OF(PROBE)},
    [ORDO_KEY_OP] = {"op",
                     LIST("ex2.approx.ftz", "exp2.5", "exp2.6", "log2", "cvt.rn.bf16", "cvt.rn.f16", "fadd",
                          "red.global", "red.shared", "bulk"),
                     0, 0, OF(UNARY) | OF(ADD)},
    [ORDO_KEY_FAMILY] = {"family",
                         LIST("raw", "narrow", "cancel", "tiny-c", "tiny", "zeros", "overflow", "special", "softmax",
                              "subnormal"),
                         0, 0, OF(MMA) | OF(ADD)},
    [ORDO_KEY_SEED] = {"seed", NULL, UINT64_MAX, 0, OF(MMA) | OF(ADD)},
    [ORDO_KEY_ROWS] = {"rows", NULL, 4096, 0, OF(MMA)},
    [ORDO_KEY_COLS] = {"cols", NULL, 4096, 0, OF(MMA)},
    [ORDO_KEY_GROUPS] = {"groups", NULL, 4096, 0, OF(MMA)},
    [ORDO_KEY_GROUP] = {"group", NULL, 16, 16, OF(MMA)},
    [ORDO_KEY_TILES] = {"tiles", NULL, 4096, 1, OF(MMA)},
    [ORDO_KEY_INIT] = {"init", LIST("c", "zero"), 0, 0, OF(MMA)},
    [ORDO_KEY_FIRST] = {"first", NULL, UINT32_MAX, 0, OF(UNARY)},
    [ORDO_KEY_STEP] = {"step", NULL, UINT32_MAX, 1, OF(UNARY)},
    [ORDO_KEY_N] = {"n", NULL, UINT64_C(1) << 32, 0, OF(UNARY) | OF(ADD)},
    [ORDO_KEY_X_FORM] = {"x-form", LIST("plain", "atom", "v4", "x2"), 0, 0, OF(UNARY) | OF(ADD)},
    [ORDO_KEY_X_A] = {"x-a", LIST("shared", "registers"), 0, 0, OF(MMA) | OF(PROBE)},
    [ORDO_KEY_X_MAJOR_A] = {"x-major-a", LIST("k", "mn"), 0, 0, OF(MMA) | OF(PROBE)},
    [ORDO_KEY_X_MAJOR_B] = {"x-major-b", LIST("k", "mn"), 0, 0, OF(MMA) | OF(PROBE)},
    [ORDO_KEY_X_SWIZZLE_A] = {"x-swizzle-a", LIST("none", "32", "64", "128"), 0, 0, OF(MMA) | OF(PROBE)},
    [ORDO_KEY_X_SWIZZLE_B] = {"x-swizzle-b", LIST("none", "32", "64", "128"), 0, 0, OF(MMA) | OF(PROBE)},
    [ORDO_KEY_X_N] = {"x-n", NULL, 256, 8, OF(MMA) | OF(PROBE)},
    [ORDO_KEY_X_WARPGROUPS] = {"x-warpgroups", NULL, 2, 1, OF(MMA) | OF(PROBE)},
    [ORDO_KEY_X_STAGE] = {"x-stage", NULL, 4096, 1, OF(MMA) | OF(PROBE)},
};

#define FORM(form) (1u << ORDO_FORM_##form)

const uint32_t ordo_golden_forms[ORDO_OPS + ORDO_ADDS] = {
    [ORDO_OP_EX2] = FORM(PLAIN),
    [ORDO_OP_EXP2_5] = FORM(PLAIN),
    [ORDO_OP_EXP2_6] = FORM(PLAIN),
    [ORDO_OP_LOG2] = FORM(PLAIN),
    [ORDO_OP_CVT_BF16] = FORM(PLAIN) | FORM(X2),
    [ORDO_OP_CVT_FP16] = FORM(PLAIN) | FORM(X2),
    [ORDO_OPS + ORDO_FADD] = FORM(PLAIN),
    [ORDO_OPS + ORDO_RED_GLOBAL] = FORM(PLAIN) | FORM(ATOM) | FORM(V4),
    [ORDO_OPS + ORDO_RED_SHARED] = FORM(PLAIN) | FORM(ATOM),
    [ORDO_OPS + ORDO_BULK] = FORM(PLAIN),
};

void ordo_golden_defaults(uint64_t value[ORDO_KEYS])
{
    for (int key = 0; key < ORDO_KEYS; key++)
        value[key] = ordo_golden_field[key].otherwise;
}

const char *ordo_golden_value_name(enum ordo_golden_key key, uint64_t value)
{
    uint64_t n = 0;

    for (const char *const *p = ordo_golden_field[key].names; p != NULL && *p != NULL; p++, n++)
        if (n == value)
            return *p;
    return "";
}

uint64_t ordo_golden_words(const uint64_t value[ORDO_KEYS])
{
    switch (value[ORDO_KEY_KIND]) {
    case ORDO_GOLDEN_MMA:
        return value[ORDO_KEY_ROWS] * value[ORDO_KEY_COLS] * value[ORDO_KEY_TILES];
    case ORDO_GOLDEN_PROBE:
        return ORDO_PROBES;
    default:
        return value[ORDO_KEY_N];
    }
}

uint64_t ordo_golden_digest(const uint32_t *word, uint64_t n)
{
    uint64_t whole = ORDO_FNV_START;

    for (uint64_t i = 0; i < n;) {
        uint64_t end = n - i < ORDO_FNV_BLOCK ? n : i + ORDO_FNV_BLOCK, h = ORDO_FNV_START;

        for (; i < end; i++)
            h = ordo_fnv_word(h, word[i]);
        whole = ordo_fnv_block(whole, h);
    }
    return whole;
}

void ordo_golden_free(struct ordo_golden *golden)
{
    for (size_t i = 0; i < golden->n; i++)
        free(golden->item[i].word);
    free(golden->item);
    memset(golden, 0, sizeof *golden);
}
