#!/bin/sh
# bridge.sh - what nvcc makes of the role headers is what the prover records of them, operation by operation.
#
# tests/bridge.cu has every role as a kernel; its PTX names each operation's mnemonic (order, scope and width are in
# it) and, by its line information, the header and the line that it comes from.  tests/bridge_tape.c prints the same
# of the recorded tapes.  The two lists must be equal.  An instruction of the PTX that stores or synchronises, but
# comes from no operation, is listed too, so it differs.  The PTX must assemble.  Where all operands are known
# (fixed_*), the addresses, bits and counts are compared too, and of data where it comes from: tests/bridge.awk follows
# it through the registers.
# Then one meaning of op.h is edited, one edit at a time, and the lists must differ; an edit of a role changes both,
# and they must not.  Every operation of op.h has an edit of each of its meanings here.
#
# Reads srcdir, CC, CFLAGS, LDFLAGS and NVCC as configured.  Exits 77 where there is no nvcc.
set -u
LC_ALL=C
export LC_ALL
srcdir=$(cd "${srcdir:-.}" && pwd)
CC=${CC:-cc}
CFLAGS=${CFLAGS:--std=c17 -D_GNU_SOURCE}
LDFLAGS=${LDFLAGS:-}
NVCC=${NVCC-nvcc}
. "$srcdir/tests/edit.sh"

test -n "$NVCC" || { echo "not run: nvcc is not configured"; exit 77; }
PTXAS=$(command -v ptxas || command -v "$(dirname "$NVCC")/ptxas" || echo ptxas)
command -v "$NVCC" > /dev/null || { echo "not run: there is no $NVCC"; exit 77; }

# device FOLDER, prover FOLDER: the two lists, of the headers in FOLDER first.
device() {
    "$NVCC" -std=c++17 -arch=sm_90a -lineinfo -ptx -I"$1" -I"$srcdir" -o "$1/ptx" "$srcdir/tests/bridge.cu" \
        > "$1/log" 2>&1 && awk -f "$srcdir/tests/bridge.awk" "$1/ptx" "$1/ptx" > "$1/device"
}

prover() {
    $CC -I"$1" -I"$srcdir" $CFLAGS -w $LDFLAGS -o "$1/tape" "$srcdir/tests/bridge_tape.c" > "$1/log" 2>&1 &&
        "$1/tape" > "$1/prover"
}

# assembles FOLDER: whether the device's list is of instructions that there are.
assembles() {
    "$PTXAS" -arch=sm_90a -o "$1/cubin" "$1/ptx" > "$1/log" 2>&1
}

# copy NAME FILE OLD NEW: a folder with an edited copy of FILE.
copy() {
    old=$3 new=$4
    mkdir -p "$work/$1/$(dirname "$2")"
    edit "$srcdir/$2" > "$work/$1/$2" || { echo "$2: not there exactly once: $3"; failed=1; return 1; }
}

# one_sided SIDE OPERATION OLD NEW: an edit of op.h that reaches one meaning only must part the lists.
one_sided() {
    n_planted=$((n_planted + 1))
    echo "$1 $2" >> "$work/edited"
    set -- "$1" "$2-$n_planted" "$3" "$4"
    copy "$2" protocol/op.h "$3" "$4" || return
    here=$work/$2
    cp "$work/device" "$work/prover" "$here"
    if ! "$1" "$here"; then
        echo "$2: does not compile for the $1"
        cat "$here/log"
        failed=1
    elif cmp -s "$here/device" "$here/prover"; then
        echo "$2: an edit of the $1's meaning alone passes"
        failed=1
    else
        echo "ok $2: $(diff "$here/device" "$here/prover" | sed -n 's/^[<>] //p' | sed -n 1p)"
    fi
}

# unspelt FILE OLD NEW INSTRUCTION: an edit of a role that E4 calls SPELLING; assembled together with the others.
unspelt() {
    n_unspelt=$((n_unspelt + 1))
    mkdir -p "$work/unspelt/protocol"
    test -f "$work/unspelt/$1" || cat "$srcdir/$1" > "$work/unspelt/$1"
    old=$2 new=$3
    edit "$work/unspelt/$1" > "$work/edited-text" || { echo "$1: not there exactly once: $2"; failed=1; }
    cp "$work/edited-text" "$work/unspelt/$1"
    echo "$4" >> "$work/unspelt/wants"
}

