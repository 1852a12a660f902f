/* ptx_complete.c - what is left to choose when all reads have their writes: first of all, who meets at counted
 * barriers. */
#include "sim/ptx_impl.h"

/* Groups i and later: every set of as many arrivals as the barrier counts may be the first. */
static void choose_first(struct ordo_ptx_choice *c, int i, uint64_t first, uint64_t rest, int missing)
{
    struct ordo_rel meets = c->meets, wait = c->wait;

    if (i == c->groups.n) {
        struct ordo_rel time = c->k->s->base;

        ordo_rel_union(c->k->n, &time, &c->wait);
        if (ordo_rel_acyclic(c->k->n, &time))
            ordo_ptx_choose_fences(c);
        else
            c->q->tally->blocked++;
        return;
    }
    if (missing > 0) {
        while (rest) {
            int a = ordo_take(&rest);

            choose_first(c, i, first | ordo_bit(a), rest, missing - 1);
        }
        return;
    }
    ordo_ptx_meet(c->q->p, c->k->s, first, &c->meets, &c->wait);
    if (i + 1 < c->groups.n)
        choose_first(c, i + 1, 0, c->groups.member[i + 1], c->groups.count[i + 1]);
    else
        choose_first(c, i + 1, 0, 0, 0);
    c->meets = meets;
    c->wait = wait;
}

void ordo_ptx_complete(struct ordo_ptx_search *q, const struct ordo_ptx_skeleton *k)
{
    struct ordo_ptx_choice c = {.q = q, .k = k};

    if (!ordo_ptx_barriers_end(q->p, k->s, &c.groups)) {
        q->tally->blocked++;
        return;
    }
    ordo_ptx_meet_all(q->p, k->s, &c.wait);
    choose_first(&c, 0, 0, c.groups.n ? c.groups.member[0] : 0, c.groups.n ? c.groups.count[0] : 0);
}
