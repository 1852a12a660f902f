/* e2_edit.c - see e2_edit.h. */
#include "sim/e2_edit.h"

#include <string.h>

/* --- operations of one thread ----------------------------------------------------------------------------------- */

static void drop(struct ordo_e2_thread *t, int32_t at)
{
    memmove(&t->op[at], &t->op[at + 1], (size_t)(t->n_op - at - 1) * sizeof t->op[0]);
    t->n_op--;
    for (int32_t g = 0; g < t->n_segment; g++)
        t->end[g] -= t->end[g] > at;
}

static void insert(struct ordo_e2_program *p, struct ordo_e2_thread *t, int32_t at, const struct ordo_e2_op *op)
{
    struct ordo_e2_op copy = *op;

    if (t->n_op == ORDO_E2_MAX_OPS) {
        p->wrong = "a thread has more operations than E2 takes";
        return;
    }
    memmove(&t->op[at + 1], &t->op[at], (size_t)(t->n_op - at) * sizeof t->op[0]);
    t->op[at] = copy;
    t->n_op++;
    for (int32_t g = 0; g < t->n_segment; g++)
        t->end[g] += t->end[g] > at || (t->end[g] == at && g + 1 == t->n_segment);
}

/* An operation that touches no memory, said to stand where `like` does. */
static struct ordo_e2_op bare(const struct ordo_e2_op *like, enum ordo_op op, int32_t sem, int32_t scope)
{
    struct ordo_e2_op o = *like;

    o.record = (struct ordo_record){.op = op,
                                    .sem = (enum ordo_sem)sem,
                                    .scope = (enum ordo_scope)scope,
                                    .width = ORDO_WIDTH_b32,
                                    .file = like->record.file,
                                    .line = like->record.line};
    return o;
}

static int32_t earlier(const struct ordo_e2_thread *t, int32_t at, enum ordo_op op)
{
    int32_t i = at - 1;

    while (i >= 0 && t->op[i].record.op != op)
        i--;
    return i;
}

/* --- structure -------------------------------------------------------------------------------------------------- */

static void load_store(struct ordo_e2_program *p, struct ordo_e2_thread *t, int32_t at)
{
    struct ordo_e2_op load = t->op[at];

    load.record.op = ORDO_OP_LOAD;
    load.record.sem = ORDO_SEM_relaxed;
    t->op[at].record.op = ORDO_OP_STORE;
    insert(p, t, at, &load);
}

static void move_early(struct ordo_e2_program *p, struct ordo_e2_thread *t, int32_t at, enum ordo_op before)
{
    struct ordo_e2_op op = t->op[at];
    int32_t to = earlier(t, at, before);

    for (int32_t i = to;
         before == ORDO_OP_LOAD && i > 0 && earlier(t, i, before) > earlier(t, i, ORDO_OP_AWAIT_CLEAR);)
        to = i = earlier(t, i, before);
    drop(t, at);
    insert(p, t, to < 0 ? 0 : to, &op);
}

static void move_into_reducers(struct ordo_e2_program *p, struct ordo_e2_thread *t, int32_t at, int32_t nth)
{
    struct ordo_e2_op op = t->op[at];

    drop(t, at);
    for (int32_t i = 0; i < p->n_thread; i++) {
        struct ordo_e2_thread *u = &p->thread[i];
        int32_t barrier = 0, left = nth;

        if (u->cta != t->cta || strcmp(u->role, "reducer") != 0)
            continue;
        while (barrier < u->n_op && (u->op[barrier].record.op != ORDO_OP_BAR_SYNC || left-- > 0))
            barrier++;
        insert(p, u, barrier, &op);
    }
}

static void add_again(struct ordo_e2_program *p, struct ordo_e2_thread *t, int32_t at)
{
    int32_t first = earlier(t, at, ORDO_OP_AWAIT_CLEAR) + 1;

    for (int32_t i = first, to = at + 1; i < at; i++)
        if (t->op[i].record.space == ORDO_SPACE_PLANE)
            insert(p, t, to++, &t->op[i]);
}

static void cluster_sync(struct ordo_e2_program *p, struct ordo_e2_thread *t, int32_t at)
{
    struct ordo_e2_op arrive = bare(&t->op[at], ORDO_OP_CLUSTER_ARRIVE, ORDO_SEM_release, ORDO_SCOPE_cluster);
    struct ordo_e2_op wait = bare(&t->op[at], ORDO_OP_CLUSTER_WAIT, ORDO_SEM_acquire, ORDO_SCOPE_cluster);

    insert(p, t, at + 1, &arrive);
    insert(p, t, at + 2, &wait);
}

/* --- bits
 * -----------------------------------------------------------------------------------------------------------------
 */

static uint32_t word_bits(const struct ordo_record *r)
{
    return r->op == ORDO_OP_RED_AND || r->op == ORDO_OP_STORE ? ~r->value : r->value;
}

static void put_bits(struct ordo_record *r, uint32_t bits)
{
    r->value = r->op == ORDO_OP_RED_AND || r->op == ORDO_OP_STORE ? ~bits : bits;
}

/* Bits of rows that lie `stride` apart, moved to lie one closer. */
static uint32_t closer(uint32_t bits, int32_t stride)
{
    uint32_t out = 0;

    for (int32_t b = 0; b < 32; b++)
        if (bits >> b & 1)
            out |= UINT32_C(1) << (b - b / stride);
    return out;
}

/* The place of the row that the thread adds to next, in its word. */
static int32_t shift_of(const struct ordo_e2_spec *s, const struct ordo_e2_thread *t, int32_t at)
{
    int64_t row = 0;

    for (int32_t i = t->n_op - 1; i >= at; i--)
        if (t->op[i].record.space == ORDO_SPACE_PLANE)
            row = ordo_e2_place_of(&t->op[i].record, s->columns).row;
    return (int32_t)(row % (32 / s->stride)) * s->stride;
}

