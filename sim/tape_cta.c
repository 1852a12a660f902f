/* tape_cta.c - see tape_cta.h. */
#include "sim/tape_cta.h"

#include "base/size.h"
#include "base/status.h"
#include "protocol/launch.h"
#include "protocol/mask.h"
#include "protocol/ticket.h"

#include <stdlib.h>

enum { BUILDERS = 2, CLEARERS = 2, MAX_SLOTS = 8, SPARE = 4 };

static int32_t cta_threads(const struct ordo_cta_shape *s)
{
    int32_t first = s->cluster == 1 ? 0 : s->program == ORDO_CTA_TICKET ? 1 : s->n_slot;

    return first + (s->n_stager ? s->n_stager + 1 : s->n_reducer);
}

static struct ordo_handoff hand_of(const struct ordo_cta_shape *s)
{
    return (struct ordo_handoff){s->go, s->done, cta_threads(s)};
}

/* --- one tile of one thread ------------------------------------------------------------------------------------ */

/* How many lower ranks write the row: the ticket of `rank`. */
static uint32_t ticket_of(const struct ordo_cta_shape *s, int32_t rank, int32_t row)
{
    uint32_t n = 0;

    for (int32_t r = 0; r < rank; r++)
        for (int32_t tile = 0; tile < s->n_tile; tile++)
            n += *ordo_tile_of(s, 0, r, tile) == row;
    return n;
}

static void record_tile(struct ordo_thread *t, const struct ordo_cta_shape *s, const int32_t *idx, int32_t lane)
{
    const struct ordo_mem mask = {ORDO_SPACE_MASK}, plane = {ORDO_SPACE_PLANE}, counter = {ORDO_SPACE_COUNTER};
    const struct ordo_unread x = {0};
    struct ordo_tape *tape = &t->tape;
    int64_t row[MAX_SLOTS];

    for (int32_t i = 0; i < s->n_slot; i++)
        row[i] = ordo_slot_live(idx[i], s->n_row, i, s->n_slot) ? idx[i] : -1;
    switch (t->kind) {
    case ORDO_THREAD_SLOT:
        ordo_relay_slot(tape, mask, s->cluster, t->rank, row[lane], hand_of(s));
        break;
    case ORDO_THREAD_TURN:
        ordo_ticket_turn(tape, counter, row[0], ticket_of(s, t->rank, idx[0]), hand_of(s));
        break;
    case ORDO_THREAD_REDUCER:
        ordo_relay_reduce(tape, plane, row, s->n_slot, x, s->n_column, lane, s->n_reducer, hand_of(s));
        break;
    case ORDO_THREAD_STAGER:
        ordo_relay_stage(tape, hand_of(s));
        break;
    default:
        ordo_relay_bulk(tape, plane, row, s->n_slot, s->stage, s->n_column, hand_of(s));
    }
}

/* What a thread does in a wave of first writers. */
static void record_start(struct ordo_thread *t, const struct ordo_cta_shape *s, const int32_t *idx, int32_t lane)
{
    for (int32_t i = 0; t->kind == ORDO_THREAD_REDUCER && i < s->n_slot; i++)
        if (ordo_slot_live(idx[i], s->n_row, i, s->n_slot))
            ordo_launch_first(&t->tape, (struct ordo_mem){ORDO_SPACE_PLANE}, idx[i], (struct ordo_unread){0},
                              s->n_column, lane, s->n_reducer);
}

/* --- one thread ------------------------------------------------------------------------------------------------ */

/* Moves the mask words of the records from `first` on to those of the wave. */
static void rebase(struct ordo_tape *tape, uint32_t first, int64_t words)
{
    for (uint32_t i = first; i < tape->n && i < tape->size; i++)
        if (tape->record[i].space == ORDO_SPACE_MASK)
            tape->record[i].index += words;
}

/* One wave of a thread of the launch, or of a builder. */
static void record_wave(const struct ordo_cta_shape *s, struct ordo_thread *t, int32_t lane, int32_t wave)
{
    bool start = s->program == ORDO_CTA_FIRST && wave == 0;
    int32_t topk = s->n_tile * s->n_slot;

    if (t->kind == ORDO_THREAD_BUILD) {
        if (!start)
            ordo_mask_build(&t->tape, (struct ordo_mem){ORDO_SPACE_MASK}, ordo_tile_of(s, wave, t->rank, 0), topk,
                            topk, s->n_row, s->cluster, t->rank, lane, BUILDERS);
        return;
    }
    for (int32_t tile = 0; tile < s->n_tile; tile++)
        (start ? record_start : record_tile)(t, s, ordo_tile_of(s, wave, t->rank, tile), lane);
}

