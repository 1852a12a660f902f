/* e2_text.c - a schedule as text: each step with its thread, operation and source line, and why it ends as it does.
 */
#include "sim/e2_step.h"
#include "sim/e2_trail.h"

void ordo_e2_who(const struct ordo_e2 *e2, const struct ordo_e2_event *e, char *out, size_t size)
{
    if (e->thread < 0)
        (void)snprintf(out, size, "%s %d starts", e2->o.scheduler == ORDO_SCHED_CLUSTER ? "cluster" : "CTA",
                       (int)e2->unit[e->op].id);
    else
        ordo_e2_name(&e2->p->thread[e->thread], out, size);
}

void ordo_e2_history_text(const struct ordo_e2 *e2, const struct ordo_e2_trail *t, FILE *out)
{
    for (uint32_t i = 0; i < t->n; i++) {
        const struct ordo_e2_event *e = &t->event[i];
        char who[64], what[128] = "", where[64] = "";

        ordo_e2_who(e2, e, who, sizeof who);
        if (e->thread >= 0) {
            ordo_e2_spell(&e2->p->thread[e->thread].op[e->op], what, sizeof what);
            ordo_e2_source(&e2->p->thread[e->thread].op[e->op].record, where, sizeof where);
        }
        fprintf(out, "%4u  %-16s %-58s %s%s", i + 1, who, what, where, e->copy ? "  (done)" : "");
        if (e->read)
            fprintf(out, "  (reads write %d)", e->read);
        putc('\n', out);
    }
    if (t->wrong >= 0)
        fprintf(out, "step %lld cannot be made: the file is not of this program\n", (long long)t->wrong + 1);
    else if (!t->bad)
        fprintf(out, "%s\n",
                t->ended ? "all threads have ended, no bit is left" : "the schedule ends here, nothing is wrong");
    for (int32_t i = 0; i < t->n_reason; i++)
        fprintf(out, "%s\n", t->reason[i]);
}
