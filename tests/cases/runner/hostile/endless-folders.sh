#!/bin/sh
python3 - <<'END'
import os

for _ in range(1200):
    os.mkdir("deep")
    os.chdir("deep")
with open("x", "w") as file:
    file.write("x")
END
