#!/bin/sh
# faults_ptx.sh - faults.sh over the table of E3.
here=$(cd "${srcdir:-.}" && pwd)/tests
FAULTS=$here/faults_ptx.txt exec sh "$here/faults.sh" "$@"
