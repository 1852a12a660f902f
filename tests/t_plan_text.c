/* t_plan_text.c - a plan as asked for or refused; its launches, its text and the digest of that. */
#include "sim/design.h"
#include "sim/plan.h"
#include "tests/naive.h"
#include "tests/plan_case.h"

#include <stdbool.h>

static void refuse(int32_t cluster, int32_t wave, const struct ordo_design *design, int32_t d_v, const char *field)
{
    struct ordo_request r = ask(300, 4096, 64, 576, ORDO_TARGET_SM100);
    struct ordo_plan p;
    struct ordo_err err = {0};

    r.cluster = cluster;
    r.wave = wave;
    r.design = design;
    r.d_v = d_v;
    assert_int_equal(ordo_plan_make(&r, &p, &err), ORDO_USAGE);
    assert_string_equal(err.field, field);
    assert_true(err.reason[0] != '\0');
}

static void refusals(void **state)
{
    (void)state;
    refuse(8, 100, NULL, 512, "wave");
    refuse(16, 120, NULL, 512, "wave");
    refuse(4, 3, NULL, 512, "wave");
    refuse(0, 30, &ordo_design_cluster_relay, 512, "wave");
    refuse(4, 0, &ordo_design_private_shards, 512, "cluster");
    refuse(5, 0, NULL, 512, "cluster");
    refuse(1, 0, &ordo_design_cluster_relay, 512, "cluster");
    refuse(0, 0, NULL, 577, "dv");
}

static void as_asked(void **state)
{
    struct ordo_request r = ask(300, 4096, 64, 576, ORDO_TARGET_SM100);
    struct ordo_plan p;

    (void)state;
    r.design = &ordo_design_cluster_relay; /* the policy would take private shards */
    p = plan_of(&r);
    assert_int_equal(p.cluster, 8);
    r.cluster = 16;
    r.wave = 48;
    p = plan_of(&r);
    assert_int_equal(p.planes, 3);
    assert_int_equal(p.waves, 7);
    r = ask(300, 4096, 64, 576, ORDO_TARGET_SM90);
    r.cluster = 16;
    p = plan_of(&r);
    assert_int_equal(p.wave, 112);
    assert_int_equal(p.planes, 7);
    r.cluster = 4;
    assert_int_equal(plan_of(&r).planes, 30);
    r.cluster = 8;
    assert_int_equal(plan_of(&r).planes, 15);
    r = ask(16384, 1048576, 64, 576, ORDO_TARGET_SM100);
    r.design = &ordo_design_private_shards; /* 288 GiB, but asked for */
    p = plan_of(&r);
    assert_int_equal(p.planes, 128);
    assert_int_equal(p.workspace_bytes, p.private_workspace_bytes);
}

/* --- launches, text, digest ------------------------------------------------------------------------------------- */

static bool names(const char *list, const char *segment)
{
    size_t n = strlen(segment);

    for (const char *at = list; (at = strstr(at, segment)) != NULL; at++)
        if ((at == list || at[-1] == ',') && (at[n] == ',' || at[n] == '\0'))
            return true;
    return false;
}

static void launches(void **state)
{
    static const char *const kernel[] = {"clear", "mask_build", "preprocess", "backward", "dsink", "fold", "convert"};

    (void)state;
    for (int relay = 0; relay < 2; relay++) {
        struct ordo_request r = ask(16384, 4096, 128, 512, ORDO_TARGET_SM100);
        struct ordo_plan p;
        uint64_t total = 0;
        int at = 0;

        r.cluster = relay ? 4 : 0;
        p = plan_of(&r);
        assert_int_equal(p.n_launch, 6 + relay);
        for (int i = 0; i < 7; i++) {
            if (!relay && i == 1)
                continue;
            const struct ordo_launch *l = &p.launch[at++];

            assert_string_equal(l->kernel, kernel[i]);
            assert_int_equal(l->count, i == 3 ? 128 * 2 : 1);
            assert_int_equal(names(l->clears, "masks"), relay && (i == 0 || i == 3));
            assert_int_equal(names(l->writes, "masks"), i == 1);
            assert_int_equal(names(l->reads, "masks"), relay && i == 3);
            assert_int_equal(names(l->clears, "planes"), i == 0);
            assert_int_equal(names(l->reads, "planes"), i == 3 || i >= 5);
            assert_int_equal(names(l->writes, "dkv"), i == 6);
            total += l->count;
        }
        assert_int_equal(total, 256 + 5 + relay); /* at H = 64 the published 133 */
    }
}

