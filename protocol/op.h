/* op.h - the operations of the protocol, and the only place where one gets its two meanings.
 *
 * Under nvcc an operation is the PTX instruction whose mnemonic its tokens spell.  Under a C compiler it is a record:
 * ORDO_EMIT(operation, order, scope, width, memory, index, value, data, source, line), see protocol/tape.h.  By
 * default the record goes to the thread's tape; a prover that checks on the fly redefines ORDO_EMIT before it
 * includes a role header.  One changed token changes both.
 *
 * Role functions are written against these macros alone.  Control flow never depends on a loaded value: the only load
 * that a program may act on is an await, which is one operation; data is an opaque struct for the prover.  So each
 * thread is a straight line, and its tape is its program.
 *
 * No other file of protocol/ may contain inline PTX or ask which compiler it is. */
#ifndef ORDO_PROTOCOL_OP_H
#define ORDO_PROTOCOL_OP_H

#include <stdint.h>

/* --- the vocabulary: token -> enumerator, and its spelling in PTX ----------------------------------------------- */

#define ORDO_SEMS(X) X(weak) X(relaxed) X(acquire) X(release) X(acq_rel) X(sc)
#define ORDO_SCOPES(X) X(cta) X(cluster) X(gpu) X(sys)
#define ORDO_WIDTHS(X) X(u8) X(u32) X(b32) X(f32)

/* X(id, mnemonic): sem, scope and width replace S, C and W in the mnemonic. */
#define ORDO_OPS(X)                                                                                                  \
    X(AWAIT_CLEAR, "ld.S.C.global.W")                                                                                \
    X(AWAIT_GE, "ld.S.C.global.W")                                                                                   \
    X(RED_AND, "red.S.C.global.and.W")                                                                               \
    X(RED_OR, "red.S.C.global.or.W")                                                                                 \
    X(RED_ADD, "red.S.C.global.add.W")                                                                               \
    X(LOAD, "ld.S.global.W")                                                                                         \
    X(STORE, "st.S.global.W")                                                                                        \
    X(BAR_SYNC, "barrier.sync")                                                                                    \
    X(WARP_SYNC, "bar.warp.sync")                                                                                    \
    X(FENCE, "fence.S.C")                                                                                            \
    X(PROXY_FENCE, "fence.proxy.async.global")                                                                       \
    X(SHARED_FENCE, "fence.proxy.async.shared::cta")                                                                 \
    X(CLUSTER_ARRIVE, "barrier.cluster.arrive.S.aligned")                                                            \
    X(CLUSTER_WAIT, "barrier.cluster.wait.S.aligned")                                                                \
    X(BULK_ADD, "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.W")                                          \
    X(BULK_COMMIT, "cp.async.bulk.commit_group")                                                                     \
    X(BULK_WAIT, "cp.async.bulk.wait_group")                                                                         \
    X(BULK_WAIT_READ, "cp.async.bulk.wait_group.read")                                                               \
    X(COPY, "cp.async.cg.shared.global.L2::256B")                                                                    \
    X(COPY_COMMIT, "cp.async.commit_group")                                                                          \
    X(COPY_WAIT, "cp.async.wait_group")

#define ORDO_X(token) ORDO_SEM_##token,
enum ordo_sem { ORDO_SEMS(ORDO_X) ORDO_N_SEMS };
#undef ORDO_X
#define ORDO_X(token) ORDO_SCOPE_##token,
enum ordo_scope { ORDO_SCOPES(ORDO_X) ORDO_N_SCOPES };
#undef ORDO_X
#define ORDO_X(token) ORDO_WIDTH_##token,
enum ordo_width { ORDO_WIDTHS(ORDO_X) ORDO_N_WIDTHS };
#undef ORDO_X
#define ORDO_X(id, mnemonic) ORDO_OP_##id,
enum ordo_op { ORDO_OPS(ORDO_X) ORDO_N_OPS };
#undef ORDO_X

/* What is stored, or added in bulk. */
enum ordo_data {
    ORDO_DATA_NONE,
    ORDO_DATA_CONSTANT, /* a float of the role's own */
    ORDO_DATA_OPAQUE,   /* an element of the kernel's own values */
    ORDO_DATA_ADDED,    /* what the thread has just loaded, plus such an element */
    ORDO_DATA_COPIED,   /* what stands where the thread has copied to, plus such an element */
    ORDO_DATA_SUM       /* a constant, plus what the thread has loaded into the sum, in turn */
};