# The assembler refuses the instructions of those edits, all of them and no others.
check_unspelt() {
    device "$work/unspelt" && assembles "$work/unspelt"
    sed -n 's/^ptxas .* line \([0-9]*\); error.*/\1/p' "$work/unspelt/log" | sort -u | while read -r n; do
        sed -n "${n}s/^[[:space:]]*\([^ ]*\) .*/\1/p" "$work/unspelt/ptx"
    done | sort -u > "$work/unspelt/refused"
    sort "$work/unspelt/wants" | diff "$work/unspelt/refused" - || { echo "what assembles (>) is not refused"; failed=1; }
}

# both NAME FILE OLD NEW: an edit of a role must reach both.
both() {
    n_both=$((n_both + 1))
    copy "$@" || return
    here=$work/$1
    if ! device "$here" || ! prover "$here" || ! assembles "$here"; then
        echo "$1: does not compile"
        cat "$here/log"
        failed=1
    elif ! diff "$here/device" "$here/prover" || cmp -s "$here/device" "$work/device"; then
        echo "$1: an edit of $2 does not reach both meanings"
        failed=1
    fi
}

. "$srcdir/tests/work.sh"
n_planted=0 n_both=0 n_unspelt=0
# Operations: what op.h defines twice, with arguments.
sed -n 's/^#define ORDO_\([A-Z0-9_][A-Z0-9_]*[A-Z0-9]\)(.*/\1/p' "$srcdir/protocol/op.h" | sort | uniq -d \
    > "$work/two-faced"
test -s "$work/two-faced" || { echo "op.h has no operation with two meanings"; exit 1; }
device "$work" || { echo "nvcc does not take tests/bridge.cu"; cat "$work/log"; exit 1; }
assembles "$work" || { echo "ptxas does not take tests/bridge.cu"; cat "$work/log"; exit 1; }
prover "$work" || { echo "tests/bridge_tape.c does not compile or run"; cat "$work/log"; exit 1; }
test -s "$work/device" || { echo "no operation found in the PTX"; exit 1; }
diff "$work/device" "$work/prover" || { echo "the device (<) and the prover (>) do not have one program"; exit 1; }
echo "$(grep -c '' "$work/device") operations of $(grep -c '\.entry' "$work/ptx") kernels are the same"

one_sided device AWAIT_CLEAR '"ld." #sem "." #scope' '"ld.relaxed." #scope'
one_sided device AWAIT_CLEAR '".global." #width " %0, [%1];"' '".global.u8 %0, [%1];"'
one_sided device AWAIT_CLEAR 'index, v_ & (bits))' 'index, v_ & ~(bits))'
one_sided device AWAIT_GE 'index, v_ < (value))' 'index, v_ <= (value))'
one_sided device AWAIT_GE 'index, v_ < (value))' 'index, (int)v_ < (int)(value))'
one_sided device RED_AND 'asm volatile("red." #sem "." #scope' 'asm volatile("red." #sem ".cta"'
one_sided device RED_AND 'ORDO_RED_(and, sem' 'ORDO_RED_(or, sem'
one_sided device RED_OR 'ORDO_RED_(or, sem' 'ORDO_RED_(xor, sem'
one_sided device RED_ADD 'ORDO_RED_(add, sem' 'ORDO_RED_(max, sem'
one_sided device ADD_F32 \
    'asm volatile("st." #sem ".global.f32 [%0], %1;" ::"l"(p_), "f"(__fadd_rn(v_, x)) : "memory")' \
    '*p_ = __fadd_rn(v_, x)'
one_sided device ADD_F32 'float *p_ = (mem) + (int64_t)(index) * (stride)' \
    'float *p_ = (mem) + (int)(index) * (stride)'
one_sided device ADD_F32 '__fadd_rn(v_, x)' '__fadd_rn(v_, -(x))'
one_sided device PLACE_OF 'ORDO_PLACE_OF(mem, index, stride, column) ((mem) + (int64_t)(index)' \
    'ORDO_PLACE_OF(mem, index, stride, column) ((mem) + (int32_t)(index)'
one_sided device COPY_V4 '"r"((there) ? 16 : 0)' '"r"((there) ? 8 : 0)'
one_sided device COPY_V4 '::"r"(stage), "l"((place) + (offset)), ' '::"r"(stage), "l"((place) + (offset) / 2), '
one_sided device COPY_COMMIT '#define ORDO_COPY_COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")' \
    '#define ORDO_COPY_COMMIT() ((void)0)'
