/* golden_dsa_case.c - from a golden case to a problem and a plan, and from outputs back; see golden_dsa.h. */
#include "cli/golden_dsa.h"

#include "base/rng.h"
#include "base/size.h"
#include "corpus/gen.h"
#include "corpus/reader.h"
#include "ref/fp.h"
#include "sim/design.h"

#include <stdio.h>
#include <string.h>

/* --- the problem ------------------------------------------------------------------------------------------------ */

static enum ordo_status read_index(const struct ordo_golden_dsa *g, const struct ordo_golden_dsa_case *item,
                                   struct ordo_problem *p, struct ordo_err *err)
{
    char path[420], lengths[420];
    bool file = item->lengths[0] && strcmp(item->lengths, "seeded") != 0 && strcmp(item->lengths, "dead") != 0;
    struct ordo_source source = {.path = path, .length_path = file ? lengths : NULL};

    (void)snprintf(path, sizeof path, "%s%s", g->directory, item->index);
    (void)snprintf(lengths, sizeof lengths, "%s%s", g->directory, item->lengths);
    return ordo_read_problem(&source, p, err);
}

static enum ordo_status make_pattern(const struct ordo_golden_dsa_case *item, struct ordo_problem *p,
                                     struct ordo_err *err)
{
    const struct ordo_preset *preset = ordo_preset_find(item->pattern);
    struct ordo_gen_params params = ordo_gen_defaults;

    if (!preset)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, item->name, "there is no pattern '%s'", item->pattern);
    params.n_query = item->q;
    params.n_kv = item->kv;
    params.topk = item->topk;
    params.seed = item->seed;
    return ordo_gen(preset, &params, p, err);
}

/* seeded: 1 to Top-K, the middle query none; dead: no query has any. */
static enum ordo_status make_lengths(const struct ordo_golden_dsa_case *item, struct ordo_problem *p,
                                     struct ordo_err *err)
{
    struct ordo_rng rng = {ordo_mix(item->seed + 1)};
    bool seeded = strcmp(item->lengths, "seeded") == 0;

    if (!seeded && strcmp(item->lengths, "dead") != 0)
        return ORDO_OK;
    if (!p->length)
        p->length = ordo_alloc((uint64_t)p->n_query, sizeof *p->length);
    if (!p->length)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, item->name, "no memory for lengths");
    for (int32_t q = 0; q < p->n_query; q++)
        p->length[q] = seeded ? 1 + (int32_t)ordo_rng_below(&rng, (uint64_t)p->topk) : 0;
    if (seeded)
        p->length[p->n_query / 2] = 0;
    return ORDO_OK;
}

enum ordo_status ordo_golden_dsa_problem(const struct ordo_golden_dsa *g, const struct ordo_golden_dsa_case *item,
                                         struct ordo_problem *p, struct ordo_plan *plan, struct ordo_err *err)
{
    const struct ordo_design *design = ordo_design_find(item->design);
    struct ordo_request request = {.n_kv = item->kv,
                                   .n_head = item->heads,
                                   .d_qk = item->dqk,
                                   .d_v = 512,
                                   .target = ORDO_TARGET_SM90,
                                   .design = design,
                                   .cluster = item->cluster,
                                   .wave = item->wave};
    enum ordo_status status;

    if (!design)
        return ordo_fail(err, ORDO_BAD_INPUT, NULL, item->name, "there is no design '%s'", item->design);
    status = item->index[0] ? read_index(g, item, p, err) : make_pattern(item, p, err);
    p->n_kv = item->kv;
    if (status == ORDO_OK)
        status = make_lengths(item, p, err);
    request.n_query = p->n_query;
    request.topk = p->topk;
    return status == ORDO_OK ? ordo_plan_make(&request, plan, err) : status;
}

struct ordo_values ordo_golden_dsa_values(const struct ordo_golden_dsa_case *item)
{
    struct ordo_values values = {.seed = item->seed, .kind = ORDO_ROUGH};

    if (strcmp(item->values, "exact") == 0)
        values.kind = ORDO_EXACT;
    for (int i = 0; i < 5; i++)
        if (strcmp(item->sink, ordo_sink_kind_name[i]) == 0)
            values.sink = (enum ordo_sink_kind)i;
    return values;
}

/* --- outputs ---------------------------------------------------------------------------------------------------- */

static void fill_samples(struct ordo_golden_dsa_output *o, const void *data, size_t width, uint64_t n)
{
    o->step = ordo_div_up(n, ORDO_GOLDEN_SAMPLES);
    o->n = (uint32_t)ordo_div_up(n, o->step);
    for (uint32_t i = 0; i < o->n; i++)
        o->word[i] =
            width == 2 ? ((const uint16_t *)data)[i * o->step] : ordo_fp32_bits(((const float *)data)[i * o->step]);
}

/* dKV of a design without an order has no bits to keep. */
void ordo_golden_dsa_fill(struct ordo_golden_dsa_case *item, const struct ordo_plan *plan,
                          const struct ordo_attention_outputs *out)
{
    struct ordo_attention_outputs data = *out;

    for (int i = 0; i < ORDO_OUTPUTS; i++) {
        enum ordo_output output = (enum ordo_output)i;
        const void *at = *ordo_output_place(&data, output);
        bool dkv = i == ORDO_OUTPUT_DKV || i == ORDO_OUTPUT_DKV_FP32 || i == ORDO_OUTPUT_PLANES;
        struct ordo_digest digest;

        item->output[i] =
            (struct ordo_golden_dsa_output){.there = at && !(dkv && plan->design->sync == ORDO_SYNC_ATOMIC)};
        if (!item->output[i].there)
            continue;
        digest = ordo_output_digest(plan, output, at);
        (void)ordo_digest_hex(&digest, item->output[i].digest);
        if (item->raw)
            fill_samples(&item->output[i], at, ordo_output_width(output), ordo_output_count(plan, output));
    }
}
