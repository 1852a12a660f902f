/* near_names.c - wrong conventions in words. */
#include "oracle/near.h"

const char *const ordo_wrong_name[ORDO_WRONGS] = {
    [ORDO_WRONG_NONE] = "none",
    [ORDO_WRONG_LSE_BASE_2] = "lse-base-2",
    [ORDO_WRONG_LSE_NATURAL] = "lse-natural",
    [ORDO_WRONG_SINK_IN_LSE] = "sink-in-lse",
    [ORDO_WRONG_SINK_MISSING] = "sink-missing",
    [ORDO_WRONG_SCALE_TWICE] = "scale-twice",
    [ORDO_WRONG_SCALE_MISSING] = "scale-missing",
    [ORDO_WRONG_LOGIT_SCALE_TWICE] = "logit-scale-twice",
    [ORDO_WRONG_DOUT_TRANSPOSED] = "do-heads-transposed",
    [ORDO_WRONG_DQ_TRANSPOSED] = "dq-heads-transposed",
    [ORDO_WRONG_K_MISSING] = "k-role-missing",
    [ORDO_WRONG_V_MISSING] = "v-role-missing",
    [ORDO_WRONG_DUPLICATE_ONCE] = "duplicate-once",
    [ORDO_WRONG_LENGTH_IGNORED] = "length-ignored",
    [ORDO_WRONG_LENGTH_IGNORED_BACK] = "length-ignored-backward",
    [ORDO_WRONG_DEAD_TO_ROW_0] = "dead-to-row-0",
    [ORDO_WRONG_DEAD_TO_ROW_0_BACK] = "dead-to-row-0-backward",
};

const char *const ordo_wrong_text[ORDO_WRONGS] = {
    [ORDO_WRONG_NONE] = "the formulas as they are",
    [ORDO_WRONG_LSE_BASE_2] = "a natural LSE was taken for one in base 2",
    [ORDO_WRONG_LSE_NATURAL] = "an LSE in base 2 was taken for a natural one",
    [ORDO_WRONG_SINK_IN_LSE] = "the LSE already has the sink, which then counts twice",
    [ORDO_WRONG_SINK_MISSING] = "the sink is not in the backward's denominator",
    [ORDO_WRONG_SCALE_TWICE] = "dS is scaled twice",
    [ORDO_WRONG_SCALE_MISSING] = "dS is not scaled",
    [ORDO_WRONG_LOGIT_SCALE_TWICE] = "the backward's logits are scaled twice",
    [ORDO_WRONG_DOUT_TRANSPOSED] = "dO was read as (heads, queries, dv)",
    [ORDO_WRONG_DQ_TRANSPOSED] = "dQ was written as (heads, queries, dqk)",
    [ORDO_WRONG_K_MISSING] = "dKV lacks the K role, Q^T dS",
    [ORDO_WRONG_V_MISSING] = "dKV lacks the V role, dO^T P",
    [ORDO_WRONG_DUPLICATE_ONCE] = "an id that stands twice in a query was counted once",
    [ORDO_WRONG_LENGTH_IGNORED] = "the queries' lengths were ignored",
    [ORDO_WRONG_LENGTH_IGNORED_BACK] = "the queries' lengths were ignored in the backward",
    [ORDO_WRONG_DEAD_TO_ROW_0] = "dead slots were clamped to row 0 and counted",
    [ORDO_WRONG_DEAD_TO_ROW_0_BACK] = "dead slots were clamped to row 0 and counted in the backward",
};
