/* raw.h - an array without a header: dtype and shape come from the command line. */
#ifndef ORDO_CORPUS_RAW_H
#define ORDO_CORPUS_RAW_H

#include "corpus/bytes.h"
#include "corpus/reader.h"

/* Reads all of b by src->raw_dtype and src->raw_shape, both given.  ORDO_USAGE if these cannot be understood. */
enum ordo_status ordo_raw_read(const struct ordo_source *src, const struct ordo_bytes *b, struct ordo_problem *p,
                               struct ordo_err *err);

#endif
