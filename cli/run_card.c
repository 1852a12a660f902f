/* run_card.c - see run_card.h. */
#include "cli/run_card.h"

#include "base/size.h"
#include "cli/tensors.h"
#include "kernels/dsa_launch.h"

#include <stdlib.h>
#include <string.h>

enum { WORKSPACE = ORDO_DSA_TENSORS };

/* --- up --------------------------------------------------------------------------------------------------------- */

static struct ordo_tensor *tensor(struct ordo_rig_card *r, int id)
{
    return (struct ordo_tensor *)(void *)((char *)&r->tensors + ordo_dsa_tensor[id].member);
}

enum ordo_status ordo_rig_reserve(struct ordo_rig_card *r, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;

    for (int i = 0; i < ORDO_DSA_TENSORS && status == ORDO_OK; i++) {
        uint64_t bytes;

        if (!ordo_round_up(ordo_dsa_bytes(r->plan, i), 4, &bytes)) /* whole words, to fill and to compare */
            return ordo_fail(err, ORDO_BAD_INPUT, NULL, ordo_dsa_tensor[i].name, "leaves 64 bits");
        status = ordo_card_alloc(r->card, bytes, &r->room[i], err);
        *tensor(r, i) = ordo_dsa_make(r->plan, i, r->room[i]);
    }
    r->tensors.workspace_bytes = ordo_kernels_workspace(r->plan, ORDO_BACKWARD);
    if (status == ORDO_OK)
        status = ordo_card_alloc(r->card, r->tensors.workspace_bytes, &r->room[WORKSPACE], err);
    r->tensors.workspace = r->room[WORKSPACE];
    return status;
}

/* Nothing where there is nothing. */
static enum ordo_status write(struct ordo_rig_card *r, int id, const void *from, struct ordo_err *err)
{
    return from == NULL ? ORDO_OK : ordo_card_write(r->card, r->room[id], from, ordo_dsa_bytes(r->plan, id), err);
}

enum ordo_status ordo_rig_set_index(struct ordo_rig_card *r, const int32_t *idx, const int32_t *length,
                                    struct ordo_err *err)
{
    int32_t n = r->plan->request.n_query, *all = NULL;
    enum ordo_status status;

    if (!length) {
        all = ordo_alloc((uint64_t)n, sizeof *all);
        if (!all)
            return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "no room for the lengths");
        for (int32_t q = 0; q < n; q++)
            all[q] = r->plan->request.topk;
    }
    status = write(r, ORDO_DSA_IDX, idx, err);
    if (status == ORDO_OK)
        status = write(r, ORDO_DSA_LENGTH, length ? length : all, err);
    if (status == ORDO_OK)
        status = ordo_rig_wait(r, err);
    free(all);
    return status;
}

enum ordo_status ordo_rig_upload(struct ordo_rig_card *r, const struct ordo_problem *problem,
                                 const struct ordo_attention_inputs *in, struct ordo_err *err)
{
    enum ordo_status status;

    r->tensors.scale = in->scale;
    r->saved = in->o != NULL;
    if (!in->sink)
        r->tensors.sink.data = NULL;
    status = write(r, ORDO_DSA_Q, in->q, err);
    if (status == ORDO_OK)
        status = write(r, ORDO_DSA_KV, in->kv, err);
    if (status == ORDO_OK)
        status = write(r, ORDO_DSA_DOUT, in->dout, err);
    if (status == ORDO_OK && in->sink)
        status = write(r, ORDO_DSA_SINK, in->sink, err);
    if (status == ORDO_OK && r->saved)
        status = write(r, ORDO_DSA_O, in->o, err);
    if (status == ORDO_OK && r->saved)
        status = write(r, ORDO_DSA_LSE, in->lse, err);
    return status == ORDO_OK ? ordo_rig_set_index(r, problem->idx, problem->length, err) : status;
}

/* After a hang nothing may be touched. */
void ordo_rig_release(struct ordo_rig_card *r)
{
    for (int i = 0; i <= ORDO_DSA_TENSORS && r->card && !r->hung; i++)
        (void)ordo_card_free(r->card, r->room[i], NULL);
    *r = (struct ordo_rig_card){.hung = r->hung};
}

/* --- executing -------------------------------------------------------------------------------------------------- */

enum ordo_status ordo_rig_poison(struct ordo_rig_card *r, uint32_t word, struct ordo_err *err)
{
    enum ordo_status status = ordo_card_fill(r->card, r->tensors.workspace, word, r->tensors.workspace_bytes, err);

    for (int i = 0; i < ORDO_DSA_TENSORS && status == ORDO_OK; i++) {
        bool written = ordo_dsa_tensor[i].output || (!r->saved && (i == ORDO_DSA_O || i == ORDO_DSA_LSE));

        if (written)
            status = ordo_card_fill(r->card, r->room[i], word, (ordo_dsa_bytes(r->plan, i) + 3) / 4 * 4, err);
    }
    return status;
}

enum ordo_status ordo_rig_start(struct ordo_rig_card *r, struct ordo_err *err)
{
    struct ordo_kernels *kernels = ordo_card_kernels(r->card);
    void *stream = ordo_card_stream(r->card);
    enum ordo_status status = ORDO_OK;

    if (!r->saved)
        status = ordo_kernels_execute(kernels, r->plan, &r->tensors, ORDO_FORWARD, stream, err);
    if (status == ORDO_OK)
        status = ordo_kernels_execute(kernels, r->plan, &r->tensors, ORDO_BACKWARD, stream, err);
    return status;
}

