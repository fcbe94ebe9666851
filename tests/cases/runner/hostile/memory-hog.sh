#!/bin/sh
exec python3 -c "import time; taken = b'x' * (600 << 20); time.sleep(30)"
