#!/bin/sh
# faults_reveal.sh - faults.sh over the planted faults of revealed trees.
here=$(cd "${srcdir:-.}" && pwd)/tests
FAULTS=$here/faults_reveal.txt exec sh "$here/faults.sh" "$@"
