#!/bin/sh
# Bounded: 600 MB at most.
i=0
while [ "$i" -lt 100 ]; do
    head -c 6000000 /dev/zero >"part-$i"
    i=$((i + 1))
    sleep 0.05
done
