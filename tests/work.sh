# work.sh - a folder of its own for one run of a script, which goes when the script ends, however it ends (read by
# scripts, not run).
#
# Sets work, failed=0 and the C locale.
LC_ALL=C
export LC_ALL
work=$(mktemp -d "${TMPDIR:-/tmp}/ordo-$(basename "$0" .sh)-XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
failed=0
