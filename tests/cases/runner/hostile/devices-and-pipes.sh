#!/bin/sh
mknod disk b 8 0
mkfifo pipe .git/pipe
mkdir __pycache__
mkfifo __pycache__/pipe
python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('sock')"
exit 0
