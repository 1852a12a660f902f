/* bench_mma.h - how fast the tensor core's product is, beside a plain loop of fused multiply-adds in the same run.
 *
 * A product of 64 x 512 x 512 ordinary numbers on one core, packing included; the methods take turns, so that a
 * change of the machine's speed meets all of them, and each one's figure is its best turn. */
#ifndef ORDO_REF_BENCH_MMA_H
#define ORDO_REF_BENCH_MMA_H

#include "ref/mma.h"

struct ordo_bench_mma {
    double fmaf_loop;          /* GMAC/s; 0 if the CPU has no FMA */
    double rate[ORDO_ISAS][2]; /* without and with the running bound; 0 where the CPU lacks the isa */
    uint32_t disagreements;    /* elements on which an isa and scalar differ: 0, or something is broken */
};

/* About two seconds.  ORDO_ENVIRONMENT without memory. */
enum ordo_status ordo_bench_mma(struct ordo_bench_mma *out, struct ordo_err *err);

#endif
