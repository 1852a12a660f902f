#!/bin/sh
# rounding.sh - the backward kernels do to fp32 numbers what the twin can say, and nothing else.
#
# Their PTX, made without any flag that forbids fusing or flushing, holds only operations that name their rounding,
# and tensor core products of BF16 into fp32: an addition or a multiplication without it could be fused later.  Where
# a plane has one writer at a time, no addition is atomic, and the relay's one atomic operation is its release; the
# atomic design's only one is the addition.  Then one line is edited, one at a time, and each must be seen.
#
# Reads srcdir and NVCC as configured; ORDO_LONG, if set, asks for all edits and not the first alone.  Exits 77 where
# there is no nvcc.
set -u
srcdir=$(cd "${srcdir:-.}" && pwd)
NVCC=${NVCC-nvcc}
. "$srcdir/tests/edit.sh"

test -n "$NVCC" || { echo "not run: nvcc is not configured"; exit 77; }
command -v "$NVCC" > /dev/null || { echo "not run: there is no $NVCC"; exit 77; }

. "$srcdir/tests/work.sh"
mkdir "$work/as-shipped"

allowed='add\.rn\.f32|sub\.rn\.f32|mul\.rn\.f32|fma\.rn\.f32|neg\.f32|mov\.f32|selp\.f32|setp\.[a-z]+\.f32'
allowed="$allowed|cvt\.rn\.bf16x2\.f32|(ld|st)\.[a-z0-9_.]*f32"
allowed="$allowed|wgmma\.mma_async\.sync\.aligned\.m64n[0-9]+k16\.f32\.bf16\.bf16"

# strange FOLDER DESIGN ATOMIC: what the PTX of a design holds beside what it may; headers of FOLDER first.
strange() {
    "$NVCC" -std=c++17 -gencode=arch=compute_90a,code=compute_90a -ptx -I"$1" -I"$srcdir" -o "$work/$2.ptx" \
        "$1/$2.cu" > "$work/log" 2>&1 || { cat "$work/log"; return 1; }
    grep -oE '[a-z][a-z0-9_]*(\.[a-z0-9_:]+)+' "$work/$2.ptx" | sort -u > "$work/words"
    grep -E '\.(f32|f64|bf16x2|ftz|approx)(\.|$)' "$work/words" | grep -vE "^($allowed)$" | grep -vx "$3"
    grep -E '^(red|atom|cp\.reduce)' "$work/words" | grep -vx "$3"
}

designs() {
    echo '#include "kernels/dsa_strokes.cuh"
DSA_STROKES(relay, 576, 512, 4)' > "$1/relay.cu"
    echo '#include "kernels/dsa_pipe.cuh"
DSA_PIPE(pipe, 576, 512)' > "$1/pipe.cu"
}

# seen NAME DESIGN FILE OLD NEW WORD: with the edit, WORD is strange.
seen() {
    old=$4 new=$5
    mkdir -p "$work/$1/kernels" "$work/$1/protocol"
    designs "$work/$1"
    edit "$srcdir/$3" > "$work/$1/$3" || { echo "$3: not there exactly once: $4"; failed=1; return; }
    strange "$work/$1" "$2" red.release.gpu.global.and.b32 > "$work/$1/strange"
    grep -qx "$6" "$work/$1/strange" || { echo "$1: no $6 is seen"; cat "$work/$1/strange"; failed=1; }
}

designs "$work/as-shipped"
for design in "relay red.release.gpu.global.and.b32" "pipe red.global.add.v4.f32"; do
    strange "$work/as-shipped" ${design% *} ${design#* } > "$work/strange"
    test -s "$work/strange" && { echo "${design% *} has what it may not:"; cat "$work/strange"; failed=1; }
    test -s "$work/words" || { echo "${design% *}: no PTX"; failed=1; }
done
seen bare-product relay kernels/dsa_work.cuh 'ORDO_MUL(scale, p[i + j])' 'scale * p[i + j]' mul.f32
n_edit=1
if test -n "${ORDO_LONG:-}"; then
    n_edit=4
    seen bare-sum relay protocol/op.h '__fadd_rn(v_[1], b)' 'v_[1] + b' add.f32
    seen fast-exponential relay kernels/dsa_work.cuh 'ordo_exp2_6(ORDO_FMA(' 'exp2f(ORDO_FMA(' ex2.approx.f32
    seen atomic-owner relay protocol/op.h '"st." #sem ".global.v4.f32' '"red.global.add.v4.f32' red.global.add.v4.f32
fi
test $failed -eq 0 && echo "2 designs say each rounding; edits seen: $n_edit"
exit $failed
