#!/bin/sh
# capture.sh - capture on this machine's card: the built-in self-test, every operand's place, and all golden files.
#
# What needs no card is checked everywhere: a wrong command line is 2, no card is `not run` and 4.  Runs in the build
# tree.  Reads srcdir.  Exits 77 where capture is not built or there is no card.
set -u
srcdir=${srcdir:-.}
capture=./kernels/capture

test -x $capture || { echo "not run: $capture is not built, there is no nvcc for sm_90a"; exit 77; }
. "$srcdir/tests/work.sh"

# fails CODE ARGUMENT...: capture ends with CODE, has nothing to say on stdout and one line on stderr.
fails() {
    wants=$1
    shift
    $capture "$@" > "$work/out" 2> "$work/err"
    code=$?
    test $code -eq "$wants" && test ! -s "$work/out" && test "$(grep -c '' "$work/err")" -eq 1 && return
    echo "capture $*: exit $code, not $wants:"
    cat "$work/out" "$work/err"
    exit 1
}
fails 2
fails 2 --nothing
fails 2 --verify
fails 2 --self-test file
$capture --self-test > "$work/out" 2> "$work/err"
if test $? -eq 4; then
    for mode in --self-test --layouts --record --record-all "--verify $srcdir/tests/golden/sm90_h200.txt"; do
        fails 4 $mode
        grep -q '^capture: not run: ' "$work/err" || { echo "does not say: not run"; exit 1; }
    done
    cat "$work/err"
    exit 77
fi
grep -qx 'tier T0 may be claimed on this card' "$work/out" ||
    { echo "tier T0 may not be claimed on this card:"; cat "$work/out" "$work/err"; exit 1; }
golden=$srcdir/tests/golden/sm90_h200
for mode in --self-test --layouts "--verify $golden.txt ${golden}_all.txt"; do
    $capture $mode || exit 1
done
# A golden word that is not the card's is named.
sed '/^words/{n;s/^33000000/33000001/;}' "$srcdir/tests/golden/sm90_h200.txt" > "$work/edited"
$capture --verify "$work/edited" > "$work/out"
test $? -eq 1 && grep -q 'probes.mma.sync.n8 differs in 1 of 33 words, first in word 0: 33000000, golden 33000001' \
    "$work/out" || { echo "an edited word is not reported as it should be:"; cat "$work/out"; exit 1; }
