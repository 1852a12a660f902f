/* e2_layout.c - what stands in a state, and where: fields packed first fit into 64-bit words, none across two. */
#include "sim/e2_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VIEWS = 512 };

bool ordo_e2_refuse(struct ordo_e2 *e2, const char *why)
{
    if (!e2->refused[0])
        (void)snprintf(e2->refused, sizeof e2->refused, "%s", why);
    return false;
}

static struct ordo_e2_field place(struct ordo_e2 *e2, int width)
{
    for (int w = 0; w < ORDO_E2_WORDS; w++)
        if (e2->used[w] + width <= 64) {
            struct ordo_e2_field f = {(uint8_t)w, (uint8_t)e2->used[w], (uint8_t)width};

            e2->used[w] += width;
            return f;
        }
    (void)ordo_e2_refuse(e2, "a state has more than 2048 bits");
    return (struct ordo_e2_field){0, 0, 0};
}

struct ordo_e2_field ordo_e2_field(struct ordo_e2 *e2, uint64_t most)
{
    return most ? place(e2, 64 - __builtin_clzll(most)) : (struct ordo_e2_field){0, 0, 0};
}

struct ordo_e2_view *ordo_e2_new_view(struct ordo_e2 *e2, int32_t first, int32_t n)
{
    struct ordo_e2_view *v = &e2->view[e2->n_view];

    if (e2->n_view + 1 == VIEWS) {
        (void)ordo_e2_refuse(e2, "more views than E2 takes");
        return v;
    }
    e2->n_view++;
    *v = (struct ordo_e2_view){first, n, e2->views ? place(e2, n) : (struct ordo_e2_field){0, 0, 0}};
    for (int i = 0; i < v->field.width; i++)
        e2->facts[v->field.word] |= UINT64_C(1) << (v->field.shift + i);
    return v;
}

/* --- barriers --------------------------------------------------------------------------------------------------- */

static int32_t passes(const struct ordo_e2_thread *t, enum ordo_op op, int64_t id)
{
    int32_t n = 0;

    for (int32_t i = 0; i < t->n_op; i++)
        n += t->op[i].record.op == op && t->op[i].record.index == id;
    return n;
}

/* Counts the threads that use a barrier, and says whether each passes it as often and with their number as count. */
static void find_users(const struct ordo_e2 *e2, struct ordo_e2_barrier *b, int32_t warp)
{
    int32_t most = 0;

    b->regular = true;
    for (int pass = 0; pass < 2; pass++)
        for (int32_t i = 0; i < e2->p->n_thread; i++) {
            const struct ordo_e2_thread *t = &e2->p->thread[i];
            int32_t n = b->id < 0 ? passes(t, ORDO_OP_WARP_SYNC, 0) : passes(t, ORDO_OP_BAR_SYNC, b->id);

            if (t->cta != b->cta || t->setup || (b->id < 0 && t->warp != warp) || n == 0)
                continue;
            most = most ? most : n;
            b->n_user += pass == 0;
            b->regular &= n == most;
            for (int32_t j = 0; pass == 1 && b->id >= 0 && j < t->n_op; j++)
                if (t->op[j].record.op == ORDO_OP_BAR_SYNC && t->op[j].record.index == b->id)
                    b->regular &= t->op[j].record.value == (uint32_t)b->n_user;
        }
}

static int16_t barrier_for(struct ordo_e2 *e2, int32_t thread, const struct ordo_record *r)
{
    const struct ordo_e2_thread *t = &e2->p->thread[thread];
    int32_t id = r->op == ORDO_OP_WARP_SYNC ? -t->warp - 1000 : (int32_t)r->index;
    struct ordo_e2_barrier b = {.cta = t->cta, .id = id};

    for (int32_t i = 0; i < e2->n_barrier; i++)
        if (e2->barrier[i].cta == t->cta && e2->barrier[i].id == id)
            return (int16_t)i;
    find_users(e2, &b, t->warp);
    if (e2->n_barrier == ORDO_E2_ACTORS) {
        (void)ordo_e2_refuse(e2, "more barriers than E2 takes");
        return 0;
    }
    b.count = ordo_e2_field(e2, id < 0 && b.n_user == 1 ? 0 : (uint64_t)b.n_user);
    if (b.n_user > 1)
        b.gathered = ordo_e2_new_view(e2, 0, e2->n_fact)->field;
    e2->barrier[e2->n_barrier] = b;
    return (int16_t)e2->n_barrier++;
}

