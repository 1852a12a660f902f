/* diff_report.c - what `ordo diff` says: tier by tier, output by output, then the verdict. */
#include "cli/diff.h"
#include "cli/out.h"
#include "cli/run_report.h"
#include "cli/truth.h"

#include <inttypes.h>
#include <math.h>

static const struct {
    const char *name, *key, *bad;
} tier_name[ORDO_DIFF_TIERS] = {
    [ORDO_DIFF_REPEAT] = {"T4 repeat", "repeat", "differ"},
    [ORDO_DIFF_CONVERT] = {"T0 convert", "convert", "differ"},
    [ORDO_DIFF_BITS] = {"T0 bits", "bits", "differ"},
    [ORDO_DIFF_DECLARED] = {"T1 declared", "declared", "outside"},
    [ORDO_DIFF_REAL] = {"T2 real", "real", "outside"},
    [ORDO_DIFF_TRUTH] = {"T2 truth", "truth", "outside"},
};

const char *const ordo_claim_name[3] = {"real", "contract", "bits"};
const char *const ordo_triage_name[ORDO_TRIAGES] = {"clean", "race", "numeric", "rounding", "order", "model", "open"};

static const char *const triage_text[ORDO_TRIAGES] = {
    [ORDO_TRIAGE_CLEAN] = "equal, bit for bit, or nothing to say",
    [ORDO_TRIAGE_RACE] = "two runs gave different bits",
    [ORDO_TRIAGE_NUMERIC] = "no correct kernel with these roundings gives this",
    [ORDO_TRIAGE_ROUNDING] = "near enough to the real gradient, but not by the contract's roundings",
    [ORDO_TRIAGE_ORDER] = "the contract's roundings, summed in another order",
    [ORDO_TRIAGE_MODEL] = "the contract's roundings, another arithmetic",
    [ORDO_TRIAGE_OPEN] = "other bits than the plan's; no order or model tried here gives them",
};

static void dense_place(const struct ordo_dense_attend *a, int output, int64_t element, char out[80])
{
    bool query = output == ORDO_DENSE_DQ;
    int64_t unit = element / a->d, heads = query ? a->q_heads : a->kv_heads, length = query ? a->q_len : a->kv_len;

    (void)snprintf(out, 80, "sequence %" PRId64 " %s %" PRId64 " head %" PRId64 " column %" PRId64,
                   unit / heads / length, query ? "query" : "row", unit / heads % length, unit % heads,
                   element % a->d);
}

static void sparse_place(const struct ordo_diff_work *w, int output, int64_t element, char out[80])
{
    int64_t width = w->c.attend.d_qk, unit = element / width, column = element % width, heads = w->c.attend.n_head;

    if (output == ORDO_REAL_DQ)
        (void)snprintf(out, 80, "query %" PRId64 " head %" PRId64 " column %" PRId64, unit / heads, unit % heads,
                       column);
    else if (output == ORDO_REAL_DKV)
        (void)snprintf(out, 80, "row %" PRId64 " column %" PRId64, unit, column);
    else
        (void)snprintf(out, 80, "head %" PRId64, element);
}

/* "query 3 head 1 column 5". */
static void place(const struct ordo_diff_work *w, int output, int64_t element, char out[80])
{
    if (w->dense)
        dense_place(&w->dense_attend, output, element, out);
    else
        sparse_place(w, output, element, out);
}

static const char *wrong_name(const struct ordo_diff_work *w, int i)
{
    return w->dense ? ordo_dense_wrong_name[w->wrong[i]] : ordo_wrong_name[w->wrong[i]];
}

static void say_at(const struct ordo_diff_work *w, int tier, int output, const char *which,
                   const struct ordo_tier_at *at)
{
    int digits = w->actual[output].format == ORDO_NEAR_FP32 && tier != ORDO_DIFF_CONVERT ? 8 : 4;
    char where[80];
    const char *want = tier <= ORDO_DIFF_BITS ? "the other" : tier == ORDO_DIFF_TRUTH ? "truly" : "centre";

    place(w, output, at->element, where);
    printf("             %s at %s: %.9g (0x%0*" PRIx32 "), %s %.9g (0x%0*" PRIx32 ")", which, where, at->got, digits,
           at->got_bits, want, at->want, digits, at->want_bits);
    if (tier > ORDO_DIFF_BITS)
        printf(" +- %.3g, %.3g ulp, condition %.3g\n", at->bound, at->ulp, at->condition);
    else
        printf(", %.3g ulp\n", at->ulp);
}

