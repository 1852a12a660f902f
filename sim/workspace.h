/* workspace.h - the bytes a plan needs, to the byte, in checked 64-bit arithmetic. */
#ifndef ORDO_SIM_WORKSPACE_H
#define ORDO_SIM_WORKSPACE_H

#include "sim/plan.h"

#include <stdbool.h>

struct ordo_workspace {
    uint64_t total;          /* bytes */
    uint64_t words;          /* 32-bit mask words of one plane, all waves and head blocks; 0 without masks */
    uint64_t mask_rows;      /* plane rows that hold them */
};

/* Both return false when a quantity leaves 64 bits.
 *
 *   K8, Q8, D8 = rounded up to 8;  waves = ceil(Q / wave);  hb = ceil(H / 64);  rows per word = 32 / C
 *   vectors = align128(H * Q8 * 8)                     delta and folded LSE, fp32
 *   private = align128(planes * K8 * D8 * 4) + vectors
 *   words   = waves * hb * K8 / rows per word;  mask rows = ceil(words / D8)
 *   relay   = planes * (K8 + mask rows) * D8 * 4 + vectors
 * Source: allocation of cudnn-frontend #810; relay reproduces the figures published with #1770. */
bool ordo_workspace_private(const struct ordo_request *r, int32_t planes, struct ordo_workspace *out);
bool ordo_workspace_relay(const struct ordo_request *r, int32_t wave, int32_t cluster, struct ordo_workspace *out);

#endif
