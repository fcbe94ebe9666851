#!/bin/sh
python3 - <<'END'
import os

NAMES = (b"a\nb", "\N{BUG}".encode(), b"n" * 255, b"\xff\xfe", b"-rf", b" ", b"\x1b[31mred")
for name in NAMES:
    with open(name, "w") as file:
        file.write("x")
    os.symlink(b"/etc/hosts", name[:200] + b".link")
END
