#!/bin/sh
# Show how a batch is doing.
exec python3 "$(dirname -- "$(readlink -f -- "$0")")/../experiments/entry.py" watch "$@"
