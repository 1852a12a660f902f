# faults_e2.sh - faults.sh over the table of E2; with ORDO_LONG set, over the longer one too.
here=$(cd "${srcdir:-.}" && pwd)/tests
FAULTS=$here/faults_e2.txt sh "$here/faults.sh" "$@" || exit
test -z "${ORDO_LONG:-}" || FAULTS=$here/faults_e2_long.txt exec sh "$here/faults.sh" "$@"
