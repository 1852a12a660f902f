/* tier.h - somebody's output of one kind against the twin, the declared interval, the real one, and the truth.
 *
 * In this order: classes (NaN, +Inf, -Inf), bits, interval.  Each comparison counts and keeps the first and the
 * worst element; nothing is merged into one tolerance.  Ulps are Goldberg's, of the output's own format, at the
 * exact value; next to each stands the condition number, without which an ulp says nothing. */
#ifndef ORDO_ORACLE_TIER_H
#define ORDO_ORACLE_TIER_H

#include "oracle/near.h"

/* An output as it came: BF16 or FP16 as uint16_t, or fp32; the caller's.  fp32 that holds nothing but BF16 numbers is
 * judged as BF16. */
struct ordo_actual {
    enum ordo_near_format format;
    bool narrow; /* format is BF16, but the array is fp32 */
    int64_t n;
    const void *data;
};

double ordo_actual_value(const struct ordo_actual *a, int64_t i);
/* In its format's width. */
uint32_t ordo_actual_bits(const struct ordo_actual *a, int64_t i);
extern const char *const ordo_near_format_name[3]; /* "fp32", "bf16", "fp16" */

/* fp32's bits rounded to a format. */
uint32_t ordo_format_bits(enum ordo_near_format format, uint32_t bits);
/* Goldberg's ulp of a format at x. */
double ordo_format_ulp(enum ordo_near_format format, double x);

struct ordo_tier_at {
    int64_t element; /* in the whole output */
    double got, want; /* want: the twin's, or the centre of the interval, or the truth */
    uint32_t got_bits, want_bits;
    double bound, ratio; /* half the interval; |got - want| / bound */
    double ulp;          /* |got - want| in ulps at want */
    double condition;    /* sum of |terms| / |want| */
    double relative;     /* |got - want| / sum of |terms| */
};

struct ordo_tier {
    const char *not_run;  /* why not; NULL: it ran */
    uint64_t n, n_bad;    /* elements judged; of them wrong */
    uint64_t n_class;     /* of the wrong ones: NaN or Inf where the other is not that */
    uint64_t n_open;      /* admitted because a kernel may overflow there: nothing is claimed */
    uint64_t n_nearest;   /* truth only: correctly rounded */
    struct ordo_tier_at first, worst; /* first wrong one; largest ratio (bits: ulp) of all */
    bool has_worst;
};

/* T0: bit for bit; want is of the actual's format (narrow: BF16). */
void ordo_tier_bits(const struct ordo_actual *got, const struct ordo_actual *want, struct ordo_tier *t);
/* T1, T2: the wanted units of s. */
void ordo_tier_interval(const struct ordo_actual *got, const struct ordo_near_set *s, struct ordo_tier *t);
/* Counts the units among them that nothing adds to: every element is 0, of either sign. */
void ordo_tier_dead(const struct ordo_actual *got, int32_t width, int64_t n, const int64_t *unit,
                    struct ordo_tier *t);
/* T2 at the truth: units of real, whose intervals stand in s (the same units, in the same order). */
void ordo_tier_real(const struct ordo_actual *got, const struct ordo_real_set *real, const struct ordo_near_set *s,
                    struct ordo_tier *t);

#endif