one_sided device COPY_WAIT '"cp.async.wait_group %0;" ::"n"(n)' '"cp.async.wait_group %0;" ::"n"((n) - 1)'
one_sided device COPY_WAIT '"cp.async.wait_group %0;"' '"cp.async.wait_all;"'
one_sided device ADD_2V4 'setp.ne.s32 p, %5, 0;' 'setp.eq.s32 p, %5, 0;'
one_sided device ADD_2V4 '"@p st." #sem' '"st." #sem'
one_sided device ADD_2V4 '__fadd_rn((v)[1], b)' '__fadd_rn((v)[2], b)'
one_sided device ADD_2V4 'ld.shared.v4.f32 {%0, %1, %2, %3}' 'ld.shared.v4.f32 {%0, %2, %1, %3}'
one_sided device ADD_2V4 ': "r"(stage)  ' ': "r"((stage) + 16)  '
one_sided device ADD_2V4 '[%0], {%1, %2, %3, %4}; }"' '[%0], {%1, %2, %4, %3}; }"'
one_sided device ADD_2V4 'ORDO_TAKE_(w_, stage2)' 'ORDO_TAKE_(w_, stage)'
one_sided device ADD_2V4 'ORDO_PUT_(sem, there2, w_' 'ORDO_PUT_(sem, there, w_'
one_sided device ADD_2V4 'w_, (place2) + (offset)' 'w_, (place2)'
one_sided device UNROLLED '_Pragma("unroll")' '_Pragma("unroll 1")'
one_sided device STORE_F32 '(stride) + (column)), "f"(x)' '(stride) + (column)), "f"((x) + 1)'
one_sided device SUM_BEGIN 'float sum = (c)' 'float sum = -(c)'
one_sided device SUM_F32 '__fadd_rn(sum, v_)' '__fadd_rn(v_, v_)'
one_sided device VALUE '((x)[i])' '((x)[(i) + 1])'
one_sided device CONSTANT 'ORDO_CONSTANT(c) (c)' 'ORDO_CONSTANT(c) (1 - (c))'
one_sided device BAR_SYNC 'barrier.sync %0, %1;' 'barrier.arrive %0, %1;'
one_sided device BAR_SYNC '::"r"(id), "r"(n)' '::"r"(id), "r"((n) + 32)'
one_sided device WARP_SYNC '#define ORDO_WARP_SYNC() asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")' \
    '#define ORDO_WARP_SYNC() ((void)0)'
one_sided device WARP_SYNC 'bar.warp.sync 0xffffffff;' 'bar.warp.sync 0xffff;'
one_sided device WARP_SYNC '#define ORDO_WARP_SYNC() asm' \
    '#define ORDO_WARP_SYNC() if (threadIdx.x == 77) return; asm'
one_sided device FENCE '"fence." #sem "." #scope ";"' '"fence." #sem ".cta;"'
one_sided device PROXY_FENCE '"fence.proxy.async.global;"' '"fence.proxy.async;"'
one_sided device SHARED_FENCE '"fence.proxy.async.shared::cta;"' '"fence.proxy.async.global;"'
one_sided device CLUSTER_ARRIVE '"barrier.cluster.arrive." #sem ".aligned;"' \
    '"barrier.cluster.arrive.relaxed.aligned;"'
one_sided device CLUSTER_WAIT '"barrier.cluster.wait." #sem ".aligned;"' '"barrier.cluster.wait." #sem ";"'
one_sided device BULK_ADD '"r"(stage), "r"(bytes)' '"r"(stage), "r"((bytes) / 2)'
one_sided device BULK_ADD '(mem) + (int64_t)(index) * (stride)), ' '(mem) + (int)(index) * (stride)), '
one_sided device BULK_COMMIT 'asm volatile("cp.async.bulk.commit_group;" ::: "memory")' '((void)0)'
one_sided device BULK_WAIT '"cp.async.bulk.wait_group %0;"' '"cp.async.bulk.wait_group.read %0;"'
one_sided device BULK_WAIT_READ '"cp.async.bulk.wait_group.read %0;"' '"cp.async.bulk.wait_group %0;"'
one_sided prover AWAIT_CLEAR 'ORDO_SEM_##sem_, ORDO_SCOPE_##scope_, ORDO_WIDTH_##width_' \
    'ORDO_SEM_relaxed, ORDO_SCOPE_##scope_, ORDO_WIDTH_##width_'
one_sided prover AWAIT_CLEAR 'ORDO_SCOPE_##scope_, ORDO_WIDTH_##width_' 'ORDO_SCOPE_##scope_, ORDO_WIDTH_b32'
one_sided prover AWAIT_CLEAR '(AWAIT_CLEAR, sem, scope, width, mem, index, bits)' \
    '(AWAIT_CLEAR, sem, scope, width, mem, index, (bits) << 1)'
