#!/bin/sh
# card.sh - all that a change of the kernels is judged by on a card, in one go; manual/h200.md has what came of it.
#
#   card.sh OUT [FAULTS [RATES]]   OUT: where the golden file, the bench table and the logs go; FAULTS: what
#                                  `faults_card.sh build` made, and RATES: kernels/card_rates.cu compiled, perhaps on
#                                  another machine
#
# Runs in the build tree, on a machine with a card; compute-sanitizer only where it is found.  Says of each part what
# came of it, and exits 1 if one failed, 77 where there is no card.  Reads srcdir, and CARD_PARTS: the parts to run, if
# not all.
set -u
srcdir=$(cd "${srcdir:-.}" && pwd)
out=${1:?where to}
faults=${2:-} rates=${3:-}
mkdir -p "$out" || exit 99
. "$srcdir/tests/work.sh"
parts=

# part NAME COMMAND...: the command's output goes to OUT/NAME.
part() {
    name=$1 parts="$parts $1"
    shift
    case " ${CARD_PARTS:-$name} " in *" $name "*) ;; *) return ;; esac
    start=$(date +%s)
    if "$@" > "$out/$name" 2> "$out/$name.err"; then
        echo "ok     $name ($(($(date +%s) - start)) s)  $(tail -n 1 "$out/$name" | cut -c 1-90)"
    else
        echo "BAD    $name: $(cat "$out/$name" "$out/$name.err" | tail -n 2 | tr '\n' ' ')"
        failed=1
    fi
    test -s "$out/$name.err" || rm -f "$out/$name.err"
}

# But for the first lines, which name the card and the code.
golden_is_as_shipped() {
    sed -n '/^case /,$p' "$srcdir/tests/golden/dsa_h200.txt" > "$work/shipped"
    sed -n '/^case /,$p' "$out/golden" | diff "$work/shipped" - > /dev/null && echo "as tests/golden/dsa_h200.txt"
}

# Two designs at each pair of heads and Dqk: 1,000 poisoned repeats among graph replays, other ids and a busy stream.
repeats() {
    ./ordo gen uniform --q 257 --kv 256 --topk 64 -o "$work/repeats.npy" > /dev/null || return 1
    for shape in "16 576" "32 512" "64 512" "64 576" "96 512" "128 576"; do
        set -- $shape
        for design in "private-shards" "cluster-relay --cluster 8"; do
            ./ordo run "$work/repeats.npy" --kv 256 --heads $1 --dqk $2 --design $design --repeats 1000 \
                > "$work/log" || { cat "$work/log" >&2; return 1; }
            echo "$1 heads, $2, $design: $(sed -n 's/^verdict  //p' "$work/log")"
        done
    done
}

# T3: the trees of a dKV row that 64 CTAs add to, with 2,048 terms, and of a dQ element, by masked probes.
trees() {
    shape="--kv 64 --heads 16"
    ./ordo gen window --q 64 --kv 64 --topk 64 -o "$work/trees.npy" > /dev/null || return 1
    for of in private-shards 4 8 16; do
        design=$of
        test "$of" = private-shards || design="cluster-relay --cluster $of"
        for sum in "dkv --row 7" "dq --query 3"; do
            ./ordo reveal "$work/trees.npy" $shape --target sm90 --design $design --sum $sum \
                --exec "./ordo run \$1 $shape --design $design --inputs \$1 -o \$2 --repeats 0 --no-twin" \
                > "$work/log" || { cat "$work/log" >&2; return 1; }
            echo "$design, $sum: $(sed -n 's/^verdict  //p' "$work/log")"
        done
    done
}

# lengths N: 0, 7, 14, ... modulo 66, as .npy.
lengths() {
    python3 - $1 > "$work/lengths.$1.npy" << 'PYTHON'
import struct, sys

n = int(sys.argv[1])
head = "{'descr': '<i4', 'fortran_order': False, 'shape': (%d,), }" % n
head += ' ' * (63 - (10 + len(head)) % 64) + '\n'
sys.stdout.buffer.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(head)) + head.encode())
sys.stdout.buffer.write(struct.pack('<%di' % n, *[7 * i % 66 for i in range(n)]))
PYTHON
}

# one_sanitizer NUMBER TOOL DESIGN Q KV HEADS DQK
one_sanitizer() {
    compute-sanitizer --error-exitcode 9 --tool "$2" ./ordo run "$work/boundary.$4.npy" --kv "$5" \
        --length "$work/lengths.$4.npy" --heads "$6" --dqk "$7" --design $3 --repeats 1 --no-twin --no-poison \
        --watchdog 120 > "$work/sanitizer.$1" 2>&1 || { cat "$work/sanitizer.$1" >&2; echo "$1" >> "$work/bad"; }
}

# The boundary shapes of tests/golden/dsa_cases.txt under each tool.
sanitizers() {
    command -v compute-sanitizer > /dev/null || { echo "not run: there is no compute-sanitizer"; return 0; }
    n=0
    : > "$work/bad"
    for shape in "1 1 64 512" "8 65 16 576" "9 127 32 512" "127 128 64 576" "128 129 96 512" "129 130 128 576"; do
        set -- $shape
        ./ordo gen boundary --q $1 --kv $2 --topk 64 -o "$work/boundary.$1.npy" > /dev/null && lengths $1 || return 1
        for tool in memcheck initcheck synccheck; do
            for design in private-shards "cluster-relay --cluster 8" atomic; do
                n=$((n + 1))
                one_sanitizer $n $tool "$design" "$@" &
            done
        done
        wait
    done
    echo "$((n - $(grep -c '' < "$work/bad"))) of $n runs clean"
    test ! -s "$work/bad"
}

./ordo run "$srcdir/corpus/index/bundle_deflate.npz" --kv 100 --heads 16 --repeats 0 --no-twin > "$out/first" 2>&1
test $? -ne 4 || { cat "$out/first"; exit 77; }
rm -f "$out/first"
part golden ./ordo run --record "$srcdir/tests/golden/dsa_cases.txt"
part shipped golden_is_as_shipped
part predicted ./ordo run --predict "$srcdir/tests/golden/dsa_h200.txt"
part repeats repeats
part trees trees
part sanitizers sanitizers
test -z "$faults" || part faults sh "$srcdir/tests/faults_card.sh" run "$faults"
test -z "$rates" || part rates "$rates"
part bench ./ordo bench dsa
for name in ${CARD_PARTS:-}; do
    case " $parts " in *" $name "*) continue ;; esac
    echo "BAD    $name: there is no such part, or what it runs was not given"
    failed=1
done
exit $failed
