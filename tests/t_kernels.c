/* t_kernels.c - the kernels' C interface as far as it goes without a card: every refusal by its sentence, and the
 * launches of a pass, their order, extents and workspace, and that each kernel is compiled for its plan's columns. */
#include "tests/test.h"

#include "kernels/card.h"
#include "kernels/dsa_launch.h"
#include "kernels/dsa_tensor.h"
#include "sim/contract.h"
#include "sim/design.h"

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static struct ordo_plan plan_of(const struct ordo_design *design, int32_t q, int32_t kv, int32_t heads, int32_t dqk,
                                int32_t cluster, int32_t wave)
{
    struct ordo_request r = {q, kv, 64, heads, dqk, 512, ORDO_TARGET_SM90, design, cluster, wave};
    struct ordo_plan plan;
    struct ordo_err err = {0};

    assert_ok(ordo_plan_make(&r, &plan, &err), err);
    return plan;
}

/* Tensors that fit, at made-up addresses: nothing is dereferenced. */
static struct ordo_kernels_tensors tensors_of(const struct ordo_plan *plan)
{
    struct ordo_kernels_tensors t = {.workspace = (void *)0x7000000000,
                                     .workspace_bytes = ordo_kernels_workspace(plan, ORDO_BACKWARD),
                                     .scale = 0.0625f};

    for (int i = 0; i < ORDO_DSA_TENSORS; i++)
        *(struct ordo_tensor *)(void *)((char *)&t + ordo_dsa_tensor[i].member) =
            ordo_dsa_make(plan, i, (void *)(uintptr_t)(0x1000000000 * (uintptr_t)(i + 1) + 16));
    return t;
}

static void assert_refused(const struct ordo_plan *plan, const struct ordo_kernels_tensors *t, enum ordo_pass pass,
                           const char *field, const char *reason)
{
    struct ordo_err err = {0};

    assert_int_equal(ordo_kernels_check(plan, t, pass, &err), ORDO_BAD_INPUT);
    assert_string_equal(err.field, field);
    assert_string_equal(err.reason, reason);
}

/* --- refusals --------------------------------------------------------------------------------------------------- */

static void plans(void **state)
{
    struct ordo_plan plan = plan_of(NULL, 8, 65, 16, 576, 0, 0), other;
    struct ordo_kernels_tensors t = tensors_of(&plan);
    struct ordo_contract contract = *plan.contract;
    struct ordo_err err = {0};

    (void)state;
    assert_ok(ordo_kernels_check(&plan, &t, ORDO_FORWARD, &err), err);
    assert_ok(ordo_kernels_check(&plan, &t, ORDO_BACKWARD, &err), err);
    other = plan;
    other.request.target = ORDO_TARGET_SM100;
    assert_refused(&other, &t, ORDO_BACKWARD, "target", "the kernels are for sm90, the plan is for sm100");
    other = plan;
    other.contract = &contract;
    assert_refused(&other, &t, ORDO_BACKWARD, "contract", "the kernels follow another numeric contract");
    other = plan;
    other.request.n_head = 48;
    assert_refused(&other, &t, ORDO_BACKWARD, "heads", "there are kernels for 16, 32, 64, 96 and 128, not for 48");
    other = plan;
    other.request.d_qk = 128;
    assert_refused(&other, &t, ORDO_FORWARD, "dqk", "there are kernels for 576/512 and 512/512, not for 128/512");
    other = plan;
    other.request.d_v = 128;
    assert_refused(&other, &t, ORDO_FORWARD, "dv", "there are kernels for 576/512 and 512/512, not for 576/128");
    other = plan;
    other.request.topk = 0;
    assert_refused(&other, &t, ORDO_FORWARD, "extents", "8 queries, 65 KV rows, 0 slots: each must be at least 1");
    t.scale = -1;
    assert_refused(&plan, &t, ORDO_FORWARD, "scale", "must be a positive number");
    t.scale = NAN;
    assert_refused(&plan, &t, ORDO_FORWARD, "scale", "must be a positive number");
}

