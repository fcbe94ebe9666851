#!/bin/sh
# Choose kata, workflow and model, and run once.
exec python3 "$(dirname -- "$(readlink -f -- "$0")")/entry.py" record "$@"
