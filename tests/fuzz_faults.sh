#!/bin/sh
# fuzz_faults.sh - how long `ordo fuzz` takes to find each planted fault of order, mask and protocol.
#
# Plants the protocol's faults of faults.txt and those of the order, one at a time, into a copy of the program, and lets
# it fuzz from SEEDS seeds for at most TIME each.  Every seed must find it and shrink it to 8 queries x 4 columns, unless
# a list below says why not.  What no pattern can show, and edits that change nothing (those that faults.txt wants to
# survive), are tried too, from two seeds, and must stay unfound.  The program without an edit must find nothing.  Prints
# a table: seeds that found it, the least, median and largest time, the largest shrunk case, and the signature.
#
# Runs in the build tree, reads srcdir, CC, CFLAGS, LDFLAGS, LIBS as faults.sh does.  fuzz_faults.sh NAME... plants only
# those.  SEEDS (10) and TIME (10s) may be set.
set -u
LC_ALL=C
export LC_ALL
srcdir=$(cd "${srcdir:-.}" && pwd)
table=$srcdir/tests/faults.txt
. "$srcdir/tests/edit.sh"
seeds=${SEEDS:-10}
time=${TIME:-10s}

# NAME: REASON, where no small case of index pattern, plan and schedule can show the fault.
out_of_reach="
last-wave-in-32-bits: wave * width leaves 32 bits at 2^31 queries; t_index asks the map itself
fold-row-of-32-bits: only from 2^31 rows of all planes on, which no small case has; t_tape asks the role itself
clear-row-of-32-bits: only from 2^31 rows of all planes on, which no small case has; t_tape asks the role itself
"

# NAME: QUERIES: REASON, where the smallest case that there can be has more than 8 queries.  Plane p has queries q with
# (q mod wave) / C >= p only, in every design, wave and cluster; waves and head blocks come back to the same planes.
larger="
fold-without-groups: 10: sums differ from two planes of a later group on, 8 and 9, and plane 9 has no query below the tenth
"

# Faults outside the protocol's sections that change an order or a sum.
of_the_order="ranks-descend waves-descend head-blocks-descend tail-wave-lost key-forgets-head-blocks planes-descend
    sums-start-from-the-first-plane fold-without-groups fold-group-beyond-the-planes"

field() {
    awk -v name="$1" -v key="$2" '
        /^fault:/ { here = ($2 == name) }
        here && $1 == key ":" { sub(/^[a-z]+:[ ]*/, ""); print; exit }' "$table"
}

# The faults of the sections that begin with "--- protocol".
of_the_protocol() {
    awk '/^--- / { here = /^--- protocol/ } here && /^fault:/ { print $2 }' "$table"
}

# The objects of the program: those of the archives that it links, as the build lists them, and its own room's.
objects_of() {
    for archive in $(printf '%s\n' $LIBS | grep -E '^[a-z]+/lib[a-z]+\.a$' | grep -v '^tests/' | sort -u); do
        ${AR:-ar} t "$archive" | grep '\.o$' | sed "s,^,${archive%/*}/,"
    done
    ls cli/*.o
}

# The program from its objects, those that read $file compiled anew from the copy in folder $1.  What has flags of its own
# (ROOM/libNAME_a-FILE.o) is what drives a card, which no fuzzing asks; it stays as it is.
build() {
    objects=
    for object in $(objects_of | sort -u); do
        source=${object%.o}.c
        if ! echo "$object" | grep -q '/lib[a-z]*_a-' && grep -qE "(^|[ /])$file( |:|\$)" "${object%/*}/.deps/$(basename "$object" .o).Po"; then
            from=$srcdir/$source
            test -f "$from" || from=$source
            test "$source" = "$file" && from=$1/$source
            object=$1/$(echo "$source" | tr / _).o
            $CC -DHAVE_CONFIG_H -DPACKAGE_VERSION='"0"' -I"$1" -I"$srcdir" $CFLAGS -O2 -ffp-contract=off -w -c -o "$object" "$from" || return 1
        fi
        objects="$objects $object"
    done
    $CC $LDFLAGS -o "$1/ordo" $objects $libs
}

# fuzz FOLDER SEED: "TIME QUERIES COLUMNS SIGNATURE" of the first finding; "- - - none", or how it died.
fuzz() {
    "$1/ordo" fuzz --time "$time" --stop 1 --seed "$2" --jobs 1 --json > "$1/said" 2> "$1/err"
    code=$?
    case $code in
    0) echo "- - - none" ;;
    1) sed -n 's/.*"signature":"\([^"]*\)".*"seconds":\([0-9.e+-]*\),"n_query":\([0-9]*\),"topk":\([0-9]*\).*/\2 \3 \4 \1/p' \
        "$1/said" ;;
    *) echo "- - - died with $code: $(tail -n 1 "$1/err")" ;;
    esac
}