static void say_tier(const struct ordo_diff_work *w, int tier, int output)
{
    const struct ordo_tier *t = &w->tier[tier][output];
    const struct ordo_units *u = tier < ORDO_DIFF_DECLARED ? NULL : &w->units[ordo_diff_units(w, tier)][output];

    if (!w->has[output] || (t->not_run && (tier == ORDO_DIFF_REPEAT || tier == ORDO_DIFF_CONVERT)))
        return;
    if (t->not_run) {
        printf("%-12s %-5s not run: %s\n", tier_name[tier].name, w->name[output], t->not_run);
        return;
    }
    printf("%-12s %-5s %" PRIu64 " of %" PRIu64 " %s", tier_name[tier].name, w->name[output], t->n_bad, t->n,
           tier_name[tier].bad);
    if (u && u->n < u->all)
        printf(", sampled: %" PRId64 " of %" PRId64 " %s", u->n, u->all, w->unit_name[output]);
    if (tier == ORDO_DIFF_REAL && u->n_dead)
        printf(" and all %" PRId64 " that nothing adds to", u->n_dead);
    if (tier == ORDO_DIFF_DECLARED && w->guessed)
        printf(", from the twin's o and lse");
    if (t->n_class)
        printf(", %" PRIu64 " of another class (NaN, Inf)", t->n_class);
    if (t->n_open)
        printf(", %" PRIu64 " may overflow: nothing claimed", t->n_open);
    if (tier == ORDO_DIFF_TRUTH)
        printf(", %" PRIu64 " correctly rounded, worst error %.3g of its terms", t->n_nearest,
               t->has_worst ? t->worst.relative : 0);
    else if (tier > ORDO_DIFF_BITS)
        printf(", worst %.3f of the bound", t->has_worst ? t->worst.ratio : 0);
    printf("\n");
    if (t->n_bad)
        say_at(w, tier, output, "first", &t->first);
    if (t->has_worst && (t->n_bad || (tier == ORDO_DIFF_TRUTH && t->worst.relative > 0)))
        say_at(w, tier, output, "worst", &t->worst);
}

/* The real interval is what a verdict stands on; the rest adds to it. */
static bool sampled(const struct ordo_diff_work *w)
{
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++)
        if (w->has[i] && w->units[0][i].n + w->units[0][i].n_dead < w->units[0][i].all)
            return true;
    return false;
}

static const char *verdict(const struct ordo_diff_work *w)
{
    return w->finding ? "finding" : w->undecided ? "undecided" : "clean";
}

static void say_verdict(const struct ordo_diff_work *w)
{
    if (w->triage != ORDO_TRIAGE_CLEAN)
        printf("triage   %s: %s\n", ordo_triage_name[w->triage], triage_text[w->triage]);
    for (int i = 0; i < w->n_wrong; i++)
        printf("explained by %s: %s (tried on %" PRId64 " numbers)\n", wrong_name(w, i),
               w->dense ? ordo_dense_wrong_text[w->wrong[i]] : ordo_wrong_text[w->wrong[i]], w->n_tried);
    if (w->triage == ORDO_TRIAGE_NUMERIC && w->n_wrong == 0)
        printf("unexplained by any of %d wrong conventions (tried on %" PRId64 " numbers)\n",
               (w->dense ? (int)ORDO_DENSE_WRONGS : (int)ORDO_WRONGS) - 1, w->n_tried);
    if (w->alternative)
        printf("explained by %s%s\n", w->dense ? "the schedule " : "", w->alternative);
    if (w->searched)
        printf("not searched: %s\n", w->searched);
    if (w->undecided)
        printf("open     %s\n", w->undecided);
    printf("verdict  %s%s\n", verdict(w), sampled(w) ? " (of a sample)" : "");
}

void ordo_diff_say(const struct ordo_args *args, const struct ordo_diff_work *w)
{
    if (w->dense)
        ordo_dense_case_say(args, w->dense, true);
    else
        ordo_case_run_say(args, &w->c);
    if (w->rig) {
        ordo_rig_say_card(w->rig);
        ordo_rig_say_results(w->rig);
    }
    printf("actual   %s:", w->rig ? "the card's" : ordo_opt_string(args, "actual"));
    for (int i = 0; i < ORDO_REAL_OUTPUTS; i++)
        if (w->has[i])
            printf(" %s %s%s", w->key[i], ordo_near_format_name[w->actual[i].format],
                   w->actual[i].narrow ? " (as float32)" : "");
    printf("; claim %s\n", ordo_claim_name[w->claim]);
    for (int tier = 0; tier < ORDO_DIFF_TIERS; tier++)
        for (int i = 0; i < ORDO_REAL_OUTPUTS; i++)
            say_tier(w, tier, i);
    say_verdict(w);
}

