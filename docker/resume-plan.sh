#!/bin/sh
# Finish an interrupted batch.
exec python3 "$(dirname -- "$(readlink -f -- "$0")")/../experiments/entry.py" resume "$@"
