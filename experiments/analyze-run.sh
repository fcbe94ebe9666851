#!/bin/sh
# Measure one run again.
exec python3 "$(dirname -- "$(readlink -f -- "$0")")/entry.py" analyze "$@"