/* Which memory an operation touches; indices are words of a mask, counters, or elements of a plane. */
enum ordo_space { ORDO_SPACE_NONE, ORDO_SPACE_MASK, ORDO_SPACE_COUNTER, ORDO_SPACE_PLANE, ORDO_N_SPACES };
struct ordo_mem {
    enum ordo_space space;
};

#ifdef __CUDACC__

/* --- on the device ---------------------------------------------------------------------------------------------- */

#define ORDO_MAP static __host__ __device__ __forceinline__
#define ORDO_ROLE static __device__ __forceinline__
#define ORDO_TAPE
#define ORDO_TAPE_ONLY
#define ORDO_ON
#define ORDO_WORDS uint32_t *
#define ORDO_FLOATS float *
#define ORDO_STAGE uint32_t /* shared::cta address of a staging tile */
#define ORDO_VALUES const float *

/* Data: an element of the kernel's values, and a constant. */
#define ORDO_VALUE(x, i) ((x)[i])
#define ORDO_CONSTANT(c) (c)

/* Before a loop of a known number of turns, which the device does not count. */
#define ORDO_UNROLLED _Pragma("unroll")

#define ORDO_AWAIT_(sem, scope, width, mem, index, again)                                                            \
    do {                                                                                                             \
        uint32_t v_;                                                                                                 \
        do                                                                                                           \
            asm volatile("ld." #sem "." #scope ".global." #width " %0, [%1];"                                        \
                         : "=r"(v_)                                                                                  \
                         : "l"((mem) + (index))                                                                      \
                         : "memory");                                                                                \
        while (again);                                                                                               \
    } while (0)
#define ORDO_AWAIT_CLEAR(sem, scope, width, mem, index, bits)                                                        \
    ORDO_AWAIT_(sem, scope, width, mem, index, v_ & (bits))
#define ORDO_AWAIT_GE(sem, scope, width, mem, index, value) ORDO_AWAIT_(sem, scope, width, mem, index, v_ < (value))

#define ORDO_RED_(op, sem, scope, width, mem, index, value)                                                          \
    asm volatile("red." #sem "." #scope ".global." #op "." #width " [%0], %1;" ::"l"((mem) + (index)),               \
                 "r"((uint32_t)(value))                                                                              \
                 : "memory")
#define ORDO_RED_AND(sem, scope, width, mem, index, value) ORDO_RED_(and, sem, scope, width, mem, index, value)
#define ORDO_RED_OR(sem, scope, width, mem, index, value) ORDO_RED_(or, sem, scope, width, mem, index, value)
#define ORDO_RED_ADD(sem, scope, width, mem, index, value) ORDO_RED_(add, sem, scope, width, mem, index, value)

