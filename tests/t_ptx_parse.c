/* t_ptx_parse.c - what the reader of litmus files takes, and the line and reason of what it refuses. */
#include "tests/test.h"

#include "sim/ptx_token.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ONE "PTX t\n{x=0; P0:r0=0; P0:r1=0;};\nP0@cta 0,gpu 0;\n"

static struct ordo_ptx_program p;

static enum ordo_status parse(const char *text, struct ordo_err *err)
{
    *err = (struct ordo_err){0};
    return ordo_ptx_parse("f", text, strlen(text), &p, err);
}

/* Two threads with everything around them. */
static void whole(void **state)
{
    struct ordo_err err;

    (void)state;
    assert_ok(parse("\xef\xbb\xbf" "PTX name\n\"words\n more\"\n"
                    "{ x = 0x10; y @ generic aliases x;\n s @ surface aliases y; P1:r7=-3 }\n"
                    "P0@cta 0,gpu 0 | P1 @ cta 1, cluster 4,gpu 2 ;\n"
                    " st.release.sys [x], 1 | L0: (* note *) ;\n"
                    " | ld.relaxed.gpu.u32 r1, x ; // note\n"
                    " suld.weak r0, s | bne r1, r7, L0 ;\n"
                    "locations [x; y;]\nfilter (x = 1)\n"
                    "forall ((P0:r0 == 1 \\/ not x != 2) /\\ 1:r1 >= 0x2)\n", &err),
              err);
    assert_int_equal(p.n_thread, 2);
    assert_int_equal(p.thread[0].n_op, 2);
    assert_int_equal(p.thread[1].n_op, 2);
    assert_int_equal(p.thread[0].cluster, 0);
    assert_int_equal(p.thread[1].cluster, 4);
    assert_int_equal(p.thread[1].gpu, 2);
    assert_int_equal(p.thread[1].start[ordo_ptx_find_register(&p.thread[1], "r7")], -3);
    assert_int_equal(p.thread[1].op[1].target, 0);
    assert_int_equal(p.loc[0].start, 16);
    assert_int_equal(p.loc[1].place, 0);
    assert_int_equal(p.loc[1].address, 1);
    assert_int_equal(p.loc[2].place, 0);
    assert_int_equal(p.loc[2].address, 1);
    assert_int_equal(p.thread[0].op[0].sem, ORDO_PTX_RELEASE);
    assert_int_equal(p.thread[0].op[0].scope, ORDO_PTX_SYS);
    assert_int_equal(p.thread[0].op[1].proxy, ORDO_PTX_SURFACE);
    assert_string_equal(p.thread[0].op[0].text, "st.release.sys [x], 1");
    assert_int_equal(p.quantifier, ORDO_PTX_FORALL);
    assert_true(p.filter.n > 0);
}

