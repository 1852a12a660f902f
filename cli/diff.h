/* diff.h - between the files of `ordo diff`: somebody's outputs, and what each tier says of them.
 *
 * Outputs are dq, dkv and dsink of sparse attention, or dq, dk and dv of dense attention, three of them either
 * way. */
#ifndef ORDO_CLI_DIFF_H
#define ORDO_CLI_DIFF_H

#include "cli/attend.h"
#include "cli/dense_oracle.h"
#include "cli/run.h"
#include "oracle/tier.h"
#include "oracle/units.h"
#include "sim/duplicates.h"

/* Tiers are never merged: each has its own counts. */
enum ordo_diff_tier {
    ORDO_DIFF_REPEAT,
    ORDO_DIFF_CONVERT, /* dkv against dkv_fp32, rounded, where the file has both; so of dense outputs */
    ORDO_DIFF_BITS,
    ORDO_DIFF_DECLARED,
    ORDO_DIFF_REAL,
    ORDO_DIFF_TRUTH,
    ORDO_DIFF_TIERS
};

/* What an output claims to be: how far up the tiers must hold. */
enum ordo_claim { ORDO_CLAIM_REAL, ORDO_CLAIM_CONTRACT, ORDO_CLAIM_BITS };
extern const char *const ordo_claim_name[3];

enum ordo_triage {
    ORDO_TRIAGE_CLEAN,
    ORDO_TRIAGE_RACE,     /* two runs differ */
    ORDO_TRIAGE_NUMERIC,  /* outside what a correct kernel can give */
    ORDO_TRIAGE_ROUNDING, /* inside that, but the contract's roundings give something else */
    ORDO_TRIAGE_ORDER,    /* the contract's roundings, other bits: another order explains them */
    ORDO_TRIAGE_MODEL,    /* another model of exp2, of additions or of the tensor core does */
    ORDO_TRIAGE_OPEN,     /* order, rounding or model: nothing tried here explains the bits */
    ORDO_TRIAGES
};
extern const char *const ordo_triage_name[ORDO_TRIAGES];

enum { ORDO_DIFF_EXPLANATIONS = 8 };

struct ordo_diff_work {
    struct ordo_case_run c;
    struct ordo_dense_case *dense;     /* lent, and c is empty; NULL: an index tensor's */
    struct ordo_dense_attend dense_attend;
    struct ordo_rig *rig;               /* of --kernel; NULL: outputs come out of files */
    enum ordo_claim claim;
    const char *const *name, *const *unit_name; /* of the outputs */
    struct ordo_contract_scan scan;
    bool has[ORDO_REAL_OUTPUTS]; /* the file has the output */
    struct ordo_actual actual[ORDO_REAL_OUTPUTS], again[ORDO_REAL_OUTPUTS];
    /* What is rounded beside an fp32 output (dkv beside dkv_fp32), of both runs; no data if there is none. */
    struct ordo_actual converted[ORDO_REAL_OUTPUTS], converted_again[ORDO_REAL_OUTPUTS];
    void *data[4 * ORDO_REAL_OUTPUTS + 2]; /* theirs, and shown's */
    const char *key[ORDO_REAL_OUTPUTS];
    bool repeated;
    struct ordo_near_saved shown;      /* the file's own O and LSE; NULL where it has none */
    struct ordo_near_saved saved;      /* O and LSE of T1: NULL where nobody has them */
    bool guessed;                      /* saved is the twin's: that the actual's are the same is a guess */
    struct ordo_units units[3][ORDO_REAL_OUTPUTS]; /* of the intervals; of the truth; dense: of the declared ones */
    struct ordo_near_gradient near;
    struct ordo_real_gradient real;
    struct ordo_tier tier[ORDO_DIFF_TIERS][ORDO_REAL_OUTPUTS];
    enum ordo_triage triage;
    bool finding;
    const char *undecided;             /* why the claim neither holds nor breaks; NULL: it does */
    int n_wrong;                       /* conventions that explain a numeric finding */
    int wrong[ORDO_DIFF_EXPLANATIONS]; /* enum ordo_wrong, or enum ordo_dense_wrong */
    int64_t n_tried;                   /* elements that each was tried on */
    const char *searched;              /* why no explanation of other bits was looked for; NULL: it was */
    const char *alternative;           /* what explains other bits; dense: the schedule's name */
};

