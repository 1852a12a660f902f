#!/bin/sh
# builds.sh - the twin's bits do not depend on the compiler, its optimisation, or the machine's vectors.
#
# Compiles the twin's sources and tests/twin_digest.c with gcc and clang at -O0, -O2 and -O3, with the machine's own
# instructions (-march=native) and without the vector versions (ORDO_NO_SIMD), and compares what they print.  Since a
# comparison that never failed is not trusted, one build is wrong on purpose: its exp2 multiplies and adds unfused.
#
# Runs in the build tree, where tests/twin_digest is the build under test.  Reads srcdir, CC as configured.
# builds.sh [STEPS [full]]: full builds every combination, else two.
set -u
srcdir=${srcdir:-.}
CC=${CC:-cc}
steps=${1:-40000}
. "$srcdir/tests/work.sh"
sources="tests/twin_digest.c ref/fp.c ref/mma.c ref/mma_model.c ref/mma_pack.c ref/mma_step.c ref/mma_take.c
    ref/mma_avx2.c ref/mma_avx512.c ref/unary.c ref/attention.c ref/attention_backward.c ref/attention_cta.c
    ref/attention_exp.c ref/attention_forward.c ref/attention_planes.c ref/attention_probe.c ref/contribution.c
    ref/inputs.c sim/contract.c
    sim/design.c sim/design_atomic.c sim/design_private.c sim/design_relay.c sim/order.c sim/plan.c sim/policy.c sim/workspace.c
    corpus/problem.c base/digest.c base/parallel.c base/progress.c base/status.c base/size.c"

# digests NAME COMPILER FLAGS...: NAME's lines into $work/NAME.
digests() {
    name=$1
    shift
    (cd "$srcdir" && "$@" -std=c17 -D_GNU_SOURCE -I. -o "$work/$name.exe" $sources -lsodium -lpthread -lm) ||
        { echo "$name does not build"; return 1; }
    "$work/$name.exe" "$steps" > "$work/$name" 2> "$work/$name.said" && return
    echo "$name fails:"
    cat "$work/$name.said"
    return 1
}

# same NAME COMPILER FLAGS...: must print what the build under test did.
same() {
    digests "$@" || { failed=1; return; }
    n_builds=$((n_builds + 1))
    cmp -s "$work/first" "$work/$1" && return
    echo "$*: other bits:"
    diff "$work/first" "$work/$1"
    failed=1
}

n_builds=0
off=-ffp-contract=off
./tests/twin_digest "$steps" > "$work/first" || { echo "the build under test fails"; exit 1; }
if test $# -ge 2; then
    for cc in gcc clang; do
        command -v $cc > "$work/said" || { echo "not run: there is no $cc"; continue; }
        for level in 0 1 2 3; do
            same $cc-O$level $cc -O$level $off
            same $cc-O$level-plain $cc -O$level $off -DORDO_NO_SIMD
        done
        same $cc-O3-native $cc -O3 -march=native $off
        same $cc-O3-v3 $cc -O3 -march=x86-64-v3 $off
    done
else
    for cc in gcc clang; do # the one that CC, which may have a launcher in front, is not
        case $CC in
        *$cc*) ;;
        *) command -v $cc > "$work/said" && same $cc-O1 $cc -O1 $off ;;
        esac
    done
    same cc-O0-plain $CC -O0 $off -DORDO_NO_SIMD
fi
test $n_builds -gt 0 || { echo "no build to compare with"; failed=1; }
printf '#include <math.h>\n#define fmaf(a, b, c) ((a) * (b) + (c))\n' > "$work/wrong.h"
digests wrong $CC -O0 $off -DORDO_NO_SIMD -include "$work/wrong.h" || failed=1
! cmp -s "$work/first" "$work/wrong" || { echo "a build that does not fuse passes"; failed=1; }
test $failed -eq 0 && echo "$n_builds builds, the same bits:" && cat "$work/first"
exit $failed
