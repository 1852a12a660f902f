#!/bin/sh
# one_source.sh - two-faced code cannot slip in: op.h alone gives an operation its two meanings.
#
# tests/one_source.awk says which lines are allowed.  A role header (protocol/*.h but op.h and tape.h) is made of a
# declared vocabulary only: its guard, other role headers, numbers; macros of the same, by lines; types, a few
# keywords, the operations of op.h and the names that it declares itself.  So there is nothing in it by which it could
# tell the compilers apart, and no text that one of them could read in another way.  In op.h the device's meaning is
# inline assembly that is volatile and touches memory, and one polling loop.  Elsewhere there is no inline assembly but
# in kernels/, nothing but headers is included, and no word of op.h or of a role header gets another meaning, except
# that sim/ may give ORDO_EMIT one.
# The same is asked of a copy into which a few wrong lines are planted at a time.
#
# Reads srcdir.  one_source.sh DIR checks only DIR.
set -u
LC_ALL=C
export LC_ALL
srcdir=$(cd "${srcdir:-.}" && pwd)

sources_of() {
    (cd "$1" && for room in base protocol corpus sim ref oracle fuzz kernels store cert cli tests; do
        test -d "$room" && find "$room" \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) ! -name protocol_text.c -print
    done && find protocol -type f ! -name 'Makefile*' ! -name '.*' -print) | sort -u
}

