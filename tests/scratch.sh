#!/bin/sh
# scratch.sh - `ordo bench cert` and `bench store` leave nothing in TMPDIR: not at the end, not where a signal ends
# them, at once or amid their files; and they die of that signal.
#
# Runs ./ordo of the build directory.  Reads srcdir.
set -u
srcdir=${srcdir:-.}
. "$srcdir/tests/work.sh"

fail() {
    echo "$*"
    failed=1
}

# fresh: TMPDIR is a folder in which nothing of an earlier command can stand.
fresh() {
    TMPDIR=$(mktemp -d "$work/temp-XXXXXX") || exit 99
    export TMPDIR
}

# empty WHAT: nothing is left.
empty() {
    test -z "$(ls -A "$TMPDIR")" || fail "$1 leaves $(ls -A "$TMPDIR"/*)"
}

# killed SIGNAL CODE PATTERN ARGUMENTS...: the signal comes as soon as a path that PATTERN fits is there.
killed() {
    signal=$1 code=$2 pattern=$3 tries=0
    shift 3
    fresh
    ./ordo "$@" > "$work/log" 2>&1 &
    pid=$!
    until ls $TMPDIR/$pattern > /dev/null 2>&1 || test $tries -gt 500; do
        tries=$((tries + 1))
        sleep 0.02
    done
    kill -"$signal" $pid || fail "ordo $* has ended before the signal"
    wait $pid
    got=$?
    test $got -eq "$code" || { fail "ordo $*: $signal ends it with $got, not $code"; cat "$work/log"; }
    empty "ordo $*, $signal"
}

fresh
./ordo bench cert --q 256 --kv 4096 --topk 64 > "$work/log" 2>&1 || { fail "bench cert fails"; cat "$work/log"; }
empty "bench cert"
fresh
./ordo bench store --results 20000 > "$work/log" 2>&1 || { fail "bench store fails"; cat "$work/log"; }
empty "bench store"
killed TERM 143 'ordo-bench-*' bench cert
killed HUP 129 'ordo-bench-*' bench store
killed TERM 143 'ordo-bench-*/tensor.npy*' bench cert
killed TERM 143 'ordo-bench-*/bench.db' bench store
# The verb may miss its folder before it dies: of the signal still, whichever comes first.
for round in 1 2 3 4 5 6; do
    killed TERM 143 'ordo-bench-*/proof.cert' bench cert --q 1024 --kv 16384 --topk 256
done
TMPDIR=$work/none ./ordo bench cert > "$work/log" 2>&1
test $? -eq 4 || { fail "a TMPDIR that is not there is no environment's fault"; cat "$work/log"; }
exit $failed
