/* golden_dsa.h - golden outputs of the attention kernels, as text (tests/golden/README.md has the format).
 *
 * A case says all that a twin or a card needs to make its outputs: the index tensor (a file, or a pattern of
 * corpus/gen.h), lengths, shape, design, seeds.  Its output is a digest for each tensor, as `ordo ref` prints it, and
 * of some cases samples: every step-th element in raw bits.  A file of cases without outputs is a list to record. */
#ifndef ORDO_CLI_GOLDEN_DSA_H
#define ORDO_CLI_GOLDEN_DSA_H

#include "cli/tensors.h"

enum { ORDO_GOLDEN_SAMPLES = 256 }; /* raw elements of an output, at most */

struct ordo_golden_dsa_output {
    bool there;
    char digest[ORDO_DIGEST_HEX];
    uint64_t step;
    uint32_t n, word[ORDO_GOLDEN_SAMPLES]; /* n 0: no samples */
};

struct ordo_golden_dsa_case {
    char name[80];
    char index[200];  /* file, from the golden file's own directory; "" for a pattern */
    char lengths[200]; /* file, or seeded, dead; "" for none */
    char pattern[24], design[24], values[8], sink[8];
    int32_t q, kv, topk, heads, dqk, cluster, wave; /* cluster and wave 0: by policy */
    uint64_t seed;
    int32_t raw; /* 1: samples are wanted */
    struct ordo_golden_dsa_output output[ORDO_OUTPUTS];
};

struct ordo_golden_dsa {
    char directory[200]; /* of the file, with a slash, or "" */
    char device[96], driver[48], toolkit[48], cubin[ORDO_DIGEST_HEX];
    int32_t sm;
    size_t n;
    struct ordo_golden_dsa_case *item; /* owned */
};

/* ORDO_BAD_INPUT names the line.  Released by ordo_golden_dsa_free, also after an error. */
enum ordo_status ordo_golden_dsa_read(struct ordo_golden_dsa *golden, const char *path, struct ordo_err *err);
void ordo_golden_dsa_free(struct ordo_golden_dsa *golden);

void ordo_golden_dsa_print_head(FILE *to, const struct ordo_golden_dsa *golden);
void ordo_golden_dsa_print(FILE *to, const struct ordo_golden_dsa_case *item);

/* The outputs of a run as a case's: digests of those that are there, samples if the case wants them. */
void ordo_golden_dsa_fill(struct ordo_golden_dsa_case *item, const struct ordo_plan *plan,
                          const struct ordo_attention_outputs *out);

/* The case's index tensor and plan; what is not in it is refused.  The problem is the caller's. */
enum ordo_status ordo_golden_dsa_problem(const struct ordo_golden_dsa *golden,
                                         const struct ordo_golden_dsa_case *item, struct ordo_problem *problem,
                                         struct ordo_plan *plan, struct ordo_err *err);
/* Its values. */
struct ordo_values ordo_golden_dsa_values(const struct ordo_golden_dsa_case *item);

#endif
