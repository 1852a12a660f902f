/* ptx.cuh - every instruction that capture measures, each in one function named after it.
 *
 * wgmma is asynchronous: between wgmma_fence and wgmma_wait the accumulators belong to it.  Shared memory that
 * ordinary stores wrote is handed over by fence_async (in each writing thread) and a barrier. */
#ifndef ORDO_KERNELS_PTX_CUH
#define ORDO_KERNELS_PTX_CUH

#include <stdint.h>

#define PTX static __device__ __forceinline__

PTX uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

/* --- tensor core ------------------------------------------------------------------------------------------------ */

template <int F16> PTX void mma_k16(float d[4], const uint32_t a[4], const uint32_t b[2])
{
    if constexpr (F16)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                     "{%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    else
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
                     "{%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <int F16> PTX void mma_k8(float d[4], const uint32_t a[2], uint32_t b)
{
    if constexpr (F16)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
                     "{%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a[0]), "r"(a[1]), "r"(b));
    else
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
                     "{%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a[0]), "r"(a[1]), "r"(b));
}

PTX void wgmma_fence(void)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

PTX void wgmma_commit(void)
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

PTX void wgmma_wait(void)
{
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

PTX void fence_async(void)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

/* Accumulator lists of 4 to 128 registers, and their numbers in the instruction's text. */
#define D4(i) "+f"(d[i]), "+f"(d[(i) + 1]), "+f"(d[(i) + 2]), "+f"(d[(i) + 3])
#define D8(i) D4(i), D4((i) + 4)
#define D12(i) D8(i), D4((i) + 8)
#define D16(i) D8(i), D8((i) + 8)
#define D20(i) D16(i), D4((i) + 16)
#define D32(i) D16(i), D16((i) + 16)
#define D48(i) D32(i), D16((i) + 32)
#define D64(i) D32(i), D32((i) + 32)
#define D72(i) D64(i), D8((i) + 64)
#define D120(i) D72(i), D48((i) + 72)
#define D124(i) D120(i), D4((i) + 120)
#define D128(i) D64(i), D64((i) + 64)
#define N4 "%0, %1, %2, %3"
#define N8 N4 ", %4, %5, %6, %7"
#define N12 N8 ", %8, %9, %10, %11"
#define N16 N12 ", %12, %13, %14, %15"
#define N20 N16 ", %16, %17, %18, %19"
#define N32 N20 ", %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define N48                                                                                                     \
    N32 ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43"                                          \
        ", %44, %45, %46, %47"
#define N64                                                                                                     \
    N48 ", %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59"                                          \
        ", %60, %61, %62, %63"
#define N72 N64 ", %64, %65, %66, %67, %68, %69, %70, %71"
#define N120                                                                                                    \
    N72 ", %72, %73, %74, %75, %76, %77, %78, %79, %80, %81, %82, %83"                                          \
        ", %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"                                          \
        ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107"                                  \
        ", %108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119"
#define N124 N120 ", %120, %121, %122, %123"
#define N128 N124 ", %124, %125, %126, %127"

/* One m64 n k16 step; add = 0 ignores what the accumulators hold (scale-d).  `ss` has A in shared memory, `rs` in
 * registers.  P0.. are the numbers after the accumulators.  F16: 1 for FP16 operands, 0 for BF16. */
template <int F16, int N, int TA, int TB> struct wgmma;
#define WGMMA(f16, type, n, regs, P0, P1, P2, P3, P4, P5, P6)                                                   \
    template <int TA, int TB> struct wgmma<f16, n, TA, TB> {                                                    \
        PTX void ss(float *d, uint64_t a, uint64_t b, int add)                                                  \
        {                                                                                                       \
            asm volatile("{ .reg .pred p; setp.ne.b32 p, " P2 ", 0; wgmma.mma_async.sync.aligned.m64n" #n       \
                         "k16.f32." type "." type " {" N##regs "}, " P0 ", " P1 ", p, 1, 1, " P3 ", " P4 "; }"  \
                         : D##regs(0)                                                                           \
                         : "l"(a), "l"(b), "r"(add), "n"(TA), "n"(TB));                                         \
        }                                                                                                       \
        PTX void rs(float *d, const uint32_t *a, uint64_t b, int add)                                           \
        {                                                                                                       \
            asm volatile("{ .reg .pred p; setp.ne.b32 p, " P5 ", 0; wgmma.mma_async.sync.aligned.m64n" #n       \
                         "k16.f32." type "." type " {" N##regs "}, {" P0 ", " P1 ", " P2 ", " P3 "}, " P4       \
                         ", p, 1, 1, " P6 "; }"                                                                 \
                         : D##regs(0)                                                                           \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(add), "n"(TB));              \
        }                                                                                                       \
    };
#define WGMMA_BOTH(n, regs, P0, P1, P2, P3, P4, P5, P6)                                                         \
    WGMMA(0, "bf16", n, regs, P0, P1, P2, P3, P4, P5, P6) WGMMA(1, "f16", n, regs, P0, P1, P2, P3, P4, P5, P6)
WGMMA_BOTH(8, 4, "%4", "%5", "%6", "%7", "%8", "%9", "%10")
WGMMA_BOTH(16, 8, "%8", "%9", "%10", "%11", "%12", "%13", "%14")
WGMMA_BOTH(24, 12, "%12", "%13", "%14", "%15", "%16", "%17", "%18")
WGMMA_BOTH(32, 16, "%16", "%17", "%18", "%19", "%20", "%21", "%22")
WGMMA_BOTH(40, 20, "%20", "%21", "%22", "%23", "%24", "%25", "%26")
WGMMA_BOTH(64, 32, "%32", "%33", "%34", "%35", "%36", "%37", "%38")
WGMMA_BOTH(96, 48, "%48", "%49", "%50", "%51", "%52", "%53", "%54")
WGMMA_BOTH(128, 64, "%64", "%65", "%66", "%67", "%68", "%69", "%70")
WGMMA_BOTH(144, 72, "%72", "%73", "%74", "%75", "%76", "%77", "%78")
WGMMA_BOTH(240, 120, "%120", "%121", "%122", "%123", "%124", "%125", "%126")
WGMMA_BOTH(248, 124, "%124", "%125", "%126", "%127", "%128", "%129", "%130")
WGMMA_BOTH(256, 128, "%128", "%129", "%130", "%131", "%132", "%133", "%134")
#undef WGMMA
#undef WGMMA_BOTH

/* --- functions of one word -------------------------------------------------------------------------------------- */

PTX uint32_t ex2_approx_ftz(uint32_t x)
{
    uint32_t y;

    asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=r"(y) : "r"(x));
    return y;
}

PTX uint32_t cvt_bf16(uint32_t x)
{
    uint16_t y;

    asm volatile("{ .reg .f32 f; mov.b32 f, %1; cvt.rn.bf16.f32 %0, f; }" : "=h"(y) : "r"(x));
    return y;
}

/* The packed form, both halves from x; they come back as they are. */
PTX uint32_t cvt_bf16x2(uint32_t x)
{
    uint32_t y;

    asm volatile("{ .reg .f32 f; mov.b32 f, %1; cvt.rn.bf16x2.f32 %0, f, f; }" : "=r"(y) : "r"(x));
    return y;
}

PTX uint32_t cvt_f16(uint32_t x)
{
    uint16_t y;

    asm volatile("{ .reg .f32 f; mov.b32 f, %1; cvt.rn.f16.f32 %0, f; }" : "=h"(y) : "r"(x));
    return y;
}

PTX uint32_t cvt_f16x2(uint32_t x)
{
    uint32_t y;

    asm volatile("{ .reg .f32 f; mov.b32 f, %1; cvt.rn.f16x2.f32 %0, f, f; }" : "=r"(y) : "r"(x));
    return y;
}

/* --- additions -------------------------------------------------------------------------------------------------- */

PTX uint32_t add_rn(uint32_t a, uint32_t b)
{
    uint32_t y;

    asm volatile("{ .reg .f32 f, g; mov.b32 f, %1; mov.b32 g, %2; add.rn.f32 f, f, g; mov.b32 %0, f; }"
                 : "=r"(y)
                 : "r"(a), "r"(b));
    return y;
}

PTX void red_global(float *to, float x)
{
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(to), "f"(x) : "memory");
}

PTX void red_global_v4(float *to, float4 x)
{
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(x.x), "f"(x.y), "f"(x.z), "f"(x.w)
                 : "memory");
}

PTX void atom_global(float *to, float x)
{
    asm volatile("{ .reg .f32 old; atom.global.add.f32 old, [%0], %1; }" ::"l"(to), "f"(x) : "memory");
}

PTX void red_shared(float *to, float x)
{
    asm volatile("red.shared.add.f32 [%0], %1;" ::"r"(shared_address(to)), "f"(x) : "memory");
}

PTX void atom_shared(float *to, float x)
{
    asm volatile("{ .reg .f32 old; atom.shared.add.f32 old, [%0], %1; }" ::"r"(shared_address(to)), "f"(x)
                 : "memory");
}

/* Adds `bytes` of shared memory to global memory and waits until that is visible. */
PTX void bulk_add(float *to, const float *from, uint32_t bytes)
{
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;"
                 "cp.async.bulk.commit_group;"
                 "cp.async.bulk.wait_group 0;" ::"l"(to),
                 "r"(shared_address(from)), "r"(bytes)
                 : "memory");
}

#endif
