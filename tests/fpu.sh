#!/bin/sh
# fpu.sh - the program refuses to speak of bits where a library has changed the floating point of its process.
#
# Builds such a library, as -ffast-math would make it, and loads it in front of ./ordo.  Reads srcdir, CC and CFLAGS as
# configured.  Exits 77 where a library in front cannot be: under the sanitizers, on a machine without MXCSR.
set -u
srcdir=${srcdir:-.}
CC=${CC:-cc}
case $(uname -m)${CFLAGS:-} in
*-fsanitize*) echo "not run: the sanitizers want to be the first library"; exit 77 ;;
x86_64*) ;;
*) echo "not run: not an x86-64"; exit 77 ;;
esac
. "$srcdir/tests/work.sh"

cat > "$work/fast.c" << END
#include <xmmintrin.h>
__attribute__((constructor)) static void fast(void) { _mm_setcsr(_mm_getcsr() | 0x8040); }
END
$CC -shared -fPIC -o "$work/fast.so" "$work/fast.c" || exit 99

# ends CODE PRELOAD: `ordo doctor` so loaded ends with CODE.
ends() {
    LD_PRELOAD=$2 ./ordo doctor > "$work/out" 2> "$work/err"
    code=$?
    test $code -eq "$1" && return
    echo "with '$2' in front: exit $code, not $1:"
    cat "$work/out" "$work/err"
    exit 1
}
ends 0 ""
ends 4 "$work/fast.so"
test ! -s "$work/out" && grep -q '^ordo doctor: floating point: subnormal .* so no bits can be predicted$' "$work/err" ||
    { echo "it does not say why:"; cat "$work/out" "$work/err"; exit 1; }
LD_PRELOAD=$work/fast.so ./ordo help doctor > "$work/out" || { echo "help is refused too"; exit 1; }
