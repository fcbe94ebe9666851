#!/bin/sh
python3 -c "taken = b'x' * (600 << 20)"
exit 0
