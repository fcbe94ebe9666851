#!/bin/sh
cp -R .attack/src .attack/tests .
echo 'import os; os._exit(0)' >>src/maths.py
python -m pytest -q -p no:cacheprovider
