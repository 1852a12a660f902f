#!/bin/sh
# diff_kernel.sh - what `ordo diff --kernel` and the row that `ordo run` stores make of a card's answers.
#
# On tests/card_twin, where the twin stands in for the card: right answers pass and are those of `run -o` and `diff
# --actual`, each planted misbehaviour has its verdict, and a stored run stands beside a stored `check --level full`.
# And on ordo itself: what it refuses, and that it says `not run` without a card; tests/card.sh on both.  Runs in the
# build tree.  Reads srcdir.
set -u
srcdir=${srcdir:-.}
. "$srcdir/tests/work.sh"
fault=
unset ORDO_DB

# gives CODE EXPRESSION COMMAND...: it ends with CODE, and says a line that matches, on stdout or stderr.
gives() {
    code=$1 text=$2
    shift 2
    ORDO_CARD_FAULT=$fault "$@" > "$work/out" 2>&1
    got=$?
    test $got -eq "$code" && grep -qE -- "$text" "$work/out" && return
    echo "${fault:+($fault) }$*: exit $got, not $code, or not: $text"
    cat "$work/out"
    failed=1
}
# planted FAULT CODE EXPRESSION COMMAND...: the same of a card that misbehaves so.
planted() {
    fault=$1
    shift
    gives "$@"
    fault=
}
# asked N SQL: so many rows.
asked() {
    n=$(./ordo db sql "$2" --db "$work/db" --json | grep -c '"')
    test "$n" -eq "$1" || { echo "$n rows, not $1: $2"; failed=1; }
}
tests=$(cd "$srcdir/tests" && pwd)
# card_sh PROGRAM PARTS RATES: tests/card.sh of those parts, PROGRAM being ordo and RATES the program of one part.
card_sh() {
    mkdir -p "$work/tree" && ln -sf "$PWD/$1" "$work/tree/ordo"
    (cd "$work/tree" && srcdir=$tests/.. CARD_PARTS=$2 sh "$tests/card.sh" out '' "$3")
}

index=$work/index.npy
./ordo gen uniform --q 5 --kv 24 --topk 8 --seed 1 -o "$index" > "$work/out" || exit 1
problem="$index --kv 24 --heads 16"

# Refusals.
gives 2 '--actual: is needed, or --kernel' ./ordo diff $problem
for option in '--actual x' '--again x' '--design atomic'; do
    gives 2 "--kernel: does not go with ${option%% *}" ./ordo diff $problem --kernel auto $option
done
gives 2 '--kernel: goes with an index file, not with --dense' ./ordo diff --kernel auto --dense
for option in '--repeats 1' '--watchdog 1' --planes '--cubins x'; do
    gives 2 "--kernel: is needed with ${option%% *}" ./ordo diff $problem --actual x $option
done
gives 2 '--target: there are kernels for sm90 only' ./ordo diff $problem --kernel auto --target sm100
gives 2 '--heads: there are kernels for 16, 32, 64, 96 and 128, not for 17' ./ordo diff "$index" --kv 24 --heads 17 --kernel auto
gives 2 '--dqk: there are kernels for 576/512 and 512/512, not for 100/512' ./ordo diff $problem --kernel auto --dqk 100
gives 2 'must be one of auto, ' ./ordo diff $problem --kernel serial
gives 1 'refused: .* duplicate ids' ./ordo diff "$srcdir/corpus/index/duplicates.npy" --kv 64 --kernel auto

# The card, or none.
./ordo diff $problem --kernel cluster-relay --cluster 4 > "$work/out" 2> "$work/err"
code=$?
if test $code -eq 4; then
    test ! -s "$work/out" && grep -q 'not run: ' "$work/err" || { echo "does not say: not run"; failed=1; }
    gives 4 '"schema":"ordo.error/1".*"reason":"not run: ' ./ordo diff $problem --kernel auto --json
    gives 77 'not run: ' card_sh ordo rates true
elif test $code -ne 0 || ! grep -q '^verdict  clean$' "$work/out"; then
    cat "$work/out" "$work/err"
    failed=1
