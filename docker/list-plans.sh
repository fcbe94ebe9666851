#!/bin/sh
# List batch plans.
exec python3 "$(dirname -- "$(readlink -f -- "$0")")/../experiments/entry.py" plans "$@"