# one NAME: a line of the table.
one() {
    dir=$work/$1
    mkdir -p "$dir"
    file=$(field "$1" file) old=$(field "$1" old) new=$(field "$1" new)
    mkdir -p "$dir/$(dirname "$file")"
    edit "$srcdir/$file" > "$dir/$file" || { echo "not ok $1: does not fit"; return; }
    build "$dir" > "$dir/log" 2>&1 || { echo "not ok $1: does not build"; cat "$dir/log"; return; }
    why=$(printf '%s\n' "$out_of_reach" | sed -n "s/^$1: //p")
    test "$(field "$1" wants)" = survives && why="changes nothing"
    size=$(printf '%s\n' "$larger" | sed -n "s/^$1: //p")
    last=$seeds
    test -n "$why" && test "$seeds" -gt 2 && last=2
    seed=1
    : > "$dir/runs"
    while test $seed -le "$last"; do
        fuzz "$dir" $seed >> "$dir/runs"
        seed=$((seed + 1))
    done
    sort -g "$dir/runs" | awk -v name="$1" -v n="$last" -v why="$why" -v size="$size" '
        $1 != "-" { t[++k] = $1; q = $2 > q ? $2 : q; c = $3 > c ? $3 : c }
        { $1 = $2 = $3 = ""; sub(/^ */, ""); how = $0 }
        END {
            good = why != "" ? k == 0 && how == "none" : k == n && q <= (size == "" ? 8 : size + 0) && c <= 4
            printf "%s %-34s %2d of %d", good ? "ok    " : "not ok", name, k, n
            if (k)
                printf "  %8.3f %8.3f %8.3f s  %d x %d", t[1], t[int((k + 1) / 2)], t[k], q, c
            sub(/^[0-9]*: /, "no smaller one can: ", size)
            printf "  %s%s\n", how, why != "" ? "  (" why ")" : size != "" ? "  (" size ")" : ""
        }'
    rm -rf "${dir:?}"
}

libs=$(printf '%s\n' $LIBS | grep -vE '^[a-z]+/lib[a-z]+\.a$|^-lcmocka$' | tr '\n' ' ')
work=${ORDO_FUZZ_FAULTS:-}
if test "${1:-}" = --one; then
    one "$2"
    exit
fi
ls */.deps/*.Po > /dev/null 2>&1 || { echo "not run: configured without dependency tracking"; exit 77; }
. "$srcdir/tests/work.sh"
ulimit -c 0
ORDO_FUZZ_FAULTS=$work
export ORDO_FUZZ_FAULTS srcdir
if test $# -eq 0; then
    ./ordo fuzz --time "$time" --seed 1 > "$work/control" || { cat "$work/control"; echo "not ok: no edit, and a finding"; exit 1; }
    set -- $(of_the_protocol) $of_the_order
fi
echo "       fault                              found       least   median  largest    shrunk to  signature"
printf '%s\n' "$@" | xargs -n 1 -P "${JOBS:-1}" "${SHELL:-/bin/sh}" "$0" --one | tee "$work/table"
n_ok=$(grep -c '^ok' "$work/table")
echo "$n_ok of $# as they should be"
test "$n_ok" -eq $#
