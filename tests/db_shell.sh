#!/bin/sh
# db_shell.sh - the results database from outside: what `ordo db` answers, any SQLite tool answers too; what goes out
# comes back; pictures, manual page, completion and doctor as a user meets them.
#
# Runs ./ordo of the build directory.  Reads srcdir.  The stock sqlite3 shell is used where it is, else Python's
# module, which is the same library.
set -u
srcdir=$(cd "${srcdir:-.}" && pwd)
ordo=$(pwd)/ordo
test -x "$ordo" || { echo "not run: there is no ./ordo"; exit 77; }
. "$srcdir/tests/work.sh"
here=$(pwd)
cd "$work" || exit 99
unset ORDO_DB
n=0

# expect CODE TEXT COMMAND...: it ends with that code, and TEXT (may be empty) stands in its output.
expect() {
    code=$1 text=$2
    shift 2
    n=$((n + 1))
    "$@" > said 2>&1
    got=$?
    if test $got -ne "$code" || { test -n "$text" && ! grep -qF -- "$text" said; }; then
        echo "not ok: $*: exit $got instead of $code, or '$text' not in:"
        sed 's/^/    /' said
        failed=1
    fi
}

# same WHAT A B: two files of the same bytes.
same() {
    n=$((n + 1))
    cmp "$2" "$3" > said 2>&1 || { echo "not ok: $1: $(cat said)"; failed=1; }
}

# foreign DB SQL: by a tool that is not ours; "|" between columns.
foreign() {
    if command -v sqlite3 > tool; then
        sqlite3 "$1" "$2"
    else
        python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for row in db.execute(sys.argv[2]):
    print("|".join("" if x is None else str(x) for x in row))
db.commit()' "$1" "$2"
    fi
}
foreign x.db 'SELECT 1' > said 2>&1 && test "$(cat said)" = 1 && tool=yes || tool=no

keep=$srcdir/corpus/index/keep40.npy
check() {
    "$ordo" check "$keep" --kv 4096 "$@" > checked 2>&1 || { echo "not ok: check $*:"; cat checked; failed=1; }
}
check --cluster 8
check --cluster 8
check --cluster 4
check --cluster 8 --seed 5

# --- questions ---
expect 0 'no flip' "$ordo" db flips
expect 0 "what " "$ordo" db compare 1 2
expect 0 "" "$ordo" db compare 1 3
grep -q '^plan .*moved$' said || { echo "not ok: another plan has not moved"; failed=1; }
expect 3 'there is no run 9' "$ordo" db compare 1 9
expect 2 'must be the number of a run' "$ordo" db compare 1 two
expect 0 'undecided' "$ordo" db trend worst_ratio
expect 2 "no run has a metric 'speed'" "$ordo" db trend speed
expect 0 'no run' "$ordo" db trend worst_ratio --problem ff
expect 0 'cluster-relay' "$ordo" db query --design cluster-relay --since 2020-01-01 --verdict pass --limit 1
expect 0 'no run' "$ordo" db query --until 2020-01-01
expect 0 "no run has the design 'foo'; there are cluster-relay" "$ordo" db query --design foo
expect 0 "no run has the verdict 'great'; there are " "$ordo" db list --verdict great
expect 2 'must be a date' "$ordo" db query --since yesterday
expect 2 'does not take --format' "$ordo" db flips --format csv
expect 2 'did you mean flips?' "$ordo" db flip
expect 0 '0 wrong; 6 digests' "$ordo" db check
expect 0 'up to date' "$ordo" db upgrade
expect 0 '"upgraded_from":0,"backup":null' "$ordo" db upgrade --json
expect 3 'nothing to upgrade' "$ordo" db upgrade --db none.db
test ! -e none.db || { echo "not ok: upgrade made a database"; failed=1; }

# --- the same by another tool ---
ask_both() {
    n=$((n + 1))
    foreign ordo.db "SELECT $1 AS x FROM $2" > theirs
    "$ordo" db sql "SELECT $1 AS x FROM $2" | sed '1d; s/ *$//' > ours
    test -s theirs || { echo "not ok: $2 has no rows"; failed=1; }
    same "$2" theirs ours
}
if test $tool = yes; then
    ask_both "id || ':' || verdict || ':' || order_digest" 'v_run ORDER BY id'
    ask_both "what || ':' || coalesce(item, '-') || ':' || verdict" 'v_compare WHERE a = 1 AND b = 3'
    ask_both "verdict || ':' || runs_before || ':' || plan" "v_trend WHERE metric = 'worst_ratio' ORDER BY plan"
    ask_both "metric || ':' || run" 'v_metric ORDER BY 1'
    ask_both "run || ':' || build || ':' || input_text || ':' || output_digest" 'v_output ORDER BY 1'
    ask_both "count(*) || ' flips'" v_flip
    ask_both "count(*) || ' moved'" v_moved
    ask_both "count(*) || ' cases'" v_corpus
else
    echo "not run: questions by another tool, there is neither sqlite3 nor Python's module"
fi

