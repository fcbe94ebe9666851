"""A sender of event lines, as a reporter does it: one line, one connection, one byte back."""

import json
import socket
from collections.abc import Mapping
from pathlib import Path


def post(path: Path, data: bytes, *, seconds: float = 5.0) -> bytes:
    """Send raw bytes and return the acknowledgement (b"" when the other side closed)."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(seconds)
        connection.connect(str(path))
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        return connection.recv(1)


def post_body(path: Path, body: Mapping[str, object]) -> bytes:
    return post(path, json.dumps(body).encode() + b"\n")