/* Each tensor, spoilt in each way that a caller may spoil it. */
static void tensors(void **state)
{
    struct ordo_plan plan = plan_of(NULL, 8, 65, 16, 576, 0, 0);
    char text[200];

    (void)state;
    for (int i = 0; i < ORDO_DSA_TENSORS; i++) {
        const struct ordo_dsa_tensor *want = &ordo_dsa_tensor[i];
        struct ordo_kernels_tensors t = tensors_of(&plan), good = t;
        struct ordo_tensor *x = (struct ordo_tensor *)(void *)((char *)&t + want->member);
        struct ordo_err err = {0};

        x->data = NULL;
        if (want->optional)
            assert_ok(ordo_kernels_check(&plan, &t, ORDO_BACKWARD, &err), err);
        else
            assert_refused(&plan, &t, ORDO_BACKWARD, want->name, "is missing");
        if (!want->forward) /* not asked for by the forward */
            assert_ok(ordo_kernels_check(&plan, &t, ORDO_FORWARD, &err), err);
        t = good;
        x->dtype = want->dtype == ORDO_DTYPE_F32 ? ORDO_DTYPE_BF16 : ORDO_DTYPE_F32;
        (void)snprintf(text, sizeof text, "is %s, not %s", want->dtype == ORDO_DTYPE_F32 ? "bfloat16" : "float32",
                       want->dtype == ORDO_DTYPE_F32    ? "float32"
                       : want->dtype == ORDO_DTYPE_BF16 ? "bfloat16"
                                                        : "int32");
        assert_refused(&plan, &t, ORDO_BACKWARD, want->name, text);
        x->dtype = ORDO_DTYPES;
        assert_int_equal(ordo_kernels_check(&plan, &t, ORDO_BACKWARD, &err), ORDO_BAD_INPUT);
        t = good;
        x->data = (char *)x->data + (want->align == 16 ? 8 : 2);
        (void)snprintf(text, sizeof text, "does not start at a multiple of %d bytes", (int)want->align);
        assert_refused(&plan, &t, ORDO_BACKWARD, want->name, text);
        t = good;
        x->n_dim = want->n_dim == 1 ? 2 : 1;
        (void)snprintf(text, sizeof text, "has %d dimensions, not %d", (int)x->n_dim, (int)want->n_dim);
        assert_refused(&plan, &t, ORDO_BACKWARD, want->name, text);
        for (int k = 0; k < want->n_dim; k++) {
            t = good;
            x->extent[k]++;
            (void)snprintf(text, sizeof text, "its extent %d is %d, the plan's is %d", k, (int)x->extent[k],
                           (int)x->extent[k] - 1);
            assert_refused(&plan, &t, ORDO_BACKWARD, want->name, text);
            t = good;
            x->stride[k] += 8;
            (void)snprintf(text, sizeof text,
                           "its stride %d is %d elements, not %d: only contiguous tensors are taken", k,
                           (int)x->stride[k], (int)x->stride[k] - 8);
            assert_refused(&plan, &t, ORDO_BACKWARD, want->name, text);
        }
    }
}

static void workspace(void **state)
{
    struct ordo_plan plan = plan_of(&ordo_design_cluster_relay, 257, 65537, 64, 576, 8, 0);
    struct ordo_kernels_tensors t = tensors_of(&plan);
    struct ordo_err err = {0};

    (void)state;
    assert_int_equal(ordo_kernels_workspace(&plan, ORDO_FORWARD), 0);
    assert_int_equal(ordo_kernels_workspace(&plan, ORDO_BACKWARD), 2268307968 + 120 * 64 * 256);
    t.workspace_bytes--;
    assert_refused(&plan, &t, ORDO_BACKWARD, "workspace", "has 2270274047 bytes, the plan needs 2270274048");
    assert_ok(ordo_kernels_check(&plan, &t, ORDO_FORWARD, &err), err);
    t.workspace_bytes += 2;
    assert_ok(ordo_kernels_check(&plan, &t, ORDO_BACKWARD, &err), err);
    t.workspace = (char *)t.workspace + 64;
    assert_refused(&plan, &t, ORDO_BACKWARD, "workspace", "does not start at a multiple of 128 bytes");
    t.workspace = NULL;
    assert_refused(&plan, &t, ORDO_BACKWARD, "workspace", "is missing");
}

/* --- launches --------------------------------------------------------------------------------------------------- */

struct seen {
    struct ordo_dsa_launch launch[64];
    int n;
    enum ordo_status stop;
};

static enum ordo_status see(void *ctx, const struct ordo_dsa_launch *launch, struct ordo_err *err)
{
    struct seen *s = ctx;

    (void)err;
    assert_in_range(s->n, 0, 63);
    s->launch[s->n++] = *launch;
    return s->stop;
}

