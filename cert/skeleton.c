/* skeleton.c - the role headers, recorded here: every tape must be the known program, word for word, which is M1 to
 * M4 of the induction (manual/induction.md); and from two such programs the invariant of a row is enumerated: two
 * adjacent ranks, each a slot lane and an adder, in every order of their steps, see each other in rank order. */
#include "cert/cert.h"
#include "protocol/mask.h"
#include "protocol/relay.h"

#include <string.h>

enum { GO = 3, DONE = 5, THREADS = 96, ROOM = 16 };
static const struct ordo_handoff hand = {GO, DONE, THREADS};
static const struct ordo_mem mask = {ORDO_SPACE_MASK}, plane = {ORDO_SPACE_PLANE};

#define W(op, sem, scope, width, space, data, index, value, source)                                                  \
    {ORDO_OP_##op, ORDO_SEM_##sem, ORDO_SCOPE_##scope, ORDO_WIDTH_##width, ORDO_SPACE_##space, ORDO_DATA_##data,     \
     index, value, source, NULL, 0}
#define WORD(op, sem, scope, width, bits) W(op, sem, scope, width, MASK, NONE, word, bits, 0)
#define PLAIN(op, index, value) W(op, weak, cta, b32, NONE, NONE, index, value, 0)

/* Scopes may be wider. */
static bool is(const struct ordo_tape *t, const struct ordo_record *w, uint32_t n, struct ordo_cert_verdict *v)
{
    for (uint32_t i = 0; i < n && i < t->n; i++) {
        const struct ordo_record *r = &t->record[i];
        const char *at = strstr(r->file, "protocol/");

        if (r->op != w[i].op || r->sem != w[i].sem || r->scope < w[i].scope || r->width != w[i].width)
            return ordo_cert_refuse(v, ORDO_CERT_OPERATION, "%s:%d", at ? at : "", r->line);
        if (r->space != w[i].space || r->index != w[i].index || r->value != w[i].value || r->data != w[i].data ||
            r->source != w[i].source)
            return ordo_cert_refuse(v, ORDO_CERT_OPERAND, "%s:%d", at ? at : "", r->line);
    }
    return t->n == n ? true : ordo_cert_refuse(v, ORDO_CERT_OPERATION, "%u operations, not %u", t->n, n);
}

/* The lane of a slot and the setup of its bit. */
static bool slot(int32_t c, int32_t rank, int32_t row, struct ordo_tape *t, struct ordo_cert_verdict *v)
{
    const int32_t idx[] = {row, -1}, shift = row < 0 ? 0 : row * c % 32;
    const int64_t word = row < 0 ? 0 : row * c / 32;
    const struct ordo_record set[] = {WORD(RED_OR, relaxed, gpu, b32, 1u << rank << shift)};
    const struct ordo_record want[] = {
        WORD(AWAIT_CLEAR, acquire, cluster, u32, ((1u << rank) - 1) << shift),
        PLAIN(WARP_SYNC, 0, 0),
        PLAIN(BAR_SYNC, GO, THREADS),
        PLAIN(BAR_SYNC, DONE, THREADS),
        WORD(RED_AND, release, cluster, b32, ~(1u << rank << shift)),
    };

    ordo_mask_build(t, mask, idx, 2, 2, INT32_MAX, c, rank, 0, 1);
    if (!is(t, set, row >= 0, v))
        return false;
    t->n = 0;
    ordo_relay_slot(t, mask, c, rank, row, hand);
    return is(t, want + (row < 0), row < 0 ? 3 : 5, v);
}

/* A reducer of one column or a bulk lane, for a dead slot and a live row; or a stager. */
enum kind { REDUCER, BULK, STAGER };
static bool adder(enum kind kind, int64_t row, struct ordo_tape *t, struct ordo_cert_verdict *v)
{
    const int64_t rows[] = {-1, row};
    const struct ordo_record want[3][6] = {
        {PLAIN(BAR_SYNC, GO, THREADS), W(LOAD, weak, cta, f32, PLANE, NONE, row, 0, 0),
         W(STORE, weak, cta, f32, PLANE, ADDED, row, 0, 1), PLAIN(BAR_SYNC, DONE, THREADS)},
        {PLAIN(BAR_SYNC, GO, THREADS), PLAIN(PROXY_FENCE, 0, 0),
         W(BULK_ADD, relaxed, gpu, f32, PLANE, OPAQUE, row, 4, 4), PLAIN(BULK_COMMIT, 0, 0), PLAIN(BULK_WAIT, 0, 0),
         PLAIN(BAR_SYNC, DONE, THREADS)},
        {PLAIN(SHARED_FENCE, 0, 0), PLAIN(BAR_SYNC, GO, THREADS), PLAIN(BAR_SYNC, DONE, THREADS)},
    };

    if (kind == REDUCER)
        ordo_relay_reduce(t, plane, rows, 2, (struct ordo_unread){0}, 1, 0, 1, hand);
    else if (kind == BULK)
        ordo_relay_bulk(t, plane, rows, 2, 0, 1, hand);
    else
        ordo_relay_stage(t, hand);
    return is(t, want[kind], kind == REDUCER ? 4 : kind == BULK ? 6 : 3, v);
}

