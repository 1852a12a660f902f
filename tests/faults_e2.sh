#!/bin/sh
# faults_e2.sh - faults.sh over the table of E2.
here=$(cd "${srcdir:-.}" && pwd)/tests
FAULTS=$here/faults_e2.txt exec sh "$here/faults.sh" "$@"
