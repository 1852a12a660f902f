/* t_outputs.c - what a case claims of attention's outputs: a true claim passes, a false one is found with its place,
 * and what is no claim is refused.  And what holds of every case is looked at: a wrong output is found without a
 * claim. */
#include "fuzz/campaign.h"
#include "fuzz/outputs.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALL "design cluster-relay\ncluster 4\nwave 4\nheads 3\ndqk 24\ndv 16\n"
#define ROWS "kv 6\nlength 2 3 0\nrows\n1 2 5\n2 1 4\n0 1 2\n"

static struct ordo_err err;

/* Replays a case that claims `claims`. */
static enum ordo_status claim(const char *claims, const char *fill, struct ordo_trial_result *r)
{
    char text[512];
    struct ordo_case c;
    enum ordo_status status;

    (void)snprintf(text, sizeof text, "ordo-case/1\noutputs %s\n" SMALL "%s" ROWS, claims, fill);
    memset(&err, 0, sizeof err);
    assert_ok(ordo_case_parse("t.case", text, strlen(text), &c, &err), err);
    *r = (struct ordo_trial_result){.verdict = ORDO_REFUSED};
    status = ordo_replay_case(&c, r, &err);
    ordo_case_free(&c);
    return status;
}

static void true_claims(void **state)
{
    static const char *const known[][2] = {
        {"finite", ""}, {"dkv[0]=0 dkv[3]=0 dkv[5]=0 dkv[1]!=0 dkv[4]!=0 dkv_fp32[2]!=0", ""},
        {"o!=0 lse!=0 delta!=0 dq!=0 dkv!=0 dkv_fp32!=0 dsink!=0", ""},
        {"finite o=0 delta=0 dq=0 dkv=0 dsink=0 lse!=0", "fill sink inf\n"},
        {"dsink=0", "fill sink -inf\n"}, {"dq=0", "fill kv 0\n"}, {"delta=0 dkv=0", "fill do 0\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct ordo_trial_result r;

        assert_ok(claim(known[i][0], known[i][1], &r), err);
        if (r.finding.source != ORDO_SOURCE_NONE || r.verdict != ORDO_PROVED)
            fail_msg("%s: %s: %s", known[i][0], r.finding.signature, r.finding.text);
    }
}

static void false_claims(void **state)
{
    static const char *const known[][3] = {
        {"finite dq=0", "", "dq=0 is claimed"},
        {"dkv[1]=0", "", "dkv[1]=0 is claimed"},
        {"dkv[0]!=0", "", "no element is another"},
        {"dsink!=0", "fill sink -inf\n", "no element is another"},
        {"lse=0.5", "", "lse=0.5 is claimed"},
        {"finite", "fill do inf\n", "finite is claimed, and delta"},
        {"dsink=-0", "fill sink -inf\n", "dsink=-0 is claimed"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const char *last = strrchr(known[i][0], ' ');
        struct ordo_trial_result r;
        char signature[64];

        (void)snprintf(signature, sizeof signature, "OUTPUTS claim %s", last ? last + 1 : known[i][0]);
        assert_ok(claim(known[i][0], known[i][1], &r), err);
        /* Which one: shrinking is not to change over to another. */
        assert_string_equal(r.finding.signature, signature);
        if (!strstr(r.finding.text, known[i][2]))
            fail_msg("%s: %s", known[i][0], r.finding.text);
    }
}

static void no_claims(void **state)
{
    static const char *const known[] = {
        "infinite", "dq",      "dq=",          "dq!",     "dq==0", "dk=0",  "dkv[6]=0", "dkv[-1]=0", "dkv[]=0",
        "dkv[1=0",  "dq[0]=0", "finite  dq=0", "dq=zero", "=0",    "dq=0 ", "dq=0,o=0", "dkv[1]",
    };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct ordo_trial_result r;

        if (claim(known[i], "", &r) != ORDO_BAD_INPUT)
            fail_msg("'%s' passes for a claim", known[i]);
        assert_string_equal(err.field, "outputs");
    }
}

/* More than a case may have is refused before anything is allocated. */
static void too_much(void **state)
{
    static const char *const known[] = {"heads 2147483647\nkv 6\nrows\n0\n",
                                        "dqk 2147483647\nheads 1\nkv 6\nrows\n0\n",
                                        "heads 1\nkv 2147483647\nrows\n0\n"};

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct ordo_plan plan = {.request = {1, i == 2 ? INT32_MAX : 6, 1, i == 0 ? INT32_MAX : 1,
                                             i == 1 ? INT32_MAX : 576, 512, ORDO_TARGET_SM90, NULL, 0, 0}};
        struct ordo_outputs x = {.o = NULL};
        char text[128];
        struct ordo_case c;

        (void)snprintf(text, sizeof text, "ordo-case/1\noutputs finite\n%s", known[i]);
        assert_ok(ordo_case_parse("t.case", text, strlen(text), &c, &err), err);
        assert_int_equal(ordo_outputs_make(&c, &plan, &x, &err), ORDO_BAD_INPUT);
        ordo_outputs_free(&x);
        ordo_case_free(&c);
    }
}

