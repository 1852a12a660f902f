/* t_plan.c - the plan to the byte: published figures, every switch point, nothing beyond 64 bits.
 *
 * The golden numbers come from a separate program; `formula` below says them once more in 128 bits. */
#include "sim/design.h"
#include "sim/plan.h"
#include "sim/workspace.h"
#include "tests/naive.h"
#include "tests/plan_case.h"

#define GIB (UINT64_C(1) << 30)

/* Design (P or R), cluster, wave, waves and head blocks, then bytes, private bytes, words, mask rows. */
static const struct golden {
    int32_t q, kv, heads, dqk;
    enum ordo_target target;
    char design;
    int32_t cluster, wave, waves, blocks;
    uint64_t bytes, private_bytes, words, rows;
} golden[] = {
    /* published with #1770 */
    {257, 65537, 64, 576, 0, 'R', 8, 128, 3, 1, 2419519488, 19329847296, 49158, 86},
    {4096, 278528, 64, 576, 0, 'R', 8, 128, 32, 1, 10412380160, 82143346688, 2228224, 3869},
    {16384, 524288, 64, 576, 0, 'R', 16, 128, 128, 1, 10745821184, 154627211264, 33554432, 58255},
    {16384, 1048576, 64, 576, 0, 'R', 16, 128, 128, 1, 21483235328, 309246033920, 67108864, 116509},
    {4096, 65536, 64, 576, 0, 'R', 8, 128, 32, 1, 2451599360, 19329449984, 524288, 911},
    {16384, 131072, 64, 576, 0, 'R', 4, 128, 128, 1, 9940508672, 38663094272, 2097152, 3641},
    {16384, 393216, 64, 576, 0, 'R', 4, 128, 128, 1, 29804748800, 115972505600, 6291456, 10923},
    /* more heads, another width, nothing a multiple of 8 */
    {257, 65537, 96, 576, 0, 'R', 8, 128, 3, 2, 2422720512, 19329914880, 98316, 171},
    {257, 65537, 128, 576, 0, 'R', 8, 128, 3, 2, 2422788096, 19329982464, 98316, 171},
    {257, 65537, 128, 512, 0, 'R', 8, 128, 3, 2, 2154340352, 17182236672, 98316, 193},
    {257, 65537, 64, 570, 0, 'R', 8, 128, 3, 1, 2419519488, 19329847296, 49158, 86},
    {16384, 1048576, 128, 512, 0, 'R', 16, 128, 128, 2, 21491613696, 274894684160, 134217728, 262144},
    {4099, 278531, 64, 576, 0, 'R', 8, 128, 33, 1, 10417139712, 82145710080, 2297922, 3990},
    /* 8,192 queries choose the cluster */
    {8191, 300000, 64, 576, 0, 'R', 8, 128, 64, 1, 11370618880, 88477794304, 4800000, 8334},
    {8192, 300000, 64, 576, 0, 'R', 4, 128, 64, 1, 22429818880, 88477794304, 2400000, 4167},
    /* the boundary shapes of #810 */
    {1, 1, 64, 512, 0, 'P', 1, 32, 1, 1, 528384, 528384, 0, 0},
    {8, 65, 16, 576, 0, 'P', 1, 32, 1, 1, 5309440, 5309440, 0, 0},
    {128, 129, 96, 512, 0, 'P', 1, 32, 4, 2, 9011200, 9011200, 0, 0},
    /* sm90 waves */
    {257, 65537, 64, 576, 1, 'R', 8, 120, 3, 1, 2268307968, 19329847296, 49158, 86},
    {16384, 131072, 64, 576, 1, 'R', 4, 120, 137, 1, 9337445888, 38663094272, 2244608, 3897},
    {16384, 1048576, 64, 576, 1, 'R', 16, 112, 147, 1, 19077797120, 309246033920, 77070336, 133803},
    {4096, 278528, 128, 576, 1, 'R', 8, 120, 35, 2, 9922603264, 82145443840, 4874240, 8463},
};

