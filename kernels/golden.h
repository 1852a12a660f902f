/* golden.h - golden outputs: what a card returned, as text (tests/golden/README.md has the format).
 *
 * A case is a name, values under keys, and its output: words, or the digest of as many words (base/fnv.h, in blocks).
 * The values say all that a twin needs to predict the words; those under keys that begin with x- say how the card was
 * asked, which must not matter.  Reads and writes text only; neither a card nor the twin is needed. */
#ifndef ORDO_KERNELS_GOLDEN_H
#define ORDO_KERNELS_GOLDEN_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum ordo_golden_kind { ORDO_GOLDEN_MMA, ORDO_GOLDEN_PROBE, ORDO_GOLDEN_UNARY, ORDO_GOLDEN_ADD, ORDO_GOLDEN_KINDS };
/* The instruction: bit 0 wgmma, bit 1 FP16 operands. */
enum ordo_golden_unit {
    ORDO_UNIT_MMA_SYNC,
    ORDO_UNIT_WGMMA,
    ORDO_UNIT_MMA_SYNC_FP16,
    ORDO_UNIT_WGMMA_FP16,
    ORDO_UNITS
};

enum ordo_golden_key {
    ORDO_KEY_KIND,   /* enum ordo_golden_kind */
    ORDO_KEY_ARCH,   /* 0: sm90 */
    ORDO_KEY_UNIT,   /* enum ordo_golden_unit */
    ORDO_KEY_OP,     /* enum ordo_op or, of an addition, ORDO_OPS + enum ordo_add */
    ORDO_KEY_FAMILY, /* enum ordo_family */
    ORDO_KEY_SEED,   /* of tile 0 */
    ORDO_KEY_ROWS,
    ORDO_KEY_COLS,
    ORDO_KEY_GROUPS, /* steps of a chain */
    ORDO_KEY_GROUP,  /* k of a step, 16 or 8 */
    ORDO_KEY_TILES,
    ORDO_KEY_INIT,   /* 0: C, 1: nothing */
    ORDO_KEY_FIRST,
    ORDO_KEY_STEP,
    ORDO_KEY_N,
    ORDO_KEY_X_FORM,       /* enum ordo_form */
    ORDO_KEY_X_A,          /* 0: shared memory, 1: registers */
    ORDO_KEY_X_MAJOR_A,    /* struct ordo_layout's, as is the width */
    ORDO_KEY_X_MAJOR_B,
    ORDO_KEY_X_SWIZZLE_A,
    ORDO_KEY_X_SWIZZLE_B,
    ORDO_KEY_X_N,          /* columns of one instruction */
    ORDO_KEY_X_WARPGROUPS, /* that share B: 1 or 2 */
    ORDO_KEY_X_STAGE,      /* k16 steps in one commit group */
    ORDO_KEYS
};

/* Words of one case, at most, where they are kept and not only digested on the way. */
#define ORDO_GOLDEN_MOST_WORDS (UINT64_C(1) << 24)

struct ordo_golden_case {
    char name[80];
    uint64_t value[ORDO_KEYS];
    uint64_t n_word;
    uint32_t *word;  /* n_word, owned; NULL: only the digest is known */
    uint64_t digest;
};

struct ordo_golden {
    char device[96], driver[48], toolkit[48], cubin[65];
    uint64_t sm;
    struct ordo_golden_case *item; /* owned */
    size_t n;
};

/* Parses text of `length` bytes; name is for messages.  golden is released by the caller, also after an error. */
enum ordo_status ordo_golden_parse(struct ordo_golden *golden, const char *name, const char *text, size_t length,
                                   struct ordo_err *err);
enum ordo_status ordo_golden_read(struct ordo_golden *golden, const char *path, struct ordo_err *err);
void ordo_golden_free(struct ordo_golden *golden);

/* The words a case of these values has. */
uint64_t ordo_golden_words(const uint64_t value[ORDO_KEYS]);
/* The blocked digest of n words. */
uint64_t ordo_golden_digest(const uint32_t *word, uint64_t n);
/* All keys at what they are when a case does not name them. */
void ordo_golden_defaults(uint64_t value[ORDO_KEYS]);
/* The name of a key's value, "" if it is a number. */
const char *ordo_golden_value_name(enum ordo_golden_key key, uint64_t value);

void ordo_golden_print_head(FILE *to, const struct ordo_golden *golden);
void ordo_golden_print(FILE *to, const struct ordo_golden_case *item);

#endif
