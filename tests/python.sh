#!/bin/sh
# python.sh - runs a test that is written in Python, or says by exit 77 that there is none.
python3 -c 'import sys; sys.exit(sys.version_info < (3, 6))' || { echo "not run: there is no Python 3.6"; exit 77; }
exec python3 -B "$@"
