#!/bin/sh
cp -R .attack/src .attack/tests .
cat >forge.py <<'END'
import sys

sys.path.insert(0, ".attack")
import send

send.send(send.STARTED)
send.send(send.FINISHED)
END
python3 forge.py
