#!/bin/sh
# run.sh - `ordo run` from outside: what it refuses, that it says `not run` without a card, and on one that it passes.
#
# Runs in the build tree.  Reads srcdir.
set -u
srcdir=${srcdir:-.}
. "$srcdir/tests/work.sh"
unset ORDO_DB

# says CODE TEXT ARGUMENT...: `ordo run` ends with CODE and one line on stderr that holds TEXT; stdout is empty.
says() {
    code=$1 text=$2
    shift 2
    ./ordo run "$@" > "$work/out" 2> "$work/err"
    got=$?
    test $got -eq "$code" && test ! -s "$work/out" && test "$(grep -c '' "$work/err")" -eq 1 &&
        grep -qF -- "$text" "$work/err" && return
    echo "ordo run $*: exit $got, not $code, or not: $text"
    cat "$work/out" "$work/err"
    failed=1
}

index=$srcdir/corpus/index
says 2 'FILE: is needed'
says 2 '--kv: is needed' "$index/keep40.npy"
says 2 'one of --record, --verify and --predict' --record "$work/x" --verify "$work/x"
says 2 'no FILE beside it' "$index/keep40.npy" --kv 4096 --predict "$work/x"
says 3 'cannot be read' --predict "$work/none"
for option in "--db $work/db" --tiny '--seed 1' '--repeats 2' '--cluster 4' --planes; do
    says 2 "--predict: does not go with ${option%% *}" --predict "$work/none" $option
done
says 2 '--cost: goes with --verify and --predict' "$index/keep40.npy" --kv 4096 --cost 3
says 2 'does not go with --seed or --tiny' "$index/keep40.npy" --kv 4096 --inputs "$work/x" --seed 1
says 2 'does not go with --seed or --tiny' "$index/keep40.npy" --kv 4096 --inputs "$work/x" --tiny
says 2 'a wave of 100 lanes is not divisible' "$index/keep40.npy" --kv 4096 --design cluster-relay --cluster 8 --wave 100
for shape in '--heads 17' '--dqk 100' '--dv 100' '--target sm100'; do
    says 2 "${shape% *}: th" "$index/keep40.npy" --kv 4096 $shape
done
says 2 '--heads: there are kernels for 16, 32, 64, 96 and 128, not for 17' "$index/keep40.npy" --kv 4096 --heads 17
says 2 '--dv: there are kernels for 576/512 and 512/512, not for 576/100' "$index/keep40.npy" --kv 4096 --dv 100
says 3 'extents: 257 queries, 0 KV rows' "$index/keep40.npy" --kv 0
./ordo run "$index/duplicates.npy" --kv 64 > "$work/out" 2> "$work/err"
test $? -eq 1 && grep -q '^refused ' "$work/out" || { echo "duplicates are not refused"; failed=1; }

# The faults that a card must find still fit the device code.
sh "$srcdir/tests/faults_card.sh" fit "$work/fit" > "$work/out" || { cat "$work/out"; failed=1; }

# A file of cases: read whole, or refused with its line.
golden() {
    printf 'ordo-golden-dsa 1\n%b' "$1" > "$work/golden"
    says 3 "$2" --predict "$work/golden"
}
case='case a pattern=uniform q=3 topk=4 kv=8 heads=16 dqk=576 design=cluster-relay cluster=4 seed=1 values=rough sink=seeded'
golden '' 'the file has no case'
golden "$case\n" 'has no outputs: a list to record'
golden "$case\n$case\n" 'line 3: comes twice'
golden 'case a pattern=uniform\n' 'line 2: is missing'
golden "$case seed=2\n" 'line 2: comes twice'
golden "$case what=2\n" 'line 2: is an unknown key'
golden "case A b=1\n" 'line 2: has no name of small letters'
golden "$case index=x\n" 'line 2: a case has an index file or a pattern'
golden "$case\noutput dq 12\n" 'line 3: is not `output NAME DIGEST`'
golden "$case\nsample dq 1 1\n" 'line 3: is not `sample NAME STEP N`'
golden 'else\n' 'line 2: is an unknown line'
printf 'ordo-golden 1\n' > "$work/golden"
says 3 'line 1: is not `ordo-golden-dsa 1`' --predict "$work/golden"

