#!/bin/sh
# faults_simd.sh - faults.sh over the vector versions of the tensor core's step, where the CPU has them all.
here=$(cd "${srcdir:-.}" && pwd)/tests
for flag in avx2 avx512f avx512bw avx512dq avx512cd; do
    grep -qw "$flag" /proc/cpuinfo || { echo "not run: this CPU has no $flag"; exit 77; }
done
FAULTS=$here/faults_simd.txt exec sh "$here/faults.sh" "$@"
