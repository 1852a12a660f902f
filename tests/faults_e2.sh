#!/bin/sh
# faults_e2.sh - faults.sh over the table of E2; with ORDO_LONG set, over the longer one.
here=$(cd "${srcdir:-.}" && pwd)/tests
FAULTS=$here/faults_e2${ORDO_LONG:+_long}.txt exec sh "$here/faults.sh" "$@"