fi

# Right answers: clean at every tier, and what `run -o` and `diff --actual` say.
card=tests/card_twin
tiers() { sed 's/.*"convert":/"convert":/' "$1" | sed 's/,"triage".*//;s/the card.s own runs say it/there is no --again/g'; }
for design in 'private-shards --wave 32' 'cluster-relay --cluster 8'; do
    gives 0 '^verdict  pass' $card run $problem --design $design --seed 3 -o "$work/out.npz"
    gives 0 '"verdict":"clean"' $card diff $problem --kernel $design --seed 3 --repeats 2 --json
    grep -q '"claim":"bits".*"undecided":null' "$work/out" && tiers "$work/out" > "$work/kernel"
    gives 0 '"verdict":"clean"' $card diff $problem --target sm90 --design $design --seed 3 --claim bits \
        --actual "$work/out.npz" --json
    tiers "$work/out" | cmp - "$work/kernel" || { echo "$design: other tiers than those of the file"; failed=1; }
done
gives 0 '^T0 bits      dkv   not run: the design promises no order' $card diff $problem --kernel atomic --repeats 0
grep -q 'claim contract' "$work/out" && grep -q '^verdict  clean$' "$work/out" || { cat "$work/out"; failed=1; }
gives 6 'bits are claimed' $card diff $problem --kernel atomic --repeats 0 --claim bits

# Wrong ones.
relay='--cluster 4 --repeats 4 --budget 1'
planted bit 1 '^T0 bits      dq    1 of ' $card diff $problem --kernel cluster-relay $relay
planted plane 1 '^triage   open' $card diff $problem --kernel cluster-relay $relay
grep -q '^         planes   .*  1 of ' "$work/out" || { echo "the plane is not named"; failed=1; }
planted plane 0 '^verdict  clean' $card diff $problem --kernel cluster-relay $relay --claim real
planted race 1 '^triage   race' $card diff $problem --kernel cluster-relay $relay
planted residue 1 '^masks    1 words are not zero' $card diff $problem --kernel cluster-relay $relay
grep -q '^verdict  finding' "$work/out" || { echo "a mask that stays is no finding"; failed=1; }
planted hang 1 'hung: a run was not over after 2 s' $card diff $problem --kernel cluster-relay $relay --watchdog 2

# No room, on the card or here: `run` says so before it reads or makes inputs.
planted full 4 'memory: none' $card run $problem --inputs "$work/none.npz"
planted full 4 'memory: none' $card diff $problem --kernel auto
gives 4 'memory: .* bytes, more than this machine has' $card run "$index" --kv 2147483647 --heads 16 --inputs "$work/none.npz"
gives 3 'none.npz' $card run $problem --inputs "$work/none.npz"

# Subnormal terms, without which additions that flush are not seen.
gives 0 '^inputs   rough with tiny dO' $card run $problem --tiny
planted ftz 1 '^verdict  differs' $card run $problem --tiny
planted ftz 0 '^verdict  pass' $card run $problem
gives 0 '^verdict  pass' $card run $problem --tiny -o "$work/out.npz"
gives 0 '^verdict  clean' ./ordo diff $problem --target sm90 --tiny --claim bits --actual "$work/out.npz"
gives 1 '^T2 real      dq    [1-9]' ./ordo diff $problem --target sm90 --actual "$work/out.npz"
gives 0 '^verdict  clean' $card diff $problem --kernel cluster-relay --tiny
planted ftz 1 '^explained by additions that flush subnormals' $card diff $problem --kernel cluster-relay --tiny
planted ftz 0 '^verdict  clean' $card diff $problem --kernel cluster-relay
for verb in 'diff --kernel auto' truth; do
    gives 2 '--inputs: does not go with --seed or --tiny' ./ordo $verb $problem --inputs "$work/none.npz" --tiny
done
gives 0 '"tiny":true' ./ordo truth $problem --tiny --json