static int16_t cluster_barrier_for(struct ordo_e2 *e2, int32_t thread)
{
    int32_t cluster = e2->p->thread[thread].cluster, most = -1;
    struct ordo_e2_cluster_barrier b = {.cluster = cluster, .regular = true};

    for (int32_t i = 0; i < e2->n_cluster_barrier; i++)
        if (e2->cluster_barrier[i].cluster == cluster)
            return (int16_t)i;
    if (e2->n_cluster_barrier == 16) {
        (void)ordo_e2_refuse(e2, "more cluster barriers than E2 takes");
        return 0;
    }
    for (int32_t i = 0; i < e2->p->n_thread; i++) {
        const struct ordo_e2_thread *t = &e2->p->thread[i];
        int32_t n = passes(t, ORDO_OP_CLUSTER_ARRIVE, 0);

        if (t->cluster != cluster || t->setup)
            continue;
        b.n_user++; /* all threads of the cluster take part, also one that never arrives */
        b.regular &= most < 0 || n == most;
        most = n;
    }
    b.count = ordo_e2_field(e2, (uint64_t)b.n_user);
    b.parity = ordo_e2_field(e2, 1);
    b.gathered = ordo_e2_new_view(e2, 0, e2->n_fact)->field;
    b.published = ordo_e2_new_view(e2, 0, e2->n_fact)->field;
    e2->cluster_barrier[e2->n_cluster_barrier] = b;
    return (int16_t)e2->n_cluster_barrier++;
}

static void lay_out_barriers(struct ordo_e2 *e2)
{
    for (int32_t t = 0; t < e2->p->n_thread; t++)
        for (int32_t i = 0; i < e2->p->thread[t].n_op; i++) {
            const struct ordo_record *r = &e2->p->thread[t].op[i].record;

            if (r->op == ORDO_OP_BAR_SYNC || r->op == ORDO_OP_WARP_SYNC)
                e2->barrier_of[t][i] = barrier_for(e2, t, r);
            else if (r->op == ORDO_OP_CLUSTER_ARRIVE || r->op == ORDO_OP_CLUSTER_WAIT)
                e2->barrier_of[t][i] = cluster_barrier_for(e2, t);
        }
}

/* --- positions -------------------------------------------------------------------------------------------------- */

/* A barrier has two positions: before the arrival, and waiting. */
static int32_t positions(const struct ordo_e2 *e2, int32_t t, int32_t first, int32_t end)
{
    int32_t n = end - first;

    for (int32_t i = first; i < end; i++) {
        enum ordo_op op = e2->p->thread[t].op[i].record.op;

        n += op == ORDO_OP_BAR_SYNC || (op == ORDO_OP_WARP_SYNC && e2->barrier[e2->barrier_of[t][i]].n_user > 1);
    }
    return n + 1;
}

static void add_actor(struct ordo_e2 *e2, int32_t thread, int32_t segment, int32_t n_position)
{
    if (e2->n_actor == ORDO_E2_ACTORS) {
        (void)ordo_e2_refuse(e2, "more actors than E2 takes");
        return;
    }
    e2->actor[e2->n_actor++] =
        (struct ordo_e2_actor){ordo_e2_field(e2, (uint64_t)n_position - 1), thread, segment, 0, n_position};
}

static void lay_out_actors(struct ordo_e2 *e2)
{
    const struct ordo_e2_program *p = e2->p;

    for (int32_t t = 0; t < p->n_thread; t++) {
        const struct ordo_e2_thread *th = &p->thread[t];

        e2->first_actor[t] = e2->n_actor;
        for (int32_t g = 0; g < th->n_segment; g++)
            add_actor(e2, t, g, positions(e2, t, g ? th->end[g - 1] : 0, th->end[g]) + (th->n_segment > 1));
        if (th->n_segment > 1)
            e2->active[t] = ordo_e2_field(e2, 1);
    }
    e2->first_actor[p->n_thread] = e2->n_actor;
    for (int32_t t = 0; t < p->n_thread; t++)
        for (int32_t i = 0; i < p->thread[t].n_op; i++)
            if (p->thread[t].op[i].record.op == ORDO_OP_BULK_ADD) {
                e2->copy_of[t][i] = (int16_t)e2->n_actor;
                add_actor(e2, t, -1, 3);
            }
}

/* --- the rest --------------------------------------------------------------------------------------------------- */