static void record_thread(struct ordo_cluster_tapes *tapes, struct ordo_thread *t, int32_t lane)
{
    const struct ordo_cta_shape *s = &tapes->shape;

    for (int32_t row = 0; t->kind == ORDO_THREAD_CLEAR && row < s->n_row; row++)
        ordo_launch_clear(&t->tape, (struct ordo_mem){ORDO_SPACE_PLANE}, row, s->n_column, lane, CLEARERS);
    for (int32_t wave = 0; t->kind != ORDO_THREAD_CLEAR && wave < s->n_wave; wave++) {
        uint32_t first = t->tape.n;

        record_wave(s, t, lane, wave);
        rebase(&t->tape, first, wave * tapes->wave_words);
        if (ordo_thread_of_launch(t->kind) && wave + 1 < s->n_wave)
            ordo_launch_hand_over(&t->tape);
        t->wave_end[wave] = t->tape.n;
    }
}

/* --- the cluster ----------------------------------------------------------------------------------------------- */

static void add_threads(struct ordo_cluster_tapes *tapes, enum ordo_thread_kind kind, int32_t rank, int32_t n,
                        uint32_t size)
{
    for (int32_t lane = 0; lane < n; lane++) {
        struct ordo_thread *t = &tapes->thread[tapes->n_thread];

        *t = (struct ordo_thread){kind, rank, {0}, {tapes->pool + (size_t)tapes->n_thread * size, 0, size}};
        tapes->n_thread++;
        record_thread(tapes, t, lane);
    }
}

bool ordo_cluster_tapes_record(struct ordo_cluster_tapes *tapes, const struct ordo_cta_shape *shape)
{
    const struct ordo_cta_shape *s = &tapes->shape;
    int32_t threads = shape->n_rank * (cta_threads(shape) + BUILDERS) + CLEARERS;
    int32_t unit = shape->cluster == 1 ? 32 : 8, tile = 6 + shape->n_slot * (2 * shape->n_column + 1);
    uint32_t size = (uint32_t)(shape->n_wave * (shape->n_tile * tile + 2) + shape->n_row * shape->n_column + SPARE);

    ORDO_BUG_ON(shape->n_wave > ORDO_CTA_WAVES);
    *tapes = (struct ordo_cluster_tapes){.shape = *shape};
    tapes->wave_words = ordo_mask_words((int64_t)(shape->n_row + unit - 1) / unit * unit, shape->cluster);
    tapes->thread = ordo_alloc_zero((uint64_t)threads, sizeof *tapes->thread);
    tapes->pool = ordo_alloc_zero((uint64_t)threads * size, sizeof *tapes->pool);
    if (!tapes->thread || !tapes->pool)
        return false;
    add_threads(tapes, ORDO_THREAD_CLEAR, 0, s->program == ORDO_CTA_FIRST ? 0 : CLEARERS, size);
    for (int32_t rank = 0; rank < s->n_rank; rank++) {
        bool ticket = s->program == ORDO_CTA_TICKET, masks = s->cluster > 1 && !ticket;

        add_threads(tapes, ORDO_THREAD_BUILD, rank, masks ? BUILDERS : 0, size);
        add_threads(tapes, ORDO_THREAD_SLOT, rank, masks ? s->n_slot : 0, size);
        add_threads(tapes, ORDO_THREAD_TURN, rank, ticket ? 1 : 0, size);
        add_threads(tapes, ORDO_THREAD_REDUCER, rank, s->n_stager ? 0 : s->n_reducer, size);
        add_threads(tapes, ORDO_THREAD_STAGER, rank, s->n_stager, size);
        add_threads(tapes, ORDO_THREAD_BULK, rank, s->n_stager ? 1 : 0, size);
    }
    return true;
}

void ordo_cluster_tapes_free(struct ordo_cluster_tapes *tapes)
{
    free(tapes->thread);
    free(tapes->pool);
    *tapes = (struct ordo_cluster_tapes){0};
}

void ordo_tape_place(enum ordo_op op, const char **file, int *line)
{
    const struct ordo_handoff hand = {1, 2, 2};
    const int64_t row = 1;
    struct ordo_record record[16];
    struct ordo_tape tape = {record, 0, 16};

    ordo_relay_slot(&tape, (struct ordo_mem){ORDO_SPACE_MASK}, 4, 1, row, hand);
    ordo_relay_reduce(&tape, (struct ordo_mem){ORDO_SPACE_PLANE}, &row, 1, (struct ordo_unread){0}, 1, 0, 1, hand);
    for (uint32_t i = tape.n < tape.size ? tape.n : tape.size; i > 0; i--)
        if (record[i - 1].op == op) {
            *file = record[i - 1].file;
            *line = record[i - 1].line;
        }
}