/* mem[index * stride + column] += x, in IEEE fp32, nearest even: one load, one addition, one store. */
#define ORDO_ADD_F32(sem, mem, index, stride, column, x)                                                             \
    do {                                                                                                             \
        float v_;                                                                                                    \
        float *p_ = (mem) + (int64_t)(index) * (stride) + (column);                                                  \
        asm volatile("ld." #sem ".global.f32 %0, [%1];" : "=f"(v_) : "l"(p_) : "memory");                            \
        asm volatile("st." #sem ".global.f32 [%0], %1;" ::"l"(p_), "f"(__fadd_rn(v_, x)) : "memory");                \
    } while (0)
/* Where a thread begins in a row of a plane; offsets count elements from there. */
#define ORDO_PLACE float *
#define ORDO_PLACE_OF(mem, index, stride, column) ((mem) + (int64_t)(index) * (stride) + (column))

/* Four neighbouring elements, sixteen bytes, copied to shared memory while the thread goes on.  Copies since the last
 * commit are one group, and a wait leaves the last n groups under way, n a constant.  Then place[offset ..] = what
 * was copied + x, of two places at a time, so that one is read while the other waits.  Where `there` is 0, neither
 * is: zeros are copied, and nothing is accessed but shared memory; by a predicate, for branches would be dear.  PTX
 * takes a vector access for its four scalar ones (PTX ISA, memory consistency model, "Vector Data-types"), and such a
 * copy for a weak access of the issuing thread, by the generic proxy (PTX ISA, cp.async). */
#define ORDO_COPY_V4(there, stage, place, offset)                                                                    \
    asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16, %2;" ::"r"(stage), "l"((place) + (offset)),     \
                 "r"((there) ? 16 : 0)                                                                               \
                 : "memory")
#define ORDO_COPY_COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define ORDO_COPY_WAIT(n) asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")
#define ORDO_TAKE_(v, stage)                                                                                         \
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"                                                          \
                 : "=f"((v)[0]), "=f"((v)[1]), "=f"((v)[2]), "=f"((v)[3])                                            \
                 : "r"(stage)                                                                                        \
                 : "memory")
#define ORDO_PUT_(sem, there, v, place, a, b, c, d)                                                                  \
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %5, 0;\n"                                                           \
                 "@p st." #sem ".global.v4.f32 [%0], {%1, %2, %3, %4}; }" ::"l"(place),                              \
                 "f"(__fadd_rn((v)[0], a)), "f"(__fadd_rn((v)[1], b)), "f"(__fadd_rn((v)[2], c)),                    \
                 "f"(__fadd_rn((v)[3], d)), "r"((uint32_t)(there))                                                   \
                 : "memory")
#define ORDO_ADD_2V4(sem, offset, there, stage, place, a, b, c, d, there2, stage2, place2, e, f, g, h)               \
    do {                                                                                                             \
        float v_[4], w_[4];                                                                                          \
        ORDO_TAKE_(v_, stage);                                                                                       \
        ORDO_TAKE_(w_, stage2);                                                                                      \
        ORDO_PUT_(sem, there, v_, (place) + (offset), a, b, c, d);                                                   \
        ORDO_PUT_(sem, there2, w_, (place2) + (offset), e, f, g, h);                                                 \
    } while (0)
#define ORDO_STORE_F32(sem, mem, index, stride, column, x)                                                           \
    asm volatile("st." #sem ".global.f32 [%0], %1;" ::"l"((mem) + (int64_t)(index) * (stride) + (column)), "f"(x)    \
                 : "memory")

/* A sum: a constant, then one load and one addition each, IEEE fp32, nearest even.  A thread has one at a time. */
#define ORDO_SUM_BEGIN(sum, c) float sum = (c)
#define ORDO_SUM_F32(sem, sum, mem, index, stride, column)                                                           \
    do {                                                                                                             \
        float v_;                                                                                                    \
        asm volatile("ld." #sem ".global.f32 %0, [%1];"                                                              \
                     : "=f"(v_)                                                                                      \
                     : "l"((mem) + (int64_t)(index) * (stride) + (column))                                           \
                     : "memory");                                                                                    \
        sum = __fadd_rn(sum, v_);                                                                                    \
    } while (0)

/* Not "aligned": the two roles of a hand-over come to one barrier from two places of the code. */
#define ORDO_BAR_SYNC(id, n) asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(n) : "memory")
#define ORDO_WARP_SYNC() asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")
#define ORDO_FENCE(sem, scope) asm volatile("fence." #sem "." #scope ";" ::: "memory")
#define ORDO_PROXY_FENCE() asm volatile("fence.proxy.async.global;" ::: "memory")
#define ORDO_SHARED_FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define ORDO_CLUSTER_ARRIVE(sem) asm volatile("barrier.cluster.arrive." #sem ".aligned;" ::: "memory")
#define ORDO_CLUSTER_WAIT(sem) asm volatile("barrier.cluster.wait." #sem ".aligned;" ::: "memory")
#define ORDO_BULK_ADD(width, mem, index, stride, stage, bytes)                                                       \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add." #width " [%0], [%1], %2;" ::"l"(          \
                     (mem) + (int64_t)(index) * (stride)),                                                           \
                 "r"(stage), "r"(bytes)                                                                              \
                 : "memory")
#define ORDO_BULK_COMMIT() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define ORDO_BULK_WAIT(n) asm volatile("cp.async.bulk.wait_group %0;" ::"n"(n) : "memory")
#define ORDO_BULK_WAIT_READ(n) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(n) : "memory")

#else

/* --- for the prover --------------------------------------------------------------------------------------------- */

#ifdef __cplusplus
#define ORDO_MAP static inline constexpr __attribute__((unused))
#else
#define ORDO_MAP static inline
#endif

/* Data: where it comes from is known, and nothing can be decided on it, since it is a float on the device. */
struct ordo_opaque {
    enum ordo_data data;
    uint32_t bits;   /* of the constant */
    uint32_t source; /* which element of the values */
};

