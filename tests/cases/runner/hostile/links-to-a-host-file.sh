#!/bin/sh
. ./.attack/host
ln -s "$HOST_FILE" mine.txt
ln -s ../../run.json up
mkdir inside
ln -s ../agent.sh inside/fine
cat mine.txt
exit 0
