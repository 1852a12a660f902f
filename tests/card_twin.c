/* card_twin.c - `ordo` with a card that is none: device memory is the host's, and the twin stands in for the kernels.
 *
 * What `ordo run`, its row of the database and `ordo diff --kernel` make of a card's answers is so tried on any
 * machine.  It is no evidence of a kernel.  ORDO_CARD_FAULT names how it misbehaves: bit (of dQ), plane (a bit of
 * the first plane), ftz (planes are added to and folded as by additions that flush subnormals), race (a bit of dKV,
 * from the third execution on), residue (a mask bit stays), hang (nothing ever ends), full (its memory has no
 * room). */
#include "kernels/card.h"

#include "kernels/dsa_launch.h"
#include "kernels/dsa_tensor.h"
#include "ref/attention.h"
#include "sim/contract.h"

#include <stdlib.h>
#include <string.h>

struct work {
    const struct ordo_plan *plan;
    struct ordo_kernels_tensors tensors;
    enum ordo_pass pass;
};

struct ordo_card_graph {
    struct work work[4];
    int n;
};

struct ordo_kernels {
    struct ordo_card_graph *recording; /* what is started goes there */
    int n_backward;
};

struct ordo_card {
    struct ordo_card_name name;
    struct ordo_kernels kernels;
};

static bool fault(const char *name)
{
    const char *asked = getenv("ORDO_CARD_FAULT");

    return asked && strcmp(asked, name) == 0;
}

/* --- the kernels ------------------------------------------------------------------------------------------------ */

static void put_delta(const struct ordo_dsa_args *a, const float *delta)
{
    for (int64_t q = 0; q < a->n_query; q++)
        for (int64_t h = 0; h < a->n_head; h++)
            a->delta[h * a->q8 + q] = delta[q * a->n_head + h];
}

static void put_planes(const struct ordo_dsa_args *a, const float *planes)
{
    for (int64_t p = 0; p < a->n_plane; p++)
        for (int64_t k = 0; k < a->n_kv; k++)
            for (int32_t d = 0; d < a->d_qk; d++)
                a->planes[(p * a->plane_rows + k) * a->d8 + ordo_dsa_column(d, a->d8)] =
                    planes[(p * a->n_kv + k) * a->d_qk + d];
    for (int32_t p = 0; p < a->n_plane && a->mask_words; p++)
        memset(a->masks + ordo_dsa_mask(a, p, 0, 0), 0, sizeof *a->masks * (size_t)a->mask_words *
               (size_t)a->n_wave * (size_t)a->n_head_block);
}

static void misbehave(struct ordo_kernels *k, const struct ordo_dsa_args *a)
{
    k->n_backward++;
    if (fault("bit"))
        a->dq[5] ^= 1;
    if (fault("plane"))
        ((uint32_t *)(void *)a->planes)[0] ^= 1;
    if (fault("residue") && a->mask_words)
        a->masks[ordo_dsa_mask(a, 0, 0, 0)] = 2;
    if (fault("race") && k->n_backward > 2)
        ((uint32_t *)(void *)a->dkv_fp32)[3] ^= 1;
}

static enum ordo_status compute(struct ordo_kernels *k, const struct work *w, struct ordo_err *err)
{
    const struct ordo_kernels_tensors *t = &w->tensors;
    const struct ordo_request *r = &w->plan->request;
    struct ordo_problem problem = {r->n_query, r->topk, r->n_kv, t->idx.data, t->length.data};
    struct ordo_dsa_args a = ordo_dsa_arguments(w->plan, t);
    bool back = w->pass == ORDO_BACKWARD;
    struct ordo_contract contract = *w->plan->contract;
    struct ordo_plan plan = *w->plan;
    struct ordo_attention twin = {.plan = &plan, .problem = &problem,
                                  .in = {t->q.data, t->kv.data, t->dout.data, t->sink.data, back ? t->o.data : NULL,
                                         back ? t->lse.data : NULL, t->scale}};
    struct ordo_attention_outputs out = {.o = t->o.data, .lse = t->lse.data};
    float *planes = malloc((size_t)a.n_plane * (size_t)a.n_kv * (size_t)a.d_qk * sizeof *planes);
    float *delta = malloc((size_t)a.n_query * (size_t)a.n_head * sizeof *delta);
    enum ordo_status status;

    ORDO_BUG_ON(!planes || !delta);
    plan.contract = &contract;
    if (fault("ftz"))
        contract.add = ORDO_ADD_RED_FTZ;
    if (back)
        out = (struct ordo_attention_outputs){.delta = delta, .dq = a.dq, .dkv = a.dkv, .dkv_fp32 = a.dkv_fp32,
                                              .dsink = a.dsink, .planes = planes};
    status = ordo_attention(&twin, 1, &out, err);
    if (status == ORDO_OK && back) {
        put_delta(&a, delta);
        put_planes(&a, planes);
        misbehave(k, &a);
    }
    free(planes);
    free(delta);
    return status;
}

enum ordo_status ordo_kernels_open(struct ordo_kernels **kernels, struct ordo_err *err)
{
    *kernels = calloc(1, sizeof **kernels);
    return *kernels ? ORDO_OK : ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "none");
}

void ordo_kernels_close(struct ordo_kernels *kernels)
{
    free(kernels);
}