/* Elements of a unit of an output. */
static inline int32_t ordo_diff_width(const struct ordo_diff_work *w, int output)
{
    return w->dense ? w->dense_attend.d : output == ORDO_REAL_DSINK ? 1 : w->c.attend.d_qk;
}

/* Which of units a tier is of. */
static inline int ordo_diff_units(const struct ordo_diff_work *w, int tier)
{
    return tier == ORDO_DIFF_TRUTH ? 1 : w->dense && tier == ORDO_DIFF_DECLARED ? 2 : 0;
}

/* Reads --actual and --again (diff_actual.c).  ORDO_BAD_INPUT where none of dq, dkv (or dkv_fp32), dsink is there. */
enum ordo_status ordo_diff_read(const struct ordo_args *args, struct ordo_diff_work *w, struct ordo_err *err);

/* In its place, of --kernel (diff_kernel.c): what the options refuse, with or without it; and the outputs of this
 * machine's card, with what the rig says of them.  ORDO_FINDING: refused or hung, with the reason. */
enum ordo_status ordo_diff_kernel_options(const struct ordo_args *args, struct ordo_err *err);
enum ordo_status ordo_diff_kernel(const struct ordo_args *args, int n_thread, struct ordo_diff_work *w,
                                  struct ordo_err *err);
void ordo_diff_kernel_free(struct ordo_diff_work *w);

/* What of the problem is outside the contract: w->scan (diff_judge.c). */
enum ordo_status ordo_diff_scan(struct ordo_diff_work *w, struct ordo_err *err);
/* Fills the tiers (diff_judge.c). */
enum ordo_status ordo_diff_judge(const struct ordo_args *args, int n_thread, struct ordo_diff_work *w,
                                 struct ordo_err *err);
/* What explains a finding, then the verdict: conventions (diff_convention.c), orders and models (diff_order.c). */
enum ordo_status ordo_diff_convention(struct ordo_diff_work *w, struct ordo_err *err);
enum ordo_status ordo_diff_order(int n_thread, struct ordo_diff_work *w, struct ordo_err *err);
enum ordo_status ordo_diff_triage(int n_thread, struct ordo_diff_work *w, struct ordo_err *err);

/* The parts of it that dense outputs share: the second run, outputs against their own fp32, and why a tier did not
 * run (NULL: it runs). */
void ordo_diff_repeat(struct ordo_diff_work *w);
enum ordo_status ordo_diff_convert(struct ordo_diff_work *w, struct ordo_err *err);
void ordo_diff_not_run(struct ordo_diff_work *w, int tier, const char *why);

/* The same for dense outputs (diff_dense.c). */
enum ordo_status ordo_diff_dense_judge(const struct ordo_args *args, int n_thread, struct ordo_diff_work *w,
                                       struct ordo_err *err);
enum ordo_status ordo_diff_dense_order(int n_thread, struct ordo_diff_work *w, struct ordo_err *err);

/* T0 of one output against outputs of some twin. */
void ordo_diff_bits(const struct ordo_diff_work *w, int output, const struct ordo_attention_outputs *twin,
                    struct ordo_tier *t);

void ordo_diff_say(const struct ordo_args *args, const struct ordo_diff_work *w);
void ordo_diff_json(const struct ordo_args *args, const struct ordo_diff_work *w);
void ordo_diff_free(struct ordo_diff_work *w);

/* Multiplications of the twin over the whole problem; whether they, or its memory, are too many. */
double ordo_diff_macs(const struct ordo_diff_work *w);
bool ordo_diff_large(const struct ordo_diff_work *w, int n_thread);

#endif
