/* run.c - see run.h: one run from inputs to verdict. */
#include "cli/run.h"

#include "base/size.h"
#include "ref/fp.h"
#include "sim/design.h"
#include "store/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const ordo_rig_verdict_name[ORDO_RIG_VERDICTS] = {"pass",    "not-compared", "differs",
                                                              "residue", "unstable",     "hung"};

#define MOST_PLANE_BYTES (UINT64_C(1) << 26) /* planes are read unasked up to here */

enum ordo_status ordo_rig_open(struct ordo_card **card, const char *cubins, struct ordo_err *err)
{
    enum ordo_status status = ordo_card_open(card, cubins, err);
    struct ordo_err why = *err;

    if (status != ORDO_ENVIRONMENT)
        return status;
    return ordo_fail(err, status, why.file, why.field, "not run: %s", why.reason);
}

int ordo_rig_leave(bool hung, int code)
{
    if (!hung)
        return code;
    (void)fflush(NULL);
    _exit(code);
}

/* --- inputs ----------------------------------------------------------------------------------------------------- */

static enum ordo_status make_inputs(struct ordo_rig *run, const struct ordo_rig_request *q, struct ordo_err *err)
{
    return q->inputs ? ordo_twin_run_read(&run->twin, &run->plan, &run->problem, q->inputs, err)
                     : ordo_twin_run_seed(&run->twin, &run->plan, &run->problem, &q->values, err);
}

static bool wants_planes(const struct ordo_rig *run, const struct ordo_rig_request *q)
{
    uint64_t n = ordo_output_count(&run->plan, ORDO_OUTPUT_PLANES);

    return run->plan.design->sync != ORDO_SYNC_ATOMIC && (q->planes || (n && n <= MOST_PLANE_BYTES / sizeof(float)));
}

/* --- room ------------------------------------------------------------------------------------------------------- */

/* On this machine: the tensors, what the card gives, and what the twin does. */
static enum ordo_status check_host(const struct ordo_rig *run, const struct ordo_rig_request *q, struct ordo_err *err)
{
    bool planes = wants_planes(run, q);
    uint64_t twin = q->no_twin ? 0 : ordo_twin_run_bytes(&run->plan, q->n_thread, planes), need;

    if (!ordo_add(ordo_twin_run_tensor_bytes(&run->plan), ordo_outputs_bytes(&run->plan, planes), &need) ||
        !ordo_add(need, twin, &need))
        need = UINT64_MAX;
    if (need <= ordo_memory_bytes())
        return ORDO_OK;
    return ordo_fail(err, ORDO_ENVIRONMENT, NULL, "memory",
                     "the tensors and all outputs need %" PRIu64 " bytes, more than this machine has", need);
}

enum ordo_status ordo_rig_prepare(struct ordo_rig *run, const struct ordo_rig_request *q, struct ordo_err *err)
{
    enum ordo_status status = check_host(run, q, err);

    run->on.card = run->card;
    run->on.plan = &run->plan;
    run->on.limit = q->watchdog;
    return status == ORDO_OK ? ordo_rig_reserve(&run->on, err) : status;
}

/* --- T0 --------------------------------------------------------------------------------------------------------- */

static uint32_t element(const void *data, size_t width, uint64_t i)
{
    return width == 2 ? ((const uint16_t *)data)[i] : ordo_fp32_bits(((const float *)data)[i]);
}

/* Counts from the end, so that the first one stays. */
static void compare(struct ordo_rig *run, enum ordo_output output)
{
    struct ordo_rig_bits *b = &run->bits[output];
    const void *card = *ordo_output_place(&run->got, output), *twin = *ordo_output_place(&run->twin.out, output);
    size_t width = ordo_output_width(output);

    b->n = ordo_output_count(&run->plan, output);
    b->read = card != NULL;
    b->compared = card && twin;
    b->promised = run->plan.design->sync != ORDO_SYNC_ATOMIC ||
                  (output != ORDO_OUTPUT_DKV && output != ORDO_OUTPUT_DKV_FP32 && output != ORDO_OUTPUT_PLANES);
    if (card)
        b->digest = ordo_output_digest(&run->plan, output, card);
    if (!b->compared || memcmp(card, twin, b->n * width) == 0)
        return;
    for (uint64_t i = b->n; i-- > 0;) {
        uint32_t x = element(card, width, i), y = element(twin, width, i);

        if (x != y) {
            b->differ++;
            b->first = i;
            b->card = x;
            b->twin = y;
        }
    }
}

