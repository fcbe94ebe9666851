"""Who sent a line: the process behind a connected unix socket, as the kernel knows it."""

import socket
import struct
from typing import Protocol

COMMAND_BYTES = 300


class Connected(Protocol):
    def getsockopt(self, level: int, option: int, length: int, /) -> bytes: ...


def peer_of(connection: Connected) -> dict[str, object]:
    """Return {"pid", "command", "cgroup"}; command and cgroup are null when it is gone.

    Valid while the sender waits for its acknowledgement; a pid of another pid namespace is 0.
    """
    size = struct.calcsize("3i")
    pid, _, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, PEER_OPTION, size))
    command = _read(pid, "cmdline")
    cgroup = _read(pid, "cgroup")
    return {
        "pid": pid,
        "command": None if command is None else command.replace("\0", " ").strip()[:COMMAND_BYTES],
        "cgroup": None if cgroup is None else _narrowest(cgroup),
    }


PEER_OPTION = getattr(socket, "SO_PEERCRED", 17)


def _read(pid: int, name: str) -> str | None:
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read(16_384).decode("utf-8", "replace")
    except OSError:
        return None


def _narrowest(text: str) -> str:
    """Return the longest path: on cgroup v1 some controllers only know the root."""
    return max((line.split(":", 2)[-1] for line in text.splitlines()), key=len, default="")