static const struct {
    const char *op;
    enum ordo_ptx_kind kind;
    int sem, scope; /* -1: not looked at */
} taken[] = {
    {"ld r0, 1", ORDO_PTX_ALU, -1, -1},
    {"ld.acquire.gpu r0, 1", ORDO_PTX_ALU, -1, -1},
    {"ld.mmio r0, x", ORDO_PTX_LD, ORDO_PTX_RELAXED, ORDO_PTX_SYS},
    {"ld.mmio.relaxed.sys.u32 r0, x", ORDO_PTX_LD, ORDO_PTX_RELAXED, ORDO_PTX_SYS},
    {"st.mmio.relaxed.sys x, 1", ORDO_PTX_ST, ORDO_PTX_RELAXED, ORDO_PTX_SYS},
    {"atom.acquire.gpu.exch r0, x, 1", ORDO_PTX_ATOM, ORDO_PTX_ACQUIRE, ORDO_PTX_GPU},
    {"ld r0, x", ORDO_PTX_LD, ORDO_PTX_WEAK, -1},
    {"ld r0, [y]", ORDO_PTX_LD, ORDO_PTX_WEAK, -1},
    {"ld.volatile r0, x", ORDO_PTX_LD, ORDO_PTX_RELAXED, ORDO_PTX_SYS},
    {"ld.acquire.cluster r0, x", ORDO_PTX_LD, ORDO_PTX_ACQUIRE, ORDO_PTX_CLUSTER},
    {"cold.weak r0, x", ORDO_PTX_LD, ORDO_PTX_WEAK, -1},
    {"tld.weak r0, x", ORDO_PTX_LD, ORDO_PTX_WEAK, -1},
    {"sust.weak x, r0", ORDO_PTX_ST, ORDO_PTX_WEAK, -1},
    {"atom.add r0, x, 1", ORDO_PTX_ATOM, ORDO_PTX_RELAXED, ORDO_PTX_GPU},
    {"atom.acq_rel.sys.cas.b32 r0, x, 0, r1", ORDO_PTX_ATOM, ORDO_PTX_ACQ_REL, ORDO_PTX_SYS},
    {"red.acq_rel.cta.add x, 1", ORDO_PTX_RED, ORDO_PTX_ACQ_REL, ORDO_PTX_CTA},
    {"fence.gpu", ORDO_PTX_FENCE, ORDO_PTX_ACQ_REL, ORDO_PTX_GPU},
    {"fence.sc.cta", ORDO_PTX_FENCE, ORDO_PTX_SC, ORDO_PTX_CTA},
    {"membar.gl", ORDO_PTX_FENCE, ORDO_PTX_SC, ORDO_PTX_GPU},
    {"fence.proxy.alias", ORDO_PTX_PROXY_FENCE, -1, -1},
    {"fence.proxy.async.global", ORDO_PTX_PROXY_FENCE, -1, -1},
    {"fence.proxy.async.shared::cta", ORDO_PTX_PROXY_FENCE, -1, -1},
    {"ld.relaxed.cta.shared::cta.u32 r0, [x]", ORDO_PTX_LD, ORDO_PTX_RELAXED, ORDO_PTX_CTA},
    {"st.release.cluster.shared::cluster x, 1", ORDO_PTX_ST, ORDO_PTX_RELEASE, ORDO_PTX_CLUSTER},
    {"red.global.add x, 1", ORDO_PTX_RED, ORDO_PTX_RELAXED, ORDO_PTX_GPU},
    {"bar.cta.red.popc.u32 r0, 0, 1", ORDO_PTX_BAR_SYNC, -1, -1},
    {"barrier.cta.red.and.aligned.pred r0, 0, 1, 32, !r1", ORDO_PTX_BAR_SYNC, -1, -1},
    {"bar.cta.sync 1", ORDO_PTX_BAR_SYNC, -1, -1},
    {"bar.sync r0, r1, 2", ORDO_PTX_BAR_SYNC, -1, -1},
    {"barrier.cta.arrive 1, 2", ORDO_PTX_BAR_ARRIVE, -1, -1},
    {"bar.cluster.arrive", ORDO_PTX_CLUSTER_ARRIVE, ORDO_PTX_RELEASE, -1},
    {"barrier.cluster.arrive.relaxed", ORDO_PTX_CLUSTER_ARRIVE, ORDO_PTX_RELAXED, -1},
    {"bar.cluster.wait.acquire", ORDO_PTX_CLUSTER_WAIT, ORDO_PTX_ACQUIRE, -1},
    {"cp.reduce.async.bulk.add x, 1", ORDO_PTX_BULK_RED, ORDO_PTX_RELAXED, ORDO_PTX_GPU},
    {"cp.async.bulk.commit_group", ORDO_PTX_BULK_COMMIT, -1, -1},
    {"cp.async.bulk.wait_group.read 0", ORDO_PTX_BULK_WAIT, -1, -1},
    {"mov r0, r1", ORDO_PTX_ALU, -1, -1},
    {"shl r0, 1, r1", ORDO_PTX_ALU, -1, -1},
    {"div.s32 r0, r1, -2", ORDO_PTX_ALU, -1, -1},
    {"rem r0, r1, 3", ORDO_PTX_ALU, -1, -1},
};

static void instructions(void **state)
{
    char text[200];
    struct ordo_err err;

    (void)state;
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        const struct ordo_ptx_op *op = &p.thread[0].op[0];

        (void)snprintf(text, sizeof text, ONE "%s;\nexists 0==0", taken[i].op);
        assert_ok(parse(text, &err), err);
        assert_int_equal(op->kind, taken[i].kind);
        if (taken[i].sem >= 0)
            assert_int_equal(op->sem, taken[i].sem);
        if (taken[i].scope >= 0)
            assert_int_equal(op->scope, taken[i].scope);
    }
}