# Golden outputs made up of the twin's own: no evidence of a card, but the reader and the comparison are the real ones.
printf '%s\n' "$case" > "$work/case"
./ordo gen uniform --q 3 --kv 8 --topk 4 --seed 1 -o "$work/a.npy" > "$work/out" &&
    ./ordo ref "$work/a.npy" --kv 8 --heads 16 --dqk 576 --dv 512 --target sm90 --design cluster-relay --cluster 4 \
        --seed 1 > "$work/ref" || failed=1
made_up() {
    printf 'ordo-golden-dsa 1\ndevice none: made up by the twin\n%s\n' "$case"
    sed -n 's/^\(bits\)* *\(o\|lse\|delta\|dq\|dkv\|dkv_fp32\|dsink\) *\([0-9a-f]\{64\}\)$/output \2 \3/p' "$work/ref"
}
made_up > "$work/golden"
./ordo run --predict "$work/golden" > "$work/out" && grep -q '^predicted  1 cases, 7 outputs, 0 raw elements: 0 cases' \
    "$work/out" || { echo "the twin does not predict itself:"; cat "$work/out" "$work/golden"; failed=1; }
sed '/^output dkv /{s/0$/1/;t
s/.$/0/;}' "$work/golden" > "$work/edited"
./ordo run --predict "$work/edited" > "$work/out"
test $? -eq 1 && grep -q '^case a: dkv differs: ' "$work/out" || { echo "an edited digest passes"; failed=1; }
sed 's/seed=1/seed=2/' "$work/golden" > "$work/edited"
./ordo run --predict "$work/edited" > "$work/out"
test $? -eq 1 || { echo "another seed passes"; failed=1; }

# What a card returned: at least 30 small cases are predicted whole; one changed element or digest shows.
predicted() {
    ./ordo run --predict "$1" --cost 80 > "$work/out"
    code=$?
    n=$(sed -n 's/^predicted  \([0-9]*\) cases.*/\1/p' "$work/out")
    test $code -eq "$2" && test "${n:-0}" -ge 30 && return
    echo "$1: exit $code, not $2, or ${n:-0} cases:"
    cat "$work/out"
    failed=1
}
golden=$srcdir/tests/golden/dsa_h200.txt
predicted "$golden" 0
awk '/^sample dkv_fp32 / && !done { print; getline; done = 1
    $2 = (substr($2, 1, 1) == "0" ? "1" : "0") substr($2, 2) } { print }' "$golden" > "$work/edited"
mkdir -p "$work/tests/golden" "$work/corpus" && ln -s "$(cd "$srcdir" && pwd)/corpus/index" "$work/corpus/index"
mv "$work/edited" "$work/tests/golden/edited.txt"
predicted "$work/tests/golden/edited.txt" 1
grep -q '^case .*: dkv_fp32 differs: ' "$work/out" && grep -q '^         element ' "$work/out" ||
    { echo "the changed element is not named"; failed=1; }

# The card, or none.
./ordo run "$index/bundle_deflate.npz" --kv 100 --heads 16 --cluster 4 > "$work/out" 2> "$work/err"
code=$?
if test $code -eq 4; then
    says 4 'not run: ' "$index/keep40.npy" --kv 4096
    says 4 'not run: ' --verify "$golden"
    says 4 'not run: ' --record "$srcdir/tests/golden/dsa_cases.txt"
    ./ordo run "$index/keep40.npy" --kv 4096 --json > "$work/out" 2> "$work/err"
    grep -q '"schema":"ordo.error/1".*"reason":"not run: ' "$work/out" || { echo "JSON does not say: not run"; failed=1; }
    exit $failed
fi
test $code -eq 0 && grep -q '^verdict  pass$' "$work/out" || { cat "$work/out" "$work/err"; failed=1; }
exit $failed
