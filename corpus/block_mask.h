/* block_mask.h - a mask over tiles from a .npy: query tiles by KV tiles, boolean or integers, true where seen. */
#ifndef ORDO_CORPUS_BLOCK_MASK_H
#define ORDO_CORPUS_BLOCK_MASK_H

#include "base/status.h"

#include <stdint.h>

struct ordo_block_mask {
    int32_t n_q, n_kv;
    int32_t *value; /* n_q rows of n_kv; the caller frees */
};

/* ORDO_BAD_INPUT for what the file holds or lacks, ORDO_ENVIRONMENT without memory; then value is NULL. */
enum ordo_status ordo_read_block_mask(const char *path, struct ordo_block_mask *mask, struct ordo_err *err);

#endif
