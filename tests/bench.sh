#!/bin/sh
# bench.sh - which options each benchmark of `ordo bench` takes: any other is refused by its name, and is told where it
# goes.  What a benchmark takes is shown by its run, where that is short.
#
# Runs in the build tree.  Reads srcdir.
set -u
srcdir=${srcdir:-.}
. "$srcdir/tests/work.sh"
refused=0

# Each option with a value that it may have, and the benchmarks that read it.
cat > "$work/options" << 'END'
q 5|prove cert dsa
kv 64|prove cert attention dsa
topk 4|prove cert dsa
pattern keep|prove cert
results 2|store
step 65536|exp2
index x|attention
dense|attention
seed 1|prove cert fuzz attention dsa sim
END
all='prove cert oracle explore fuzz store mma exp2 attention dsa sim'

# ends CODE TEXT ARGUMENT...: `ordo bench` ends with CODE and says a line that begins with TEXT.
ends() {
    code=$1 text=$2
    shift 2
    ./ordo bench "$@" > "$work/out" 2>&1
    got=$?
    test $got -eq "$code" && grep -q "^$text" "$work/out" && return
    echo "ordo bench $*: exit $got, not $code, or not: $text"
    cat "$work/out"
    failed=1
}

while IFS='|' read -r option readers; do
    for bench in $all; do
        case " $readers " in *" $bench "*) continue ;; esac
        ends 2 "ordo bench: --${option% *}: goes with $(echo "$readers" | sed 's/ / or /g'), not with $bench\$" $bench --$option
        refused=$((refused + 1))
    done
done < "$work/options"
test $refused -eq 77 || { echo "$refused pairs were tried, not 77"; failed=1; }
test "$(./ordo bench --help | sed -n 's/^ *\(-., \)*--\([a-z]*\).*/\2/p' | grep -vxE 'json|help' | sort)" = \
    "$(sed 's/[ |].*//' "$work/options" | sort)" || { echo "the table is not of all options"; failed=1; }

# Options that only some forms of a benchmark read.
ends 2 'ordo bench: --kv: goes with --index$' attention --kv 64
ends 2 'ordo bench: --dense: does not go with --index$' attention --dense --index x
ends 3 'ordo bench: x: ' attention --index x --kv 64 --seed 1

tensor='--q 5 --kv 64 --topk 4 --seed 1'
ends 0 'cluster-relay  C=4 ' prove $tensor --pattern uniform
ends 0 'certificate    C=4  *valid' cert $tensor --pattern uniform
ends 0 '2 results ' store --results 2
ends 0 '{"schema":"ordo.bench/1","bench":"exp2",.*"step":65536' exp2 --step 65536 --json
ends 0 'general  *blocks ' sim --seed 1
./ordo bench dsa $tensor > "$work/out" 2>&1 # without a card: not run
case $? in 0 | 4) ;; *) cat "$work/out"; failed=1 ;; esac
exit $failed
