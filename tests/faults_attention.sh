#!/bin/sh
# faults_attention.sh - faults.sh over the planted faults of the attention twin.
here=$(cd "${srcdir:-.}" && pwd)/tests
FAULTS=$here/faults_attention.txt exec sh "$here/faults.sh" "$@"
