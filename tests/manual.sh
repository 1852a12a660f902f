#!/bin/sh
# manual.sh - every command that the manual shows exists and ends with exit code 0.
#
# A command is an indented line that begins with ./ordo; it runs in the source tree's view: corpus/ and litmus/ are
# the shipped ones, what it writes goes to a folder of its own.
#
# Reads srcdir; runs ./ordo of the build tree.
set -u
srcdir=$(cd "${srcdir:-.}" && pwd)
ordo=$(pwd)/ordo
. "$srcdir/tests/work.sh"
ln -s "$srcdir/corpus" "$srcdir/litmus" "$work" && ln -s "$ordo" "$work/ordo" || exit 99
cd "$work" || exit 99
n=0
for page in "$srcdir"/manual/*.md; do
    sed -n 's/^  *\(\.\/ordo .*\)$/\1/p' "$page" > commands
    test -s commands || { echo "$page shows no command"; failed=1; }
    while IFS= read -r command; do
        n=$((n + 1))
        sh -c "$command" > said 2>&1 && continue
        echo "$(basename "$page"): $command: exit code $?"
        cat said
        failed=1
    done < commands
done
test $failed -eq 0 && echo "$n commands of the manual run"
exit $failed