enum ordo_status ordo_rig_wait(struct ordo_rig_card *r, struct ordo_err *err)
{
    return ordo_card_wait(r->card, r->limit, &r->hung, err);
}

/* --- back ------------------------------------------------------------------------------------------------------- */

static enum ordo_status read_back(struct ordo_rig_card *r, void *to, const void *from, uint64_t bytes,
                                  struct ordo_err *err)
{
    enum ordo_status status = ordo_card_copy_out(r->card, to, from, bytes, err);

    return status == ORDO_OK ? ordo_rig_wait(r, err) : status;
}

static enum ordo_status make_outputs(const struct ordo_plan *plan, bool planes, struct ordo_attention_outputs *out,
                                     struct ordo_err *err)
{
    for (int i = 0; i < ORDO_OUTPUTS - !planes; i++) {
        enum ordo_output output = (enum ordo_output)i;

        *ordo_output_place(out, output) = ordo_alloc(ordo_output_count(plan, output), ordo_output_width(output));
        if (!*ordo_output_place(out, output))
            return ordo_fail(err, ORDO_ENVIRONMENT, NULL, ordo_output_name[i], "no memory for it");
    }
    return ORDO_OK;
}

/* The card's is [H][Q8], of which only Q are written. */
static enum ordo_status read_delta(struct ordo_rig_card *r, const struct ordo_dsa_args *a, float *delta,
                                   struct ordo_err *err)
{
    float *card = ordo_alloc((uint64_t)a->n_query, sizeof *card);
    enum ordo_status status = ORDO_OK;

    if (!card)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "delta", "no memory for it");
    for (int64_t h = 0; h < a->n_head && status == ORDO_OK; h++) {
        status = read_back(r, card, a->delta + h * a->q8, (uint64_t)a->n_query * sizeof *card, err);
        for (int64_t q = 0; q < a->n_query && status == ORDO_OK; q++)
            delta[q * a->n_head + h] = card[q];
    }
    free(card);
    return status;
}

static enum ordo_status read_planes(struct ordo_rig_card *r, const struct ordo_dsa_args *a, float *planes,
                                    struct ordo_err *err)
{
    uint64_t n = (uint64_t)a->n_kv * (uint64_t)a->d8;
    float *card = ordo_alloc(n, sizeof *card);
    enum ordo_status status = ORDO_OK;

    if (!card)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "planes", "no memory for one");
    for (int64_t p = 0; p < a->n_plane && status == ORDO_OK; p++) {
        status = read_back(r, card, a->planes + p * a->plane_rows * a->d8, n * sizeof *card, err);
        for (int64_t k = 0; k < a->n_kv && status == ORDO_OK; k++)
            for (int32_t d = 0; d < a->d_qk; d++)
                planes[(p * a->n_kv + k) * a->d_qk + d] = card[k * a->d8 + ordo_dsa_column(d, a->d8)];
    }
    free(card);
    return status;
}

enum ordo_status ordo_rig_read(struct ordo_rig_card *r, bool planes, struct ordo_attention_outputs *out,
                               struct ordo_err *err)
{
    static const struct {
        enum ordo_output output;
        enum ordo_dsa_tensor_id tensor;
    } plain[] = {{ORDO_OUTPUT_O, ORDO_DSA_O},     {ORDO_OUTPUT_LSE, ORDO_DSA_LSE},
                 {ORDO_OUTPUT_DQ, ORDO_DSA_DQ},   {ORDO_OUTPUT_DKV, ORDO_DSA_DKV},
                 {ORDO_OUTPUT_DKV_FP32, ORDO_DSA_DKV_FP32}, {ORDO_OUTPUT_DSINK, ORDO_DSA_DSINK}};
    struct ordo_dsa_args a = ordo_dsa_arguments(r->plan, &r->tensors);
    enum ordo_status status = make_outputs(r->plan, planes, out, err);

    for (size_t i = 0; i < sizeof plain / sizeof plain[0] && status == ORDO_OK; i++)
        status = read_back(r, *ordo_output_place(out, plain[i].output), r->room[plain[i].tensor],
                           ordo_dsa_bytes(r->plan, (int)plain[i].tensor), err);
    if (status == ORDO_OK)
        status = read_delta(r, &a, out->delta, err);
    if (status == ORDO_OK && planes)
        status = read_planes(r, &a, out->planes, err);
    return status;
}

void ordo_rig_outputs_free(struct ordo_attention_outputs *out)
{
    for (int i = 0; i < ORDO_OUTPUTS; i++)
        free(*ordo_output_place(out, (enum ordo_output)i));
    *out = (struct ordo_attention_outputs){0};
}

enum ordo_status ordo_rig_residue(struct ordo_rig_card *r, uint64_t *words, struct ordo_err *err)
{
    struct ordo_dsa_args a = ordo_dsa_arguments(r->plan, &r->tensors);
    uint64_t n = (uint64_t)a.mask_words * (uint64_t)a.n_wave * (uint64_t)a.n_head_block;
    void *count = NULL;
    enum ordo_status status = ordo_card_alloc(r->card, sizeof *words, &count, err);

    *words = 0;
    if (status == ORDO_OK)
        status = ordo_card_fill(r->card, count, 0, sizeof *words, err);
    for (int32_t p = 0; p < a.n_plane && n && status == ORDO_OK; p++)
        status = ordo_card_compare(r->card, a.masks + ordo_dsa_mask(&a, p, 0, 0), NULL, n, count, err);
    if (status == ORDO_OK)
        status = read_back(r, words, count, sizeof *words, err);
    if (count && !r->hung)
        (void)ordo_card_free(r->card, count, NULL);
    return status;
}
