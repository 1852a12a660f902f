/* reveal_twin.h - the attention twin as a box whose trees are revealed, and those trees beside the planned ones. */
#ifndef ORDO_TESTS_REVEAL_TWIN_H
#define ORDO_TESTS_REVEAL_TWIN_H

#include "oracle/planned.h"
#include "oracle/reveal.h"
#include "ref/attention.h"
#include "ref/probe.h"
#include "tests/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TWIN __attribute__((unused)) static

struct twin_box {
    struct ordo_reveal_box box;
    struct ordo_probe probe;
    struct ordo_plan plan; /* what the twin runs by: the plan, or a wrong one */
    float *fp32;
    uint16_t *bf16;
};

TWIN enum ordo_status twin_run(struct ordo_reveal_box *box, const uint16_t *value, uint32_t n_vector, float *sum,
                               struct ordo_err *err)
{
    struct twin_box *b = box->ctx;
    struct ordo_probe *p = &b->probe;
    enum ordo_probe_from from = ordo_probe_from(p->sum->request.kind);
    struct ordo_probe_output got = {b->fp32, b->bf16};
    struct ordo_attention a = {
        .plan = &b->plan, .problem = &p->problem,
        .in = {p->tensors.q, p->tensors.kv, p->tensors.dout, p->tensors.sink, p->o, p->lse, p->scale}};
    struct ordo_attention_outputs out = {
        .dq = from == ORDO_FROM_DQ ? b->bf16 : NULL, .dkv = from == ORDO_FROM_DKV ? b->bf16 : NULL,
        .dkv_fp32 = from == ORDO_FROM_DKV ? b->fp32 : NULL, .dsink = from == ORDO_FROM_DSINK ? b->fp32 : NULL};
    enum ordo_status status;

    ordo_probe_set(p, value, n_vector);
    status = ordo_attention(&a, from == ORDO_FROM_DKV ? 3 : 1, &out, err); /* planes open at a time */
    for (uint32_t i = 0; i < n_vector; i++)
        sum[i] = ordo_probe_read(p, &got, i);
    box->exact = ordo_probe_exact(p, &got);
    return status;
}

/* bf16: what the outputs are read from where there is a choice. */
TWIN void twin_box_make(const struct ordo_plan *plan, const struct ordo_plan *run_by,
                        const struct ordo_problem *problem, const struct ordo_sum *sum, bool bf16, struct twin_box *b)
{
    const struct ordo_request *r = &plan->request;
    enum ordo_probe_from from = ordo_probe_from(sum->request.kind);
    size_t n = from == ORDO_FROM_DQ    ? (size_t)r->n_query * (size_t)r->n_head * (size_t)r->d_qk
               : from == ORDO_FROM_DKV ? (size_t)r->n_kv * (size_t)r->d_qk
                                       : (size_t)r->n_head;
    struct ordo_err err = {0};

    *b = (struct twin_box){.plan = *run_by};
    assert_ok(ordo_probe_make(plan, problem, sum, false, 0, &b->probe, &err), err);
    b->box = (struct ordo_reveal_box){sum->n_term, b->probe.n_lane, 256, twin_run, b};
    if (from == ORDO_FROM_DQ || (from == ORDO_FROM_DKV && bf16))
        b->bf16 = calloc(n, sizeof *b->bf16);
    else
        b->fp32 = calloc(n, sizeof *b->fp32);
    assert_true(b->fp32 || b->bf16);
}

TWIN void twin_box_free(struct twin_box *b)
{
    ordo_probe_free(&b->probe);
    free(b->fp32);
    free(b->bf16);
}

/* What was found of a sum, beside what was planned. */
struct revealed {
    struct ordo_sum sum;
    struct ordo_reveal reveal;
    struct ordo_sumtree planned;
    struct ordo_sumtree_view view[2]; /* planned, revealed */
    struct ordo_sumtree_parting parting;
};

TWIN void revealed_free(struct revealed *r)
{
    ordo_sumtree_view_free(&r->view[0]);
    ordo_sumtree_view_free(&r->view[1]);
    ordo_sumtree_free(&r->planned);
    ordo_reveal_free(&r->reveal);
    ordo_sum_free(&r->sum);
}

/* The sum of a plan, in the twin that runs by another (or the same). */
TWIN void reveal_twin(const struct ordo_plan *plan, const struct ordo_plan *run_by,
                      const struct ordo_problem *problem, const struct ordo_sum_request *request,
                      const struct ordo_row *row, bool bf16, struct revealed *r)
{
    struct twin_box b;
    struct ordo_err err = {0};

    *r = (struct revealed){.parting = {.equal = false}};
    assert_ok(ordo_sum_make(plan, problem, request, row, &r->sum, &err), err);
    assert_ok(ordo_planned_tree(plan, &r->sum, &r->planned, &err), err);
    assert_ok(ordo_sumtree_view(&r->planned, &r->view[0], &err), err);
    twin_box_make(plan, run_by, problem, &r->sum, bf16, &b);
    assert_ok(ordo_reveal(&b.box, 1, &r->reveal, &err), err);
    twin_box_free(&b);
    if (r->reveal.verdict != ORDO_REVEAL_TREE)
        return;
    assert_ok(ordo_sumtree_view(&r->reveal.tree, &r->view[1], &err), err);
    assert_ok(ordo_sumtree_compare(&r->view[0], &r->view[1], &r->parting, &err), err);
}

/* "planned 32 terms q0.h0.v0 ..., revealed 48 terms q0.h0.v0 ...": the two additions that differ, by size and by
 * their lowest term outside what they have in common. */
TWIN const char *parting_text(const struct revealed *r)
{
    static char text[320];
    char name[2][ORDO_TERM_NAME], common[ORDO_TERM_NAME];
    uint32_t size[2];

    for (int i = 0; i < 2; i++) {
        const struct ordo_sumtree *t = r->view[i].tree;
        uint32_t other = UINT32_MAX;

        for (uint32_t node = 0; node < t->n_node; node++)
            if (t->parent[node] == r->parting.sum[i] && node != r->parting.common[i] &&
                r->view[i].first[node] < other)
                other = r->view[i].first[node];
        ordo_sum_name(&r->sum, other, name[i]);
        size[i] = r->view[i].size[r->parting.sum[i]];
    }
    ordo_sum_name(&r->sum, r->view[0].first[r->parting.common[0]], common);
    (void)snprintf(text, sizeof text, "%u terms from %s: planned %u terms with %s, revealed %u terms with %s",
                   (unsigned)r->view[0].size[r->parting.common[0]], common, (unsigned)size[0], name[0],
                   (unsigned)size[1], name[1]);
    return text;
}

TWIN void assert_revealed(const struct revealed *r, const char *what)
{
    if (r->reveal.verdict != ORDO_REVEAL_TREE)
        fail_msg("%s: verdict %d at terms %u, %u: %g for %g", what, (int)r->reveal.verdict,
                 (unsigned)r->reveal.term[0], (unsigned)r->reveal.term[1], (double)r->reveal.got,
                 (double)r->reveal.want);
    if (!r->parting.equal)
        fail_msg("%s: %s", what, parting_text(r));
}

#endif
