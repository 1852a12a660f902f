/* bench_twin.c - the twin's tensor core beside a loop of fmaf, and the errors of its functions, counted. */
#include "cli/bench.h"
#include "cli/census.h"
#include "cli/out.h"
#include "ref/bench_mma.h"

#include <inttypes.h>
#include <stdio.h>

/* --- mma -------------------------------------------------------------------------------------------------------- */

enum ordo_status ordo_bench_twin_mma(const struct ordo_args *args, struct ordo_err *err)
{
    struct ordo_bench_mma bench;
    enum ordo_status status = ordo_bench_mma(&bench, err);
    json_t *o;

    if (status != ORDO_OK)
        return status;
    if (!args->json)
        printf("fmaf loop, one chain an element  %.3f GMAC/s\n", bench.fmaf_loop);
    for (int i = 0; i < ORDO_ISAS; i++) {
        if (!ordo_isa_has((enum ordo_isa)i))
            continue;
        if (!args->json) {
            printf("sm90 by %-7s %.3f GMAC/s (%.2f x the loop), with bounds %.3f\n", ordo_isa_name[i],
                   bench.rate[i][0], bench.rate[i][0] / bench.fmaf_loop, bench.rate[i][1]);
            continue;
        }
        o = ordo_json_new("ordo.bench/1");
        ordo_json_text(o, "bench", "mma");
        ordo_json_text(o, "isa", ordo_isa_name[i]);
        ordo_json_real(o, "gmac_per_second", bench.rate[i][0]);
        ordo_json_real(o, "gmac_per_second_bounded", bench.rate[i][1]);
        ordo_json_real(o, "fmaf_loop_gmac_per_second", bench.fmaf_loop);
        ordo_json_int(o, "disagreements", bench.disagreements);
        ordo_out_json(o);
    }
    if (bench.disagreements)
        return ordo_fail(err, ORDO_INTERNAL, NULL, "mma", "%" PRIu32 " elements differ from the scalar product",
                         bench.disagreements);
    return ORDO_OK;
}

/* --- exp2 ------------------------------------------------------------------------------------------------------- */

static void say_function(const struct ordo_args *args, const struct ordo_census_row *r, uint32_t step)
{
    char fnv[17];
    json_t *o;

    if (!args->json) {
        printf("%-14s  %10" PRIu64 "  %11" PRIu64 "  %11" PRIu64 "  %+8.4f  %+8.4f", r->name, r->count.n,
               r->count.not_nearest, r->count.above_ulp, r->count.low, r->count.high);
        if (step == 1)
            printf("  %016" PRIx64, r->digest);
        printf("\n");
        return;
    }
    o = ordo_json_new("ordo.bench/1");
    ordo_json_text(o, "bench", "exp2");
    ordo_json_text(o, "function", r->name);
    ordo_json_int(o, "step", step);
    ordo_json_u64(o, "inputs", r->count.n);
    ordo_json_u64(o, "not_nearest", r->count.not_nearest);
    ordo_json_u64(o, "above_one_ulp", r->count.above_ulp);
    ordo_json_real(o, "lowest_ulp", r->count.low);
    ordo_json_real(o, "highest_ulp", r->count.high);
    (void)snprintf(fnv, sizeof fnv, "%016" PRIx64, r->digest);
    if (step == 1)
        ordo_json_text(o, "fnv", fnv);
    ordo_out_json(o);
}

enum ordo_status ordo_bench_twin_exp2(const struct ordo_args *args, struct ordo_err *err)
{
    uint32_t step = (uint32_t)ordo_opt_int(args, "step");
    struct ordo_census_row row[ORDO_UNARIES];
    enum ordo_status status = ordo_census_all(step, row, err);

    if (status == ORDO_OK && !args->json)
        printf("function            inputs  not nearest  above 1 ulp    lowest   highest ulp%s\n",
               step == 1 ? "  FNV of all 2^32" : "");
    for (int i = 0; i < ORDO_UNARIES && status == ORDO_OK; i++)
        say_function(args, &row[i], step);
    return status;
}
