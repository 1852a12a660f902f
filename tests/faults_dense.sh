#!/bin/sh
# faults_dense.sh - faults.sh over the planted faults of dense schedules; with ORDO_LONG over the longer table instead.
here=$(cd "${srcdir:-.}" && pwd)/tests
FAULTS=$here/faults_dense${ORDO_LONG:+_long}.txt exec sh "$here/faults.sh" "$@"