# --- out and back ---
printf 'case\0\377\r\nwithout an end' > odd.case
printf 'plain\n' > plain.case
: > empty.case
expect 0 added "$ordo" db corpus add odd.case empty.case --expect pass --provenance 'made by hand'
expect 0 'there already' "$ordo" db corpus add odd.case plain.case
expect 3 "with the verdict 'pass'" "$ordo" db corpus add plain.case odd.case --expect fail
expect 3 'No such file' "$ordo" db corpus add new.case
expect 0 'made by hand' "$ordo" db corpus list
expect 0 '3 cases in out' "$ordo" db corpus export out
for file in odd plain empty; do
    digest=$("$ordo" db sql "SELECT substr(digest, 1, 16) AS d FROM corpus WHERE name = '$file.case'" | sed 1d)
    same "corpus export of $file" $file.case "out/$digest.case"
    "$ordo" db corpus show "$digest" > shown
    same "corpus show of $file" $file.case shown
done
expect 3 '3 cases have a digest' "$ordo" db corpus show ''

# --- a case has one name, whatever is said about it ---
printf 'ordo-case/1\nkv 2\nrows\n0 1\n' > said.case
printf 'ordo-case/1\n# of old\nkv 2\nnote another\nrows\n0 1\n' > otherwise.case
digest=$("$ordo" replay said.case | sed -n 's/^digest *\(.\{16\}\).*/\1/p')
expect 0 "$digest  added" "$ordo" db corpus add said.case --db named.db
expect 0 "$digest  there already, with other words" "$ordo" db corpus add otherwise.case --db named.db
expect 0 'kv 2' "$ordo" db corpus show "$digest" --db named.db
expect 0 '0 wrong; 1 digests' "$ordo" db check --db named.db
"$ordo" db export --db named.db -o named.jsonl
expect 0 '1 cases, 0' "$ordo" db import named.jsonl --db again.db
"$ordo" db export --db again.db -o again.jsonl
same 'import of a named case' named.jsonl again.jsonl

"$ordo" db export -o a.jsonl
"$ordo" db export > b.jsonl
same 'export to stdout' a.jsonl b.jsonl
expect 0 '4 runs, 0 of them there already; 3 cases, 0' "$ordo" db import a.jsonl --db b.db
"$ordo" db export --db b.db -o b.jsonl
same 'import' a.jsonl b.jsonl
expect 0 '4 runs, 4 of them there already; 3 cases, 3' "$ordo" db import a.jsonl --db b.db
"$ordo" db export --db b.db -o b.jsonl
same 'import twice' a.jsonl b.jsonl
expect 0 '0 wrong' "$ordo" db check --db b.db

# A changed byte, a missing half and strange lines are refused, and leave nothing behind.
refuse() {
    rm -f c.db
    expect 3 "$1" "$ordo" db import bad.jsonl --db c.db
    test ! -e c.db && test ! -e c.db-wal || { echo "not ok: an empty database stays: $1"; failed=1; }
    "$ordo" check "$keep" --kv 8192 --cluster 16 --db c.db > checked 2>&1
    expect 3 "$1" "$ordo" db import bad.jsonl --db c.db
    expect 0 "" "$ordo" db sql 'SELECT count(*) AS n FROM run' --db c.db
    test "$(sed 1d said | tr -d ' ')" = 1 || { echo "not ok: half an import stays: $1"; failed=1; }
}
sed 's/"verdict":"pass","finding":null/"verdict":"fail","finding":null/' a.jsonl > bad.jsonl
refuse 'changed or damaged'
sed 's/"bits":-\{0,1\}[0-9]\{1,\}/"bits":1/' a.jsonl > bad.jsonl
refuse 'changed or damaged'
sed 's/"hex":"706c61/"hex":"706c62/' a.jsonl > bad.jsonl
refuse 'its bytes give'
head -c 20000 a.jsonl > bad.jsonl
refuse 'line '
sed 's/"n_query"/"n_quary"/' a.jsonl > bad.jsonl
refuse "has no field 'n_quary'"
sed 's/"live":[0-9]*/"live":-1/' a.jsonl > bad.jsonl
refuse 'CHECK constraint'
sed '1d' a.jsonl > bad.jsonl
refuse ''
{ cat a.jsonl; echo '{"schema":"ordo.export/2"}'; } > bad.jsonl
refuse 'no export of ours'
{ cat a.jsonl; echo '[]'; } > bad.jsonl
refuse 'no export of ours'

"$ordo" db export --format csv -o runs.csv
n=$((n + 1))
test "$(grep -c '' runs.csv)" -eq 5 && test "$(head -c 19 runs.csv)" = id,started,seconds, ||
    { echo "not ok: CSV:"; cat runs.csv; failed=1; }