static struct seen launches_of(const struct ordo_plan *plan, enum ordo_pass pass)
{
    struct ordo_kernels_tensors t = tensors_of(plan);
    struct seen s = {.n = 0};
    struct ordo_err err = {0};

    assert_ok(ordo_kernels_check(plan, &t, pass, &err), err);
    assert_ok(ordo_dsa_launches(plan, &t, pass, see, &s, &err), err);
    return s;
}

static void assert_launch(const struct ordo_dsa_launch *l, const char *name, uint32_t x, uint32_t y)
{
    assert_string_equal(ordo_dsa_kernel[l->kernel].name, name);
    assert_int_equal(l->grid[0], x);
    assert_int_equal(l->grid[1], y);
}

static void one_head_block(void **state)
{
    struct ordo_plan plan = plan_of(&ordo_design_cluster_relay, 257, 1000, 64, 576, 8, 0); /* waves of 120 */
    struct seen s = launches_of(&plan, ORDO_BACKWARD);
    const struct ordo_dsa_args *a = &s.launch[3].args;

    (void)state;
    assert_int_equal(s.n, 6);
    assert_string_equal(ordo_dsa_kernel[s.launch[0].kernel].name, "ordo_dsa_clear");
    assert_launch(&s.launch[1], "ordo_dsa_mask_build", 257, 1);
    assert_launch(&s.launch[2], "ordo_dsa_preprocess", 257, 1);
    assert_launch(&s.launch[3], "ordo_dsa_relay8_576", 120, 1);
    assert_launch(&s.launch[4], "ordo_dsa_dsink", 64, 1);
    assert_string_equal(ordo_dsa_kernel[s.launch[5].kernel].name, "ordo_dsa_fold");
    assert_int_equal(a->first_wave, 0);
    assert_int_equal(a->end_wave, 3);
    assert_int_equal(a->n_plane, 15);
    assert_int_equal(a->plane_rows, 1000 + (int64_t)plan.mask_rows);
    assert_int_equal(a->mask_words, 250);
    assert_int_equal(ordo_dsa_kernel[s.launch[3].kernel].cluster, 8);
}

/* Waves and head blocks alternate: one launch each, in the plan's order. */
static void two_head_blocks(void **state)
{
    struct ordo_plan plan = plan_of(&ordo_design_private_shards, 300, 1000, 128, 512, 0, 0); /* waves of 128 */
    struct seen s = launches_of(&plan, ORDO_BACKWARD);

    (void)state;
    assert_int_equal(s.n, 2 + 6 + 2);
    for (int i = 0; i < 6; i++) {
        const struct ordo_dsa_launch *l = &s.launch[2 + i];

        assert_launch(l, "ordo_dsa_shards_512", i < 4 ? 128 : 44, 1);
        assert_int_equal(l->args.first_wave, i / 2);
        assert_int_equal(l->args.end_wave, i / 2 + 1);
        assert_int_equal(l->args.head_block, i % 2);
    }
}

static void no_order(void **state)
{
    struct ordo_plan plan = plan_of(&ordo_design_atomic, 300, 1000, 128, 576, 0, 0);
    struct seen s = launches_of(&plan, ORDO_BACKWARD);

    (void)state;
    assert_int_equal(plan.planes, 1);
    assert_int_equal(s.n, 6);
    assert_launch(&s.launch[2], "ordo_dsa_atomic_576", 300, 1);
    assert_launch(&s.launch[3], "ordo_dsa_atomic_576", 300, 1);
    assert_int_equal(s.launch[3].args.head_block, 1);
    assert_int_equal(s.launch[3].args.n_plane, 1);
}

/* A tail wave has whole clusters. */
static void tail_wave(void **state)
{
    struct ordo_plan plan = plan_of(&ordo_design_cluster_relay, 119, 1000, 64, 576, 16, 0);
    struct seen s = launches_of(&plan, ORDO_BACKWARD);

    (void)state;
    assert_launch(&s.launch[3], "ordo_dsa_relay16_576", 112, 1);
    plan = plan_of(&ordo_design_cluster_relay, 5, 1000, 64, 576, 4, 0);
    s = launches_of(&plan, ORDO_BACKWARD);
    assert_launch(&s.launch[3], "ordo_dsa_relay4_576", 8, 1);
}

static void forward(void **state)
{
    struct ordo_plan plan = plan_of(NULL, 33, 1000, 96, 512, 0, 0);
    struct seen s = launches_of(&plan, ORDO_FORWARD);

    (void)state;
    assert_int_equal(s.n, 1);
    assert_launch(&s.launch[0], "ordo_dsa_forward_512_512", 33, 2);
}

