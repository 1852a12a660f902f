#!/bin/sh
# ptx_cross_check.sh - a few hundred random programs for every run of the tests; make check-long-ptx takes 10,000.
command -v python3 > /dev/null || { echo "not run: there is no Python"; exit 77; }
exec python3 -B "${srcdir:-.}/tests/cross_ptx.py" ./ordo 400 1
