/* dense_signature.c - how many different orders the heads have, and on what they hang; see dense_prove.h. */
#include "sim/dense_prove.h"

#include "base/size.h"

#include <stdlib.h>
#include <string.h>

/* SM counts of cards in use: H20, H100 PCIe, H100 SXM and H200, B200. */
static const int32_t sm_counts[] = {78, 114, 132, 148};

struct ordo_digest ordo_dense_signature(const struct ordo_dense *d, int32_t head)
{
    const struct ordo_dense_mask *m = d->launch.mask;
    struct ordo_hasher h;

    ordo_hasher_init(&h);
    for (int32_t kv = 0; kv < m->n_kv; kv++)
        for (int32_t step = 0; step < ordo_dense_steps(m, kv); step++)
            ordo_hasher_u32(&h, (uint32_t)d->schedule->query(d, head, kv, step));
    for (int32_t q = 0; q < m->n_q; q++)
        for (int32_t kv = 0; kv < m->n_kv; kv++)
            if (ordo_dense_sees(m, q, kv))
                ordo_hasher_u32(&h, (uint32_t)d->schedule->rank(d, head, q, kv));
    return ordo_hasher_done(&h);
}

/* Whether the list has it; else it is put there. */
static bool known(struct ordo_digest *list, int64_t *n, const struct ordo_digest *one)
{
    for (int64_t i = 0; i < *n; i++)
        if (memcmp(&list[i], one, sizeof *one) == 0)
            return true;
    list[(*n)++] = *one;
    return false;
}

/* Whether the launch for another SM count gives one of the first heads another signature. */
static enum ordo_status compare(const struct ordo_dense *d, int32_t sms, const struct ordo_digest *own, bool *differs,
                                struct ordo_err *err)
{
    struct ordo_dense_launch launch = d->launch;
    int64_t heads = d->launch.heads < 2 * sms ? d->launch.heads : 2 * sms;
    struct ordo_dense other;
    enum ordo_status status;

    launch.sms = sms;
    status = ordo_dense_make(d->schedule, &launch, false, &other, err);
    for (int32_t head = 0; head < heads && status == ORDO_OK && !*differs; head++) {
        struct ordo_digest s = ordo_dense_signature(&other, head);

        *differs = memcmp(&s, &own[head], sizeof s) != 0;
    }
    ordo_dense_free(&other);
    return status;
}

enum ordo_status ordo_dense_count_signatures(const struct ordo_dense *d, struct ordo_dense_signatures *s,
                                             struct ordo_err *err)
{
    int64_t heads = d->launch.heads, n = 0;
    struct ordo_digest *own = ordo_alloc((uint64_t)heads, sizeof *own);
    struct ordo_digest *list = ordo_alloc((uint64_t)heads, sizeof *list);
    enum ordo_status status = ORDO_OK;

    *s = (struct ordo_dense_signatures){.classes = d->schedule->classes};
    if (!own || !list)
        status = ordo_fail(err, ORDO_ENVIRONMENT, NULL, "signatures", "no memory");
    for (int32_t head = 0; head < heads && status == ORDO_OK; head++) {
        own[head] = ordo_dense_signature(d, head);
        s->all += !known(list, &n, &own[head]);
    }
    for (int class_ = 0; class_ < s->classes && status == ORDO_OK; class_++) {
        n = 0;
        for (int64_t head = class_; head < heads; head += s->classes)
            (void)known(list, &n, &own[head]);
        s->most = n > s->most ? n : s->most;
    }
    for (size_t i = 0; i < sizeof sm_counts / sizeof sm_counts[0] && status == ORDO_OK && !s->by_sms; i++) {
        status = compare(d, sm_counts[i], own, &s->by_sms, err);
        s->other_sms = s->by_sms ? sm_counts[i] : 0;
    }
    free(own);
    free(list);
    return status;
}
