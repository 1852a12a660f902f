/* problem.c - see problem.h. */
#include "corpus/problem.h"

#include "protocol/live.h"

#include <stdlib.h>
#include <string.h>

void ordo_problem_free(struct ordo_problem *p)
{
    free(p->idx);
    free(p->length);
    memset(p, 0, sizeof *p);
}

struct ordo_digest ordo_problem_digest(const struct ordo_problem *p)
{
    struct ordo_hasher h;

    ordo_hasher_init(&h);
    ordo_hasher_text(&h, "ordo-problem/1\n");
    ordo_hasher_u32(&h, (uint32_t)p->n_query);
    ordo_hasher_u32(&h, (uint32_t)p->topk);
    ordo_hasher_u32(&h, (uint32_t)p->n_kv);
    for (int32_t q = 0; p->topk && q < p->n_query; q++) {
        const int32_t *idx = ordo_problem_row(p, q);
        int32_t clamped = ordo_clamp_length(ordo_problem_length(p, q), p->topk);

        for (int32_t j = 0; j < p->topk; j++)
            ordo_hasher_u32(&h, ordo_slot_live(idx[j], p->n_kv, j, clamped) ? (uint32_t)idx[j] : UINT32_MAX);
    }
    return ordo_hasher_done(&h);
}
