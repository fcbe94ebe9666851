#!/bin/sh
# Bounded: 300 processes at most.
i=0
while [ "$i" -lt 300 ]; do
    sleep 30 &
    i=$((i + 1))
done
wait
