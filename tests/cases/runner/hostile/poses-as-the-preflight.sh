#!/bin/sh
cp -R .attack/src .attack/tests .
LAB_PREFLIGHT=1 python -m pytest -q -p no:cacheprovider
exit 0