/* The Dqk in a kernel's name, the first number that is a word of its own; 0: none. */
static int32_t width_of(const char *name)
{
    for (; *name; name++)
        if (name[0] == '_' && name[1] >= '0' && name[1] <= '9')
            return (int32_t)strtol(name + 1, NULL, 10);
    return 0;
}

/* What is launched is compiled for that many columns; a backward kernel counts on it for the planes' rows too. */
static void assert_fits(const struct seen *s, enum ordo_pass pass, int32_t dqk, bool *launched)
{
    int n_fit = 0;

    for (int i = 0; i < s->n; i++) {
        const struct ordo_dsa_launch *l = &s->launch[i];
        int32_t width = width_of(ordo_dsa_kernel[l->kernel].name);

        launched[l->kernel] = true;
        assert_int_equal(l->args.d_qk, dqk);
        if (pass == ORDO_BACKWARD)
            assert_int_equal(l->args.d8, dqk);
        if (width)
            assert_int_equal(width, dqk);
        n_fit += width != 0;
    }
    assert_true(n_fit > 0);
}

/* Every shape that is not refused, by every design; together they launch every kernel of the table. */
static void kernels_fit(void **state)
{
    static const int32_t dqk[] = {576, 512}, heads[] = {16, 32, 64, 96, 128};
    static const struct {
        const struct ordo_design *design;
        int32_t cluster;
    } way[] = {{&ordo_design_atomic, 0}, {&ordo_design_private_shards, 0}, {&ordo_design_cluster_relay, 4},
               {&ordo_design_cluster_relay, 8}, {&ordo_design_cluster_relay, 16}};
    bool launched[64] = {false};

    (void)state;
    assert_in_range(ordo_dsa_kernels, 1, 64);
    for (int i = 0; i < 2 * 5 * 5; i++) {
        struct ordo_plan plan = plan_of(way[i % 5].design, 9, 127, heads[i / 5 % 5], dqk[i / 25],
                                        way[i % 5].cluster, 0);

        for (int pass = ORDO_FORWARD; pass <= ORDO_BACKWARD; pass++) {
            struct seen s = launches_of(&plan, (enum ordo_pass)pass);

            assert_fits(&s, (enum ordo_pass)pass, dqk[i / 25], launched);
        }
    }
    for (int k = 0; k < ordo_dsa_kernels; k++) {
        assert_int_equal(ordo_dsa_kernel[k].d_qk, width_of(ordo_dsa_kernel[k].name));
        if (!launched[k])
            fail_msg("%s is never launched", ordo_dsa_kernel[k].name);
    }
}

/* A shape without a kernel, past the refusal: a bug that no launch survives, in a child that it ends. */
static void no_kernel_fits(void **state)
{
    static const int32_t dqk[] = {520, 570, 584}; /* 570: rows of planes have 576 columns, as the kernel wants */

    (void)state;
    for (int i = 0; i < 2 * 3; i++) {
        struct ordo_plan plan = plan_of(NULL, 9, 127, 64, dqk[i / 2], 0, 0);
        enum ordo_pass pass = i % 2 ? ORDO_FORWARD : ORDO_BACKWARD;
        pid_t child;
        int how;

        (void)fflush(NULL);
        child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            struct ordo_kernels_tensors t = tensors_of(&plan);
            struct seen s = {.n = 0};

            (void)close(STDERR_FILENO);
            (void)signal(SIGABRT, SIG_DFL);
            (void)ordo_dsa_launches(&plan, &t, pass, see, &s, NULL);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGABRT);
    }
}

