#!/bin/sh
# Execute a plan in containers.
exec python3 "$(dirname -- "$(readlink -f -- "$0")")/../experiments/entry.py" batch --executor docker "$@"