static void lay_out_history(struct ordo_e2 *e2, struct ordo_e2_history *h)
{
    bool counter = h->space == ORDO_SPACE_COUNTER;
    struct ordo_record r = {.space = h->space, .index = h->index};
    uint64_t most = counter ? ordo_e2_initial(e2, &r) + (uint64_t)h->n_write * 2
                            : (UINT64_C(1) << __builtin_popcount(h->tracked)) - 1;

    h->cap = e2->o.sc ? 1 : h->n_write + 1;
    h->n = ordo_e2_field(e2, e2->o.sc ? 0 : (uint64_t)h->n_write);
    for (int i = 0; i < h->cap; i++) {
        h->id[i] = ordo_e2_field(e2, (uint64_t)h->n_write);
        h->value[i] = ordo_e2_field(e2, most);
    }
    for (int32_t t = 0; t < e2->p->n_thread; t++)
        for (int32_t i = 0; i < e2->p->thread[t].n_op; i++) {
            const struct ordo_record *o = &e2->p->thread[t].op[i].record;

            if (o->op == ORDO_OP_LOAD && o->space == h->space && o->index == h->index && !e2->register_of[t].width)
                e2->register_of[t] = ordo_e2_field(e2, most);
        }
}

static void lay_out_units(struct ordo_e2 *e2)
{
    bool whole = e2->o.scheduler == ORDO_SCHED_CLUSTER;
    int32_t cta[ORDO_E2_MAX_THREADS], n_cta = 0;

    if (!ordo_e2_scheduler_slots[e2->o.scheduler])
        return;
    for (int32_t i = 0; i < e2->p->n_thread; i++) {
        const struct ordo_e2_thread *t = &e2->p->thread[i];
        int32_t id = whole ? t->cluster : t->cta, u = 0, c = 0;

        if (t->setup)
            continue;
        while (u < e2->n_unit && e2->unit[u].id != id)
            u++;
        if (u == e2->n_unit)
            e2->unit[e2->n_unit++] = (struct ordo_e2_unit){.started = ordo_e2_field(e2, 1), .id = id};
        while (c < n_cta && cta[c] != t->cta)
            c++;
        if (c == n_cta) {
            cta[n_cta++] = t->cta;
            e2->unit[u].n_cta++;
        }
    }
    e2->free_slots = ordo_e2_field(e2, (uint64_t)e2->o.slots);
}

void ordo_e2_lay_out(struct ordo_e2 *e2)
{
    const struct ordo_e2_program *p = e2->p;

    e2->used[0] = 1; /* set in every state, so that an empty slot of the table is zero */
    for (int32_t t = 0; t < p->n_thread; t++)
        for (int32_t i = 0; i < p->thread[t].n_op; i++) {
            enum ordo_op op = p->thread[t].op[i].record.op;

            e2->async |= op == ORDO_OP_BULK_ADD;
            if (p->thread[t].n_segment > 1 && (op == ORDO_OP_BULK_ADD || op == ORDO_OP_CLUSTER_WAIT))
                (void)ordo_e2_refuse(e2, "bulk copies or cluster barriers in segments of any order");
        }
    e2->views = !e2->o.sc;
    e2->n_fact = e2->n_cell * (e2->async ? 2 : 1);
    for (int32_t h = 0; h < e2->n_history; h++) {
        e2->history[h].fact = e2->n_fact;
        e2->n_fact += e2->history[h].n_write;
    }
    if (e2->n_fact > 63) {
        (void)ordo_e2_refuse(e2, "more plane cells and writes than a view of E2 holds");
        return;
    }
    for (int32_t t = 0; t < p->n_thread; t++)
        (void)ordo_e2_new_view(e2, 0, e2->n_fact);
    lay_out_barriers(e2);
    lay_out_actors(e2);
    for (int32_t c = 0; c < e2->n_cell; c++)
        e2->cell[c].count = ordo_e2_field(e2, (uint64_t)e2->cell[c].n_add);
    for (int32_t b = 0; b < e2->n_bit; b++)
        e2->bit[b].field = ordo_e2_field(e2, 1);
    for (int32_t h = 0; h < e2->n_history; h++)
        lay_out_history(e2, &e2->history[h]);
    ordo_e2_pair_up(e2);
    lay_out_units(e2);
    e2->w = 2;
    while (e2->w < ORDO_E2_WORDS && e2->used[e2->w])
        e2->w *= 2;
}