static inline __attribute__((unused)) struct ordo_opaque ordo_opaque_of(enum ordo_data data, float constant,
                                                                      uint32_t source)
{
    union {
        float f;
        uint32_t u;
    } bits = {constant};
    struct ordo_opaque v = {data, bits.u, source};

    return v;
}

struct ordo_place {
    enum ordo_space space;
    int64_t index;
};

static inline __attribute__((unused)) struct ordo_place ordo_place_of(struct ordo_mem mem, int64_t index)
{
    struct ordo_place place = {mem.space, index};

    return place;
}

struct ordo_unread { /* not read; no pointer, since a role could ask it whether it is NULL */
    int none;
};
struct ordo_tape; /* protocol/tape.h */

#define ORDO_ROLE static inline __attribute__((always_inline))
#define ORDO_TAPE struct ordo_tape *tape_,
#define ORDO_TAPE_ONLY struct ordo_tape *tape_
#define ORDO_ON tape_,
#define ORDO_WORDS struct ordo_mem
#define ORDO_FLOATS struct ordo_mem
#define ORDO_STAGE uint32_t
#define ORDO_VALUES struct ordo_unread

#include "protocol/tape.h"
#define ORDO_EMIT(op, sem, scope, width, space, index, value, data, source, line)                                    \
    ordo_tape_append(tape_, op, sem, scope, width, space, index, (uint32_t)(value), data, source, __FILE__, line)

#define ORDO_UNROLLED
#define ORDO_VALUE(x, i) ((void)(x), ordo_opaque_of(ORDO_DATA_OPAQUE, 0.0f, (uint32_t)(i)))
#define ORDO_CONSTANT(c) ordo_opaque_of(ORDO_DATA_CONSTANT, c, 0)

/* An operation without order, scope or width has the first of each. */
#define ORDO_PLAIN_(op, index, value)                                                                                \
    ORDO_EMIT(ORDO_OP_##op, ORDO_SEM_weak, ORDO_SCOPE_cta, ORDO_WIDTH_b32, ORDO_SPACE_NONE, index, value,            \
              ORDO_DATA_NONE, 0, __LINE__)
#define ORDO_SCOPED_(op, sem_, scope_)                                                                               \
    ORDO_EMIT(ORDO_OP_##op, ORDO_SEM_##sem_, ORDO_SCOPE_##scope_, ORDO_WIDTH_b32, ORDO_SPACE_NONE, 0, 0,             \
              ORDO_DATA_NONE, 0, __LINE__)
#define ORDO_DATA_(op, sem_, scope_, width_, mem, index, value, data, source)                                        \
    ORDO_EMIT(ORDO_OP_##op, ORDO_SEM_##sem_, ORDO_SCOPE_##scope_, ORDO_WIDTH_##width_, (mem).space, index, value,    \
              data, source, __LINE__)
#define ORDO_WORD_(op, sem, scope, width, mem, index, value)                                                         \
    ORDO_DATA_(op, sem, scope, width, mem, index, value, ORDO_DATA_NONE, 0)
#define ORDO_ELEMENT_(index, stride, column) ((int64_t)(index) * (stride) + (column))

#define ORDO_AWAIT_CLEAR(sem, scope, width, mem, index, bits)                                                        \
    ORDO_WORD_(AWAIT_CLEAR, sem, scope, width, mem, index, bits)
#define ORDO_AWAIT_GE(sem, scope, width, mem, index, value) ORDO_WORD_(AWAIT_GE, sem, scope, width, mem, index, value)
#define ORDO_RED_AND(sem, scope, width, mem, index, value) ORDO_WORD_(RED_AND, sem, scope, width, mem, index, value)
#define ORDO_RED_OR(sem, scope, width, mem, index, value) ORDO_WORD_(RED_OR, sem, scope, width, mem, index, value)
#define ORDO_RED_ADD(sem, scope, width, mem, index, value) ORDO_WORD_(RED_ADD, sem, scope, width, mem, index, value)
#define ORDO_ADD_F32(sem, mem, index, stride, column, x)                                                             \
    do {                                                                                                             \
        struct ordo_opaque x_ = (x);                                                                                 \
        ORDO_WORD_(LOAD, sem, cta, f32, mem, ORDO_ELEMENT_(index, stride, column), 0);                               \
        ORDO_DATA_(STORE, sem, cta, f32, mem, ORDO_ELEMENT_(index, stride, column), x_.bits,                         \
                   x_.data == ORDO_DATA_OPAQUE ? ORDO_DATA_ADDED : ORDO_DATA_NONE, x_.source);                       \
    } while (0)
