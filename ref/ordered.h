/* ordered.h - a row's sum along its proved order, bit for bit, in fp32.
 *
 * ORDER: every plane starts at +0.0 and adds its leaves in order; groups of eight planes ascending, each from +0.0;
 * then the group sums ascending from +0.0 (sim/fold.h). */
#ifndef ORDO_REF_ORDERED_H
#define ORDO_REF_ORDERED_H

#include "ref/contribution.h"
#include "sim/rows.h"

/* out: in->width floats.  planes: the plan's plane count. */
void ordo_ref_row(const struct ordo_inputs *in, const struct ordo_row *row, uint32_t planes, float *out);

/* The contributions of a row in its order, row->n_add lines of in->width floats: what ordo_ref_row adds. */
void ordo_ref_terms(const struct ordo_inputs *in, const struct ordo_row *row, float *term);

/* The same sum over terms that the caller holds: row->n_add lines of width floats.  ordo_ref_row without the making
 * of the terms, so that whoever needs the terms too makes them once. */
void ordo_ref_sum(const struct ordo_row *row, uint32_t planes, const float *term, int32_t width, float *out);

#endif
