/* verify.c - see verify.h. */
#include "kernels/verify.h"

#include "kernels/image.h"
#include "kernels/measure.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void say_difference(FILE *to, const char *name, const struct ordo_golden_case *want,
                           const struct ordo_golden_case *got)
{
    uint64_t n_bad = 0, first = 0;

    if (want->word == NULL) {
        fprintf(to, "%s: case %s differs: digest %016" PRIx64 ", golden %016" PRIx64 "\n", name, want->name,
                got->digest, want->digest);
        return;
    }
    for (uint64_t i = want->n_word; i-- > 0;)
        if (got->word[i] != want->word[i]) {
            n_bad++;
            first = i;
        }
    fprintf(to,
            "%s: case %s differs in %" PRIu64 " of %" PRIu64 " words, first in word %" PRIu64 ": %08" PRIx32
            ", golden %08" PRIx32 "\n",
            name, want->name, n_bad, want->n_word, first, got->word[first], want->word[first]);
}

static enum ordo_status verify_case(struct ordo_gpu *gpu, FILE *to, const char *name,
                                    const struct ordo_golden_case *want, struct ordo_verified *sum,
                                    struct ordo_err *err)
{
    struct ordo_golden_case got = {.word = NULL};
    enum ordo_status status = ordo_measure(gpu, want->value, want->word != NULL, &got, err);
    bool equal = status == ORDO_OK && got.digest == want->digest &&
                 (want->word == NULL || memcmp(got.word, want->word, want->n_word * sizeof *want->word) == 0);

    if (status != ORDO_OK) {
        fprintf(stderr, "capture: %s: case %s:\n", name, want->name);
    } else {
        sum->n_case++;
        sum->n_word += got.n_word;
        sum->n_bad += !equal;
        if (!equal)
            say_difference(to, name, want, &got);
    }
    free(got.word);
    return status;
}

enum ordo_status ordo_verify(struct ordo_gpu *gpu, FILE *to, const char *name, const struct ordo_golden *golden,
                             struct ordo_verified *sum, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;

    for (size_t i = 0; i < golden->n && status == ORDO_OK; i++)
        status = verify_case(gpu, to, name, &golden->item[i], sum, err);
    return status;
}

enum ordo_status ordo_self_test(struct ordo_gpu *gpu, FILE *to, struct ordo_verified *sum, struct ordo_err *err)
{
    struct ordo_golden golden;
    size_t length = (size_t)(ordo_image_golden_end - ordo_image_golden);
    enum ordo_status status = ordo_golden_parse(&golden, "built in", ordo_image_golden, length, err);

    if (status == ORDO_OK)
        status = ordo_verify(gpu, to, "built in", &golden, sum, err);
    ordo_golden_free(&golden);
    return status;
}
