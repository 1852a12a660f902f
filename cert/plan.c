/* plan.c - a plan's canonical text is read, and all that follows from its extents is derived again. */
#include "base/size.h"
#include "cert/cert.h"
#include "protocol/index.h"

#include <string.h>

/* What the stream runs, in this order: planes and masks start clear, masks are whole before the first wait, one
 * backward launch a wave and head block, the fold behind the last. */
static bool launches_hold(const char *text, const struct ordo_cert_plan *plan)
{
    char backward[80];
    const char *const line[] = {
        plan->relay ? "\nlaunch clear 1 reads - writes - clears planes,masks\n"
                      "launch mask_build 1 reads topk_idxs,topk_length writes masks clears -\n"
                    : "\nlaunch clear 1 reads - writes - clears planes\n",
        backward, "\nlaunch fold 1 reads planes writes planes clears -\n"};

    (void)snprintf(backward, sizeof backward, "\nlaunch backward %lld reads ",
                   (long long)plan->waves * plan->head_blocks);
    for (int i = 0; i < 3 && text; i++)
        text = (text = strstr(text, line[i])) ? text + strlen(line[i]) - 1 : NULL;
    return text && !strstr(text, "\nlaunch backward ");
}

bool ordo_cert_plan(const char *text, const struct ordo_problem *p, struct ordo_cert_plan *q,
                    struct ordo_cert_verdict *v)
{
    char design[32];
    unsigned long long words, rows, n;

    *q = (struct ordo_cert_plan){0};
#define WANT(condition) \
    if (!(condition))   \
    return ordo_cert_refuse(v, ORDO_CERT_PLAN, "not so: %s", #condition)
    if (sscanf(text,
               "ordo-plan/1 q %d kv %d topk %d heads %d dqk %d dv %*d target %*15s design %31s wave %d cluster %d "
               "planes %d head_blocks %d waves %d workspace_bytes %*u mask_words_per_plane %llu mask_rows %llu",
               &q->q, &q->kv, &q->topk, &q->heads, &q->dqk, design, &q->wave, &q->cluster, &q->planes,
               &q->head_blocks, &q->waves, &words, &rows) != 13)
        return ordo_cert_refuse(v, ORDO_CERT_PLAN, "no ordo-plan/1");
    q->relay = strcmp(design, "cluster-relay") == 0;
    WANT(q->q == p->n_query && q->kv == p->n_kv && q->topk == p->topk);
    WANT(q->relay || strcmp(design, "private-shards") == 0);
    WANT(q->relay ? q->cluster == 4 || q->cluster == 8 || q->cluster == 16 : q->cluster == 1);
    WANT(q->wave >= 1 && q->wave <= 65536 && q->heads >= 1 && q->dqk >= 1);
    WANT(q->wave % q->cluster == 0 && q->planes == q->wave / q->cluster);
    WANT((uint64_t)q->head_blocks == ordo_div_up((uint64_t)q->heads, ORDO_HEAD_BLOCK));
    WANT((uint64_t)q->waves == ordo_div_up((uint64_t)q->q, (uint64_t)q->wave));
    WANT((int64_t)q->q * q->head_blocks < 0xFFFFFFFE);
    n = ordo_div_up((uint64_t)q->kv, 8) * (uint64_t)q->cluster / 4 * (uint64_t)q->waves * (uint64_t)q->head_blocks;
    WANT(words == (q->relay ? n : 0) && rows == ordo_div_up(words, ordo_div_up((uint64_t)q->dqk, 8) * 8));
    WANT(launches_hold(text, q));
#undef WANT
    return true;
}
