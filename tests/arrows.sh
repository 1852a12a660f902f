#!/bin/sh
# arrows.sh - who may include whom, and that every header stands on its own.
#
# The arrows between rooms and the libraries that each room may know; every header alone, as C17 (protocol/ and what of
# base/ says ORDO_BOTH also as C++17 and through nvcc); and, since a checker that never failed is not trusted, the same
# on a copy of the sources into which a wrong line is planted, one at a time.
#
# Reads srcdir, CC and CFLAGS (as configured), CXX, NVCC (empty: switched off).  arrows.sh DIR checks only the arrows
# of DIR.
set -u
LC_ALL=C
export LC_ALL
srcdir=${srcdir:-.}
CC=${CC:-cc}
CFLAGS=${CFLAGS:--std=c17 -D_GNU_SOURCE}
CXX=${CXX:-g++}
NVCC=${NVCC-nvcc}
rooms="base protocol corpus sim ref oracle fuzz kernels store cert cli tests"

sources_of() {
    (cd "$1" && for room in $rooms; do
        test -d "$room" && find "$room" \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) ! -name protocol_text.c -print
    done | sort)
}

# One line for each include that is not allowed; fails if there is one, or no source at all.
check_arrows() {
    sources=$(sources_of "$1")
    test -n "$sources" || { echo "no sources in $1"; return 1; }
    (cd "$1" && awk '
        BEGIN {
            may["base"] = "base"
            may["protocol"] = "protocol"
            may["corpus"] = "corpus base protocol"
            may["sim"] = "sim corpus protocol base"
            may["ref"] = "ref sim corpus base"
            may["oracle"] = "oracle ref/fp.h sim corpus base"
            may["fuzz"] = "fuzz oracle ref sim corpus protocol base"
            may["kernels"] = "kernels protocol sim corpus base"
            may["store"] = "store base"
            may["cert"] = "cert corpus protocol base"
            may["cli"] = "cli base protocol corpus sim ref oracle fuzz kernels store cert"
            may["tests"] = "tests base protocol corpus sim ref oracle fuzz kernels store cert cli"
            # Libraries: who may know them, a room or one file.
            knows["mpfr.h"] = knows["gmp.h"] = "oracle"
            knows["sqlite3.h"] = "store"
            knows["zlib.h"] = "corpus cli tests/t_npz.c"
            knows["jansson.h"] = "corpus cert cli tests/t_cli.c tests/cli_json.h tests/t_cli_sim.c"
            knows["sodium.h"] = "base/digest.c"
            knows["cmocka.h"] = "tests"
        }
        function room_of(path) { return substr(path, 1, index(path, "/") - 1) }
        function listed(list, a, b,    n, i, word) {
            n = split(list, word, " ")
            for (i = 1; i <= n; i++)
                if (word[i] == a || word[i] == b)
                    return 1
            return 0
        }
        function wrong(why) { print FILENAME ":" FNR ": " $0 "  (" why ")"; bad = 1 }
        # <cuda.h>, <cuda_runtime.h>, <cooperative_groups.h>, <mma.h>, <cub/...> and what NVIDIA ships beside them
        function is_cuda(name) { return name ~ /^(cuda|nv|curand|cublas|cooperative_groups|cub\/|thrust\/|mma\.h)/ }
        /^[ \t]*#[ \t]*include/ {
            room = room_of(FILENAME)
            name = $0
            sub(/^[ \t]*#[ \t]*include[ \t]*/, "", name)
            quote = substr(name, 1, 1)
            name = substr(name, 2)
            sub(/[">].*/, "", name)
            if (quote == "\"") {
                if (name ~ /\.\./ || name !~ /^[a-z]+\// || (getline ignored < name) < 0)
                    wrong("wants ROOM/FILE, a file that is there")
                else if (!listed(may[room], room_of(name), name))
                    wrong(room " may include " may[room])
                else if (name ~ /(_|\/)impl\.h$/ && room != "tests" && room_of(name) != room)
                    wrong("is private to " room_of(name))
                close(name)
            } else if (quote != "<") {
                wrong("is computed, so nobody can check it")
            } else if (name in knows && !listed(knows[name], room, FILENAME)) {
                wrong("only " knows[name] " may know it")
            } else if (is_cuda(name) && room != "kernels") {
                wrong("only kernels may know it")
            }
        }
        END { exit bad }' $sources)
}

# The sources that the lists of the rooms under $1 name twice: an archive hides it, a link from the sources does not.
listed_twice() {
    (cd "$1" && for list in */Makefile.inc; do
        grep -oE '^	[a-z0-9]+/[a-z0-9_]+\.c( |$)' "$list" | tr -d '\t ' | sort | uniq -d
    done)
}

# A header twice (its guard holds) in an otherwise empty file.
header_alone() {
    printf '#include "%s"\n#include "%s"\n' "$2" "$2" > "$work/alone.c"
    (cd "$1" && $CC $CFLAGS -I. -fsyntax-only -x c "$work/alone.c")
}

# Those that want the driver's header are left out where there is none.
headers_alone() {
    code=0 without=
    printf '#include <cuda.h>\n' > "$work/alone.c"
    $CC $CFLAGS -E "$work/alone.c" > "$work/said" 2>&1 || without=yes
    for header in $(sources_of "$1" | grep '\.h$'); do
        test -z "$without" || ! grep -qE '#include (<cuda.h>|"kernels/(driver|kernels_impl).h")' "$1/$header" ||
            { echo "not run: $header alone, there is no cuda.h"; continue; }
        header_alone "$1" "$header" || { echo "$header does not compile alone"; code=1; }
    done
    return $code
}

# The headers of base/ that nvcc compiles too.
both_headers() {
    (cd "$1" && grep -l 'ORDO_BOTH' base/*.h)
}

shared_as_cxx() {
    code=0
    for header in $(cd "$1" && ls protocol/*.h) $(both_headers "$1"); do
        printf '#include "%s"\n' "$header" > "$work/alone.cc"
        (cd "$1" && $CXX -std=c++17 -Wall -Wextra -Werror -I. -fsyntax-only -x c++ "$work/alone.cc") ||
            { echo "$header is no C++17"; code=1; }
    done
    return $code
}

# Each header of protocol/ alone, those of base/ together.
shared_by_nvcc() {
    code=0
    both_headers "$1" | sed 's/.*/#include "&"/' > "$work/alone.cu"
    (cd "$1" && "$NVCC" -std=c++17 -x cu -c -I. -o "$work/alone.o" "$work/alone.cu") ||
        { echo "nvcc does not take base/"; code=1; }
    for header in $(cd "$1" && ls protocol/*.h); do
        printf '#include "%s"\n' "$header" > "$work/alone.cu"
        (cd "$1" && "$NVCC" -std=c++17 -x cu -c -I. -o "$work/alone.o" "$work/alone.cu") ||
            { echo "nvcc does not take $header"; code=1; }
    done
    return $code
}

# --- a wrong line, planted ------------------------------------------------------------------------------------------

copy_sources() {
    sources_of "$srcdir" | while read -r file; do
        mkdir -p "$work/copy/$(dirname "$file")" && cat "$srcdir/$file" > "$work/copy/$file" # writable
    done
}

# plant FILE LINE: with LINE in front, FILE (and nothing else) must be reported.
plant() {
    cp "$work/copy/$1" "$work/kept" && { echo "$2"; cat "$work/kept"; } > "$work/copy/$1"
    if check_arrows "$work/copy" > "$work/said" || test "$(grep -c '' "$work/said")" -ne 1 ||
        ! grep -q "^$1:1: " "$work/said"; then
        echo "planted into $1: $2: not reported as it should be:"
        cat "$work/said"
        failed=1
    fi
    cp "$work/kept" "$work/copy/$1"
    n_planted=$((n_planted + 1))
}

plant_all() {
    n_planted=0
    check_arrows "$work/copy" || failed=1
    plant protocol/live.h '#include "base/size.h"'
    plant base/size.h '#include "protocol/live.h"'
    plant corpus/npy.c '#include "sim/plan.h"'
    plant sim/plan.c '#include "ref/fp.h"'
    plant ref/ordered.c '#include "protocol/index.h"'
    plant ref/fp.h '# include <mpfr.h>'
    plant oracle/bound.c '#include "ref/ordered.h"'
    plant oracle/exact.c '  #  include "cli/out.h"'
    plant kernels/measure.c '#include "ref/fp.h"'
    plant kernels/mma.cuh '#include "ref/mma.h"'
    plant store/add.c '#include "corpus/problem.h"'
    plant cert/walk.c '#include "sim/rows.h"'
    plant cert/skeleton.c '#include "cli/out.h"'
    plant sim/prove.c '#include "cert/cert.h"'
    plant cli/main.c '#include "tests/test.h"'
    plant cli/main.c '#include "store/impl.h"'
    plant ref/ordered.c '#include "sim/rows_impl.h"'
    plant sim/tree.c '#include <sqlite3.h>'
    plant sim/tree.c '#include <jansson.h>'
    plant oracle/wide.c '#include <zlib.h>'
    plant base/size.c '#include <sodium.h>'
    plant tests/t_plan.c '#include <sqlite3.h>'
    plant store/add.c '#include <cmocka.h>'
    plant protocol/index.h '#include <cuda_runtime.h>'
    plant protocol/index.h '#include <cuda/atomic>'
    plant sim/plan.c '#include "plan.h"'
    plant sim/plan.c '#include "sim/../oracle/bound.h"'
    plant sim/plan.c '#include "sim/no_such_file.h"'
    plant sim/plan.c '#include HEADER'
    # and a header that leans on its includer
    cp "$work/copy/sim/fold.h" "$work/kept" && grep -v '#include' "$work/kept" > "$work/copy/sim/fold.h"
    ! header_alone "$work/copy" sim/fold.h 2> "$work/said" ||
        { echo "sim/fold.h without its include passes"; failed=1; }
    cp "$work/copy/protocol/live.h" "$work/kept"
    echo 'extern int *restrict ordo_c_only;' >> "$work/copy/protocol/live.h"
    ! command -v "$CXX" > "$work/said" || ! shared_as_cxx "$work/copy" > "$work/said" 2>&1 ||
        { echo "C only in protocol/live.h passes as C++"; failed=1; }
    sed 's,corpus/text\.c,corpus/site.c,' "$srcdir/corpus/Makefile.inc" > "$work/copy/corpus/Makefile.inc"
    test "$(listed_twice "$work/copy")" = corpus/site.c || { echo "a source listed twice passes"; failed=1; }
    echo "planted $n_planted wrong includes, 2 bad headers and a source listed twice"
}

if test $# -eq 1; then
    check_arrows "$1"
    exit
fi
. "$srcdir/tests/work.sh"
check_arrows "$srcdir" || failed=1
headers_alone "$srcdir" || failed=1
twice=$(listed_twice "$srcdir")
test -z "$twice" || { echo "listed twice: $twice"; failed=1; }
if command -v "$CXX" > "$work/said"; then
    shared_as_cxx "$srcdir" || failed=1
else
    echo "not run: protocol/ and base/ as C++17, there is no $CXX"
fi
if test -z "$NVCC"; then
    echo "not run: protocol/ through nvcc, which is not configured"
elif command -v "$NVCC" > "$work/said"; then
    shared_by_nvcc "$srcdir" || failed=1
else
    echo "not run: protocol/ through nvcc, there is no $NVCC"
fi
copy_sources
plant_all
test $failed -eq 0 && echo "arrows hold: $(sources_of "$srcdir" | grep -c '') files"
exit $failed
