#!/bin/sh
# one_source.sh - two-faced code cannot slip in: op.h alone gives an operation its two meanings.
#
# Inline PTX stands in protocol/op.h, and otherwise in kernels/ only.  The other headers of protocol/ have no
# conditional but their guard, no word that begins with two underscores (a compiler's name, an attribute, an
# intrinsic), no volatile and no CUDA atomic, and rename nothing of op.h.  Only sim/ may give ORDO_EMIT another meaning.
# The same is asked of a copy into which one wrong line is planted at a time.
#
# Reads srcdir.  one_source.sh DIR checks only DIR.
set -u
LC_ALL=C
export LC_ALL
srcdir=${srcdir:-.}

sources_of() {
    (cd "$1" && for room in base protocol corpus sim ref oracle kernels store cert cli tests; do
        test -d "$room" && find "$room" \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) ! -name protocol_text.c -print
    done | sort)
}

# One line for each line that is not allowed; fails if there is one, or no role header at all.
check() {
    sources_of "$1" > "$work/list"
    (cd "$1" && test -f protocol/relay.h && xargs awk '
        function wrong(why) { print FILENAME ":" FNR ": " line "  (" why ")"; bad = 1 }
        FNR == 1 { comment = 0; code = "" }
        {
            line = $0
            text = ""
            rest = $0
            while (rest != "")
                if (comment) {
                    at = index(rest, "*/")
                    rest = at ? substr(rest, at + 2) : ""
                    comment = !at
                } else {
                    at = index(rest, "/*")
                    text = text " " (at ? substr(rest, 1, at - 1) : rest)
                    rest = at ? substr(rest, at + 2) : ""
                    comment = at > 0
                }
            sub(/\/\/.*/, "", text)
            gsub(/"[^"]*"/, "\"\"", text)
            gsub(/[ \t]+/, " ", text)
        }
        FILENAME == "protocol/op.h" { next }
        FILENAME !~ /^kernels\// && text ~ /(^|[^A-Za-z0-9_])(asm|__asm|__asm__)([^A-Za-z0-9_]|$)/ {
            wrong("inline assembly is for protocol/op.h")
            next
        }
        FILENAME !~ /^sim\// && text ~ /^ ?# ?(undef|define) ORDO_EMIT/ { wrong("only sim/ may redefine it"); next }
        FILENAME !~ /^protocol\// { next }
        text ~ /^ ?# ?(if|ifdef|ifndef|elif|else)([^a-z]|$)/ && text !~ /^ ?# ?ifndef ORDO_PROTOCOL_[A-Z]+_H ?$/ {
            wrong("a conditional, which is for op.h")
            next
        }
        text ~ /(^|[^A-Za-z0-9_])__[A-Za-z]/ { wrong("a name of the compiler, which is for op.h"); next }
        text ~ /(^|[^A-Za-z0-9_])(volatile|_Pragma|atomic[A-Z][A-Za-z]*)([^A-Za-z0-9_]|$)/ {
            wrong("an operation beside those of op.h")
            next
        }
        text ~ /^ ?# ?(undef|pragma)/ { wrong("changes the meaning of what follows"); next }
        text ~ /^ ?# ?define ORDO_(AWAIT|RED|ADD|STORE|SUM|BAR|WARP|FENCE|PROXY|SHARED|CLUSTER|BULK|EMIT)/ {
            wrong("an operation beside those of op.h")
        }
        END { exit bad }' < "$work/list")
}

# plant FILE LINE: with LINE in front, FILE (and nothing else) must be reported.
plant() {
    cp "$work/copy/$1" "$work/kept" && { printf '%s\n' "$2"; cat "$work/kept"; } > "$work/copy/$1"
    if check "$work/copy" > "$work/said" || test "$(grep -c '' "$work/said")" -ne 1 ||
        ! grep -q "^$1:1: " "$work/said"; then
        echo "planted into $1: $2: not reported as it should be:"
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

work=$(mktemp -d "${TMPDIR:-/tmp}/ordo-one-source-XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
if test $# -eq 1; then
    check "$1"
    exit
fi
failed=0 n_planted=0
check "$srcdir" || failed=1
copy_sources
check "$work/copy" > "$work/said" || failed=1
plant protocol/relay.h '#ifdef __CUDACC__'
plant protocol/relay.h '#if defined(__NVCC__)'
plant protocol/mask.h '#  ifndef __GNUC__'
plant protocol/ticket.h '#if 0'
plant protocol/tape.h '#elif ORDO_DEVICE'
plant protocol/relay.h 'asm volatile("bar.sync 1, 96;");'
plant protocol/launch.h 'static inline void f(void) { __asm__("" ::: "memory"); }'
plant protocol/index.h '#define SOMETHING __CUDA_ARCH__'
plant protocol/relay.h '/* */ __syncwarp();'
plant protocol/relay.h 'static volatile int flag;'
plant protocol/relay.h '    atomicAnd(word, keep);'
plant protocol/relay.h '#undef ORDO_WARP_SYNC'
plant protocol/relay.h '#define ORDO_WARP_SYNC() ((void)0)'
plant protocol/ticket.h '# pragma GCC diagnostic push'
plant protocol/live.h '#define ORDO_EMIT(...) 0'
plant sim/plan.c 'asm("nop");'
plant base/size.h '__asm__ volatile("" ::: "memory");'
plant tests/t_mask.c '#define ORDO_EMIT(...) 0'
test $failed -eq 0 && echo "one source: $(grep -c '' "$work/list") files; planted $n_planted wrong lines"
exit $failed
