#!/bin/sh
# faults_card.sh - plants each fault of faults_card.txt into the device code and wants `ordo run` to name it on a card.
#
#   faults_card.sh build DIR   needs nvcc: DIR/NAME/CUBIN.cubin of every fault, made from an edited copy of the sources
#   faults_card.sh fit DIR     needs neither: every edit is there exactly once
#   faults_card.sh run DIR     needs a card: each fault's run must end with a verdict that its record wants; the same run
#                              with the cubins that are built in must pass
#
# So the two may happen on two machines.  Runs in the build tree.  Reads srcdir, NVCC, NVCC_FLAGS.  Names of faults
# behind DIR: only those.  Exits 77 where there is no card.
set -u
LC_ALL=C
export LC_ALL
srcdir=$(cd "${srcdir:-.}" && pwd)
table=$srcdir/tests/faults_card.txt
. "$srcdir/tests/edit.sh"

build_one() {
    record "$table" "$1"
    rm -rf "$work/src" && mkdir -p "$work/src" "$dir/$1"
    (cd "$srcdir" && tar cf - base/*.h protocol/*.h kernels/*.h kernels/*.cuh kernels/*.cu) | (cd "$work/src" && tar xf -)
    chmod -R u+w "$work/src"
    edit "$srcdir/$file" > "$work/src/$file" || { echo "$1: not there exactly once in $file: $old"; return 1; }
    (cd "$work/src" && ${NVCC:-nvcc} ${NVCC_FLAGS:--std=c++17 -gencode=arch=compute_90a,code=sm_90a --fmad=false} -cubin \
        -I. -o "$dir/$1/$cubin.cubin" "kernels/$cubin.cu" 2> "$work/log") || { echo "$1: does not compile"; cat "$work/log"; return 1; }
    echo "built  $1 ($cubin)"
}

fit_one() {
    record "$table" "$1"
    edit "$srcdir/$file" > "$work/out" && test -f "$srcdir/kernels/$cubin.cu" && test -n "$run" && test -n "$wants" && return
    echo "$1: not there exactly once in $file: $old"
    return 1
}

verdict_of() {
    timeout 120 ./ordo run "$@" --repeats 16 --watchdog 3 > "$work/out" 2> "$work/err"
    code=$?
    sed -n 's/^verdict  //p' "$work/out"
    return $code
}

run_one() {
    record "$table" "$1"
    run=$(echo "$run" | sed "s,INDEX,$srcdir/corpus/index,g")
    if ! grep -qxF "$run" "$work/passed"; then
        got=$(verdict_of $run)
        test "$got" = pass || { echo "BAD    $1: without a fault: ${got:-$(cat "$work/err")}"; return 1; }
        echo "$run" >> "$work/passed"
    fi
    got=$(verdict_of $run --cubins "$dir/$1")
    echo "${got:-no verdict: $(cat "$work/err")}" | grep -qxE "$wants" || { echo "BAD    $1: ${got:-$(cat "$work/err")}, not $wants"; return 1; }
    echo "ok     $1: $got ($(sed -n 's/^\(bits\)* *\([a-z0-9_]*\)  *[0-9a-f]\{64\}  \([1-9][0-9]*\) of .*/\2/p' "$work/out" | tr '\n' ' '))"
}

what=${1:-} dir=${2:-}
case $what:$dir in
build:?* | fit:?* | run:?*) ;;
*) echo "usage: faults_card.sh build|fit|run DIR [NAME...]"; exit 2 ;;
esac
shift 2
mkdir -p "$dir" && dir=$(cd "$dir" && pwd)
. "$srcdir/tests/work.sh"
: > "$work/passed"
if test "$what" = run; then
    ./ordo run "$srcdir/corpus/index/bundle_deflate.npz" --kv 100 --heads 16 --repeats 0 --no-twin > "$work/out" 2> "$work/err"
    test $? -ne 4 || { cat "$work/err"; exit 77; }
fi
n=0
for name in ${*:-$(sed -n 's/^fault: *//p' "$table")}; do
    n=$((n + 1))
    ${what}_one "$name" || failed=$((failed + 1))
done
echo "$what: $((n - failed)) of $n faults as they should be"
test $failed -eq 0