static char *text_of(const struct ordo_plan *plan)
{
    char *text = NULL;
    size_t n;
    FILE *out = open_memstream(&text, &n);

    assert_non_null(out);
    ordo_plan_print(plan, out);
    assert_int_equal(fclose(out), 0);
    return text;
}

static void text(void **state)
{
    static const char want[] =
        "ordo-plan/1\nq 257\nkv 65537\ntopk 2048\nheads 128\ndqk 576\ndv 512\ntarget sm90\ndesign cluster-relay\n"
        "wave 120\ncluster 8\nplanes 15\nhead_blocks 2\nwaves 3\nworkspace_bytes 2271380736\n"
        "mask_words_per_plane 98316\nmask_rows 171\n"
        "launch clear 1 reads - writes - clears planes,masks\n"
        "launch mask_build 1 reads topk_idxs,topk_length writes masks clears -\n"
        "launch preprocess 1 reads out,dout,lse,attn_sink,topk_idxs,topk_length writes delta,folded_lse clears -\n"
        "launch backward 6 reads q,kv,dout,topk_idxs,topk_length,delta,folded_lse,masks,planes writes dq,planes "
        "clears masks\n"
        "launch dsink 1 reads lse,attn_sink,delta writes d_sink clears -\n"
        "launch fold 1 reads planes writes planes clears -\n"
        "launch convert 1 reads planes writes dkv clears -\n"
        "contract mma k16-steps-from-zero\ncontract tile 64-slots\ncontract head_block 64\n"
        "contract s_groups ascending-16\n";
    struct ordo_request r = ask(257, 65537, 128, 576, ORDO_TARGET_SM90);
    struct ordo_plan p = plan_of(&r);
    struct ordo_digest d;
    struct ordo_hasher h;
    char *got = text_of(&p);

    (void)state;
    if (strncmp(got, want, strlen(want)) != 0)
        fail_msg("the plan's text is\n%s", got);
    assert_non_null(strstr(got, "\ncontract plane_start zero\n"));
    assert_non_null(strstr(got, "\ncontract fold groups-of-8-from-zero\n"));
    assert_non_null(strstr(got, "\ncontract add ieee\n"));
    ordo_hasher_init(&h);
    ordo_hasher_text(&h, got);
    d = ordo_hasher_done(&h);
    assert_memory_equal(&d, &p.digest, sizeof d);
    free(got);
}

/* Whatever is declared is in the digest; the plan of the same declaration is the same plan. */
static void digest_tells_plans_apart(void **state)
{
    struct ordo_request r[12];
    struct ordo_digest d[12];
    int n = sizeof r / sizeof r[0];

    (void)state;
    for (int i = 0; i < n; i++)
        r[i] = ask(300, 4096, 64, 576, ORDO_TARGET_SM100);
    r[1].n_query = 301;
    r[2].n_kv = 4097;
    r[3].topk = 2047;
    r[4].n_head = 63;
    r[5].d_qk = 575;
    r[6].d_v = 511;
    r[7].target = ORDO_TARGET_SM90;
    r[8].cluster = 8;
    r[9].cluster = 4;
    r[10].wave = 64;
    r[11].design = &ordo_design_private_shards; /* what the policy takes anyway */
    for (int i = 0; i < n; i++) {
        d[i] = plan_of(&r[i]).digest;
        for (int k = 0; k < i; k++)
            assert_int_equal(memcmp(&d[i], &d[k], sizeof d[i]) == 0, i == 11 && k == 0);
    }
}

int main(void)
{
    const struct CMUnitTest test[] = {
        cmocka_unit_test(refusals), cmocka_unit_test(as_asked),
        cmocka_unit_test(launches), cmocka_unit_test(text),
        cmocka_unit_test(digest_tells_plans_apart),
    };

    return cmocka_run_group_tests(test, NULL, NULL);
}