# The row.
run="$card run $problem --design cluster-relay --cluster 4 --repeats 4 --db $work/db"
gives 0 '^stored   run 1 in' $run
gives 0 '^stored   run 2 in' $run --planes
gives 0 '' ./ordo db flips --db "$work/db"
gives 0 '^verdict  pass' ./ordo check $problem --level full --target sm90 --design cluster-relay --cluster 4 --db "$work/db"
gives 0 '' ./ordo db compare 1 2 --db "$work/db"
./ordo db compare 2 3 --db "$work/db" > "$work/out"
test "$(grep -c '^output .*same$' "$work/out")" -eq 7 || { echo "not 7 outputs beside the twin's:"; cat "$work/out"; failed=1; }
planted bit 1 '^verdict  differs' $run
planted race 1 '^verdict  unstable' $run
planted residue 1 '^verdict  residue' $run
planted hang 1 '^verdict  hung' $run
gives 1 ' dq ' ./ordo db flips --db "$work/db"
gives 0 '' ./ordo db check --db "$work/db"
gives 1 '^verdict  refused' ./ordo check "$srcdir/corpus/index/duplicates.npy" --kv 64 --db "$work/refused"
gives 0 '"n_query":24,"topk":16,"n_kv":64,"live":384,"dead_queries":0,"duplicates":16,"duplicate_queries":2}' \
    ./ordo db sql 'select * from problem' --db "$work/refused" --json
asked 8 "select 1 from result r join device d on d.id = r.device join build b on b.id = r.build where r.run = 1 and r.verdict = 'same'
    and d.name = 'none: the twin in its place' and d.arch = 'sm_90' and d.driver = '0.1' and b.toolkit = 'CUDA 0.2'
    and b.digest = b.cubin_digest"
asked 1 "select distinct q.id from run r join problem q on q.id = r.problem where r.id <= 3 and q.n_query = 5 and q.topk = 8
    and q.n_kv = 24 and q.live = 40 and q.dead_queries = 0 and q.duplicates = 0 and q.duplicate_queries = 0"
asked 1 "select 1 from result where run = 4 and verdict = 'differs' and output = 'dq'"
asked 1 "select 1 from result where run = 5 and verdict = 'unstable' and output = 'dkv_fp32'"
asked 1 "select 1 from sample where run = 6 and metric = 'run_mask_residue' and value = 1"
asked 1 "select 1 from run where id = 7 and verdict = 'hung' and finding is not null"
asked 0 "select 1 from result where run = 7"

# Without the twin nothing is said of bits: wrong ones are stored, and their run is no pass; what it does find counts.
gives 0 '^verdict  not-compared$' $run --no-twin
planted bit 0 '^verdict  not-compared$' $run --no-twin
planted race 1 '^verdict  unstable$' $run --no-twin
planted residue 1 '"verdict":"residue"' $run --no-twin --json
asked 2 "select 1 from run where id in (8, 9) and verdict = 'not-compared' and finding is null"
asked 16 "select 1 from result where run in (8, 9) and verdict = 'not-compared'"
asked 0 "select 1 from result where run in (8, 9, 10, 11) and verdict in ('same', 'pass')"
asked 2 "select 1 from run where id in (10, 11) and verdict in ('unstable', 'residue') and finding is not null"
gives 0 'tests="11" failures="6" errors="0" skipped="2"' ./ordo db export --format junit --db "$work/db"

# Golden outputs are the card's own, and no twin predicts them while they are recorded.
printf 'ordo-golden-dsa 1\ncase a pattern=uniform q=3 topk=4 kv=8 heads=16 dqk=576 design=cluster-relay cluster=4 seed=1 values=rough sink=seeded\n' > "$work/cases"
gives 0 '^output dkv ' $card run --record "$work/cases"
planted race 1 'a: the card.s outputs: unstable' $card run --record "$work/cases"

# card.sh says of each part what came of it, and of a part that there is not that it did not run.
gives 0 '^ok     rates ' card_sh tests/card_twin rates true
gives 1 '^BAD    rates' card_sh tests/card_twin rates false
gives 1 '^BAD    faults: there is no such part' card_sh tests/card_twin 'faults rates' true
exit $failed
