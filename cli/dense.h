/* dense.h - from the options of dense schedules to the structs that sim/ takes. */
#ifndef ORDO_CLI_DENSE_H
#define ORDO_CLI_DENSE_H

#include "cli/option.h"
#include "sim/dense_time.h"

/* The shape and the grid: for every verb with --dense.  Such a verb has --heads and --seed too. */
#define ORDO_OPTIONS_DENSE                                                                                           \
    {.name = "dense", .kind = ORDO_OPT_FLAG, .help = "a dense backward instead of an index tensor"},                 \
    {.name = "mask", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_CHOICE,                                               \
     .metavar = "full|causal|window|documents|varlen|blocks", .preset = "full", .help = "which tiles see which"},    \
    {.name = "mask-file", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_STRING, .metavar = "FILE",                       \
     .help = ".npy, query tiles by KV tiles, true where seen"},                                                      \
    {.name = "kv-tiles", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_INT, .metavar = "N", .min = 1,                    \
     .max = ORDO_DENSE_MOST_TILES, .preset = "32", .help = "KV tiles of a head"},                                    \
    {.name = "q-tiles", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_INT, .metavar = "N", .min = 1,                     \
     .max = ORDO_DENSE_MOST_TILES, .help = "query tiles of a head (else as many)"},                                  \
    {.name = "window", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_INT, .metavar = "N", .min = 1,                      \
     .max = ORDO_DENSE_MOST_TILES, .preset = "4", .help = "KV tiles of a window"},                                   \
    {.name = "documents", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_INT, .metavar = "N", .min = 1,                   \
     .max = ORDO_DENSE_MOST_TILES, .preset = "4", .help = "documents or packed sequences, of seeded lengths"},       \
    {.name = "density", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_INT, .metavar = "N", .min = 0, .max = 100,         \
     .preset = "50", .help = "per cent of the pairs of a block mask"},                                               \
    {.name = "sms", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_INT, .metavar = "N", .min = 1, .max = 65536,           \
     .preset = "132", .help = "SMs, each holds one CTA"},                                                            \
    {.name = "for-sms", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_INT, .metavar = "N", .min = 1, .max = 65536,       \
     .help = "SMs that the schedule is made for (else as many)"},                                                    \
    {.name = "section", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_INT, .metavar = "N", .min = 0, .max = 65536,       \
     .preset = "0", .help = "heads of a section of the grid, launched side by side"},                                \
    {.name = "dispatch", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_CHOICE, .metavar = "launch|persistent",           \
     .preset = "launch", .help = "a CTA an item on the SM that is free first, or a CTA an SM"},                      \
    {.name = "order", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_STRING, .metavar = "NAME",                           \
     .help = "one schedule (else all of them)"}

/* Weights, for the verbs that time. */
#define ORDO_OPTIONS_DENSE_MODEL                                                                                     \
    {.name = "c", .kind = ORDO_OPT_STRING, .metavar = "X", .preset = "3",                                            \
     .help = "cost of a task's products; X is 3, 3/2 or 1.5"},                                                       \
    {.name = "r", .kind = ORDO_OPT_STRING, .metavar = "X", .preset = "1", .help = "cost of its reduction"},          \
    {.name = "edge", .kind = ORDO_OPT_STRING, .metavar = "X", .preset = "0",                                         \
     .help = "from the end of a reduction to the next CTA's"},                                                       \
    {.name = "start", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_STRING, .metavar = "X", .preset = "0",               \
     .help = "before a tile's first task"},                                                                          \
    {.name = "jitter", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_STRING, .metavar = "X", .preset = "0",              \
     .help = "products cost c * (1 + X * x), x in [-1, 1]"},                                                         \
    {.name = "distribution", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_CHOICE,                                       \
     .metavar = "uniform|triangular|two-point", .preset = "uniform", .help = "of x, drawn from --seed"},             \
    {.name = "overlap", .form = ORDO_FORM_DENSE, .kind = ORDO_OPT_FLAG,                                              \
     .help = "a reduction runs beside the next products"}

/* The mask of the options; free it with ordo_dense_mask_free, also after a failure. */
enum ordo_status ordo_dense_input_mask(const struct ordo_args *args, struct ordo_dense_mask *mask,
                                       struct ordo_err *err);
/* The launch over that mask; and the machine, with weights 3 and 1. */
struct ordo_dense_launch ordo_dense_input_launch(const struct ordo_args *args, const struct ordo_dense_mask *mask);
struct ordo_dense_model ordo_dense_input_machine(const struct ordo_args *args);
/* The machine with the weights of ORDO_OPTIONS_DENSE_MODEL. */
enum ordo_status ordo_dense_input_model(const struct ordo_args *args, struct ordo_dense_model *model,
                                        struct ordo_err *err);
/* --order, or NULL for all.  ORDO_USAGE for a name that there is not. */
enum ordo_status ordo_dense_input_schedule(const struct ordo_args *args, const struct ordo_dense_schedule **schedule,
                                           struct ordo_err *err);

/* "causal 32 x 32 tiles, 528 pairs a head, 64 heads; ..." as the page's first line. */
void ordo_dense_print_shape(const struct ordo_args *args, const struct ordo_dense_launch *launch);

#endif