static const struct {
    const char *text, *field, *reason;
} refused[] = {
    {"", "line 1", "does not start with PTX"},
    {"PTX t\nx", "line 2", "ends before the initial values"},
    {"PTX t\n{x=0", "line 2", "should stand"},
    {"PTX t\n{x=0; x=1}\n", "line 2", "declared twice"},
    {"PTX t\n{x=99999999999999999999}", "line 2", "does not fit 64 bits"},
    {"PTX t\n{y @ generic aliases y}", "line 2", "another location"},
    {"PTX t\n{y @ generic aliases x; x @ generic aliases y}", "line 2", "an alias of the location stands before it"},
    {"PTX t\n{y @ async aliases x}", "line 2", "not modelled"},
    {"PTX t\n{}\nP0@cta 0;\nexists 0==0", "line 3", "needs cta and gpu"},
    {"PTX t\n{}\nP1@cta 0,gpu 0;\n", "line 3", "where P0 should stand"},
    {ONE "st.weak x, 1 | st.weak x, 1;\nexists 0==0", "line 4", "more columns"},
    {ONE "frob r0, x;\nexists 0==0", "line 4", "'frob' is not modelled"},
    {ONE "ld.weak.relaxed.gpu r0, x;\nexists 0==0", "line 4", "second of its kind"},
    {ONE "ld.acquire.cta.gpu r0, x;\nexists 0==0", "line 4", "second of its kind"},
    {ONE "atom.relaxed.gpu.add.min r0, x, 1;\nexists 0==0", "line 4", "second of its kind"},
    {ONE "ld.weak.add r0, x;\nexists 0==0", "line 4", "does not have"},
    {ONE "st.relaxed.gpu.read x, 1;\nexists 0==0", "line 4", "does not have"},
    {ONE "mov.sc.gpu r0, 1;\nexists 0==0", "line 4", "does not have"},
    {ONE "bar.cta.sync 1, 1, 0;\nexists 0==0", "line 4", "a barrier for 0 threads"},
    {ONE "bar.cta.sync 1, 1, -1;\nexists 0==0", "line 4", "a barrier for -1 threads"},
    {ONE "bar.cta.red.popc r0, 1, 1, 0, 1;\nexists 0==0", "line 4", "a barrier for 0 threads"},
    {ONE "bar.cta.red.popc r0, 1;\nexists 0==0", "line 4", "the value that is reduced"},
    {ONE "bar.cta.red.popc 0, 1;\nexists 0==0", "line 4", "where a register should stand"},
    {ONE "bar.cta.red.add r0, 1, 1;\nexists 0==0", "line 4", "popc, and, or"},
    {ONE "bar.cta.red.popc r0, r1, 1;\nexists 0==0", "line 4", "that a register names"},
    {ONE "bar.cta.sync.popc 1;\nexists 0==0", "line 4", "does not have"},
    {ONE "bar.cluster.red.popc r0, 1, 1;\nexists 0==0", "line 4", "not modelled"},
    {ONE "atom.relaxed.gpu.popc r0, x, 1;\nexists 0==0", "line 4", "operation"},
    {ONE "ld.weak.pred r0, x;\nexists 0==0", "line 4", "reduces predicates"},
    {ONE "fence.acq_rel.gpu.global;\nexists 0==0", "line 4", "limited to a state space"},
    {ONE "st.weak.shared x, 1;\nst.weak.global x, 1;\nexists 0==0", "line 5", "both in global and in shared"},
    {"PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0;\nst.weak.shared x, 1 | st.weak.shared x, 1;\nexists 0==0",
     "line 4", "two CTAs"},
    {"PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0;\nst.weak.shared x, 1 | st.weak x, 1;\nexists 0==0", "line 4",
     "out of reach"},
    {ONE "st.weak x, 9223372036854775808;\nexists 0==0", "line 4", "9223372036854775808 does not fit"},
    {ONE "st.weak x, -9223372036854775809;\nexists 0==0", "line 4", "does not fit 64 bits"},
    {ONE "bar.cta.sync.acquire 1;\nexists 0==0", "line 4", "has no order"},
    {ONE "ld.relaxed r0, x;\nexists 0==0", "line 4", "needs its scope"},
    {ONE "ld.weak.gpu r0, x;\nexists 0==0", "line 4", "has no scope"},
    {ONE "ld.release.gpu r0, x;\nexists 0==0", "line 4", "order"},
    {ONE "st.acquire.gpu x, 1;\nexists 0==0", "line 4", "order"},
    {ONE "ld.relaxed.warp r0, x;\nexists 0==0", "line 4", "'.warp'"},
    {ONE "red.relaxed.gpu.cas x, 0, 1;\nexists 0==0", "line 4", "operation"},
    {ONE "red.relaxed.gpu.exch x, 1;\nexists 0==0", "line 4", "operation"},
    {ONE "cp.reduce.async.bulk.exch x, 1;\nexists 0==0", "line 4", "operation"},
    {ONE "red.acquire.gpu.add x, 1;\nexists 0==0", "line 4", "order"},
    {ONE "membar.cluster;\nexists 0==0", "line 4", "not modelled"},
    {ONE "ld.mmio.acquire.sys r0, x;\nexists 0==0", "line 4", ".relaxed and .sys"},
    {ONE "ld.mmio.relaxed.gpu r0, x;\nexists 0==0", "line 4", ".relaxed and .sys"},
    {ONE "ld.volatile.relaxed.sys r0, x;\nexists 0==0", "line 4", "neither order nor scope"},
    {ONE "div r0, r1, r1;\nexists 0==0", "line 4", "other than 0"},
    {ONE "rem r0, r1, 0;\nexists 0==0", "line 4", "other than 0"},
    {ONE "fence.proxy.tensormap;\nexists 0==0", "line 4", "'.tensormap'"},
    {ONE "fence.proxy;\nexists 0==0", "line 4", "not modelled"},
    {ONE "bar.warp.sync 1;\nexists 0==0", "line 4", "'.warp'"},
    {ONE "bar.cluster.sync;\nexists 0==0", "line 4", "not modelled"},
    {ONE "cp.async.bulk.wait_group r0;\nexists 0==0", "line 4", "plain number"},
    {ONE "goto L;\nexists 0==0", "line 4", "label L does not exist"},
    {ONE "L:;\nL:;\nexists 0==0", "line 5", "stands twice"},
    {ONE "st.weak x, x;\nexists 0==0", "line 4", "where a value should stand"},
    {ONE "ld.weak r0, x;\nld.weak r1, r0;\nexists 0==0", "line 5", "address"},
    {ONE "st.weak.u8 x, 1;\nst.weak.u32 x, 1;\nexists 0==0", "line 5", "mixed-size"},
    {ONE "st.weak x, 1;\n", "line 5", "'exists' should stand"},
    {ONE "st.weak x, 1;\nexists (P3:r0 == 1)", "line 5", "thread 3 of 1"},
    {ONE "st.weak x, 1;\nexists (x == 1", "line 5", "')' should stand"},
    {ONE "st.weak x, 1;\nexists (x + 1)", "line 5", "comparison"},
    {ONE "st.weak x, 1;\nexists x == 1 y", "line 5", "after the condition"},
    {ONE "st.weak x, \x01;\nexists x == 1", "line 4", "0x01"},
};

