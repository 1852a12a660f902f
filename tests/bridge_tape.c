/* bridge_tape.c - prints what the roles of bridge.cu record: kernel, header, line and mnemonic of each operation.
 *
 * One live row, one column, one plane: each operation of a role is recorded once, as it stands once in its kernel.
 * Under fixed_* several, with the operands as the PTX has them: addresses, bits, counts and where data comes from.
 * tests/bridge.sh compiles this; it is no test by itself. */
#include "protocol/fragment.h"
#include "protocol/launch.h"
#include "protocol/mask.h"
#include "protocol/relay.h"
#include "protocol/ticket.h"
#include "tests/bridge_role.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { SIZE = 256 };

static struct ordo_record record[SIZE];
static struct ordo_tape tape = {record, 0, SIZE};
static bool seen[ORDO_N_OPS];

#define ORDO_X(token) #token,
static const char *const sem_name[] = {ORDO_SEMS(ORDO_X)};
static const char *const scope_name[] = {ORDO_SCOPES(ORDO_X)};
static const char *const width_name[] = {ORDO_WIDTHS(ORDO_X)};
#undef ORDO_X
#define ORDO_X(id, mnemonic) mnemonic,
static const char *const mnemonic_of[] = {ORDO_OPS(ORDO_X)};
#undef ORDO_X

static void print_mnemonic(const struct ordo_record *r)
{
    for (const char *part = mnemonic_of[r->op]; *part;) {
        size_t n = strcspn(part, ".");
        char token = n == 1 ? *part : '\0';
        const char *spelt = token == 'S'   ? sem_name[r->sem]
                            : token == 'C' ? scope_name[r->scope]
                            : token == 'W' ? width_name[r->width]
                                           : NULL;

        printf("%.*s", (int)(spelt ? strlen(spelt) : n), spelt ? spelt : part);
        part += n;
        if (*part)
            putchar(*part++);
    }
}

/* --- operands --------------------------------------------------------------------------------------------------- */

/* The address of an element of mask, counter or plane. */
static int64_t address(const struct ordo_record *r)
{
    static const int64_t base[ORDO_N_SPACES] = {
        [ORDO_SPACE_MASK] = ORDO_FIXED_MASK,
        [ORDO_SPACE_COUNTER] = ORDO_FIXED_COUNTER,
        [ORDO_SPACE_PLANE] = ORDO_FIXED_PLANE,
    };

    return base[r->space] + r->index * 4;
}

/* What a store writes, in terms of what it and the loads before it name. */
static void print_data(const struct ordo_record *r)
{
    uint32_t n = r->data == ORDO_DATA_SUM ? r->source : 0;

    for (uint32_t i = 0; i < n; i++)
        putchar('(');
    if (r->data == ORDO_DATA_ADDED)
        printf("(element@%" PRId64 " + ", address(r)); /* what stands there, and was loaded (op.h) */
    if (r->data == ORDO_DATA_COPIED)
        printf("(staged@%" PRIu32 " + ", r->value);
    if (r->data == ORDO_DATA_OPAQUE || r->data == ORDO_DATA_ADDED || r->data == ORDO_DATA_COPIED)
        printf("value@%" PRId64 "%s", ORDO_FIXED_VALUES + (int64_t)r->source * 4,
               r->data == ORDO_DATA_OPAQUE ? "" : ")");
    else
        printf("0f%08" PRIX32, r->value);
    for (uint32_t i = 0; i < n; i++)
        printf(" + element@%" PRId64 ")", address(r - n + i));
}

static void print_operands(const struct ordo_record *r)
{
    if (r->op == ORDO_OP_COPY)
        printf(" [%" PRIu32 "]", r->source);
    if (r->space != ORDO_SPACE_NONE)
        printf(" [%" PRId64 "]", address(r));
    switch (r->op) {
    case ORDO_OP_AWAIT_CLEAR:
        printf(" while (word & %" PRIu32 ") ne 0", r->value);
        break;
    case ORDO_OP_AWAIT_GE:
        printf(" while word lt %" PRIu32, r->value);
        break;
    case ORDO_OP_COPY:
        printf(" 16 %" PRIu32, r->value); /* of sixteen bytes, so many are read */
        break;
    case ORDO_OP_STORE:
        putchar(' ');
        print_data(r);
        break;
    case ORDO_OP_BULK_ADD:
        printf(" [%" PRIu32 "] %" PRIu32, r->source, r->value);
        break;
    case ORDO_OP_BAR_SYNC:
        printf(" %" PRId64 " %" PRIu32, r->index, r->value);
        break;
    case ORDO_OP_RED_AND:
    case ORDO_OP_RED_OR:
    case ORDO_OP_RED_ADD:
    case ORDO_OP_COPY_WAIT:
    case ORDO_OP_BULK_WAIT:
    case ORDO_OP_BULK_WAIT_READ:
        printf(" %" PRIu32, r->value);
        break;
    case ORDO_OP_WARP_SYNC:
        printf(" 0xffffffff"); /* all lanes */
        break;
    default:
        break;
    }
}

/* --- tapes ------------------------------------------------------------------------------------------------------ */

/* The path from the room on. */
static const char *header_of(const struct ordo_record *r)
{
    const char *at = strrchr(r->file, '/');

    while (at && at > r->file && at[-1] != '/')
        at--;
    return at ? at : r->file;
}