/* The workspace ends with what the plan says it needs, for every design and odd extents. */
static void segments(void **state)
{
    static const struct {
        const struct ordo_design *design;
        int32_t q, kv, heads, dqk, cluster;
    } shape[] = {{&ordo_design_private_shards, 1, 1, 64, 512, 0},
                 {&ordo_design_private_shards, 129, 130, 128, 576, 0},
                 {&ordo_design_cluster_relay, 257, 65537, 16, 576, 4},
                 {&ordo_design_cluster_relay, 9, 127, 32, 512, 16},
                 {&ordo_design_cluster_relay, 16384, 1048576, 64, 576, 8}, {&ordo_design_atomic, 9, 127, 32, 512, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof shape / sizeof shape[0]; i++) {
        struct ordo_plan plan = plan_of(shape[i].design, shape[i].q, shape[i].kv, shape[i].heads, shape[i].dqk,
                                        shape[i].cluster, 0);
        struct ordo_kernels_tensors t = tensors_of(&plan);
        struct ordo_dsa_args a = ordo_dsa_arguments(&plan, &t);
        char *end = (char *)(a.folded + (int64_t)a.n_head * a.q8), *begin = t.workspace;

        assert_true((uint64_t)(end - begin) <= plan.workspace_bytes);
        assert_true((uint64_t)(end - begin) + 128 > plan.workspace_bytes);
        assert_true((char *)a.weights >= end && (char *)a.weights < end + 128);
        assert_int_equal((char *)a.weights + ordo_dsa_weights(&plan) - begin, t.workspace_bytes);
        assert_true((char *)a.delta - begin >= (int64_t)a.n_plane * a.plane_rows * a.d8 * 4);
        if (plan.mask_rows) /* the last head block of the last wave of the last plane ends inside the plane */
            assert_true(ordo_dsa_mask(&a, a.n_plane - 1, a.n_wave - 1, a.n_head_block - 1) + a.mask_words <=
                        (int64_t)a.n_plane * a.plane_rows * a.d8);
    }
}

/* What a launch answers ends the schedule. */
static void first_failure(void **state)
{
    struct ordo_plan plan = plan_of(NULL, 8, 65, 16, 576, 0, 0);
    struct ordo_kernels_tensors t = tensors_of(&plan);
    struct seen s = {.stop = ORDO_ENVIRONMENT};

    (void)state;
    assert_int_equal(ordo_dsa_launches(&plan, &t, ORDO_BACKWARD, see, &s, NULL), ORDO_ENVIRONMENT);
    assert_int_equal(s.n, 1);
}

/* Fragment order is a permutation of each group of 16, four neighbours a thread. */
static void columns(void **state)
{
    static const int32_t first[8] = {0, 1, 4, 5, 8, 9, 12, 13};

    (void)state;
    for (int32_t d8 = 8; d8 <= 576; d8 += 8) {
        bool seen[576] = {false};

        for (int32_t d = 0; d < d8; d++) {
            int32_t at = ordo_dsa_column(d, d8);

            assert_true(at >= 0 && at < d8 && !seen[at] && at / 16 == d / 16);
            seen[at] = true;
            if ((d | 15) < d8)
                assert_int_equal(at % 16, first[d % 8] + (d % 16 < 8 ? 0 : 2));
        }
    }
}

/* --- the design without an order -------------------------------------------------------------------------------- */

static void atomic_is_refused(void **state)
{
    struct ordo_err err = {0};

    (void)state;
    assert_int_equal(ordo_design_ordered(&ordo_design_atomic, &err), ORDO_USAGE);
    assert_string_equal(err.field, "design");
    assert_string_equal(err.reason,
                        "atomic promises no order: the CTAs of a launch add into one plane as they come, so "
                        "dKV may have other bits in each run");
    assert_int_equal(ordo_design_ordered(&ordo_design_cluster_relay, &err), ORDO_OK);
    assert_int_equal(ordo_design_ordered(&ordo_design_private_shards, &err), ORDO_OK);
}

/* The policy never chooses it, however large the problem is. */
static void atomic_is_never_chosen(void **state)
{
    static const int32_t size[] = {1, 100, 8191, 8192, 100000, INT32_MAX};

    (void)state;
    for (int q = 0; q < 6; q++)
        for (int kv = 0; kv < 6; kv++) {
            struct ordo_request r = {size[q], size[kv], 64, 64, 576, 512, ORDO_TARGET_SM90, NULL, 0, 0};
            struct ordo_plan plan;

            if (ordo_plan_make(&r, &plan, NULL) == ORDO_OK)
                assert_ptr_not_equal(plan.design, &ordo_design_atomic);
        }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans),
        cmocka_unit_test(tensors),
        cmocka_unit_test(workspace),
        cmocka_unit_test(one_head_block),
        cmocka_unit_test(two_head_blocks),
        cmocka_unit_test(no_order),
        cmocka_unit_test(tail_wave),
        cmocka_unit_test(forward),
        cmocka_unit_test(kernels_fit),
        cmocka_unit_test(no_kernel_fits),
        cmocka_unit_test(segments),
        cmocka_unit_test(first_failure),
        cmocka_unit_test(columns),
        cmocka_unit_test(atomic_is_refused),
        cmocka_unit_test(atomic_is_never_chosen),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
