/* claims.c - what a case claims of attention's outputs; see outputs.h. */
#include "fuzz/outputs.h"

#include "ref/fp.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* n elements, BF16 or fp32. */
struct output {
    const char *name;
    const uint16_t *bf16;
    const float *fp32;
    int64_t n;
};

enum { OUTPUTS = 7 };

static void list(const struct ordo_outputs *x, struct output out[OUTPUTS])
{
    const struct ordo_request *r = &x->a.plan->request;
    int64_t rows = (int64_t)r->n_query * r->n_head, kv = (int64_t)r->n_kv * r->d_qk;
    const struct output all[OUTPUTS] = {
        {"o", x->out.o, NULL, rows * r->d_v}, {"lse", NULL, x->out.lse, rows},
        {"delta", NULL, x->out.delta, rows},  {"dq", x->out.dq, NULL, rows * r->d_qk},
        {"dkv", x->out.dkv, NULL, kv},        {"dkv_fp32", NULL, x->out.dkv_fp32, kv},
        {"dsink", NULL, x->out.dsink, r->n_head},
    };

    memcpy(out, all, sizeof all);
}

static uint32_t bits_at(const struct output *o, int64_t i)
{
    return o->bf16 ? ordo_bf16_to_fp32_bits(o->bf16[i]) : ordo_fp32_bits(o->fp32[i]);
}

static void claim_finite(const struct ordo_outputs *x, const char *rule, struct ordo_wrong *wrong)
{
    struct output out[OUTPUTS];

    list(x, out);
    for (int k = 0; k < OUTPUTS; k++)
        for (int64_t i = 0; i < out[k].n; i++) {
            float value = ordo_fp32(bits_at(&out[k], i));

            if (!isfinite(value) && !(out[k].fp32 == x->out.lse && value == -HUGE_VALF))
                ordo_wrong_say(wrong, rule, "finite is claimed, and %s[%" PRId64 "] is %.9g", out[k].name, i,
                               (double)value);
        }
}

/* Every element of *o has the value; or, not equal, some has another. */
static void claim_value(const struct output *o, const char *rule, float value, bool equal, struct ordo_wrong *wrong)
{
    const char *claim = strchr(rule, ' ') + 1;
    uint32_t want = ordo_fp32_bits(value);
    bool some = false;

    if (o->bf16)
        want = ordo_bf16_to_fp32_bits(ordo_bf16_round(want));
    for (int64_t i = 0; i < o->n; i++) {
        uint32_t bits = bits_at(o, i);

        some |= bits != want;
        if (equal && bits != want)
            ordo_wrong_say(wrong, rule, "%s is claimed, and element %" PRId64 " is %.9g", claim, i,
                           (double)ordo_fp32(bits));
    }
    if (!equal && !some)
        ordo_wrong_say(wrong, rule, "%s is claimed, and no element is another", claim);
}

static bool find(const struct ordo_outputs *x, const char *name, size_t n, struct output *o)
{
    struct output out[OUTPUTS];

    list(x, out);
    for (int k = 0; k < OUTPUTS; k++)
        if (strlen(out[k].name) == n && memcmp(out[k].name, name, n) == 0) {
            *o = out[k];
            return true;
        }
    return false;
}

/* Narrows *o to a KV row's first Dv columns; false where it has no such row. */
static bool take_row(const struct ordo_outputs *x, const char **at, struct output *o)
{
    const struct ordo_request *r = &x->a.plan->request;
    char *end;
    long row;

    if (**at != '[')
        return true;
    row = strtol(*at + 1, &end, 10);
    if (end == *at + 1 || *end != ']' || row < 0 || row >= r->n_kv || o->n != (int64_t)r->n_kv * r->d_qk)
        return false;
    *at = end + 1;
    o->bf16 = o->bf16 ? o->bf16 + row * r->d_qk : NULL;
    o->fp32 = o->fp32 ? o->fp32 + row * r->d_qk : NULL;
    o->n = r->d_v;
    return true;
}

/* False where the word is no claim. */
static bool judge(const struct ordo_outputs *x, const char *claim, struct ordo_wrong *wrong)
{
    size_t n = strcspn(claim, "[!=");
    const char *at = claim + n;
    char rule[sizeof wrong->rule];
    struct output o;
    char *end;
    float value;
    bool equal;

    (void)snprintf(rule, sizeof rule, "claim %s", claim);
    if (strcmp(claim, "finite") == 0) {
        claim_finite(x, rule, wrong);
        return true;
    }
    if (!find(x, claim, n, &o) || !take_row(x, &at, &o))
        return false;
    equal = *at != '!';
    at += !equal;
    if (*at != '=' || at[1] == '\0')
        return false;
    value = strtof(at + 1, &end);
    if (*end)
        return false;
    claim_value(&o, rule, value, equal, wrong);
    return true;
}

enum ordo_status ordo_outputs_claims(const struct ordo_case *c, const struct ordo_outputs *x,
                                     struct ordo_wrong *wrong, struct ordo_err *err)
{
    char text[ORDO_CASE_TEXT], *rest = text, *claim;

    (void)snprintf(text, sizeof text, "%s", c->outputs);
    while ((claim = strsep(&rest, " ")))
        if (!judge(x, claim, wrong))
            return ordo_fail(err, ORDO_BAD_INPUT, NULL, "outputs", "'%s' is no claim", claim);
    return ORDO_OK;
}