"$ordo" db export --format junit -o runs.xml
n=$((n + 1))
grep -q 'tests="4" failures="0" errors="0" skipped="0"' runs.xml || { echo "not ok: JUnit:"; cat runs.xml; failed=1; }
expect 4 'cannot be written' "$ordo" db export -o nowhere/x.jsonl
# a file that may not grow, as on a full disk: the reason is the system's, and no half of it stays
bounded() {
    (trap '' XFSZ && ulimit -f 64 && "$ordo" db export -o full.jsonl)
}
test "$(wc -c < a.jsonl)" -gt 65536 || { echo "not ok: the export is too small to be cut"; failed=1; }
expect 4 'File too large' bounded
test ! -e full.jsonl || { echo "not ok: half an export stays"; failed=1; }

# --- something went wrong: the exit code says so ---
if test $tool = yes; then
    foreign ordo.db "UPDATE bits SET bits_digest = '$(printf %064d 0)' WHERE run = 2 AND input_class = 'rough'"
    expect 1 '1 outputs are not reproducible' "$ordo" db flips
    expect 1 'differs' "$ordo" db compare 1 2
    expect 1 '1 wrong' "$ordo" db check
    expect 1 '"what":"run 2"' "$ordo" db check --json
    expect 1 '"wrong":1,"digests":' "$ordo" db check --json
    foreign ordo.db "UPDATE run SET verdict = 'fail', finding = 'a < b & ' || char(7) || '\"c\"' WHERE id = 3"
    "$ordo" db export --format junit -o runs.xml
    n=$((n + 1))
    grep -q 'failures="1"' runs.xml && grep -q 'message="a &#60; b &#38; ?&#34;c&#34;"' runs.xml ||
        { echo "not ok: JUnit of a failure:"; cat runs.xml; failed=1; }
    foreign b.db 'PRAGMA user_version = 99'
    expect 3 'use a newer ordo' "$ordo" db list --db b.db
    expect 3 'use a newer ordo' "$ordo" check "$keep" --kv 4096 --db b.db
fi

# --- pictures ---
expect 0 "" "$ordo" inspect "$keep" --kv 4096 --svg wait.svg
expect 0 "" "$ordo" inspect "$srcdir/corpus/index/keep40.npy" --kv 4096 --cluster 16 --svg wait16.svg
expect 0 "" "$ordo" tree "$keep" --kv 4096 --row 17 --svg tree.svg
expect 0 "" "$ordo" tree "$keep" --kv 40960 --row 40959 --svg bare.svg
expect 4 'cannot be written' "$ordo" inspect "$keep" --kv 4096 --svg nowhere/x.svg
for part in 'C=8: share of updates that wait' '>query<' '>KV row<' '38.8 %' 'prefers-color-scheme:dark' '</svg>'; do
    n=$((n + 1))
    grep -qF "$part" wait.svg || { echo "not ok: '$part' is not in wait.svg"; failed=1; }
done
for part in 'Addition tree of KV row 17' '>sum<' '</svg>'; do
    n=$((n + 1))
    grep -qF "$part" tree.svg || { echo "not ok: '$part' is not in tree.svg"; failed=1; }
done
if command -v xmllint > tool; then
    expect 0 "" xmllint --noout runs.xml wait.svg wait16.svg tree.svg bare.svg
fi

# --- a campaign that could keep nothing does not start ---
echo text > a.text
expect 3 'is not a folder' "$ordo" fuzz --cases 1 --save a.text
expect 4 'cannot be made' "$ordo" fuzz --cases 1 --save nowhere/at/all
expect 3 'is not a database' "$ordo" fuzz --cases 1 --db a.text
expect 4 'cannot be made' "$ordo" fuzz --cases 1 --db nowhere/f.db
expect 0 'no finding' "$ordo" fuzz --cases 1 --save kept --db f.db
expect 0 '0 wrong' "$ordo" db check --db f.db

# --- doctor, manual page, completion ---
expect 0 '`ordo check` can run' "$ordo" doctor
expect 4 'cannot be written' "$ordo" doctor --db nowhere/ordo.db
expect 0 '"main_job_runs":true' "$ordo" doctor --json
"$ordo" help man > ordo.1
if command -v mandoc > tool; then
    expect 0 "" mandoc -T lint -W warning ordo.1
fi
if command -v man > tool && man -l ordo.1 > page 2> said; then
    n=$((n + 1))
    grep -q 'EXIT STATUS' page || { echo "not ok: the manual page does not format"; failed=1; }
fi
"$ordo" help bash > complete.bash
# complete WANT WORD...: the last word completes to WANT.
complete() {
    want=$1
    shift
    n=$((n + 1))
    got=$(bash -c '. ./complete.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ordo; echo "${COMPREPLY[*]}"' x "$@")
    test "$got" = "$want" || { echo "not ok: '$*' completes to '$got', not '$want'"; failed=1; }
}
if command -v bash > tool; then
    complete doctor ordo doc
    complete 'flips' ordo db fl
    complete 'corpus' ordo db co\rp
    complete 'export' ordo db corpus ex
    complete '--provenance' ordo db corpus add --prov
    complete 'jsonl csv junit' ordo db export --format ''
    complete 'sm100 sm90' ordo check --target sm
    complete 'odd.case' ordo db corpus add od
    complete 'man' ordo help ma
fi

cd "$here" || exit 99
test $failed -eq 0 && echo "the database from outside: $n checks"
exit $failed
