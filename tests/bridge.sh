#!/bin/sh
# bridge.sh - what nvcc makes of the role headers is what the prover records of them, operation by operation.
#
# tests/bridge.cu has every role as a kernel; its PTX names each operation's mnemonic (order, scope and width are in
# it) and, by its line information, the header and the line that it comes from.  tests/bridge_tape.c prints the same
# of the recorded tapes.  The two lists must be equal.  An instruction of the PTX that stores or synchronises, but
# comes from no operation, is listed too, so it differs.  Then one meaning of op.h is edited, one edit at a time, and the
# lists must differ; an edit of a role changes both, and they must not.  Operands are not compared.
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
command -v "$NVCC" > /dev/null || { echo "not run: there is no $NVCC"; exit 77; }

# The operations of a PTX text: kernel, header:line, mnemonic.  The file numbers stand at its end: it is read twice.
operations() {
    awk '
        $1 == ".file" {
            name = $3
            gsub(/"/, "", name)
            sub(/.*\/protocol\//, "protocol/", name)
            sub(/.*\/tests\//, "tests/", name)
            file[$2] = name
        }
        NR == FNR { next }
        /\.entry / { kernel = $0; sub(/.*\.entry /, "", kernel); sub(/\(.*/, "", kernel) }
        $1 == ".loc" { place = file[$2] ":" $3 }
        /begin inline asm/ { inside = 1; next }
        /end inline asm/ { inside = 0 }
        { sub(/^@!?%p[0-9]+[ \t]+/, ""); sub(/;.*/, ""); sub(/^[ \t]+/, "") }
        inside && NF { print kernel, place, $1; next }
        $1 ~ /^(st|red|atom|bar|barrier|fence|membar|mbarrier|cp|call)(\.|$)/ {
            print kernel, place, $1, "of no operation"
        }' "$1" "$1"
}

# device FOLDER, prover FOLDER: the two lists, of the headers in FOLDER first.
device() {
    "$NVCC" -std=c++17 -arch=sm_90a -lineinfo -ptx -I"$1" -I"$srcdir" -o "$1/ptx" "$srcdir/tests/bridge.cu" \
        > "$1/log" 2>&1 && operations "$1/ptx" > "$1/device"
}

prover() {
    $CC -I"$1" -I"$srcdir" $CFLAGS -w $LDFLAGS -o "$1/tape" "$srcdir/tests/bridge_tape.c" > "$1/log" 2>&1 &&
        "$1/tape" > "$1/prover"
}

# copy NAME FILE OLD NEW: a folder with an edited copy of FILE.
copy() {
    old=$3 new=$4
    mkdir -p "$work/$1/$(dirname "$2")"
    edit "$srcdir/$2" > "$work/$1/$2" || { echo "$2: not there exactly once: $3"; failed=1; return 1; }
}

# one_sided SIDE NAME OLD NEW: an edit of op.h that reaches one meaning only must part the lists.
one_sided() {
    n_planted=$((n_planted + 1))
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

# both NAME FILE OLD NEW: an edit of a role must reach both.
both() {
    n_both=$((n_both + 1))
    copy "$@" || return
    here=$work/$1
    if ! device "$here" || ! prover "$here"; then
        echo "$1: does not compile"
        cat "$here/log"
        failed=1
    elif ! diff "$here/device" "$here/prover" || cmp -s "$here/device" "$work/device"; then
        echo "$1: an edit of $2 does not reach both meanings"
        failed=1
    fi
}

work=$(mktemp -d "${TMPDIR:-/tmp}/ordo-bridge-XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
failed=0 n_planted=0 n_both=0
device "$work" || { echo "nvcc does not take tests/bridge.cu"; cat "$work/log"; exit 1; }
prover "$work" || { echo "tests/bridge_tape.c does not compile or run"; cat "$work/log"; exit 1; }
test -s "$work/device" || { echo "no operation found in the PTX"; exit 1; }
diff "$work/device" "$work/prover" || { echo "the device (<) and the prover (>) do not have one program"; exit 1; }
echo "$(grep -c '' "$work/device") operations of $(grep -c '\.entry' "$work/ptx") kernels are the same"

one_sided device await-relaxed '"ld." #sem "." #scope' '"ld.relaxed." #scope'
one_sided device await-of-bytes '".global." #width " %0, [%1];"' '".global.u8 %0, [%1];"'
one_sided device clear-of-the-cta 'asm volatile("red." #sem "." #scope' 'asm volatile("red." #sem ".cta"'
one_sided device mark-by-xor 'ORDO_RED_(or, sem' 'ORDO_RED_(xor, sem'
one_sided device barrier-without-waiting 'bar.sync %0, %1;' 'bar.arrive %0, %1;'
one_sided device no-warp-barrier '#define ORDO_WARP_SYNC() asm volatile("bar.warp.sync 0xffffffff;" ::: "memory")' \
    '#define ORDO_WARP_SYNC() ((void)0)'
one_sided device source-read-only 'cp.async.bulk.wait_group %0;' 'cp.async.bulk.wait_group.read %0;'
one_sided device add-by-plain-c \
    'asm volatile("st." #sem ".global.f32 [%0], %1;" ::"l"(p_), "f"(__fadd_rn(v_, x)) : "memory")' \
    '*p_ = __fadd_rn(v_, x)'
one_sided prover recorded-relaxed 'ORDO_SEM_##sem_, ORDO_SCOPE_##scope_, ORDO_WIDTH_##width_' \
    'ORDO_SEM_relaxed, ORDO_SCOPE_##scope_, ORDO_WIDTH_##width_'
one_sided prover recorded-wider 'ORDO_SCOPE_##scope_, ORDO_WIDTH_##width_' 'ORDO_SCOPE_sys, ORDO_WIDTH_##width_'
one_sided prover recorded-as-a-word 'ORDO_SCOPE_##scope_, ORDO_WIDTH_##width_' 'ORDO_SCOPE_##scope_, ORDO_WIDTH_b32'
one_sided prover recorded-full-wait 'ORDO_PLAIN_(BULK_WAIT_READ, 0, n)' 'ORDO_PLAIN_(BULK_WAIT, 0, n)'
one_sided prover recorded-elsewhere 'data, source, __FILE__, line)' 'data, source, __FILE__, line + 1)'
one_sided prover nothing-recorded 'ORDO_PLAIN_(WARP_SYNC, 0, 0)' '((void)tape_)'
both await-weaker protocol/relay.h 'ORDO_AWAIT_CLEAR(acquire, gpu, u32' 'ORDO_AWAIT_CLEAR(relaxed, cta, u32'
both clear-wider protocol/relay.h 'ORDO_RED_AND(release, gpu, b32' 'ORDO_RED_AND(release, sys, b32'
both arrive-relaxed protocol/launch.h 'ORDO_CLUSTER_ARRIVE(release)' 'ORDO_CLUSTER_ARRIVE(relaxed)'
test $failed -eq 0 && echo "$n_planted edits of one meaning are seen; $n_both edits of a role reach both"
exit $failed
