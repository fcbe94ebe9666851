#!/bin/sh
date -s 2001-01-01
python3 -c 'import time; time.clock_settime(time.CLOCK_REALTIME, 1e9)'
exit 0
