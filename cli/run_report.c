/* run_report.c - see run_report.h. */
#include "cli/run_report.h"

#include "cli/out.h"
#include "cli/report.h"
#include "ref/fp.h"

#include <inttypes.h>
#include <stdio.h>

void ordo_rig_place(const struct ordo_plan *plan, enum ordo_output output, uint64_t i, char *out, size_t size)
{
    struct ordo_attention_outputs data = {0};
    struct ordo_npz_array array[ORDO_OUTPUTS];
    uint64_t at[4] = {0};
    int n = 0;

    *ordo_output_place(&data, output) = &data; /* any: only its shape is asked for */
    (void)ordo_output_arrays(plan, &data, array);
    for (int k = array[0].n_dim - 1; k >= 0; k--) {
        at[k] = i % array[0].dim[k];
        i /= array[0].dim[k];
    }
    n = snprintf(out, size, "%s", ordo_output_name[output]);
    for (int k = 0; k < array[0].n_dim && n >= 0 && (size_t)n < size; k++)
        n += snprintf(out + n, size - (size_t)n, "[%" PRIu64 "]", at[k]);
}

/* --- a page ----------------------------------------------------------------------------------------------------- */

static void say_bits(const struct ordo_rig *run, enum ordo_output output, const char *label)
{
    const struct ordo_rig_bits *b = &run->bits[output];
    char hex[ORDO_DIGEST_HEX], place[96];

    printf("%-8s %-8s %s  ", label, ordo_output_name[output], ordo_digest_hex(&b->digest, hex));
    if (!b->compared) {
        printf("not compared\n");
        return;
    }
    printf("%" PRIu64 " of %" PRIu64 " differ%s\n", b->differ, b->n, b->promised ? "" : ", no order is promised");
    if (!b->differ)
        return;
    ordo_rig_place(&run->plan, output, b->first, place, sizeof place);
    printf("                  first %s: card 0x%0*" PRIx32 ", twin 0x%0*" PRIx32 "\n", place,
           2 * (int)ordo_output_width(output), b->card, 2 * (int)ordo_output_width(output), b->twin);
}

static void say_repeats(const struct ordo_rig *run)
{
    const struct ordo_rig_repeats *r = &run->repeats;

    if (r->n == 0)
        return;
    printf("repeats  %" PRId32 " poisoned runs, of them %" PRId32 " graph replays, %" PRId32
           " with other ids and lengths, %" PRId32 " beside a busy stream\n",
           r->n, r->graph, r->changed, r->busy);
    if (r->first < 0)
        printf("         no word of a promised output differs: less than %.3g of all runs would, with 95 %% "
               "confidence\n",
               3.0 / (double)r->n);
    else
        printf("         the first to differ is number %" PRId32 "\n", r->first);
    for (int i = 0; i < ORDO_DSA_TENSORS; i++)
        if (r->differ[i])
            printf("         %-8s %" PRIu64 " words over all runs%s\n", ordo_dsa_tensor[i].name, r->differ[i],
                   ordo_rig_promised(&run->plan, i) ? "" : ", no order is promised");
}

void ordo_rig_say_card(const struct ordo_rig *run)
{
    const struct ordo_card_name *name = &run->name;
    char hex[ORDO_DIGEST_HEX];

    printf("card     %s, %d SMs, driver %s, toolkit %s, cubin %.16s...\n", name->device, name->processors,
           name->driver, name->toolkit, ordo_digest_hex(&name->cubin, hex));
    ordo_report_plan(&run->plan);
}

void ordo_rig_say_results(const struct ordo_rig *run)
{
    bool first = true;

    for (int i = 0; i < ORDO_OUTPUTS && !run->on.hung; i++)
        if (run->bits[i].read) {
            say_bits(run, (enum ordo_output)i, first ? "bits" : "");
            first = false;
        }
    if (run->residue)
        printf("masks    %" PRIu64 " words are not zero behind the last wave\n", run->residue);
    say_repeats(run);
    if (run->on.hung)
        printf("hung     a run was not over after %g s: a wait that never ends\n", run->on.limit);
}

