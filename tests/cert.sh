#!/bin/sh
# cert.sh - the verifier's room, and certificates from the command line: written, checked, tampered with, refused.
#
# The room: at most 600 lines, comments and blank ones too, that include nothing but cert/, protocol/, base/ and corpus/; and the compiled-in protocol source names every header that ships.
#
# Reads srcdir; runs ./ordo of the build tree.
set -u
srcdir=$(cd "${srcdir:-.}" && pwd)
index=$srcdir/corpus/index
. "$srcdir/tests/work.sh"

fail() {
    echo "$*"
    failed=1
}

# --- the room ------------------------------------------------------------------------------------------------------

sources=$(ls "$srcdir"/cert/*.[ch] | grep -v '/protocol_text\.c$') # which is made, in a build in place
lines=$(cat $sources | wc -l)
test "$lines" -le 600 || fail "cert/ has $lines lines"
grep -h '^ *# *include "' $sources | grep -vE '"(cert|protocol|base|corpus)/' && fail "cert/ includes too much"
grep -q '"== ' cert/protocol_text.c || fail "no protocol source is compiled in"
(cd "$srcdir" && ls protocol/*.h) > "$work/ships"
sed -n 's/^    "== \(.*\)\\n",$/\1/p' cert/protocol_text.c > "$work/compiled"
cmp "$work/ships" "$work/compiled" || fail "the compiled-in protocol source lacks a header"

# --- the command line ----------------------------------------------------------------------------------------------

# wants CODE TEXT VERB...: ordo ends with the code and says the text, on either stream.
wants() {
    code=$1 text=$2
    shift 2
    ./ordo "$@" > "$work/said" 2>&1
    got=$?
    test $got -eq "$code" || fail "ordo $*: exit code $got, not $code: $(head -n 3 "$work/said")"
    grep -qF "$text" "$work/said" || fail "ordo $*: does not say '$text': $(head -n 3 "$work/said")"
}

keep=$index/keep40.npy
c=$work/c.cert
wants 0 'proved' prove "$keep" --kv 4096 --cluster 8 --cert "$c"
wants 0 'valid' cert verify "$c" "$keep"
wants 0 '"verdict":"valid"' cert verify "$c" "$keep" --json
wants 0 'valid' cert verify "$c" "$keep" --kv 4096
wants 1 'TENSOR: is about another tensor' cert verify "$c" "$keep" --kv 4097
wants 1 'TENSOR: is about another tensor' cert verify "$c" "$index/indexer_4k.npy"
wants 1 '"rule":"TENSOR"' cert verify "$c" "$index/indexer_4k.npy" --json
wants 2 'index file is needed' cert verify "$c"
wants 2 'did you mean verify' cert check "$c" "$keep"
wants 3 'end: is no ordo.cert/1' cert verify "$keep" "$keep"
wants 3 'cannot be opened' cert verify "$work/none" "$keep"
sed 's/"cluster=8"/"cluster=4"/' "$c" > "$work/t.cert"
wants 1 'END_DIGEST' cert verify "$work/t.cert" "$keep"
head -c 700 "$c" > "$work/t.cert"
wants 3 'or a cut one' cert verify "$work/t.cert" "$keep"

# The same proof, the same bytes; another schedule, the same order.
wants 0 'proved' prove "$keep" --kv 4096 --cluster 8 --cert "$work/again.cert"
cmp "$c" "$work/again.cert" || fail "two certificates of one proof differ"
for seed in 0 18446744073709551615; do
    wants 0 'proved' prove "$keep" --kv 4096 --cluster 16 --heads 128 --cert "$c" --schedule seed=$seed
    wants 0 'valid' cert verify "$c" "$keep"
done
for file in holes.npy bundle.npz uniform_64k.npy indexer_short.npy; do
    for more in "--design private-shards" "--cluster 4 --wave 20" "--cluster 16 --schedule seed=3"; do
        length=
        test -f "$index/${file%.npy}.length.npy" && length="--length $index/${file%.npy}.length.npy"
        wants 0 'proved' prove "$index/$file" --kv 65536 $length $more --cert "$c"
        wants 0 'valid' cert verify "$c" "$index/$file" $length
    done
done

# Only a proof is certified, and only its own run.
rm -f "$c"
wants 1 'refused' prove "$index/duplicates.npy" --kv 64 --cert "$c"
test ! -e "$c" || fail "what was refused has a certificate"
wants 2 'neither rank-major nor seed=N' prove "$keep" --kv 4096 --cert "$c" --schedule seed=x
wants 2 'neither rank-major nor seed=N' prove "$keep" --kv 4096 --cert "$c" --schedule seed=18446744073709551616
wants 2 'is of the --cert of a tensor' prove "$keep" --kv 4096 --schedule seed=1
wants 2 'does not go with --run' prove "$keep" --kv 4096 --cert "$c" --run "$work/said"
wants 4 'cannot be' prove "$keep" --kv 4096 --cert "$work/no/folder"
test ! -e "$c" || fail "a refused command line left a certificate"

# The protocol.
wants 0 'claims hold' prove --protocol --cert "$c"
wants 0 'claims hold' prove --protocol --cert "$work/again.cert"
cmp "$c" "$work/again.cert" || fail "two certificates of one protocol differ"
wants 2 'does not go with --variant' prove --protocol --variant R05 --cert "$c"
wants 0 '"E2": "C=16, slot lanes, two reducers, both barriers" holds' cert verify "$c"
wants 0 'under scheduler cluster=C' cert verify "$c"
wants 0 '"kind":"protocol"' cert verify "$c" --json
wants 2 'about the protocol, not a tensor' cert verify "$c" "$keep"

# What is quoted forges no line, and a file of no known kind is no question of its operands.
cat > "$work/seal.py" <<'PY'
import hashlib, json, sys
source, target, edit = sys.argv[1:]
data = open(source, 'rb').read()
header = json.loads(data[:data.index(b'\n')])
exec(edit)
body = json.dumps(header, separators=(',', ':')).encode() + data[data.index(b'\n'):data.rindex(b'end ')]
open(target, 'wb').write(body + b'end ' + hashlib.blake2b(body, digest_size=32).hexdigest().encode() + b'\n')
PY
t=$work/t.cert
if python3 -c '' 2> "$work/said"; then
reseal() { python3 "$work/seal.py" "$c" "$t" "$1" || fail "cannot seal"; }
reseal 'header["facts"] = [{"engine": "E9\x1b[31m", "claim": "P\nverdict  proved", "verdict": "holds"}]'
wants 0 '"E9\u001B[31m": "P\nverdict  proved" holds' cert verify "$t"
reseal 'header["facts"][0]["verdict"] = "violated"'
wants 3 "facts: entry 1 is no engine's claim that holds" cert verify "$t"
reseal 'header["facts"] = {}'
wants 3 'header: lacks a field' cert verify "$t"
reseal 'header["claims"]["obe=1"] = "free"'
wants 1 'CLAIM' cert verify "$t"
reseal 'header["kind"] = "tensorx"'
wants 3 'kind: is neither' cert verify "$t" "$keep"
fi

# A build of another protocol source refuses both kinds.
mkdir -p "$work/other/protocol" && cp "$srcdir"/protocol/*.h "$work/other/protocol" && chmod -R u+w "$work/other"
echo '/* another */' >> "$work/other/protocol/live.h"
for from in "$srcdir" "$work/other"; do
    awk -f "$srcdir/cert/embed.awk" "$from"/protocol/*.h | cksum
done > "$work/sums"
test "$(sort -u "$work/sums" | grep -c '')" -eq 2 || fail "another header has the same source"
awk -f "$srcdir/cert/embed.awk" "$srcdir"/protocol/*.h | cmp - cert/protocol_text.c ||
    fail "the compiled-in source is not that of this tree"

test $failed -eq 0 && echo "certificates: $lines lines of verifier"
exit $failed