static void to_the_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        const struct golden *g = &golden[i];
        struct ordo_request request = ask(g->q, g->kv, g->heads, g->dqk, g->target);
        struct ordo_plan p = plan_of(&request);

        assert_string_equal(p.design->name, g->design == 'P' ? "private-shards" : "cluster-relay");
        assert_int_equal(p.cluster, g->cluster);
        assert_int_equal(p.wave, g->wave);
        assert_int_equal(p.planes, g->wave / g->cluster);
        assert_int_equal(p.waves, g->waves);
        assert_int_equal(p.head_blocks, g->blocks);
        assert_int_equal(p.workspace_bytes, g->bytes);
        assert_int_equal(p.private_workspace_bytes, g->private_bytes);
        assert_int_equal(p.mask_words_per_plane, g->words);
        assert_int_equal(p.mask_rows, g->rows);
    }
}

/* --- where the policy changes its mind -------------------------------------------------------------------------- */

/* At kv rows the plan has this cluster (1: private shards), one row more and it has the next. */
static void assert_switch(int32_t n_query, int32_t n_head, int32_t d_qk, enum ordo_target target, int32_t kv,
                          int32_t before, int32_t after)
{
    struct ordo_request request = ask(n_query, kv, n_head, d_qk, target);
    uint64_t limit = before == 1 ? 16 * GIB : 32 * GIB;

    assert_int_equal(plan_of(&request).cluster, before);
    assert_true(plan_of(&request).workspace_bytes <= limit);
    request.n_kv++;
    assert_int_equal(plan_of(&request).cluster, after);
    request.design = before == 1 ? &ordo_design_private_shards : NULL;
    request.cluster = before;
    assert_true(plan_of(&request).workspace_bytes > limit);
}

static void switch_points(void **state)
{
    struct ordo_request exact = ask(128, 233016, 64, 576, ORDO_TARGET_SM100);

    (void)state;
    assert_switch(1, 64, 576, 0, 233016, 1, 8);
    assert_switch(128, 64, 576, 0, 233016, 1, 8);
    assert_true(plan_of(&exact).workspace_bytes == 16 * GIB); /* to the byte: 16 GiB still fit */
    assert_switch(129, 64, 576, 0, 116504, 1, 8);
    assert_switch(256, 64, 576, 0, 116504, 1, 8);
    assert_switch(257, 64, 576, 0, 58248, 1, 8);
    assert_switch(8191, 64, 576, 0, 58240, 1, 8);
    assert_switch(8192, 64, 576, 0, 58240, 1, 4);
    assert_switch(16384, 64, 576, 0, 58224, 1, 4);
    assert_switch(128, 128, 512, 0, 262136, 1, 8);
    assert_switch(4096, 128, 512, 0, 65520, 1, 8);
    assert_switch(257, 64, 576, 0, 930848, 8, 16);
    assert_switch(4096, 64, 576, 0, 919240, 8, 16);
    assert_switch(8191, 64, 576, 0, 906760, 8, 16);
    assert_switch(8192, 64, 576, 0, 459592, 4, 16);
    assert_switch(16384, 64, 576, 0, 453320, 4, 16);
    assert_switch(65536, 64, 576, 0, 419016, 4, 16);
    assert_switch(4096, 128, 512, 0, 1016672, 8, 16);
    assert_switch(4096, 64, 576, ORDO_TARGET_SM90, 979264, 8, 16);
    assert_switch(16384, 64, 576, ORDO_TARGET_SM90, 482624, 4, 16);
}

static void private_planes(void **state)
{
    static const int32_t q[] = {0, 1, 128, 129, 256, 257, 100000}, planes[] = {32, 32, 32, 64, 64, 128, 128};

    (void)state;
    for (int i = 0; i < 7; i++)
        for (enum ordo_target t = ORDO_TARGET_SM100; t <= ORDO_TARGET_SM90; t++) {
            struct ordo_request request = ask(q[i], 64, 64, 576, t);
            struct ordo_plan p = plan_of(&request);

            assert_int_equal(p.cluster, 1);
            assert_int_equal(p.planes, planes[i]);
            assert_int_equal(p.wave, planes[i]);
            assert_int_equal(p.waves, (q[i] + planes[i] - 1) / planes[i]);
        }
}

/* --- the formula in 128 bits ------------------------------------------------------------------------------------ */

typedef unsigned __int128 wide;

static wide round_to(wide x, wide unit)
{
    return (x + unit - 1) / unit * unit;
}