enum ordo_status ordo_kernels_execute(struct ordo_kernels *k, const struct ordo_plan *plan,
                                      const struct ordo_kernels_tensors *tensors, enum ordo_pass pass, void *stream,
                                      struct ordo_err *err)
{
    struct work w = {plan, *tensors, pass};
    enum ordo_status status = ordo_kernels_check(plan, tensors, pass, err);

    (void)stream;
    if (status != ORDO_OK || !k->recording)
        return status == ORDO_OK ? compute(k, &w, err) : status;
    ORDO_BUG_ON(k->recording->n == 4);
    k->recording->work[k->recording->n++] = w;
    return ORDO_OK;
}

/* --- the card --------------------------------------------------------------------------------------------------- */

enum ordo_status ordo_card_open(struct ordo_card **card, const char *cubins, struct ordo_err *err)
{
    struct ordo_hasher h;

    (void)cubins;
    *card = calloc(1, sizeof **card);
    if (!*card)
        return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "none");
    (*card)->name = (struct ordo_card_name){.device = "none: the twin in its place", .driver = "0.1",
                                            .toolkit = "0.2", .sm = 90, .processors = 1};
    ordo_hasher_init(&h);
    ordo_hasher_text(&h, "card_twin");
    (*card)->name.cubin = ordo_hasher_done(&h);
    return ORDO_OK;
}

void ordo_card_close(struct ordo_card *card)
{
    free(card);
}

const struct ordo_card_name *ordo_card_name(const struct ordo_card *card)
{
    return &card->name;
}

struct ordo_kernels *ordo_card_kernels(struct ordo_card *card)
{
    return &card->kernels;
}

void *ordo_card_stream(struct ordo_card *card)
{
    (void)card;
    return NULL;
}

enum ordo_status ordo_card_alloc(struct ordo_card *card, uint64_t bytes, void **address, struct ordo_err *err)
{
    (void)card;
    *address = fault("full") ? NULL : aligned_alloc(128, (size_t)(bytes + 128) / 128 * 128);
    return *address ? ORDO_OK : ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "none");
}

enum ordo_status ordo_card_free(struct ordo_card *card, void *address, struct ordo_err *err)
{
    (void)card, (void)err;
    free(address);
    return ORDO_OK;
}

enum ordo_status ordo_card_fill(struct ordo_card *card, void *to, uint32_t word, uint64_t bytes, struct ordo_err *err)
{
    (void)card, (void)err;
    for (uint64_t i = 0; i < bytes / 4; i++)
        memcpy((char *)to + 4 * i, &word, sizeof word);
    return ORDO_OK;
}

enum ordo_status ordo_card_write(struct ordo_card *card, void *to, const void *from, uint64_t bytes,
                                 struct ordo_err *err)
{
    (void)card, (void)err;
    memcpy(to, from, bytes);
    return ORDO_OK;
}

enum ordo_status ordo_card_copy_out(struct ordo_card *card, void *to, const void *from, uint64_t bytes,
                                    struct ordo_err *err)
{
    return ordo_card_write(card, to, from, bytes, err);
}

enum ordo_status ordo_card_keep(struct ordo_card *card, void *to, const void *from, uint64_t bytes,
                                struct ordo_err *err)
{
    return ordo_card_write(card, to, from, bytes, err);
}

enum ordo_status ordo_card_wait(struct ordo_card *card, double seconds, bool *hung, struct ordo_err *err)
{
    (void)seconds, (void)err;
    *hung = fault("hang") && card->kernels.n_backward > 0;
    return ORDO_OK;
}

enum ordo_status ordo_card_compare(struct ordo_card *card, const void *a, const void *b, uint64_t n, uint64_t *count,
                                   struct ordo_err *err)
{
    (void)card, (void)err;
    for (uint64_t i = 0; i < n; i++)
        *count += b ? memcmp((const char *)a + 4 * i, (const char *)b + 4 * i, 4) != 0
                    : ((const uint32_t *)a)[i] != 0;
    return ORDO_OK;
}

enum ordo_status ordo_card_busy(struct ordo_card *card, uint32_t microseconds, struct ordo_err *err)
{
    (void)card, (void)microseconds, (void)err;
    return ORDO_OK;
}

enum ordo_status ordo_card_graph_begin(struct ordo_card *card, struct ordo_err *err)
{
    card->kernels.recording = calloc(1, sizeof *card->kernels.recording);
    return card->kernels.recording ? ORDO_OK : ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory", "none");
}

enum ordo_status ordo_card_graph_end(struct ordo_card *card, struct ordo_card_graph **graph, struct ordo_err *err)
{
    (void)err;
    *graph = card->kernels.recording;
    card->kernels.recording = NULL;
    return ORDO_OK;
}

enum ordo_status ordo_card_graph_run(struct ordo_card *card, struct ordo_card_graph *graph, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;

    for (int i = 0; i < graph->n && status == ORDO_OK; i++)
        status = compute(&card->kernels, &graph->work[i], err);
    return status;
}

void ordo_card_graph_free(struct ordo_card *card, struct ordo_card_graph *graph)
{
    (void)card;
    free(graph);
}

enum ordo_status ordo_card_mark(struct ordo_card *card, int mark, struct ordo_err *err)
{
    (void)card, (void)mark, (void)err;
    return ORDO_OK;
}

enum ordo_status ordo_card_time(struct ordo_card *card, float *milliseconds, struct ordo_err *err)
{
    (void)card, (void)err;
    *milliseconds = 1;
    return ORDO_OK;
}