/* --- the run ---------------------------------------------------------------------------------------------------- */

static enum ordo_status first_run(struct ordo_rig *run, bool planes, bool poison, struct ordo_err *err)
{
    struct ordo_rig_card *on = &run->on;
    enum ordo_status status = ordo_rig_upload(on, &run->problem, &run->twin.a.in, err);

    if (status == ORDO_OK && poison)
        status = ordo_rig_poison(on, 0xa5a5a5a5, err);
    if (status == ORDO_OK)
        status = ordo_rig_start(on, err);
    if (status == ORDO_OK)
        status = ordo_rig_wait(on, err);
    if (status == ORDO_OK && !on->hung)
        status = ordo_rig_residue(on, &run->residue, err);
    return status == ORDO_OK && !on->hung ? ordo_rig_read(on, planes, &run->got, err) : status;
}

bool ordo_rig_differs(const struct ordo_rig *run)
{
    for (int i = 0; i < ORDO_OUTPUTS; i++)
        if (run->bits[i].promised && run->bits[i].differ)
            return true;
    return false;
}

bool ordo_rig_clean(const struct ordo_rig *run)
{
    return run->verdict == ORDO_RIG_PASS || run->verdict == ORDO_RIG_NOT_COMPARED;
}

static bool compared(const struct ordo_rig *run)
{
    for (int i = 0; i < ORDO_OUTPUTS; i++)
        if (run->bits[i].promised && run->bits[i].read && !run->bits[i].compared)
            return false;
    return true;
}

static enum ordo_rig_verdict judge(const struct ordo_rig *run)
{
    if (run->on.hung)
        return ORDO_RIG_HUNG;
    if (ordo_rig_differs(run))
        return ORDO_RIG_DIFFERS;
    if (run->repeats.first >= 0)
        return ORDO_RIG_UNSTABLE;
    if (run->residue)
        return ORDO_RIG_RESIDUE;
    return compared(run) ? ORDO_RIG_PASS : ORDO_RIG_NOT_COMPARED;
}

enum ordo_status ordo_rig_measure(struct ordo_rig *run, const struct ordo_rig_request *q, struct ordo_err *err)
{
    bool planes = wants_planes(run, q);
    enum ordo_status status;

    run->name = *ordo_card_name(run->card);
    run->started_us = ordo_store_now_us();
    run->repeats.first = -1;
    status = first_run(run, planes, !q->no_poison, err);
    if (status == ORDO_OK && !run->on.hung && !q->no_twin)
        status = ordo_twin_run(&run->twin, q->n_thread, planes, err);
    for (int i = 0; i < ORDO_OUTPUTS && status == ORDO_OK && !run->on.hung; i++)
        compare(run, (enum ordo_output)i);
    if (status == ORDO_OK && !run->on.hung)
        status = ordo_rig_repeat(&run->on, &run->problem, q->repeats, &run->repeats, err);
    run->verdict = judge(run);
    return status;
}

enum ordo_status ordo_rig_all(struct ordo_rig *run, const struct ordo_rig_request *q, struct ordo_err *err)
{
    enum ordo_status status = ordo_rig_prepare(run, q, err);

    if (status == ORDO_OK)
        status = make_inputs(run, q, err);
    return status == ORDO_OK ? ordo_rig_measure(run, q, err) : status;
}

void ordo_rig_free(struct ordo_rig *run)
{
    ordo_rig_release(&run->on);
    ordo_rig_outputs_free(&run->got);
    ordo_twin_run_free(&run->twin);
    ordo_contract_scan_free(&run->scan);
    ordo_problem_free(&run->problem);
}