/* Threads: lower rank's slot lane and adder, then the higher rank's.  A state is where each stands, and who knows of
 * the lower rank's addition: bit i for thread i, bit 4 for the mask word. */
struct pair {
    const struct ordo_tape *tape[4];
    struct ordo_cert_verdict *v;
    bool seen[8][8][8][8][32];
};

static bool explore(struct pair *m, const uint32_t *at, uint32_t knows)
{
    bool *seen = &m->seen[at[0]][at[1]][at[2]][at[3]][knows], moved = false, ended = true;

    if (*seen)
        return true;
    *seen = true, m->v->states++;
    for (uint32_t t = 0; t < 4; t++) {
        uint32_t next[4] = {at[0], at[1], at[2], at[3]}, now = knows, twin = t ^ 1;
        const struct ordo_record *r = &m->tape[t]->record[at[t]], *other = &m->tape[twin]->record[at[twin]];

        if (at[t] == m->tape[t]->n)
            continue;
        ended = false;
        /* The lower bit is set until the lower lane's last operation. */
        if ((r->op == ORDO_OP_AWAIT_CLEAR && t == 2 && at[0] < m->tape[0]->n) ||
            (r->op == ORDO_OP_BAR_SYNC && (at[twin] == m->tape[twin]->n || other->op != ORDO_OP_BAR_SYNC)))
            continue;
        next[t]++, next[twin] += r->op == ORDO_OP_BAR_SYNC, moved = true;
        now |= r->op == ORDO_OP_BAR_SYNC && (knows >> t | knows >> twin) & 1 ? 1u << t | 1u << twin : 0;
        if (t == 3 && r->space == ORDO_SPACE_PLANE && !(knows >> 3 & 1))
            return ordo_cert_refuse(m->v, ORDO_CERT_RACE, "line %d", r->line);
        now |= t == 1 && (r->op == ORDO_OP_STORE || r->op == ORDO_OP_BULK_WAIT) ? 2 : 0;
        now |= r->op == ORDO_OP_RED_AND && r->sem == ORDO_SEM_release && knows >> t & 1 ? 16 : 0;
        now |= r->op == ORDO_OP_AWAIT_CLEAR && r->sem == ORDO_SEM_acquire && knows >> 4 & 1 ? 1u << t : 0;
        if (!explore(m, next, now))
            return false;
    }
    return moved || ended ? true : ordo_cert_refuse(m->v, ORDO_CERT_STUCK, "%s", "");
}

bool ordo_cert_skeleton(int32_t c, struct ordo_cert_verdict *v)
{
    struct ordo_record pool[4][ROOM];
    struct ordo_tape t[4];
#define TAPE(i) (t[i] = (struct ordo_tape){pool[i], 0, ROOM}, &t[i])
    bool holds = adder(STAGER, 0, TAPE(0), v);

    for (int32_t rank = 0; c > 1 && rank < c; rank++)
        for (int32_t row = -1; holds && row < 2 * 32 / c; row++)
            holds = slot(c, rank, row, TAPE(0), v);
    for (int kinds = 0; holds && kinds < 4; kinds++) {
        struct pair m = {.tape = {&t[0], &t[1], &t[2], &t[3]}, .v = v};

        holds = adder(kinds & 1 ? BULK : REDUCER, 2, TAPE(1), v) && adder(kinds & 2 ? BULK : REDUCER, 2, TAPE(3), v);
        if (holds && c > 1)
            holds = slot(c, 0, 2, TAPE(0), v) && slot(c, 1, 2, TAPE(2), v) && explore(&m, (uint32_t[4]){0}, 0);
    }
    return holds;
}