/* --- JSON ------------------------------------------------------------------------------------------------------- */

static json_t *at_json(const struct ordo_diff_work *w, int output, const struct ordo_tier_at *at)
{
    json_t *o = ordo_need(json_object());
    char where[80];

    place(w, output, at->element, where);
    ordo_json_text(o, "where", where);
    ordo_json_int(o, "element", at->element);
    ordo_json_bits(o, "got_bits", at->got_bits);
    ordo_json_bits(o, "want_bits", at->want_bits);
    ordo_json_real(o, "got", at->got);
    ordo_json_real(o, "want", at->want);
    ordo_json_real(o, "bound", at->bound);
    ordo_json_real(o, "ratio", at->ratio);
    ordo_json_real(o, "ulp", at->ulp);
    ordo_json_real(o, "condition", at->condition);
    ordo_json_real(o, "relative", at->relative);
    return o;
}

static json_t *tier_json(const struct ordo_diff_work *w, int tier, int output)
{
    const struct ordo_tier *t = &w->tier[tier][output];
    json_t *o = ordo_need(json_object());

    ordo_json_text(o, "not_run", t->not_run);
    if (t->not_run)
        return o;
    ordo_json_u64(o, "compared", t->n);
    ordo_json_u64(o, tier_name[tier].bad, t->n_bad);
    ordo_json_u64(o, "other_class", t->n_class);
    ordo_json_u64(o, "open", t->n_open);
    if (tier >= ORDO_DIFF_DECLARED) {
        const struct ordo_units *u = &w->units[ordo_diff_units(w, tier)][output];

        ordo_json_text(o, "extent", u->n == u->all ? "whole" : "sampled");
        ordo_json_int(o, "units", u->n);
        ordo_json_int(o, "all_units", u->all);
        if (tier == ORDO_DIFF_REAL)
            ordo_json_int(o, "dead_units", u->n_dead);
    }
    if (tier == ORDO_DIFF_TRUTH)
        ordo_json_u64(o, "correctly_rounded", t->n_nearest);
    if (t->n_bad)
        ordo_json_set(o, "first", at_json(w, output, &t->first));
    if (t->has_worst)
        ordo_json_set(o, "worst", at_json(w, output, &t->worst));
    return o;
}

void ordo_diff_json(const struct ordo_args *args, const struct ordo_diff_work *w)
{
    json_t *o = ordo_json_new("ordo.diff/1"), *explained = ordo_need(json_array());

    if (w->dense)
        ordo_dense_case_json(o, args, w->dense, true);
    else
        ordo_case_run_json(o, args, &w->c);
    ordo_json_text(o, "actual", ordo_opt_string(args, "actual"));
    if (w->rig) {
        json_t *card = ordo_need(json_object());

        ordo_rig_card_json(card, w->rig);
        ordo_rig_results_json(card, w->rig);
        ordo_json_set(o, "kernel", card);
    }
    ordo_json_text(o, "claim", ordo_claim_name[w->claim]);
    for (int tier = 0; tier < ORDO_DIFF_TIERS; tier++) {
        json_t *outputs = ordo_need(json_object());

        for (int i = 0; i < ORDO_REAL_OUTPUTS; i++)
            if (w->has[i])
                ordo_json_set(outputs, w->name[i], tier_json(w, tier, i));
        ordo_json_set(o, tier_name[tier].key, outputs);
    }
    ordo_json_text(o, "triage", ordo_triage_name[w->triage]);
    for (int i = 0; i < w->n_wrong; i++)
        (void)json_array_append_new(explained, ordo_need(json_string(wrong_name(w, i))));
    ordo_json_set(o, "conventions", explained);
    ordo_json_text(o, "alternative", w->alternative);
    ordo_json_text(o, "not_searched", w->searched);
    ordo_json_text(o, "forward", w->guessed ? "twin" : "shown");
    ordo_json_text(o, "undecided", w->undecided);
    ordo_json_text(o, "verdict_extent", sampled(w) ? "sampled" : "whole");
    ordo_json_text(o, "verdict", verdict(w));
    ordo_out_json(o);
}
