/* cases_scalar.c - recorded functions of one word, and additions. */
#include "kernels/cases.h"
#include "kernels/cases_impl.h"

#include "base/families.h"
#include "kernels/product.h"

#include <stdio.h>

static const char *value_name(const uint64_t *v, enum ordo_golden_key key)
{
    return ordo_golden_value_name(key, v[key]);
}

/* Said only of a form that is not the plain one. */
static const char *form_name(int form)
{
    return form == ORDO_FORM_PLAIN ? "" : ordo_golden_value_name(ORDO_KEY_X_FORM, (uint64_t)form);
}

static const char *form_dot(int form)
{
    return form == ORDO_FORM_PLAIN ? "" : ".";
}

/* --- functions of one word -------------------------------------------------------------------------------------- */

/* Inputs first, first + step, ...; a short name. */
struct sample {
    const char *what;
    uint32_t first, step;
    uint64_t n;
    bool words;
};

static enum ordo_status use_unary(ordo_case_fn *use, void *context, int op, int form, const struct sample *sample,
                                  struct ordo_err *err)
{
    struct ordo_golden_case item = {.word = NULL};
    uint64_t *v = item.value;

    ordo_golden_defaults(v);
    v[ORDO_KEY_KIND] = ORDO_GOLDEN_UNARY;
    v[ORDO_KEY_OP] = (uint64_t)op;
    v[ORDO_KEY_X_FORM] = (uint64_t)form;
    v[ORDO_KEY_FIRST] = sample->first;
    v[ORDO_KEY_STEP] = sample->step;
    v[ORDO_KEY_N] = sample->n;
    snprintf(item.name, sizeof item.name, "%s%s%s.%s", value_name(v, ORDO_KEY_OP), form_dot(form), form_name(form),
             sample->what);
    return use(context, &item, sample->words, err);
}

/* The functions, and the packed conversions. */
static const struct {
    int op, form;
} functions[] = {
    {ORDO_OP_EX2, ORDO_FORM_PLAIN},  {ORDO_OP_EXP2_5, ORDO_FORM_PLAIN},   {ORDO_OP_EXP2_6, ORDO_FORM_PLAIN},
    {ORDO_OP_LOG2, ORDO_FORM_PLAIN}, {ORDO_OP_CVT_BF16, ORDO_FORM_PLAIN}, {ORDO_OP_CVT_BF16, ORDO_FORM_X2},
    {ORDO_OP_CVT_FP16, ORDO_FORM_PLAIN}, {ORDO_OP_CVT_FP16, ORDO_FORM_X2},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

/* Samples of the range, of two binades, and everything near the edges: 0, 1, -126, 128, Inf. */
static const struct sample samples[] = {
    {"range", 0, 0x00fffe01, 256, true},
    {"sweep", 0, 65521, 65536, false},
    {"binade", 0x3f800000, 8, 1048576, false},
    {"minus-binade", 0xbf800000, 8, 1048576, false},
    {"near-0", 0xffffff80, 1, 256, true},
    {"near-1", 0x3f7fff80, 1, 256, true},
    {"near-minus-126", 0xc2fbff80, 1, 256, true},
    {"near-128", 0x42ffff80, 1, 256, true},
    {"near-inf", 0x7f7fff80, 1, 256, true},
};

static enum ordo_status use_samples(ordo_case_fn *use, void *context, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;

    for (size_t f = 0; f < FUNCTIONS; f++)
        for (size_t s = 0; s < sizeof samples / sizeof samples[0] && status == ORDO_OK; s++)
            status = use_unary(use, context, functions[f].op, functions[f].form, &samples[s], err);
    return status;
}

/* --- additions -------------------------------------------------------------------------------------------------- */

static const struct {
    int op, form;
} additions[] = {{ORDO_FADD, ORDO_FORM_PLAIN},       {ORDO_RED_GLOBAL, ORDO_FORM_PLAIN},
                 {ORDO_RED_GLOBAL, ORDO_FORM_ATOM},  {ORDO_RED_GLOBAL, ORDO_FORM_V4},
                 {ORDO_RED_SHARED, ORDO_FORM_PLAIN}, {ORDO_RED_SHARED, ORDO_FORM_ATOM},
                 {ORDO_BULK, ORDO_FORM_PLAIN}};

static enum ordo_status use_addition(ordo_case_fn *use, void *context, size_t i, int family, bool words,
                                     struct ordo_err *err)
{
    struct ordo_golden_case item = {.word = NULL};
    uint64_t *v = item.value;
    int form = additions[i].form;

    ordo_golden_defaults(v);
    v[ORDO_KEY_KIND] = ORDO_GOLDEN_ADD;
    v[ORDO_KEY_OP] = (uint64_t)(ORDO_OPS + additions[i].op);
    v[ORDO_KEY_X_FORM] = (uint64_t)form;
    v[ORDO_KEY_FAMILY] = (uint64_t)family;
    v[ORDO_KEY_SEED] = 7 + (uint64_t)words;
    v[ORDO_KEY_N] = words ? ORDO_ADD_THREADS : 64 * ORDO_ADD_THREADS;
    snprintf(item.name, sizeof item.name, "add.%s%s%s.%u.%s", value_name(v, ORDO_KEY_OP), form_dot(form),
             form_name(form), (unsigned)v[ORDO_KEY_N], value_name(v, ORDO_KEY_FAMILY));
    return use(context, &item, words, err);
}

static enum ordo_status use_additions(ordo_case_fn *use, void *context, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;

    for (size_t i = 0; i < sizeof additions / sizeof additions[0]; i++)
        for (int family = 0; family < ORDO_FAMILIES && status == ORDO_OK; family++) {
            status = use_addition(use, context, i, family, false, err);
            if (status == ORDO_OK && (family == ORDO_FAMILY_SUBNORMAL || family == ORDO_FAMILY_CANCEL))
                status = use_addition(use, context, i, family, true, err);
        }
    return status;
}

/* --- all of them ------------------------------------------------------------------------------------------------ */

enum ordo_status ordo_cases_scalar(ordo_case_fn *use, void *context, struct ordo_err *err)
{
    enum ordo_status status = use_additions(use, context, err);

    return status == ORDO_OK ? use_samples(use, context, err) : status;
}

enum ordo_status ordo_cases_all(ordo_case_fn *use, void *context, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;

    for (size_t f = 0; f < FUNCTIONS && status == ORDO_OK; f++) {
        struct sample all = {"all", 0, 1, UINT64_C(1) << 32, false};
        int op = functions[f].op, form = functions[f].form;

        status = use_unary(use, context, op, form, &all, err);
        for (uint32_t i = 0; i < 128 && status == ORDO_OK; i++) {
            char what[16];
            struct sample piece = {what, i << 25, 1, UINT64_C(1) << 25, false};

            snprintf(what, sizeof what, "all.%02x", (unsigned)(2 * i));
            status = use_unary(use, context, op, form, &piece, err);
        }
    }
    return status;
}