one_sided prover AWAIT_GE '(AWAIT_GE, sem, scope, width, mem, index, value)' \
    '(AWAIT_GE, sem, scope, width, mem, (index) + 1, value)'
one_sided prover RED_AND 'ORDO_SCOPE_##scope_, ORDO_WIDTH_##width_' 'ORDO_SCOPE_sys, ORDO_WIDTH_##width_'
one_sided prover RED_AND '(RED_AND, sem, scope, width, mem, index, value)' \
    '(RED_AND, release, scope, width, mem, index, value)'
one_sided prover RED_OR '(RED_OR, sem, scope, width, mem, index, value)' \
    '(RED_OR, sem, scope, width, mem, index, (value) >> 1)'
one_sided prover RED_ADD '(RED_ADD, sem, scope, width, mem, index, value)' \
    '(RED_AND, sem, scope, width, mem, index, value)'
one_sided prover ADD_F32 'x_.data == ORDO_DATA_OPAQUE ? ORDO_DATA_ADDED' 'x_.data == ORDO_DATA_OPAQUE ? ORDO_DATA_OPAQUE'
one_sided prover ADD_F32 '((int64_t)(index) * (stride) + (column))' '((int32_t)((index) * (stride)) + (column))'
one_sided prover PLACE_OF 'ordo_place_of(mem, ORDO_ELEMENT_(index, stride, column))' \
    'ordo_place_of(mem, ORDO_ELEMENT_(index, stride, 0))'
one_sided prover COPY_V4 '(there) ? 16 : 0, ORDO_DATA_NONE' '16, ORDO_DATA_NONE'
one_sided prover COPY_V4 'ORDO_DATA_NONE, stage, __LINE__' 'ORDO_DATA_NONE, (stage) + 16, __LINE__'
one_sided prover COPY_COMMIT 'ORDO_PLAIN_(COPY_COMMIT, 0, 0)' '((void)tape_)'
one_sided prover COPY_WAIT 'ORDO_PLAIN_(COPY_WAIT, 0, n)' 'ORDO_PLAIN_(COPY_WAIT, 0, (n) - 1)'
one_sided prover ADD_2V4 '(there) && e_ < 4' 'e_ < 4'
one_sided prover ADD_2V4 '(stage) + 4 * e_' '(stage) + e_'
one_sided prover ADD_2V4 'struct ordo_opaque x_[4] = {a, b, c, d}' 'struct ordo_opaque x_[4] = {a, c, b, d}'
one_sided prover ADD_2V4 'q_.index += (offset)' 'q_.index -= (offset)'
one_sided prover ADD_2V4 'there2, stage2, q_' 'there2, stage, q_'
one_sided prover UNROLLED '#define ORDO_UNROLLED
' '#define ORDO_UNROLLED return;
'
one_sided prover STORE_F32 'x_.bits, x_.data, x_.source);' 'x_.bits, x_.data, 0);'
one_sided prover SUM_BEGIN 'ordo_opaque_of(ORDO_DATA_SUM, c, 0)' 'ordo_opaque_of(ORDO_DATA_SUM, -(c), 0)'
one_sided prover SUM_F32 'column), 0, sum.data, sum.source)' 'column + 1), 0, sum.data, sum.source)'
one_sided prover VALUE '0.0f, (uint32_t)(i))' '0.0f, (uint32_t)(i) + 1)'
one_sided prover CONSTANT 'ordo_opaque_of(ORDO_DATA_CONSTANT, c, 0)' 'ordo_opaque_of(ORDO_DATA_CONSTANT, -(c), 0)'
one_sided prover BAR_SYNC 'ORDO_PLAIN_(BAR_SYNC, id, n)' 'ORDO_PLAIN_(BAR_SYNC, n, id)'
one_sided prover WARP_SYNC 'ORDO_PLAIN_(WARP_SYNC, 0, 0)' '((void)tape_)'
one_sided prover FENCE 'ORDO_SCOPED_(FENCE, sem, scope)' 'ORDO_SCOPED_(FENCE, sc, scope)'
one_sided prover PROXY_FENCE 'ORDO_PLAIN_(PROXY_FENCE, 0, 0)' 'ORDO_PLAIN_(SHARED_FENCE, 0, 0)'
one_sided prover SHARED_FENCE 'ORDO_PLAIN_(SHARED_FENCE, 0, 0)' 'ORDO_PLAIN_(PROXY_FENCE, 0, 0)'
one_sided prover CLUSTER_ARRIVE 'ORDO_SCOPED_(CLUSTER_ARRIVE, sem, cluster)' \
    'ORDO_SCOPED_(CLUSTER_ARRIVE, relaxed, cluster)'