#define ORDO_PLACE struct ordo_place
#define ORDO_PLACE_OF(mem, index, stride, column) ordo_place_of(mem, ORDO_ELEMENT_(index, stride, column))
#define ORDO_COPY_V4(there, stage, place, offset)                                                                    \
    ORDO_EMIT(ORDO_OP_COPY, ORDO_SEM_weak, ORDO_SCOPE_cta, ORDO_WIDTH_f32, (place).space, (place).index + (offset),  \
              (there) ? 16 : 0, ORDO_DATA_NONE, stage, __LINE__)
#define ORDO_COPY_COMMIT() ORDO_PLAIN_(COPY_COMMIT, 0, 0)
#define ORDO_COPY_WAIT(n) ORDO_PLAIN_(COPY_WAIT, 0, n)
/* The record's value is where the element was copied to. */
#define ORDO_PUT_(sem, there, stage, place, a, b, c, d)                                                              \
    do {                                                                                                             \
        struct ordo_opaque x_[4] = {a, b, c, d};                                                                     \
        for (uint32_t e_ = 0; (there) && e_ < 4; e_++)                                                               \
            ORDO_DATA_(STORE, sem, cta, f32, place, (place).index + e_, (stage) + 4 * e_,                            \
                       x_[e_].data == ORDO_DATA_OPAQUE ? ORDO_DATA_COPIED : ORDO_DATA_NONE, x_[e_].source);          \
    } while (0)
#define ORDO_ADD_2V4(sem, offset, there, stage, place, a, b, c, d, there2, stage2, place2, e, f, g, h)               \
    do {                                                                                                             \
        struct ordo_place p_ = place, q_ = place2;                                                                   \
        p_.index += (offset);                                                                                        \
        q_.index += (offset);                                                                                        \
        ORDO_PUT_(sem, there, stage, p_, a, b, c, d);                                                                \
        ORDO_PUT_(sem, there2, stage2, q_, e, f, g, h);                                                              \
    } while (0)
#define ORDO_STORE_F32(sem, mem, index, stride, column, x)                                                           \
    do {                                                                                                             \
        struct ordo_opaque x_ = (x);                                                                                 \
        ORDO_DATA_(STORE, sem, cta, f32, mem, ORDO_ELEMENT_(index, stride, column), x_.bits, x_.data, x_.source);    \
    } while (0)
#define ORDO_SUM_BEGIN(sum, c) struct ordo_opaque sum = ordo_opaque_of(ORDO_DATA_SUM, c, 0)
#define ORDO_SUM_F32(sem, sum, mem, index, stride, column)                                                           \
    do {                                                                                                             \
        sum.source++;                                                                                                \
        ORDO_DATA_(LOAD, sem, cta, f32, mem, ORDO_ELEMENT_(index, stride, column), 0, sum.data, sum.source);         \
    } while (0)
#define ORDO_BAR_SYNC(id, n) ORDO_PLAIN_(BAR_SYNC, id, n)
#define ORDO_WARP_SYNC() ORDO_PLAIN_(WARP_SYNC, 0, 0)
#define ORDO_FENCE(sem, scope) ORDO_SCOPED_(FENCE, sem, scope)
#define ORDO_PROXY_FENCE() ORDO_PLAIN_(PROXY_FENCE, 0, 0)
#define ORDO_SHARED_FENCE() ORDO_PLAIN_(SHARED_FENCE, 0, 0)
#define ORDO_CLUSTER_ARRIVE(sem) ORDO_SCOPED_(CLUSTER_ARRIVE, sem, cluster)
#define ORDO_CLUSTER_WAIT(sem) ORDO_SCOPED_(CLUSTER_WAIT, sem, cluster)
#define ORDO_BULK_ADD(width, mem, index, stride, stage, bytes)                                                       \
    ORDO_DATA_(BULK_ADD, relaxed, gpu, width, mem, ORDO_ELEMENT_(index, stride, 0), bytes, ORDO_DATA_OPAQUE, stage)
#define ORDO_BULK_COMMIT() ORDO_PLAIN_(BULK_COMMIT, 0, 0)
#define ORDO_BULK_WAIT(n) ORDO_PLAIN_(BULK_WAIT, 0, n)
#define ORDO_BULK_WAIT_READ(n) ORDO_PLAIN_(BULK_WAIT_READ, 0, n)

#endif

#endif
