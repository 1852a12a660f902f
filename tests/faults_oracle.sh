#!/bin/sh
# faults_oracle.sh - faults.sh over the planted faults of the real gradient, the intervals, the stages and the tiers.
here=$(cd "${srcdir:-.}" && pwd)/tests
FAULTS=$here/faults_oracle.txt exec sh "$here/faults.sh" "$@"