static wide formula(const struct ordo_request *r, wide wave, wide cluster, wide *words, wide *rows)
{
    wide k8 = round_to((wide)r->n_kv, 8), d8 = round_to((wide)r->d_qk, 8);
    wide vectors = round_to((wide)r->n_head * round_to((wide)r->n_query, 8) * 8, 128);
    wide waves = ((wide)r->n_query + wave - 1) / wave, blocks = ((wide)r->n_head + 63) / 64;

    *words = cluster > 1 ? waves * blocks * (k8 * cluster / 32) : 0;
    *rows = (*words + d8 - 1) / d8;
    return (cluster > 1 ? wave / cluster * (k8 + *rows) * d8 * 4 : round_to(wave * k8 * d8 * 4, 128)) + vectors;
}

static void formula_at_random(void **state)
{
    static const int32_t cluster[] = {1, 4, 8, 16}, wave[] = {128, 120, 128, 112};
    uint64_t x = 5, n_overflow = 0;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        int c = i % 4;
        int32_t e[4];

        for (int k = 0; k < 4; k++) {
            x = x * 6364136223846793005u + 1442695040888963407u;
            e[k] = (int32_t)((x >> 33) >> (x >> 27 & 31) % 31);
        }
        struct ordo_request r = {.n_query = e[0], .n_kv = e[1], .topk = 8, .n_head = e[2] | 1, .d_qk = e[3] | 1,
                                 .d_v = 1, .cluster = cluster[c], .wave = wave[c],
                                 .design = c ? NULL : &ordo_design_private_shards};
        struct ordo_plan p;
        struct ordo_err err = {0};
        wide words, rows, ignored, total = formula(&r, (wide)wave[c], (wide)cluster[c], &words, &rows);
        wide own = formula(&r, r.n_query <= 128 ? 32 : r.n_query <= 256 ? 64 : 128, 1, &ignored, &ignored);

        if (total > UINT64_MAX || own > UINT64_MAX) {
            assert_int_equal(ordo_plan_make(&r, &p, &err), ORDO_BAD_INPUT);
            assert_string_equal(err.field, total > UINT64_MAX ? "workspace_bytes" : "private_workspace_bytes");
            assert_non_null(strstr(err.reason, "64 bits"));
            n_overflow++;
            continue;
        }
        p = plan_of(&r);
        assert_true(p.workspace_bytes == (uint64_t)total && p.private_workspace_bytes == (uint64_t)own);
        assert_true(p.mask_words_per_plane == (uint64_t)words && p.mask_rows == (uint64_t)rows);
    }
    assert_true(n_overflow > 500);
}

static void extremes(void **state)
{
    struct ordo_request r = ask(0, 0, 64, 576, ORDO_TARGET_SM100);
    struct ordo_plan p = plan_of(&r);
    struct ordo_err err = {0};

    (void)state;
    assert_int_equal(p.workspace_bytes, 0);
    assert_int_equal(p.waves, 0);
    r = ask(1000, 0, 64, 576, ORDO_TARGET_SM100);
    p = plan_of(&r);
    assert_int_equal(p.workspace_bytes, 64 * 1000 * 8);
    assert_int_equal(p.waves, 8);
    r.cluster = 8;
    p = plan_of(&r);
    assert_int_equal(p.workspace_bytes, 64 * 1000 * 8);
    assert_int_equal(p.mask_words_per_plane, 0);
    r = ask(0, 1000, 64, 576, ORDO_TARGET_SM100);
    assert_int_equal(plan_of(&r).workspace_bytes, 32 * 1000 * 576 * 4);
    r = ask(INT32_MAX, INT32_MAX, 64, 576, ORDO_TARGET_SM100);
    p = plan_of(&r);
    assert_int_equal(p.cluster, 16);
    assert_int_equal(p.waves, 16777216);
    r.n_head = r.d_qk = INT32_MAX;
    assert_int_equal(ordo_plan_make(&r, &p, &err), ORDO_BAD_INPUT);
    assert_string_equal(err.field, "workspace_bytes");
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(to_the_byte),       cmocka_unit_test(switch_points), cmocka_unit_test(private_planes),
        cmocka_unit_test(formula_at_random), cmocka_unit_test(extremes),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