void ordo_rig_say(const struct ordo_rig *run, const struct ordo_rig_request *q, const char *db, int64_t id)
{
    ordo_rig_say_card(run);
    if (q->inputs)
        printf("inputs   %s, scale %.9g\n", q->inputs, (double)run->twin.a.in.scale);
    else
        printf("inputs   %s%s, seed %" PRIu64 ", sink %s, scale %.9g\n", ordo_input_class_name[q->values.kind],
               q->values.tiny ? " with tiny dO" : "", q->values.seed, ordo_sink_kind_name[q->values.sink],
               (double)run->twin.a.in.scale);
    ordo_rig_say_results(run);
    if (id)
        printf("stored   run %" PRId64 " in %s (ordo db show %" PRId64 ")\n", id, db, id);
    printf("verdict  %s\n", ordo_rig_verdict_name[run->verdict]);
}

/* --- an object -------------------------------------------------------------------------------------------------- */

static json_t *bits_json(const struct ordo_rig *run, enum ordo_output output)
{
    const struct ordo_rig_bits *b = &run->bits[output];
    json_t *o = ordo_need(json_object());
    char place[96];

    ordo_json_text(o, "output", ordo_output_name[output]);
    ordo_json_digest(o, "digest", &b->digest);
    ordo_json_u64(o, "elements", b->n);
    ordo_json_bool(o, "promised", b->promised);
    ordo_json_bool(o, "compared", b->compared);
    ordo_json_u64(o, "differ", b->differ);
    if (b->differ) {
        ordo_rig_place(&run->plan, output, b->first, place, sizeof place);
        ordo_json_text(o, "first", place);
        ordo_json_bits(o, "card", b->card);
        ordo_json_bits(o, "twin", b->twin);
    }
    return o;
}

static json_t *repeats_json(const struct ordo_rig *run)
{
    const struct ordo_rig_repeats *r = &run->repeats;
    json_t *o = ordo_need(json_object()), *words = ordo_need(json_object());

    ordo_json_int(o, "runs", r->n);
    ordo_json_int(o, "graph", r->graph);
    ordo_json_int(o, "changed", r->changed);
    ordo_json_int(o, "busy", r->busy);
    ordo_json_int(o, "first_to_differ", r->first);
    for (int i = 0; i < ORDO_DSA_TENSORS; i++)
        if (r->differ[i])
            ordo_json_u64(words, ordo_dsa_tensor[i].name, r->differ[i]);
    ordo_json_set(o, "words", words);
    return o;
}

void ordo_rig_card_json(json_t *o, const struct ordo_rig *run)
{
    const struct ordo_card_name *name = &run->name;

    ordo_json_text(o, "device", name->device);
    ordo_json_int(o, "processors", name->processors);
    ordo_json_text(o, "driver", name->driver);
    ordo_json_text(o, "toolkit", name->toolkit);
    ordo_json_digest(o, "cubin", &name->cubin);
    ordo_report_plan_json(o, &run->plan);
}

void ordo_rig_results_json(json_t *o, const struct ordo_rig *run)
{
    json_t *list = ordo_need(json_array());

    for (int i = 0; i < ORDO_OUTPUTS && !run->on.hung; i++)
        if (run->bits[i].read)
            ordo_need(json_array_append_new(list, bits_json(run, (enum ordo_output)i)) == 0 ? o : NULL);
    ordo_json_set(o, "outputs", list);
    ordo_json_set(o, "repeats", repeats_json(run));
    ordo_json_u64(o, "residual_mask_words", run->residue);
}

void ordo_rig_say_json(const struct ordo_args *args, const struct ordo_rig *run, const struct ordo_rig_request *q,
                       int64_t id)
{
    json_t *o = ordo_json_new("ordo.run/1");

    ordo_json_text(o, "file", args->operand[0]);
    ordo_rig_card_json(o, run);
    ordo_json_text(o, "inputs", q->inputs);
    if (!q->inputs) {
        ordo_json_text(o, "class", ordo_input_class_name[q->values.kind]);
        ordo_json_u64(o, "seed", q->values.seed);
        ordo_json_text(o, "sink", ordo_sink_kind_name[q->values.sink]);
        ordo_json_bool(o, "tiny", q->values.tiny);
    }
    ordo_json_bits(o, "scale", ordo_fp32_bits(run->twin.a.in.scale));
    ordo_rig_results_json(o, run);
    if (id)
        ordo_json_int(o, "run", id);
    ordo_json_text(o, "verdict", ordo_rig_verdict_name[run->verdict]);
    ordo_out_json(o);
}
