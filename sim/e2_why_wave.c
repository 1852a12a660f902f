/* e2_why_wave.c - two additions of different waves: which part of the hand-over between them is missing.
 *
 * Of which wave an operation is, the recording says; the hand-over (protocol/launch.h) is what should order them:
 * each thread arrives at the cluster barrier behind the one wave, releasing, and waits there before the other,
 * acquiring. */
#include "sim/e2_why.h"

/* The thread's operation of that kind in the wave, -1: none. */
static int32_t in_wave(const struct ordo_e2_thread *t, int32_t wave, enum ordo_op op)
{
    for (int32_t i = 0; i < t->n_op; i++)
        if (t->op[i].wave == wave && t->op[i].record.op == op)
            return i;
    return -1;
}

bool ordo_e2_why_hand_over(const struct ordo_e2 *e2, struct ordo_e2_trail *t, const struct ordo_e2_event *early,
                           const struct ordo_e2_event *late)
{
    const struct ordo_e2_thread *a = &e2->p->thread[early->thread], *b = &e2->p->thread[late->thread];
    int32_t before = a->op[early->op].wave, after = b->op[late->op].wave;
    int32_t arrive = in_wave(a, before, ORDO_OP_CLUSTER_ARRIVE), wait = in_wave(b, after - 1, ORDO_OP_CLUSTER_WAIT);
    const char *lacks = arrive < 0 ? "arrive" : "wait";
    char who[40], text[256];

    if (!e2->p->hands_over || a->cta == b->cta || before >= after)
        return false;
    if (arrive < 0 || wait < 0) {
        ordo_e2_name(arrive < 0 ? a : b, who, sizeof who);
        ordo_e2_say(t, "missing: the cluster barrier's %s of %s between waves %d and %d", lacks, who,
                    arrive < 0 ? before : after - 1, arrive < 0 ? before + 1 : after);
        ordo_e2_say(t, "         ordo_launch_hand_over should make it (protocol/launch.h)");
        return true;
    }
    if (a->op[arrive].record.sem < ORDO_SEM_release) {
        ordo_e2_say(t, "missing: the hand-over of wave %d does not release: %s", before,
                    ordo_e2_at(e2, early->thread, arrive, text));
        return true;
    }
    if (b->op[wait].record.sem != ORDO_SEM_acquire && b->op[wait].record.sem < ORDO_SEM_acq_rel) {
        ordo_e2_say(t, "missing: the hand-over to wave %d does not acquire: %s", after,
                    ordo_e2_at(e2, late->thread, wait, text));
        return true;
    }
    return false;
}
