#!/bin/sh
# faults.sh - plants each fault of faults.txt and wants its test to fail: a checker that never failed is not trusted.
#
# A fault is one edit of one shipped source.  The edited copy stands in a folder that is searched first; the objects
# that read it are compiled from it and linked in front of the archives with the test that the table names.  The edit
# must fit exactly once, the result must compile, and the test must fail (an abort is a failure; exit 77 is not); where
# the table gives a text that the test must then print, it must.
# Before that, every test of the table must pass when built the same way from the copy without the edit.  A few
# records want another end: they show that this script notices what does not fit, does not build or survives.
#
# FAULTS names another table.
#
# Runs in the build tree.  Reads srcdir, CC, CFLAGS, LDFLAGS, LIBS as configured.  faults.sh NAME... plants only those
# and shows what the test says.
set -u
LC_ALL=C
export LC_ALL
srcdir=$(cd "${srcdir:-.}" && pwd)
table=${FAULTS:-$srcdir/tests/faults.txt}
. "$srcdir/tests/edit.sh"

# The sources whose objects read file $1, by the compiler's own dependency files.
readers() {
    grep -lE "(^|[ /])$1( |:|\$)" */.deps/*.Po | sed -n 's,/\.deps/\(.*\)\.Po$,/\1.c,p'
}

# The sources of the archive members that test $1 links, by the linker's map in folder $2; all of them without a map.
members() {
    if test -f "tests/$1.o" && $CC $LDFLAGS "-Wl,-Map=$2/map" -o "$2/mapped" "tests/$1.o" $LIBS &&
        test -s "$2/map"; then
        grep -oE '[a-z]+/lib[a-z]+\.a\([a-z_0-9]+\.o\)' "$2/map" | sed 's,/.*(,/,; s,\.o)$,.c,'
    else
        ls base/*.o corpus/*.o sim/*.o ref/*.o oracle/*.o fuzz/*.o kernels/*.o store/*.o cert/*.o tests/attention64.o | sed 's,\.o$,.c,'
    fi
}

# build FOLDER FILE TEST: compiles and links FOLDER/TEST from the copy of FILE that stands in FOLDER.  A test that does
# not read FILE is linked as it is.
build() {
    test -s "$work/members-$3" || { members "$3" "$1" | sort -u > "$1/members" && mv "$1/members" "$work/members-$3"; }
    objects=tests/$3.o
    test_source=
    test -f "$objects" && test -f "tests/.deps/$3.Po" && ! grep -qE "(^|[ /])$2( |:|\$)" "tests/.deps/$3.Po" ||
        { objects= test_source=tests/$3.c; }
    for source in $test_source $(readers "$2" | sort -u | comm -12 - "$work/members-$3"); do
        object=$1/$(echo "$source" | tr / _).o
        from=$srcdir/$source
        test "$source" = "$2" && from=$1/$source
        $CC -I"$1" -I"$srcdir" $CFLAGS -O0 -ffp-contract=off -w -c -o "$object" "$from" || return 1
        objects="$objects $object"
    done
    $CC $LDFLAGS -o "$1/$3" $objects $LIBS
}

# said FOLDER: a line of the log matches the record's expression, if it has one: a last word LINE is FILE:NUMBER of the
# edit, LINE+N N lines further, AT that of the text which the record's `at` names, after the edit.
said() {
    test -n "$says" || return 0
    case $says in
    *' LINE') place=$file:$(edit_line "$srcdir/$file") ;;
    *' LINE+'[0-9]) place=$file:$(($(edit_line "$srcdir/$file") + ${says##*+})) ;;
    *' AT')
        place=${at%% *}
        old=${at#* }
        test -f "$1/$place" && place=$place:$(edit_line "$1/$place") || place=$place:$(edit_line "$srcdir/$place")
        ;;
    *) place= ;;
    esac
    test -z "$place" || says="${says% *} .*$place\$"
    grep -qE "$says" "$1/log"
}

# outcome FOLDER NAME: killed, unsaid, survives, unfit, unbuildable or unrunnable.  A control's file is not edited.
outcome() {
    mkdir -p "$1/$(dirname "$file")"
    if test "$2" != "${2#control-}"; then
        cat "$srcdir/$file" > "$1/$file"
    elif ! edit "$srcdir/$file" > "$1/$file"; then
        echo unfit
        return
    fi
    build "$1" "$file" "$test" > "$1/log" 2>&1 || { echo unbuildable; return; }
    { (cd "$1" && ulimit -t 20 && exec $limit "./$test" > log 2>&1); code=$?; } 2> "$1/shell"
    case $code in
    0 | 77) echo survives ;;
    126 | 127) echo unrunnable ;;
    124 | 13[0-9] | 152) echo killed ;; # it hangs (by processor time, or asleep) or aborts, and can name nothing
    *) said "$1" && echo killed || echo unsaid ;;
    esac
}

# one NAME: plants it, and prints one line that begins with ok if it ends as the table wants.
one() {
    record=${1#control-}
    record "$table" "$record"
    test "$1" = "$record" || wants=survives
    mkdir "$work/$1"
    got=$(outcome "$work/$1" "$1")
    if test "$got" = "${wants:-killed}"; then
        echo "ok     $1: $got ($file, $test)"
        test -z "${show:-}" || cat "$work/$1/log"
    else
        echo "not ok $1: $got ($file, $test)"
        test "$got" = survives && test "$1" = "$record" || cat "$work/$1/log"
    fi
    rm -rf "${work:?}/$1"
}

if test "${1:-}" = --one; then
    one "$2"
    exit
fi

ls */.deps/*.Po > /dev/null 2>&1 || { echo "not run: configured without dependency tracking"; exit 77; }
. "$srcdir/tests/work.sh"
limit=
timeout 1 true 2> /dev/null && limit="timeout 120"
show=${1:+yes}
export srcdir work limit show
ulimit -c 0
faults=${*:-$(awk '/^fault:/ { print $2 }' "$table")}

# The control: the first fault of each test, without its edit.
controls=$(for name in $faults; do
    record "$table" "$name"
    echo "$test control-$name"
done | sort -u -k 1,1 | cut -d ' ' -f 2)
printf '%s\n' $controls | xargs -n 1 -P 2 "${SHELL:-/bin/sh}" "$0" --one > "$work/control"
cat "$work/control"
if grep -q '^not ok' "$work/control"; then
    echo "the unedited sources do not pass, so no fault says anything"
    exit 1
fi
printf '%s\n' $faults | xargs -n 1 -P 2 "${SHELL:-/bin/sh}" "$0" --one > "$work/faults"
cat "$work/faults"
n=$(printf '%s\n' $faults | grep -c '')
n_ok=$(grep -c '^ok ' "$work/faults")
echo "$(grep -c '^ok .*: killed' "$work/faults") planted faults killed; $n_ok of $n records end as they should"
test "$n_ok" -eq "$n"
