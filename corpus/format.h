/* format.h - which format a file has: by its first bytes, then by its name, then because it reads like text. */
#ifndef ORDO_CORPUS_FORMAT_H
#define ORDO_CORPUS_FORMAT_H

#include <stddef.h>
#include <stdint.h>

enum ordo_format {
    ORDO_FORMAT_UNKNOWN,
    ORDO_FORMAT_NPY,
    ORDO_FORMAT_ZIP, /* .npz, or an archive of torch.save */
    ORDO_FORMAT_SAFETENSORS,
    ORDO_FORMAT_PICKLE,
    ORDO_FORMAT_TEXT
};

#define ORDO_FORMAT_HEAD 4096 /* bytes of a file that are worth looking at */

/* head holds the first n bytes of a file of `size` bytes named path. */
enum ordo_format ordo_format_of(const char *path, const uint8_t *head, size_t n, uint64_t size);

/* The command that turns an archive of torch.save into .npy, for an error's reason; returns out. */
const char *ordo_format_torch_advice(const char *path, char *out, size_t size);

#endif
