#!/bin/sh
python3 - <<'END'
import socket

host = dict(line.strip().split("=", 1) for line in open(".attack/host"))
port = int(host["PORT"])
for kind, place in (
    (socket.AF_INET, (host["ADDRESS"], port)),
    (socket.AF_INET, ("172.17.0.1", port)),
    (socket.AF_INET, ("127.0.0.1", port)),
    (socket.AF_UNIX, "\0" + host["ABSTRACT"]),
    (socket.AF_UNIX, "/var/run/docker.sock"),
):
    try:
        socket.socket(kind).connect(place)
        print("connected:", place)
    except OSError as error:
        print(error)
END
