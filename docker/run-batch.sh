#!/bin/sh
# Inside a container: run one attempt, the mounted invocation file, in the run's workspace.
cd /work && exec sh "${1:-/run/lab-invocation/run.sh}"
