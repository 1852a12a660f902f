/* capture.c - records golden outputs on a card, and measures them again.
 *
 *   capture --record          the main cases, as a golden file on stdout
 *   capture --record-all      functions of one word on all 2^32 inputs
 *   capture --verify FILE...  measures every case of the files again; says which differs
 *   capture --self-test       the same of the file that is built in: the bits that a card must give before tier T0
 *                             may be claimed on it
 *   capture --layouts         products of small integers: every operand is where its descriptor says
 *
 * Exit codes: 0 equal, 1 a difference, 2 usage, 3 a file that cannot be used, 4 not run (no driver, no card). */
#include "base/clock.h"
#include "base/digest.h"
#include "kernels/cases.h"
#include "kernels/image.h"
#include "kernels/layouts.h"
#include "kernels/measure.h"
#include "kernels/verify.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct run {
    struct ordo_gpu *gpu;
    struct ordo_golden card; /* its head: what the outputs come from */
    struct ordo_verified sum;
};

/* --- recording -------------------------------------------------------------------------------------------------- */

static enum ordo_status record_case(void *context, const struct ordo_golden_case *item, bool words,
                                    struct ordo_err *err)
{
    struct run *run = context;
    struct ordo_golden_case got = *item;
    enum ordo_status status = ordo_measure(run->gpu, item->value, words, &got, err);

    if (status == ORDO_OK)
        ordo_golden_print(stdout, &got);
    else
        fprintf(stderr, "capture: case %s:\n", item->name);
    free(got.word);
    return status;
}

static enum ordo_status record(struct run *run, char **file, struct ordo_err *err)
{
    (void)file;
    ordo_golden_print_head(stdout, &run->card);
    return ordo_cases_main(record_case, run, err);
}

static enum ordo_status record_all(struct run *run, char **file, struct ordo_err *err)
{
    (void)file;
    ordo_golden_print_head(stdout, &run->card);
    return ordo_cases_all(record_case, run, err);
}

/* --- measuring again -------------------------------------------------------------------------------------------- */

static enum ordo_status verify(struct run *run, char **file, struct ordo_err *err)
{
    enum ordo_status status = ORDO_OK;
    struct ordo_golden golden;

    for (; *file != NULL && status == ORDO_OK; file++) {
        status = ordo_golden_read(&golden, *file, err);
        if (status == ORDO_OK)
            status = ordo_verify(run->gpu, stdout, *file, &golden, &run->sum, err);
        if (status == ORDO_OK && strcmp(golden.cubin, run->card.cubin) != 0)
            printf("%s was recorded by another build, cubin %.16s...\n", *file, golden.cubin);
        ordo_golden_free(&golden);
    }
    return status;
}

static enum ordo_status self_test(struct run *run, char **file, struct ordo_err *err)
{
    enum ordo_status status = ordo_self_test(run->gpu, stdout, &run->sum, err);

    (void)file;
    if (status == ORDO_OK)
        printf("tier T0 %s be claimed on this card\n", run->sum.n_bad == 0 ? "may" : "must not");
    return status;
}

static enum ordo_status layouts(struct run *run, char **file, struct ordo_err *err)
{
    uint32_t n_run = 0, n_bad = 0;
    enum ordo_status status = ordo_layouts(run->gpu, stdout, &n_run, &n_bad, err);

    (void)file;
    run->sum.n_case = n_run;
    run->sum.n_bad = n_bad;
    return status;
}

/* --- the program ------------------------------------------------------------------------------------------------ */

static const struct mode {
    const char *name;
    enum ordo_status (*run)(struct run *run, char **file, struct ordo_err *err);
    bool files, verdict; /* takes files; ends with a line that says how it went */
} modes[] = {{"--record", record, false, false},
             {"--record-all", record_all, false, false},
             {"--verify", verify, true, true},
             {"--self-test", self_test, false, true},
             {"--layouts", layouts, false, true}};

static enum ordo_status open_card(struct run *run, struct ordo_err *err)
{
    size_t bytes = (size_t)(ordo_image_cubin_end - ordo_image_cubin);
    enum ordo_status status = ordo_gpu_open(&run->gpu, ordo_image_cubin, err);
    struct ordo_digest digest;
    struct ordo_hasher hasher;

    if (status != ORDO_OK)
        return status;
    ordo_hasher_init(&hasher);
    ordo_hasher_bytes(&hasher, ordo_image_cubin, bytes);
    digest = ordo_hasher_done(&hasher);
    ordo_digest_hex(&digest, run->card.cubin);
    strcpy(run->card.device, ordo_gpu_name(run->gpu)->device);
    strcpy(run->card.driver, ordo_gpu_name(run->gpu)->driver);
    strcpy(run->card.toolkit, ordo_gpu_name(run->gpu)->toolkit);
    run->card.sm = ordo_gpu_name(run->gpu)->sm;
    return ORDO_OK;
}

static void say_verdict(const struct mode *mode, const struct run *run, double seconds)
{
    printf("%s on %s, driver %s, toolkit %s, cubin %.16s...\n", mode->name + 2, run->card.device, run->card.driver,
           run->card.toolkit, run->card.cubin);
    printf("%" PRIu64 " cases, %" PRIu64 " words, %" PRIu64 " cases differ; %.2f s\n", run->sum.n_case,
           run->sum.n_word, run->sum.n_bad, seconds);
}

static int finish(const struct mode *mode, const struct run *run, enum ordo_status status, const struct ordo_err *err,
                  double seconds)
{
    if (status != ORDO_OK) {
        fprintf(stderr, "capture: %s%s%s%s%s%s\n", status == ORDO_ENVIRONMENT ? "not run: " : "", err->file,
                err->file[0] ? ": " : "", err->field, err->field[0] ? ": " : "", err->reason);
        return (int)status;
    }
    if (mode->verdict)
        say_verdict(mode, run, seconds);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "capture: stdout cannot be written\n");
        return ORDO_ENVIRONMENT;
    }
    return run->sum.n_bad == 0 ? ORDO_OK : ORDO_FINDING;
}

int main(int argc, char **argv)
{
    const struct mode *mode = NULL;
    struct run run = {.gpu = NULL};
    struct ordo_err err = {.file = ""};
    double start = ordo_seconds();
    enum ordo_status status;

    for (size_t i = 0; argc >= 2 && i < sizeof modes / sizeof modes[0]; i++)
        if (strcmp(argv[1], modes[i].name) == 0 && (argc > 2) == modes[i].files)
            mode = &modes[i];
    if (mode == NULL) {
        fprintf(stderr, "usage: capture --record | --record-all | --verify FILE... | --self-test | --layouts\n");
        return ORDO_USAGE;
    }
    status = open_card(&run, &err);
    if (status == ORDO_OK)
        status = mode->run(&run, argv + 2, &err);
    ordo_gpu_close(run.gpu);
    return finish(mode, &run, status, &err, ordo_seconds() - start);
}
