#!/bin/sh
# dense_cli.sh - `ordo ref --dense` and `ordo sim --dense --bits` from outside: bits that nothing may move, what an .npz
# carries, what is refused with which exit code.
#
# Runs ./ordo of the build directory.
set -u
work=$(mktemp -d "${TMPDIR:-/tmp}/ordo-dense-XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
failed=0
shape="--heads 2 --kv-heads 1 --head-dim 64 --q-len 150 --kv-len 170 --mask causal --tile-q 64 --tile-kv 32"

# wants CODE TEXT ARGUMENTS...: ./ordo ends with CODE and says TEXT somewhere.
wants() {
    code=$1 text=$2
    shift 2
    ./ordo "$@" > "$work/out" 2> "$work/err"
    got=$?
    if test $got -ne "$code" || ! cat "$work/out" "$work/err" | grep -q -e "$text"; then
        echo "ordo $*: exit code $got, not $code with '$text':"
        cat "$work/out" "$work/err"
        failed=1
    fi
}

# bits OF...: the digests alone.
bits() {
    ./ordo ref --dense --planes "$@" | sed -n '/^bits/,$p'
}

bits $shape --order spt -j 1 > "$work/one"
bits $shape --order spt -j 3 > "$work/three"
bits $shape --order ascending > "$work/ascending"
test "$(grep -c '' "$work/one")" -eq 9 || { echo "nine digests are wanted"; failed=1; }
cmp -s "$work/one" "$work/three" || { echo "threads move bits"; failed=1; }
# Other orders: other bits of some gradient, the same of all that comes before.
cmp -s "$work/one" "$work/ascending" && { echo "the schedule moves no bit"; failed=1; }
for output in o lse delta; do
    test "$(grep " $output " "$work/one")" = "$(grep " $output " "$work/ascending")" ||
        { echo "the schedule moves $output"; failed=1; }
done

wants 0 dv_fp32 ref --dense $shape --planes -o "$work/out.npz"
wants 3 'there is no such array' ref --dense $shape --inputs "$work/out.npz"
wants 3 'q_heads: must be a multiple' ref --dense --heads 3 --kv-heads 2
wants 3 'tile_q: must be a multiple of 16' ref --dense --tile-q 24
wants 2 "there is no 'sideways'" ref --dense $shape --order sideways
wants 2 'FILE: is needed without --dense' ref
# A file is no index tensor here: passed over, it would leave seeded values in its place.
for verb in ref truth "inputs -o $work/in.npz" "diff --actual $work/out.npz"; do
    wants 2 'does not go with an index file' $verb --dense $shape "$work/out.npz"
done
# Nor is an option of the other form taken and passed over (tests/t_form.c has them all).
wants 2 '--dqk: goes with an index file, not with --dense' ref --dense $shape --dqk 64
wants 2 '--batch: goes with --dense, not with an index file' ref keep.npy --kv 64 --batch 2
wants 2 'must be a positive number' ref --dense $shape --scale 0

wants 0 'dq       same bits: all 32 query tiles' sim --dense --mask causal --kv-tiles 8 --heads 4 --bits ascending,descending
wants 0 'dq       no input of up to 12 tiles' sim --dense --mask causal --kv-tiles 8 --heads 4 --bits ascending,descending
wants 0 'dk       2 tiles of 16, 1 head' sim --dense --mask causal --kv-tiles 8 --heads 4 --bits ascending,descending
wants 0 'dq       3 tiles of 16, 1 head' sim --dense --kv-tiles 8 --heads 4 --bits ascending,shift
wants 0 '"dq":{"differs":true' sim --dense --kv-tiles 8 --heads 4 --bits ascending,shift --json
# Rows 1,0,2 and 0,1,2: the first two addends are the same either way round.
wants 0 'dq       same bits: all 8 query tiles' sim --dense --mask causal --kv-tiles 4 --heads 2 --bits symmetric,symmetric-text
wants 0 'dq       other bits: 6 of 12 query' sim --dense --mask causal --kv-tiles 6 --heads 2 --bits symmetric,symmetric-text
wants 0 'dk, dv   other bits' sim --dense --mask documents --kv-tiles 8 --heads 2 --bits ascending,descending
wants 2 "there is no schedule 'up'" sim --dense --bits up,down
wants 2 'must be two schedules' sim --dense --bits shift
exit $failed
