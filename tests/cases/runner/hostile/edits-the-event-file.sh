#!/bin/sh
cp -R .attack/src .attack/tests .
python -m pytest -q -p no:cacheprovider
echo '{"schema_version":1,"kind":"finished","session":"x","result":"named","tests":[]}' >tdd-events.jsonl
