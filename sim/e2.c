/* e2.c - see e2.h: names, and a program made ready. */
#include "sim/e2_impl.h"

#include "base/size.h"

#include <stdlib.h>
#include <string.h>

const char *const ordo_e2_scheduler_name[] = {
#define ORDO_X(id, name, slots) name,
    ORDO_E2_SCHEDULERS(ORDO_X)
#undef ORDO_X
};
const bool ordo_e2_scheduler_slots[] = {
#define ORDO_X(id, name, slots) slots,
    ORDO_E2_SCHEDULERS(ORDO_X)
#undef ORDO_X
};
const char *const ordo_e2_verdict_name[5] = {"proved", "violated", "not found", "budget", "refused"};
const char *const ordo_e2_bad_name[] = {
#define ORDO_X(id, name) name,
    ORDO_E2_BADS(ORDO_X)
#undef ORDO_X
};

enum { VIEWS = 512, BITS = 160, UNITS = 64, LONGEST = 1 << 22, BRIEF = 1 << 15 };

struct ordo_e2 *ordo_e2_make(const struct ordo_e2_program *p, const struct ordo_e2_options *options)
{
    struct ordo_e2 *e2 = calloc(1, sizeof *e2);

    if (!e2)
        return NULL;
    e2->p = p;
    e2->o = *options;
    e2->view = calloc(VIEWS, sizeof *e2->view);
    e2->bit = calloc(BITS, sizeof *e2->bit);
    e2->unit = calloc(UNITS, sizeof *e2->unit);
    if (!e2->view || !e2->bit || !e2->unit) {
        ordo_e2_free(e2);
        return NULL;
    }
    if (p->wrong)
        (void)ordo_e2_refuse(e2, p->wrong);
    if (!e2->refused[0])
        ordo_e2_survey(e2);
    if (!e2->refused[0])
        ordo_e2_lay_out(e2);
    if (!e2->refused[0])
        ordo_e2_compile(e2);
    if (!e2->refused[0] && options->symmetry)
        ordo_e2_find_orbit(e2);
    if (e2->lacks_memory) {
        ordo_e2_free(e2);
        return NULL;
    }
    return e2;
}

const char *ordo_e2_refused(const struct ordo_e2 *e2)
{
    return e2->refused[0] ? e2->refused : NULL;
}

void ordo_e2_free(struct ordo_e2 *e2)
{
    if (!e2)
        return;
    free(e2->view);
    free(e2->bit);
    free(e2->unit);
    free(e2->step);
    free(e2->mask);
    free(e2->join);
    free(e2->read);
    free(e2->orbit);
    free(e2);
}

void ordo_e2_result_free(struct ordo_e2_result *result)
{
    free(result->move);
    result->move = NULL;
    result->n_move = 0;
}

bool ordo_e2_decide(const struct ordo_e2_program *p, const struct ordo_e2_options *options,
                    struct ordo_e2_result *result)
{
    struct ordo_e2_options full = *options;
    struct ordo_e2 *e2 = ordo_e2_make(p, options), *whole = NULL;
    struct ordo_e2_result again = {.verdict = ORDO_E2_REFUSED};
    bool ok = e2 && ordo_e2_explore(e2, result);

    if (ok && result->verdict == ORDO_E2_VIOLATED && (options->fuse || options->persist || options->symmetry)) {
        full.fuse = full.persist = full.symmetry = full.hunt = false;
        full.most = options->brief ? BRIEF : LONGEST;
        whole = ordo_e2_make(p, &full);
        ok = whole && ordo_e2_explore(whole, &again);
        if (ok && again.verdict == ORDO_E2_VIOLATED) {
            ordo_e2_result_free(result);
            result->bad = again.bad;
            result->move = again.move;
            result->n_move = again.n_move;
            result->shortest = true;
        }
    }
    ordo_e2_free(whole);
    ordo_e2_free(e2);
    return ok;
}
