/* workspace.c - see workspace.h. */
#include "sim/workspace.h"

#include "base/size.h"
#include "protocol/index.h"

struct extents {
    uint64_t k8, d8, vectors;
};

static bool extents_of(const struct ordo_request *r, struct extents *e)
{
    uint64_t q8, bytes;

    return ordo_round_up((uint64_t)r->n_kv, 8, &e->k8) && ordo_round_up((uint64_t)r->d_qk, 8, &e->d8) &&
           ordo_round_up((uint64_t)r->n_query, 8, &q8) && ordo_mul((uint64_t)r->n_head, q8, &bytes) &&
           ordo_mul(bytes, 8, &bytes) && ordo_round_up(bytes, 128, &e->vectors);
}

/* planes * rows * d8 * 4 */
static bool plane_bytes(uint64_t planes, uint64_t rows, uint64_t d8, uint64_t *out)
{
    return ordo_mul(planes, rows, out) && ordo_mul(*out, d8, out) && ordo_mul(*out, 4, out);
}

bool ordo_workspace_private(const struct ordo_request *r, int32_t planes, struct ordo_workspace *out)
{
    struct extents e;
    uint64_t bytes;

    *out = (struct ordo_workspace){0};
    return extents_of(r, &e) && plane_bytes((uint64_t)planes, e.k8, e.d8, &bytes) &&
           ordo_round_up(bytes, 128, &bytes) && ordo_add(bytes, e.vectors, &out->total);
}

bool ordo_workspace_relay(const struct ordo_request *r, int32_t wave, int32_t cluster, struct ordo_workspace *out)
{
    struct extents e;
    uint64_t rows, bytes;
    uint64_t launches = ordo_div_up((uint64_t)r->n_query, (uint64_t)wave);

    *out = (struct ordo_workspace){0};
    if (!extents_of(r, &e) || !ordo_mul(launches, ordo_div_up((uint64_t)r->n_head, ORDO_HEAD_BLOCK), &launches) ||
        !ordo_mul(launches, (uint64_t)ordo_mask_words((int64_t)e.k8, cluster), &out->words))
        return false;
    out->mask_rows = ordo_div_up(out->words, e.d8);
    return ordo_add(e.k8, out->mask_rows, &rows) && plane_bytes((uint64_t)(wave / cluster), rows, e.d8, &bytes) &&
           ordo_add(bytes, e.vectors, &out->total);
}