# check DIR [FILE]: one line for each line that is not allowed, of FILE or of all; fails if there is one, or no role
# header at all.
check() {
    test $# -eq 2 || sources_of "$1" > "$work/list"
    (cd "$1" && test -f protocol/relay.h &&
        awk -f "$srcdir/tests/one_source.awk" protocol/*.h pass=2 ${2:-$(cat "$work/list")})
}

# plant FILE TEXT: with TEXT (a few lines) in the first function of FILE, one of these must be reported first.
plant() {
    cp "$work/copy/$1" "$work/kept"
    awk -v text="$2" '{ print } /^{/ && !done { done = 1; print text }
        END { if (!done) print text }' "$work/kept" > "$work/copy/$1"
    from=$(awk '/^{/ { exit } END { print NR + 1 }' "$work/kept")
    to=$((from + $(printf '%b\n' "$2" | grep -c '') - 1))
    if check "$work/copy" "$1" > "$work/said" || ! awk -F: -v file="$1" -v from="$from" -v to="$to" '
        { exit !($1 == file && $2 >= from && $2 <= to) }' "$work/said"; then
        echo "planted into $1: $2: not reported as it should be:"
        cat "$work/said"
        failed=1
    fi
    cp "$work/kept" "$work/copy/$1"
    n_planted=$((n_planted + 1))
}

# replace FILE OLD NEW: with that edit, its first line must be reported first.
replace() {
    old=$2 new=$3
    cp "$work/copy/$1" "$work/kept"
    edit "$work/kept" > "$work/copy/$1" || { echo "$1: not there exactly once: $2"; failed=1; }
    if check "$work/copy" "$1" > "$work/said" ||
        test "$(sed -n '1s/^\([^ ]*\): .*/\1/p' "$work/said")" != "$1:$(edit_line "$work/kept")"; then
        echo "$1: $2 -> $3: not reported as it should be:"
        cat "$work/said"
        failed=1
    fi
    cp "$work/kept" "$work/copy/$1"
    n_planted=$((n_planted + 1))
}

copy_sources() {
    sources_of "$srcdir" | while read -r file; do
        mkdir -p "$work/copy/$(dirname "$file")" && cat "$srcdir/$file" > "$work/copy/$file" # writable
    done
}

. "$srcdir/tests/edit.sh"
. "$srcdir/tests/work.sh"
if test $# -eq 1; then
    check "$1"
    exit
fi
n_planted=0
check "$srcdir" || failed=1
copy_sources
check "$work/copy" > "$work/said" || failed=1
# What asks which compiler it is, or does something beside the operations.
plant protocol/relay.h '#ifdef __CUDACC__'
plant protocol/relay.h '#if defined(__NVCC__)'
plant protocol/mask.h '#  ifndef __GNUC__'
plant protocol/ticket.h '#if 0'
plant protocol/tape.h '#elif ORDO_DEVICE'
plant protocol/relay.h 'asm volatile("bar.sync 1, 96;");'
plant protocol/launch.h '__asm__("" ::: "memory");'
plant protocol/index.h '#define SOMETHING __CUDA_ARCH__'
plant protocol/relay.h '/* */ __syncwarp();'
plant protocol/relay.h 'static volatile int flag;'
plant protocol/relay.h '    atomicAnd(word, keep);'
plant protocol/relay.h '#undef ORDO_WARP_SYNC'
plant protocol/relay.h '#define ORDO_WARP_SYNC() ((void)0)'
plant protocol/ticket.h '# pragma GCC diagnostic push'
plant protocol/live.h '#define ORDO_EMIT(...) 0'
# What a language says differently of one text.
plant protocol/relay.h '    if (sizeof mask == 8)\n        return;'
plant protocol/relay.h '    if (row >= 0 && (sizeof(mask) == 8 || rank < 15))'
plant protocol/relay.h '#ifndef ORDO_PROTOCOL_TAPE_H\n    if (rank == 15)\n        return;\n#endif'
plant protocol/relay.h '%:ifdef CUDART_VERSION\n    return;\n%:endif'
plant protocol/relay.h '??=ifdef CUDART_VERSION\n??=endif'
plant protocol/relay.h '    int32_t a<:2:>;'
plant protocol/relay.h '    if (_Generic(rank, int: 0, default: 1))\n        return;'
plant protocol/relay.h '    _Atomic int32_t n = 0;'
plant protocol/relay.h '    if (std::is_pointer<ORDO_WORDS>::value) return;'
plant protocol/relay.h '    if (CUDART_VERSION)\n        return;'
plant protocol/relay.h '    if (true)\n        return;'
plant protocol/relay.h '    int32_t linux_ = 0;'
plant protocol/index.h '    int32_t ordo_lane = 0;'
plant protocol/relay.h '    rank = 0 //**/ 1\n        ;'
plant protocol/relay.h '    // /* hides the next lines'
plant protocol/relay.h '    "/*";'
plant protocol/relay.h "    rank = '/*';"
plant protocol/relay.h '/* closed */ return; /* at once */'
# What gives a word another meaning, or another text.
plant protocol/relay.h '#define gpu cta'
plant protocol/relay.h '#define row (row + 1)'
plant protocol/relay.h '#define ORDO_VALUE(x, i) ORDO_CONSTANT(0.0f)'
plant protocol/relay.h '#define ORDO_ROW row'
plant protocol/relay.h '#define ORDO_TILE 32'
plant protocol/relay.h '#define ORDO_CAT(a, b) a##b'
plant protocol/relay.h '    ORDO_CAT(as, m)("");'
plant protocol/relay.h '#define ORDO_OWN(x) x'
plant protocol/relay.h '#define ORDO_VALUE(x, i) \\\n    ORDO_CONSTANT(0.0f)'
plant protocol/relay.h '#define ORDO_TILE(x) \\\n    x'
plant protocol/relay.h '#define ORDO_FRAGMENT_TILE(x) \\\n    x'
plant protocol/relay.h '#define ORDO_OWN(x) \\\n    as##x'
plant protocol/relay.h '#define ORDO_OWN(x) \\\n    sizeof x'
plant protocol/relay.h '#define ORDO_OWN(x) \\\n    asm volatile(x)'
plant protocol/relay.h '#define ORDO_OWN(x) \\\n    x; \\\n    __nanosleep(1)'
plant protocol/relay.h '#define ORDO_OWN(size, of, x) \\\n    if (size\\\nof(x) == 8) \\\n        return'
plant protocol/relay.h '/*\n#define ORDO_OWN( *\\\n/ nanosleep(1); /*\n*/'
plant protocol/relay.h '#define ORDO_OWN(x) \\\n    x; /* *\\\n/ nanosleep(1); /* */ \\\n    x'
plant protocol/relay.h '#define ORDO_OWN(include) \\\n#include "protocol/mask.h" \\\n    ;'
plant protocol/relay.h '#define ORDO_OWN(x) \\\n#endif'
plant protocol/relay.h '#define ORDO_OWN(x) \\\n    rank = x'
plant protocol/relay.h '#define ORDO_OWN(gpu) \\\n    ORDO_FENCE(acq_rel, gpu)'
plant protocol/relay.h '#define ORDO_OWN(tape_) \\\n    tape_'
plant protocol/relay.h '#define ORDO_OWN(return) \\\n    return'
plant protocol/relay.h '    do\n        rank = 0;\n    while (0);'
plant protocol/relay.h '#line 1 "protocol/op.h"'
plant protocol/relay.h '#include <cuda_runtime.h>'
plant protocol/relay.h '#include "protocol/relay.inc"'
plant protocol/relay.h '#include "protocol/tape.h"'
plant protocol/relay.h '#include "sim/e4.h"'
plant protocol/relay.h '    as\\\nm volatile("nanosleep.u32 1;");'
plant protocol/relay.h '    int32_t gpu = 0;'
plant protocol/relay.h '    __nanosleep(1);'
plant protocol/relay.h '    nanosleep(1);'
plant protocol/launch.h '    goto out;'
# What the two meanings would do a different number of times, or elsewhere than in an operation.
plant protocol/relay.h '    ORDO_AWAIT_CLEAR(acquire, gpu, u32, mask, row++, 1);'
plant protocol/relay.h '    ORDO_BAR_SYNC(rank = 1, 2);'
plant protocol/mask.h '    idx[0] = 1;'
plant protocol/mask.h '    *idx = 1;'
plant protocol/mask.h '    idx[0]++;'
plant protocol/relay.h '    ORDO_EMIT(rank);'
plant protocol/relay.h '    rank = mask.space;'
plant sim/plan.c 'asm("nop");'
plant sim/plan.c 'as\\\nm("nop");'
plant sim/plan.c 'f("/*"); asm("nop"); f("*/");'
plant sim/plan.c '// /*\nasm("nop");'
plant sim/plan.c '#define ORDO_WARP_SYNC() ((void)0)'
plant sim/plan.c '#define gpu sys'
plant sim/plan.c '#define ORDO_FRAGMENT_TILE(relayed, f, hand, x, chunk, ...) ((void)0)'
plant sim/plan.c '#undef ORDO_TILE'
plant sim/plan.c '#define ordo_fragment_done(...) ((void)0)'
plant sim/plan.c '#include "protocol/relay.inc"'
plant base/size.h '__asm__ volatile("" ::: "memory");'
plant tests/t_mask.c '#define ORDO_EMIT(...) 0'
replace protocol/relay.h '#ifndef ORDO_PROTOCOL_RELAY_H' '#ifndef ORDO_PROTOCOL_RELAYS_H'
replace protocol/op.h '#ifdef __CUDACC__' '#if defined __CUDACC__ && __CUDA_ARCH__'
replace protocol/op.h 'BAR_SYNC(id, n) asm volatile' 'BAR_SYNC(id, n) asm'
replace protocol/op.h '"." #scope ";" ::: "memory")' '"." #scope ";")'
replace protocol/op.h '::"r"(id), "r"(n) : "memory")' '::"r"(id), "r"(n))'
replace protocol/op.h 'ORDO_WARP_SYNC() asm' 'ORDO_WARP_SYNC() if (threadIdx.x == 77) return; asm'
replace protocol/op.h 'ORDO_PROXY_FENCE() asm' 'ORDO_PROXY_FENCE() __nanosleep(3); asm'
replace protocol/op.h 'ORDO_VALUE(x, i) ((x)[i])' 'ORDO_VALUE(x, i) ((x)[(int)(i)])'
echo 'ORDO_WARP_SYNC();' > "$work/copy/protocol/relay.hpp"
if check "$work/copy" > "$work/said" || ! grep -q '^protocol/relay.hpp:1: ' "$work/said"; then
    echo "a file that is no header of protocol/ is not reported"
    failed=1
fi
n_planted=$((n_planted + 1))
test $failed -eq 0 && echo "one source: $(grep -c '' "$work/list") files; planted $n_planted faults"
exit $failed