static void as_rank(const struct ordo_e2_spec *s, struct ordo_e2_thread *t, int32_t at, int32_t rank)
{
    struct ordo_record *r = &t->op[at].record;
    int32_t away = t->rank - rank;

    if (r->op == ORDO_OP_AWAIT_CLEAR)
        r->value = ((UINT32_C(1) << rank) - 1) << shift_of(s, t, at);
    else
        put_bits(r, word_bits(r) >> away);
}

static void restride(const struct ordo_e2_spec *s, struct ordo_e2_program *p, struct ordo_record *r)
{
    put_bits(r, closer(word_bits(r), s->stride));
    for (int32_t w = 0; w < p->n_word && r == &p->thread[0].op[0].record; w++)
        p->word[w].value = closer(p->word[w].value, s->stride);
}

static void higher(const struct ordo_e2_spec *s, struct ordo_e2_thread *t, int32_t at)
{
    struct ordo_record *r = &t->op[at].record;
    int32_t shift = shift_of(s, t, at);
    uint32_t all = ((UINT32_C(1) << s->ranks) - 1), low = (UINT32_C(2) << t->rank) - 1;

    if (shift / s->stride % 2)
        r->value = (all & ~low) << shift;
}

/* --- one edit --------------------------------------------------------------------------------------------------- */

static void edit_at(const struct ordo_e2_spec *s, struct ordo_e2_program *p, struct ordo_e2_thread *t, int32_t at,
                    const struct ordo_e2_edit *e)
{
    struct ordo_e2_op *op = &t->op[at];
    struct ordo_e2_op fence = bare(op, ORDO_OP_FENCE, e->a, e->b);

    switch (e->action) {
    case ORDO_EDIT_DROP:
        drop(t, at);
        break;
    case ORDO_EDIT_ORDER:
        op->record.sem = (enum ordo_sem)e->a;
        op->record.scope = (enum ordo_scope)e->b;
        break;
    case ORDO_EDIT_FENCE_BEFORE:
    case ORDO_EDIT_FENCE_AFTER:
        insert(p, t, at + (e->action == ORDO_EDIT_FENCE_AFTER), &fence);
        break;
    case ORDO_EDIT_OP:
        op->record.op = (enum ordo_op)e->a;
        break;
    case ORDO_EDIT_COUNT:
        op->record.value += (uint32_t)e->a;
        break;
    case ORDO_EDIT_VALUE:
        op->record.value = (uint32_t)e->a;
        op->record.index = e->b;
        break;
    case ORDO_EDIT_LOAD_STORE:
        load_store(p, t, at);
        break;
    case ORDO_EDIT_REPEAT:
        insert(p, t, at + 1, op);
        break;
    case ORDO_EDIT_EARLY:
        move_early(p, t, at, (enum ordo_op)e->a);
        break;
    case ORDO_EDIT_INTO:
        move_into_reducers(p, t, at, e->a);
        break;
    case ORDO_EDIT_ADD_AGAIN:
        add_again(p, t, at);
        break;
    case ORDO_EDIT_CLUSTER_SYNC:
        cluster_sync(p, t, at);
        break;
    case ORDO_EDIT_EXACT:
        op->exact = true;
        break;
    case ORDO_EDIT_OWN_BIT:
        op->record.value |= UINT32_C(1) << t->rank << shift_of(s, t, at);
        break;
    case ORDO_EDIT_HIGHER:
        higher(s, t, at);
        break;
    case ORDO_EDIT_STRIDE:
        restride(s, p, &op->record);
        break;
    case ORDO_EDIT_AS_RANK:
        as_rank(s, t, at, e->a);
        break;
    default:
        break;
    }
}

/* The matches are fixed before the first is edited, and edited from the last on, so that none is met twice. */
static bool edit_thread(const struct ordo_e2_spec *s, struct ordo_e2_program *p, struct ordo_e2_thread *t,
                        const struct ordo_e2_edit *e)
{
    int32_t at[ORDO_E2_MAX_OPS], n = 0;

    for (int32_t i = 0; i < t->n_op; i++)
        if (t->op[i].record.op == e->op)
            at[n++] = i;
    for (int32_t i = n; i-- > 0;)
        if (e->nth < 0 || i == e->nth)
            edit_at(s, p, t, at[i], e);
    return e->nth < 0 ? n > 0 : n > e->nth;
}

static void flip_initial(struct ordo_e2_program *p, int32_t bit, int32_t word)
{
    enum ordo_space space = word < 0 ? ORDO_SPACE_COUNTER : ORDO_SPACE_MASK;

    *ordo_e2_value(p, space, word < 0 ? -1 - word : word) ^= UINT32_C(1) << bit;
}

void ordo_e2_edit(const struct ordo_e2_spec *spec, struct ordo_e2_program *p, const struct ordo_e2_edit *e)
{
    struct ordo_e2_spec whole = ordo_e2_spec_whole(*spec);
    bool met = e->action == ORDO_EDIT_NONE || e->action >= ORDO_EDIT_INITIAL;

    if (e->action == ORDO_EDIT_INITIAL)
        flip_initial(p, e->a, e->b);
    if (e->action == ORDO_EDIT_OVERLAP)
        p->overlap = true;
    for (int32_t i = 0; i < p->n_thread && e->action < ORDO_EDIT_INITIAL; i++) {
        struct ordo_e2_thread *t = &p->thread[i];

        if ((e->rank < 0 || t->rank == e->rank) && (!e->role || strcmp(e->role, t->role) == 0) && !t->setup)
            met |= edit_thread(&whole, p, t, e);
    }
    if (!met)
        p->wrong = "an edit that matches no operation";
}
