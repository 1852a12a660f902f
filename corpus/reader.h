/* reader.h - index tensors from the files that engineers have: .npy, .npz, .safetensors, raw, text. */
#ifndef ORDO_CORPUS_READER_H
#define ORDO_CORPUS_READER_H

#include "corpus/problem.h"

/* What the command line says about the input.  Strings are the caller's; NULL means "not given". */
struct ordo_source {
    const char *path;        /* the index tensor */
    const char *length_path; /* a .npy with per-query lengths, for a lone file */
    const char *topk_key;    /* array in a bundle; default "topk_idxs" */
    const char *length_key;  /* default "topk_length", which may be absent; a named key may not */
    const char *raw_dtype;   /* raw files: i8 u8 i16 u16 i32 u32 i64 u64, with optional < or > in front */
    const char *raw_shape;   /* raw files: "128,2048" */
};

/* Reads src into *p (n_kv is left to the caller).  On success the caller frees with ordo_problem_free; on failure *p
 * is zero and err names file, field and reason.  Status: ORDO_BAD_INPUT for what the file holds or lacks (also a
 * directory, or no permission), ORDO_ENVIRONMENT without memory, ORDO_USAGE for options that do not go together. */
enum ordo_status ordo_read_problem(const struct ordo_source *src, struct ordo_problem *p, struct ordo_err *err);

/* Writes p's index tensor as .npy 1.0, dtype <i4, C order: to a temporary beside path, synced, then renamed, so that
 * nothing half-written is left.  ORDO_ENVIRONMENT when it cannot be written. */
enum ordo_status ordo_write_npy(const char *path, const struct ordo_problem *p, struct ordo_err *err);

#endif