static void refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct ordo_err err;
        enum ordo_status status = parse(refused[i].text, &err);

        if (status != ORDO_BAD_INPUT || strcmp(err.field, refused[i].field) != 0 ||
            !strstr(err.reason, refused[i].reason))
            fail_msg("%s\n-> %d %s: %s", refused[i].text, status, err.field, err.reason);
    }
}

/* A name that nothing sets is read as 0, and said: it may be misspelt. */
static void notes(void **state)
{
    static const struct {
        const char *text, *note;
    } said[] = {
        {ONE "ld.weak r0, x;\nexists (P0:r0 == 0 /\\ P0:r1 == 0 /\\ [x] == 0 /\\ true)", ""},
        {ONE "st.weak x, r9;\nexists 0==0", "P0:r9 is never set, read as 0"},
        {ONE "L: bne r7, 1, L;\nexists (P0:r8 == 0)", "P0:r7 is never set, read as 0; P0:r8 is never set, read as 0"},
        {ONE "st.weak y, 1;\nexists (y == 1 /\\ z == 0)", "z stands in the condition only, read as 0"},
        {"PTX t\n{ y @ generic aliases x; }\nP0@cta 0,gpu 0;\nst.weak y, 1;\nexists 0==0",
         "x has an alias but no initial value, 0 is taken"},
        {"PTX t\n{ y @ generic aliases x; x; z }\nP0@cta 0,gpu 0;\nst.weak y, 1;\nexists (z == 0)", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++) {
        struct ordo_err err;

        assert_ok(parse(said[i].text, &err), err);
        assert_string_equal(p.note, said[i].note);
    }
    assert_string_equal(p.loc[0].name, "x");
    assert_string_equal(p.loc[1].name, "y");
    assert_int_equal(p.loc[1].place, 0);
}

/* Every limit is a refusal, whatever is repeated. */
static void limits(void **state)
{
    static const struct {
        const char *head, *more, *tail;
        int times;
    } much[] = {
        {ONE, "st.weak x, 1;\n", "exists 0==0", 100},
        {ONE "st.weak x, 1;\nexists ", "(", "", 100},
        {ONE "st.weak x, 1;\nexists ", "not ", "0==0", 100},
        {ONE "st.weak x, 1;\nexists 0==0", " /\\ 0==0", "", 100},
        {"PTX t\n{}\nP0@cta 0,gpu 0", " | P0@cta 0,gpu 0", ";\nexists 0==0", 100},
        {ONE "st.weak ", "y", ", 1;\nexists 0==0", 100},
    };

    (void)state;
    for (size_t i = 0; i < sizeof much / sizeof much[0]; i++) {
        char *text = calloc(1, 4096);
        struct ordo_err err;

        assert_non_null(text);
        (void)snprintf(text, 4096, "%s", much[i].head);
        for (int j = 0; j < much[i].times; j++)
            strcat(text, much[i].more);
        strcat(text, much[i].tail);
        assert_int_equal(parse(text, &err), ORDO_BAD_INPUT);
        assert_true(err.reason[0]);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole),
        cmocka_unit_test(instructions),
        cmocka_unit_test(refusals),
        cmocka_unit_test(notes),
        cmocka_unit_test(limits),
    };

    return cmocka_run_group_tests_name("ptx_parse", tests, NULL, NULL);
}