/* --- what holds of every case ----------------------------------------------------------------------------------- */

static struct ordo_case c;
static struct ordo_plan plan;
static struct ordo_proof proof;

/* Judges the case's outputs after `spoil` changed them. */
static void spoiled(void (*spoil)(struct ordo_attention_outputs *out), const char *rule)
{
    struct ordo_outputs x = {.o = NULL};
    struct ordo_wrong wrong = {.rule = ""};

    assert_ok(ordo_outputs_make(&c, &plan, &x, &err), err);
    if (spoil)
        spoil(&x.out);
    assert_ok(ordo_outputs_judge(&c, proof.order, &x, &wrong, &err), err);
    assert_string_equal(wrong.rule, rule);
    ordo_outputs_free(&x);
}

static void untouched(struct ordo_attention_outputs *out)
{
    out->dkv_fp32[5 * 24 + 3] = -0.0f;
    out->dkv[5 * 24 + 3] = 0x8000;
}

static void unrounded(struct ordo_attention_outputs *out)
{
    out->dkv[24]++;
}

static void one_bit(struct ordo_attention_outputs *out)
{
    uint32_t *bits = (uint32_t *)(void *)&out->dkv_fp32[24];

    *bits ^= 1; /* rounds as before */
    out->dkv[24] = (uint16_t)((*bits + 0x7fff + (*bits >> 16 & 1)) >> 16);
}

static void dead_dq(struct ordo_attention_outputs *out)
{
    out->dq[2 * 3 * 24] = 0x8000;
}

static void dead_lse(struct ordo_attention_outputs *out)
{
    out->lse[2 * 3] = 0;
}

static void coarse_delta(struct ordo_attention_outputs *out)
{
    out->delta[1] *= 1 + 0x1p-9f;
}

static void holds_of_all(void **state)
{
    static const char text[] = "ordo-case/1\noutputs finite\n" SMALL "values rough 3\n" ROWS;
    struct ordo_request r = {3, 6, 3, 3, 24, 16, ORDO_TARGET_SM90, NULL, 4, 4};

    (void)state;
    assert_ok(ordo_case_parse("t.case", text, sizeof text - 1, &c, &err), err);
    assert_ok(ordo_plan_make(&r, &plan, &err), err);
    assert_ok(ordo_prove(&plan, &c.problem, &proof, &err), err);
    spoiled(NULL, "");
    spoiled(untouched, "untouched row");
    spoiled(unrounded, "rounding");
    spoiled(one_bit, "order");
    spoiled(dead_dq, "dead query");
    spoiled(dead_lse, "dead query");
    spoiled(coarse_delta, "delta");
    ordo_proof_free(&proof);
    ordo_case_free(&c);
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(true_claims), cmocka_unit_test(false_claims), cmocka_unit_test(no_claims),
        cmocka_unit_test(too_much),    cmocka_unit_test(holds_of_all),
    };

    return cmocka_run_group_tests_name("outputs", test, NULL, NULL);
}
