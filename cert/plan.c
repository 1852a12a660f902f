/* plan.c - a plan's text is written again from what was asked for, and is to be that byte for byte.  In it planes
 * and masks start clear, masks are whole before the first wait, then backward launches, the fold behind the last. */
#include "base/lines.h"
#include "base/size.h"
#include "cert/cert.h"
#include "protocol/mask.h"

#include <inttypes.h>
#include <string.h>

static const char before[] =
    "ordo-plan/1\nq %d\nkv %d\ntopk %d\nheads %d\ndqk %d\ndv %d\ntarget %s\ndesign %s\nwave %d\ncluster %d\n"
    "planes %d\nhead_blocks %d\nwaves %d\nworkspace_bytes %" PRIu64 "\nmask_words_per_plane %" PRIu64 "\n"
    "mask_rows %" PRIu64 "\nlaunch clear 1 reads - writes - clears planes%s\n%slaunch preprocess 1 reads out,dout,"
    "lse,attn_sink,topk_idxs,topk_length writes delta,folded_lse clears -\nlaunch backward %" PRIu64
    " reads q,kv,dout,topk_idxs,topk_length,delta,folded_lse,%splanes writes dq,planes clears %s\n%s";
static const char mask_build[] = "launch mask_build 1 reads topk_idxs,topk_length writes masks clears -\n";
static const char after[] =
    "launch dsink 1 reads lse,attn_sink,delta writes d_sink clears -\n"
    "launch fold 1 reads planes writes planes clears -\nlaunch convert 1 reads planes writes dkv clears -\n"
    "contract mma k16-steps-from-zero\ncontract tile 64-slots\ncontract head_block 64\ncontract s_groups "
    "ascending-16\ncontract dp_groups ascending-16\ncontract pv_groups ascending-16\ncontract dq_groups "
    "ascending-16\ncontract dkv_groups ascending-16\ncontract tile_walk ascending\ncontract dkv_first "
    "do-p-then-q-ds\ncontract scale s-by-fma-then-ds\ncontract bf16_rounds p,ds,o,dq,dkv\ncontract exp exp2.6\n"
    "contract log log2\ncontract lse natural-without-sink\ncontract folded_lse max+log2(1+exp2(min-max))\ncontract "
    "row_max online-per-tile\ncontract row_sum_tree 4-lanes-of-pairs-then-1-2\ncontract o acc-times-reciprocal\n"
    "contract delta_tree 32-lanes-of-8-then-16-8-4-2-1\ncontract dsink_tree 32-strided-then-16-8-4-2-1\ncontract add "
    "ieee\ncontract plane_start zero\ncontract fold groups-of-8-from-zero\n";

bool ordo_cert_plan(const char *text, const struct ordo_problem *p, struct ordo_cert_plan *q,
                    struct ordo_cert_verdict *v)
{
    char target[16], design[32], want[2048];
    long long x[8];
    uint64_t words, rows, n, bytes, d8;
    const char *at;
    int line;

#define WANT(condition) \
    if (!(condition)) return ordo_cert_refuse(v, ORDO_CERT_PLAN, "not so: %s", #condition)
    if (sscanf(text, "ordo-plan/1 q %18lld kv %18lld topk %18lld heads %18lld dqk %18lld dv %18lld target %15s "
               "design %31s wave %18lld cluster %18lld", &x[0], &x[1], &x[2], &x[3], &x[4], &x[5], target, design,
               &x[6], &x[7]) != 10)
        return ordo_cert_refuse(v, ORDO_CERT_PLAN, "no ordo-plan/1");
    for (int i = 0; i < 8; i++)
        WANT(x[i] >= (i > 2) && x[i] <= INT32_MAX);
    *q = (struct ordo_cert_plan){
        (int32_t)x[0], (int32_t)x[1], (int32_t)x[2], (int32_t)x[3], (int32_t)x[4], (int32_t)x[6], (int32_t)x[7],
        .planes = (int32_t)(x[6] / x[7]), .head_blocks = (int32_t)ordo_div_up((uint64_t)x[3], ORDO_HEAD_BLOCK),
        .waves = (int32_t)ordo_div_up((uint64_t)x[0], (uint64_t)x[6]), .relay = strcmp(design, "cluster-relay") == 0};
    WANT(q->q == p->n_query && q->kv == p->n_kv && q->topk == p->topk);
    WANT(strcmp(target, "sm100") == 0 || strcmp(target, "sm90") == 0);
    WANT(q->relay || strcmp(design, "private-shards") == 0);
    WANT(q->relay ? q->cluster == 4 || q->cluster == 8 || q->cluster == 16 : q->cluster == 1);
    WANT(q->wave <= 65536 && q->wave % q->cluster == 0 && x[5] <= x[4]);
    WANT((int64_t)q->q * q->head_blocks < 0xFFFFFFFE);
    n = (uint64_t)q->waves * (uint64_t)q->head_blocks;
    d8 = ordo_div_up((uint64_t)q->dqk, 8) * 8;
    words = q->relay ? n * (ordo_div_up((uint64_t)q->kv, 8) * (uint64_t)q->cluster / 4) : 0;
    rows = ordo_div_up(words, d8);
    WANT(ordo_mul((uint64_t)q->planes * 4 * d8, ordo_div_up((uint64_t)q->kv, 8) * 8 + rows, &bytes));
    WANT(ordo_add(bytes, ordo_div_up((uint64_t)q->heads * ordo_div_up((uint64_t)q->q, 8), 2) * 128, &bytes));
#undef WANT
    (void)snprintf(want, sizeof want, before, q->q, q->kv, q->topk, q->heads, q->dqk, (int)x[5], target, design,
                    q->wave, q->cluster, q->planes, q->head_blocks, q->waves, bytes, words, rows,
                    q->relay ? ",masks" : "", q->relay ? mask_build : "", n, q->relay ? "masks," : "",
                    q->relay ? "masks" : "-", after);
    return (line = ordo_lines_apart(text, want, &at)) == 0 ||
           ordo_cert_refuse(v, ORDO_CERT_PLAN, "line %d is not '%.*s'", line, (int)strcspn(at, "\n"), at);
}
