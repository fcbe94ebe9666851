#!/bin/sh
cp -R .attack/src .attack/tests .
cat >forge.py <<'END'
import os
import sys

sys.path.insert(0, ".attack")
import send

send.send({"kind": "loaded", "pid": os.getpid(), "route": "interpreter", "preflight": False})
send.send(send.STARTED)
if not os.fork():
    send.send(send.FINISHED)
    os._exit(0)
os.wait()
END
python3 forge.py pytest
