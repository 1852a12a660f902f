/* tensors.h - a run of the attention twin as the program has it: its tensors, its outputs by name, their digests. */
#ifndef ORDO_CLI_TENSORS_H
#define ORDO_CLI_TENSORS_H

#include "base/digest.h"
#include "corpus/npz_write.h"
#include "ref/attention.h"
#include "ref/inputs.h"

#include <stdbool.h>

enum ordo_output {
    ORDO_OUTPUT_O,
    ORDO_OUTPUT_LSE,
    ORDO_OUTPUT_DELTA,
    ORDO_OUTPUT_DQ,
    ORDO_OUTPUT_DKV,
    ORDO_OUTPUT_DKV_FP32,
    ORDO_OUTPUT_DSINK,
    ORDO_OUTPUT_PLANES, /* on request */
    ORDO_OUTPUTS
};
extern const char *const ordo_output_name[ORDO_OUTPUTS]; /* as the keys of an .npz */

/* Of an output of the plan: elements (0 past 64 bits), bytes of one, its pointer in the struct, and its digest. */
uint64_t ordo_output_count(const struct ordo_plan *plan, enum ordo_output output);
size_t ordo_output_width(enum ordo_output output);
void **ordo_output_place(struct ordo_attention_outputs *out, enum ordo_output output);
struct ordo_digest ordo_output_digest(const struct ordo_plan *plan, enum ordo_output output, const void *data);

/* BLAKE2b-256 of n elements of `width` bytes, 2 or 4: each a little-endian uint32 of its bits. */
struct ordo_digest ordo_elements_digest(const void *data, uint64_t n, size_t width);

/* A fresh one is all zero; ordo_twin_run_free frees what it has, at any time. */
struct ordo_twin_run {
    struct ordo_tensors tensors;
    uint16_t *o; /* a saved forward, if there was one */
    float *lse;
    struct ordo_attention a;
    struct ordo_attention_outputs out;
    struct ordo_digest digest[ORDO_OUTPUTS];
};

/* Tensors of the plan's shapes: seeded, or out of an .npz (keys q, kv, do; sink, o with lse and scale if they are
 * there).  a.in.scale is set: the file's, else 1 / sqrt(Dqk).  plan and problem stay the caller's. */
enum ordo_status ordo_twin_run_seed(struct ordo_twin_run *run, const struct ordo_plan *plan,
                                    const struct ordo_problem *problem, const struct ordo_values *values,
                                    struct ordo_err *err);
enum ordo_status ordo_twin_run_read(struct ordo_twin_run *run, const struct ordo_plan *plan,
                                    const struct ordo_problem *problem, const char *path,
                                    struct ordo_err *err);
void ordo_twin_run_free(struct ordo_twin_run *run);
/* The inputs by content, as a stored result names them: BLAKE2b-256 of "ordo-run-input/1\n", ordo_tensors_digest, the
 * scale's bits, and a saved forward's o and lse where it has one. */
struct ordo_digest ordo_twin_run_input(const struct ordo_twin_run *run);

/* Bytes of the tensors, of outputs, and of outputs with the twin's own accumulators; UINT64_MAX past 64 bits. */
uint64_t ordo_twin_run_tensor_bytes(const struct ordo_plan *plan);
uint64_t ordo_outputs_bytes(const struct ordo_plan *plan, bool planes);
uint64_t ordo_twin_run_bytes(const struct ordo_plan *plan, int n_thread, bool planes);
/* What this machine has. */
uint64_t ordo_memory_bytes(void);

/* Runs the twin into fresh outputs and digests them, in row-major order.  ORDO_ENVIRONMENT where that needs more
 * memory than the machine has. */
enum ordo_status ordo_twin_run(struct ordo_twin_run *run, int n_thread, bool planes, struct ordo_err *err);

/* The outputs that are there, as arrays for ordo_npz_write; returns how many. */
size_t ordo_output_arrays(const struct ordo_plan *plan, const struct ordo_attention_outputs *out,
                          struct ordo_npz_array array[ORDO_OUTPUTS]);
size_t ordo_twin_run_arrays(const struct ordo_twin_run *run, struct ordo_npz_array array[ORDO_OUTPUTS]);

#endif
