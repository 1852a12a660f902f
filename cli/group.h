/* group.h - the options that several verbs share, so that they mean the same everywhere.
 *
 * Each macro is one or more lines of a verb's table. */
#ifndef ORDO_CLI_GROUP_H
#define ORDO_CLI_GROUP_H

#include "cli/option.h"

/* The index tensor: cli/input.h turns these into an ordo_source. */
#define ORDO_OPTIONS_INPUT ORDO_OPTIONS_INPUT_KV(true)
/* The same where a verb has a form without a tensor, and asks for --kv itself. */
#define ORDO_OPTIONS_INPUT_KV(required_)                                                                             \
    {.name = "kv", .form = ORDO_FORM_FILE, .kind = ORDO_OPT_INT, .required = required_, .metavar = "N",              \
     .max = INT32_MAX, .help = "KV rows that ids may name"},                                                         \
    {.name = "length", .form = ORDO_FORM_FILE, .kind = ORDO_OPT_STRING, .metavar = "FILE",                           \
     .help = ".npy with one live length per query"},                                                                 \
    {.name = "topk-key", .form = ORDO_FORM_FILE, .kind = ORDO_OPT_STRING, .metavar = "NAME",                         \
     .help = "index array of a bundle (else topk_idxs)"},                                                            \
    {.name = "length-key", .form = ORDO_FORM_FILE, .kind = ORDO_OPT_STRING, .metavar = "NAME",                       \
     .help = "length array of a bundle (else topk_length, if there)"},                                               \
    {.name = "dtype", .form = ORDO_FORM_FILE, .kind = ORDO_OPT_STRING, .metavar = "TYPE",                            \
     .help = "raw file: i8 u8 i16 u16 i32 u32 i64 u64, < or > in front"},                                            \
    {.name = "shape", .form = ORDO_FORM_FILE, .kind = ORDO_OPT_STRING, .metavar = "N,N",                             \
     .help = "raw file: extents, as in 128,2048"}

/* Heads and features: with the problem's extents the shapes of all tensors. */
#define ORDO_OPTIONS_SHAPE                                                                                           \
    {.name = "heads", .form = ORDO_FORM_FILE | ORDO_FORM_DENSE, .kind = ORDO_OPT_INT, .metavar = "N", .min = 1,      \
     .max = INT32_MAX, .preset = "64", .help = "query heads"},                                                       \
    {.name = "dqk", .form = ORDO_FORM_FILE, .kind = ORDO_OPT_INT, .metavar = "N", .min = 1, .max = INT32_MAX,        \
     .preset = "576", .help = "features of Q and K"},                                                                \
    {.name = "dv", .form = ORDO_FORM_FILE, .kind = ORDO_OPT_INT, .metavar = "N", .min = 1, .max = INT32_MAX,         \
     .preset = "512", .help = "features of V"}

/* What a plan is chosen from, beside the problem's extents: cli/input.h turns these into an ordo_request. */
#define ORDO_OPTIONS_PLAN                                                                                            \
    ORDO_OPTIONS_SHAPE,                                                                                              \
    {.name = "target", .form = ORDO_FORM_FILE, .kind = ORDO_OPT_CHOICE, .metavar = "sm100|sm90", .preset = "sm100",  \
     .help = "the GPU to plan for"},                                                                                 \
    {.name = "design", .form = ORDO_FORM_FILE, .kind = ORDO_OPT_CHOICE,                                              \
     .metavar = "auto|private-shards|cluster-relay|atomic", .preset = "auto", .help = "how the order is fixed"},     \
    {.name = "cluster", .form = ORDO_FORM_FILE | ORDO_FORM_PROTOCOL, .kind = ORDO_OPT_CHOICE, .metavar = "4|8|16",   \
     .help = "CTAs of a cluster (else by policy)"},                                                                  \
    {.name = "wave", .form = ORDO_FORM_FILE, .kind = ORDO_OPT_INT, .metavar = "N", .min = 1, .max = 65536,           \
     .help = "query lanes of a wave (else by policy)"}

#define ORDO_OPTION_SEED ORDO_OPTION_SEED_OF(0)
/* The same where only some forms of the verb have anything random. */
#define ORDO_OPTION_SEED_OF(form_)                                                                                   \
    {.name = "seed", .form = form_, .kind = ORDO_OPT_U64, .metavar = "N", .preset = "0",                             \
     .help = "reproduces all that is random"}

#define ORDO_OPTION_TINY                                                                                             \
    {.name = "tiny", .form = ORDO_FORM_FILE, .kind = ORDO_OPT_FLAG,                                                  \
     .help = "seeded: dO times 2^-120, so that the terms of dKV are subnormal"}

/* How a card is asked: cli/run.h. */
#define ORDO_OPTIONS_CARD                                                                                          \
    {.name = "repeats", .form = ORDO_FORM_FILE, .kind = ORDO_OPT_INT, .metavar = "N", .min = 0, .max = 10000000,   \
     .preset = "16", .help = "on the card: poisoned runs that must give the same bits"},                           \
    {.name = "watchdog", .form = ORDO_FORM_FILE, .kind = ORDO_OPT_INT, .metavar = "SECONDS", .min = 1,             \
     .max = 3600, .preset = "20", .help = "on the card: a run that takes longer hangs"},                           \
    {.name = "planes", .form = ORDO_FORM_FILE, .kind = ORDO_OPT_FLAG,                                              \
     .help = "compare the card's fp32 planes however large they are"},                                             \
    {.name = "cubins", .form = ORDO_FORM_FILE, .kind = ORDO_OPT_STRING, .metavar = "DIR",                          \
     .help = "the card's code from here: NAME.cubin for a kernels/NAME.cu"}

#define ORDO_OPTION_DB                                                                                               \
    {.name = "db", .kind = ORDO_OPT_STRING, .metavar = "FILE", .help = "results database (else $ORDO_DB)"}

#define ORDO_OPTION_JSON {.name = "json", .kind = ORDO_OPT_FLAG, .help = "one JSON object per line"}

#endif
