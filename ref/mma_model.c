/* mma_model.c - one row for each architecture that is known, and nothing for the others. */
#include "ref/mma.h"

const char *const ordo_evidence_name[2] = {"measured", "published"};

/* The floor was told apart on SM 9.0 only; published vectors hold no sums that small, so the other rows repeat it. */
static const struct ordo_mma_model table[] = {
    {70, 23, 4, -133, false, ORDO_PUBLISHED, "V100 outputs of Khattak and Mikaitis (arXiv 2512.07004), FP16"},
    {80, 24, 8, -133, true, ORDO_PUBLISHED, "A100 outputs of Khattak and Mikaitis (arXiv 2512.07004), BF16 and FP16"},
    {86, 24, 8, -133, true, ORDO_PUBLISHED, "A2 outputs of Khattak and Mikaitis (arXiv 2512.07004), BF16 and FP16"},
    {89, 24, 8, -133, true, ORDO_PUBLISHED,
     "L40S and Ada outputs of Khattak and Mikaitis (arXiv 2512.07004), BF16 and FP16"},
    {90, 25, 16, -133, true, ORDO_MEASURED, "mma.sync and wgmma on an H200, the ten input families, BF16 and FP16"},
    {100, 25, 16, -133, true, ORDO_PUBLISHED,
     "B200 outputs of Khattak and Mikaitis (arXiv 2512.07004), BF16 and FP16, by wmma: tcgen05 is not in them"},
};

enum { MODELS = sizeof table / sizeof table[0] };

const struct ordo_mma_model *ordo_mma_models(size_t *n)
{
    *n = MODELS;
    return table;
}

enum ordo_status ordo_mma_find(int32_t sm, const struct ordo_mma_model **model, struct ordo_err *err)
{
    for (size_t i = 0; i < MODELS; i++)
        if (table[i].sm == sm) {
            *model = &table[i];
            return ORDO_OK;
        }
    return ordo_fail(err, ORDO_BAD_INPUT, NULL, "sm",
                     "nothing is known about the tensor core of SM %d; 70, 80, 86, 89, 90 and 100 are", sm);
}
