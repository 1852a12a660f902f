#!/bin/sh
# faults_twin.sh - faults.sh over what faults.txt leaves out of the twin's planted faults.
here=$(cd "${srcdir:-.}" && pwd)/tests
FAULTS=$here/faults_twin.txt exec sh "$here/faults.sh" "$@"