one_sided prover CLUSTER_WAIT 'ORDO_SCOPED_(CLUSTER_WAIT, sem, cluster)' 'ORDO_SCOPED_(CLUSTER_ARRIVE, sem, cluster)'
one_sided prover BULK_ADD 'bytes, ORDO_DATA_OPAQUE, stage)' 'bytes, ORDO_DATA_OPAQUE, (stage) + 4)'
one_sided prover BULK_COMMIT 'ORDO_PLAIN_(BULK_COMMIT, 0, 0)' '((void)tape_)'
one_sided prover BULK_WAIT 'ORDO_PLAIN_(BULK_WAIT, 0, n)' 'ORDO_PLAIN_(BULK_WAIT, 0, (n) + 1)'
one_sided prover BULK_WAIT_READ 'ORDO_PLAIN_(BULK_WAIT_READ, 0, n)' 'ORDO_PLAIN_(BULK_WAIT, 0, n)'
one_sided prover EMIT 'data, source, __FILE__, line)' 'data, source, __FILE__, line + 1)'
for side in device prover; do
    sed -n "s/^$side \([A-Z]\)/\1/p" "$work/edited" | sort -u | comm -13 - "$work/two-faced" > "$work/missing"
    test ! -s "$work/missing" || { echo "no edit of the $side's meaning of:"; cat "$work/missing"; failed=1; }
done
both await-weaker protocol/relay.h 'ORDO_AWAIT_CLEAR(acquire, gpu, u32' 'ORDO_AWAIT_CLEAR(relaxed, cta, u32'
both clear-wider protocol/relay.h 'ORDO_RED_AND(release, gpu, b32' 'ORDO_RED_AND(release, sys, b32'
both stride-off protocol/relay.h 'ORDO_ADD_F32(weak, plane, row[i], d8, d,' \
    'ORDO_ADD_F32(weak, plane, row[i], d8 + 1, d,'
both cleared-to-one protocol/launch.h 'ORDO_CONSTANT(0.0f)' 'ORDO_CONSTANT(1.0f)'
both another-value protocol/relay.h 'ORDO_VALUE(x, (int64_t)i * d8 + d)' 'ORDO_VALUE(x, (int64_t)i + d)'
both staged-elsewhere protocol/relay.h 'stage + (uint32_t)i * (uint32_t)d8 * 4' 'stage + (uint32_t)i * (uint32_t)d8'
both another-accumulator protocol/fragment.h 'ORDO_VALUE(x, 4 * i + 4)' 'ORDO_VALUE(x, 4 * i + 3)'
both another-turn protocol/fragment.h '(uint32_t)(quad % ORDO_FRAGMENT_TURNS)' \
    '(uint32_t)((quad + 1) % ORDO_FRAGMENT_TURNS)'
both another-half protocol/fragment.h '* group + ORDO_FRAGMENT_GROUPS - 1)' '* group)'
both waits-for-less protocol/fragment.h 'ORDO_COPY_WAIT(ORDO_FRAGMENT_TURNS - 2)' \
    'ORDO_COPY_WAIT(ORDO_FRAGMENT_TURNS - 1)'
both arrive-relaxed protocol/launch.h 'ORDO_CLUSTER_ARRIVE(release)' 'ORDO_CLUSTER_ARRIVE(relaxed)'
unspelt protocol/relay.h 'ORDO_ADD_F32(weak' 'ORDO_ADD_F32(relaxed' ld.relaxed.global.f32
echo st.relaxed.global.f32 >> "$work/unspelt/wants" # the same edit
unspelt protocol/relay.h 'ORDO_RED_AND(release, gpu' 'ORDO_RED_AND(acq_rel, gpu' red.acq_rel.gpu.global.and.b32
unspelt protocol/mask.h 'ORDO_RED_OR(relaxed, gpu' 'ORDO_RED_OR(weak, gpu' red.weak.gpu.global.or.b32
unspelt protocol/ticket.h 'ORDO_RED_ADD(release, gpu, u32' 'ORDO_RED_ADD(release, gpu, b32' red.release.gpu.global.add.b32
unspelt protocol/launch.h 'ORDO_STORE_F32(weak, plane, row, d8, d, ORDO_VALUE' \
    'ORDO_STORE_F32(release, plane, row, d8, d, ORDO_VALUE' st.release.global.f32
check_unspelt
test $failed -eq 0 && echo "$n_unspelt edits do not assemble" && echo "$n_planted edits of one meaning are seen; $n_both edits of a role reach both"
exit $failed
