#!/bin/sh
# spin_e2.sh - Spin as a second opinion on E2: same counts on the coarse model, same verdict on each broken variant that its
# text can state.  Needs spin, gcc and ORDO_SPIN_MODEL (the Promela text of the relay); else exits 77.
#
# Spin's model has an init process with two states of its own, so its counts are E2's plus 2 states and 3 transitions.
set -u
model=${ORDO_SPIN_MODEL:-}
test -n "$model" && test -f "$model" || { echo "ORDO_SPIN_MODEL names no file: skipped"; exit 77; }
command -v spin > /dev/null && command -v gcc > /dev/null || { echo "no spin or no gcc: skipped"; exit 77; }
model=$(cd "$(dirname "$model")" && pwd)/$(basename "$model")
ordo=$(pwd)/ordo
srcdir=${srcdir:-.}
. "$srcdir/tests/work.sh"

# spin_says FLAGS...: pan's report in $work/report.
spin_says() {
    (cd "$work" && spin -a "$@" "$model" > log 2>&1 && gcc -O2 -DSAFETY -DNOREDUCE -w -o pan pan.c >> log 2>&1 &&
        timeout 300 ./pan -m100000 > report 2>&1) || { cat "$work/log"; return 1; }
}

# counts: E2's on the coarse model, one line each `rows states edges`.
"$ordo" bench explore --json | sed -n 's/.*"rows":\([0-9]*\),"states":\([0-9]*\),"edges":\([0-9]*\),.*/\1 \2 \3/p' \
    > "$work/counts"
while read -r rows states edges; do
    spin_says -DCOARSE=1 -DC=8 -DR="$rows" -DORD=0 || { failed=1; continue; }
    s=$(sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' "$work/report")
    t=$(sed -n 's/^ *\([0-9]*\) transitions.*/\1/p' "$work/report")
    if test "$s" -eq $((states + 2)) && test "$t" -eq $((edges + 3)); then
        echo "ok coarse, $rows rows: $states states, $edges edges"
    else
        echo "not ok coarse, $rows rows: E2 $states and $edges, Spin $s and $t"
        failed=1
    fi
done < "$work/counts"
test -s "$work/counts" || { echo "not ok: no counts"; failed=1; }

# agree VARIANT FLAGS...: both find an error, or neither does.
agree() {
    variant=$1
    shift
    "$ordo" prove --protocol --variant "$variant" --json > "$work/e2"
    spin_says "$@" || { failed=1; return; }
    bad=$(grep -c 'errors: 0' "$work/report")
    ours=$(grep -c '"verdict":"proved"' "$work/e2")
    if test "$bad" -eq "$ours"; then
        echo "ok $variant: $(sed -n 's/.*"harm":"\([a-z ]*\)".*/\1/p' "$work/e2")"
    else
        echo "not ok $variant: E2 $(cat "$work/e2"), Spin $(grep errors: "$work/report")"
        failed=1
    fi
}
agree D01 -DC=4 -DR=1 -DRES=3
agree D03 -DC=4 -DR=2 -DPAT=1 -DBUG_ABSENT
agree D05 -DC=4 -DR=1 -DBUG_OWNBIT
agree D06 -DC=4 -DR=2 -DORD=1 -DBUG_CLSYNC
agree D07 -DC=4 -DR=2 -DBUG_HIGHFIRST
agree D09 -DC=4 -DR=2 -DBUG_EARLY
agree D11 -DC=4 -DR=1 -DBUG_DUPRANK
agree D12 -DC=4 -DR=2 -DORD=0 -DBUG_PACK
agree D13 -DC=4 -DR=2 -DORD=0 -DBUG_NOATOMIC
agree D14 -DC=4 -DR=2 -DORD=0 -DBUG_DUPIDX
agree D15 -DC=4 -DR=2 -DBUG_MISSING
agree R01 -DC=4 -DR=1 -DT=1
exit $failed