/* Prints the tape as that of `kernel` and empties it. */
static void print_tape(const char *kernel)
{
    for (uint32_t i = 0; i < tape.n && i < tape.size; i++) {
        printf("%s %s:%d ", kernel, header_of(&record[i]), record[i].line);
        print_mnemonic(&record[i]);
        if (strncmp(kernel, "fixed_", 6) == 0)
            print_operands(&record[i]);
        putchar('\n');
        seen[record[i].op] = true;
    }
    if (tape.n == 0 || tape.n > tape.size)
        printf("%s: a tape of %u operations\n", kernel, (unsigned)tape.n);
    tape.n = 0;
}

static void fixed_relay(struct ordo_mem mask, struct ordo_mem plane)
{
    const struct ordo_handoff hand = ORDO_FIXED_HAND;
    const int64_t row[] = ORDO_FIXED_ROWS;
    const int32_t idx[] = ORDO_FIXED_IDX;

    ordo_mask_build(&tape, mask, idx, 3, 3, 32, 8, 3, 0, 1);
    print_tape("fixed_mask_build");
    ordo_relay_slot(&tape, mask, 8, 3, 17, hand);
    print_tape("fixed_relay_slot");
    ordo_relay_reduce(&tape, plane, row, 3, (struct ordo_unread){0}, 6, 1, 3, hand);
    print_tape("fixed_relay_reduce");
    ordo_fragment_go(&tape, hand);
    ordo_fragment_begin(&tape, ordo_fragment_of(plane, 17, INT64_C(1) << 31, 4096, 576, 0, 6));
    ordo_fragment_begin(&tape, ordo_fragment_of(plane, -1, 3, 4096, 576, 1, 35));
    ordo_fragment_add(&tape, ordo_fragment_of(plane, 17, INT64_C(1) << 31, 4096, 576, 0, 6), (struct ordo_unread){0},
                      1);
    ordo_fragment_add(&tape, ordo_fragment_of(plane, -1, 3, 4096, 576, 1, 35), (struct ordo_unread){0}, 3);
    ordo_fragment_done(&tape, hand);
    print_tape("fixed_fragment");
    ordo_relay_bulk(&tape, plane, row, 3, 1024, 6, hand);
    print_tape("fixed_relay_bulk");
    ordo_ticket_turn(&tape, (struct ordo_mem){ORDO_SPACE_COUNTER}, 5, 7, hand);
    print_tape("fixed_ticket_turn");
}

static void fixed_launch(struct ordo_mem mask, struct ordo_mem plane)
{
    ordo_launch_clear(&tape, plane, 17, 6, 1, 3);
    print_tape("fixed_launch_clear");
    ordo_launch_first(&tape, plane, 17, (struct ordo_unread){0}, 6, 1, 3);
    print_tape("fixed_launch_first");
    ordo_launch_fold(&tape, plane, 17, 100, 10, 6, 4);
    print_tape("fixed_launch_fold");
    ordo_bridge_rest(&tape, mask, 5, 7);
    print_tape("fixed_bridge_rest");
}

static void relay(struct ordo_mem mask, struct ordo_mem plane)
{
    const struct ordo_handoff hand = {1, 2, 96};
    const int64_t row = 17;
    const int32_t idx = 17;

    ordo_mask_build(&tape, mask, &idx, 1, 1, 32, 8, 3, 0, 1);
    print_tape("mask_build");
    ordo_relay_slot(&tape, mask, 8, 3, row, hand);
    print_tape("relay_slot");
    ordo_relay_reduce(&tape, plane, &row, 1, (struct ordo_unread){0}, 1, 0, 1, hand);
    print_tape("relay_reduce");
    ordo_fragment_go(&tape, hand);
    ordo_fragment_begin(&tape, ordo_fragment_of(plane, 17, 18, 4096, 64, 0, 0));
    ordo_fragment_add(&tape, ordo_fragment_of(plane, 17, 18, 4096, 64, 0, 0), (struct ordo_unread){0}, 0);
    ordo_fragment_done(&tape, hand);
    print_tape("fragment");
    ordo_relay_stage(&tape, hand);
    print_tape("relay_stage");
    ordo_relay_bulk(&tape, plane, &row, 1, 0, 1, hand);
    print_tape("relay_bulk");
    ordo_ticket_turn(&tape, (struct ordo_mem){ORDO_SPACE_COUNTER}, 0, 1, hand);
    print_tape("ticket_turn");
}

static void launch(struct ordo_mem plane)
{
    ordo_launch_clear(&tape, plane, 17, 1, 0, 1);
    print_tape("launch_clear");
    ordo_launch_first(&tape, plane, 17, (struct ordo_unread){0}, 1, 0, 1);
    print_tape("launch_first");
    ordo_launch_hand_over(&tape);
    print_tape("launch_hand_over");
    ordo_launch_fold_sum(&tape, plane, 17, 32, 0, 1, 1, 1, 0);
    print_tape("launch_fold_sum");
}

int main(void)
{
    const struct ordo_mem mask = {ORDO_SPACE_MASK}, plane = {ORDO_SPACE_PLANE};

    relay(mask, plane);
    launch(plane);
    ordo_bridge_rest(&tape, mask, 0, 1);
    print_tape("bridge_rest");
    fixed_relay(mask, plane);
    fixed_launch(mask, plane);
    for (int op = 0; op < ORDO_N_OPS; op++)
        if (!seen[op])
            printf("no kernel has %s\n", mnemonic_of[op]);
    return 0;
}
