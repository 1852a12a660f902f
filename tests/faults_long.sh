#!/bin/sh
# faults_long.sh - faults.sh over the tables that `make check` leaves out.
here=$(cd "${srcdir:-.}" && pwd)/tests
for table in faults_long faults_ptx_long; do
    FAULTS=$here/$table.txt sh "$here/faults.sh" "$@" || exit
done
