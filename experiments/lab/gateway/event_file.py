"""One run's event file: whole lines only, in order, chained; what the disk refused is kept."""

import errno
import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from lab.gateway.evidence import START, chained

KEPT_LINES = 10_000


class EventFile:
    """Appends wrapped bodies to a file; continues an existing one.

    A line that cannot be written (disk full) is kept in memory, tried again before the next one
    and on `flush`, and named in `faults`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.faults: list[str] = []
        self.lines = 0
        self.pending: list[bytes] = []
        self._hash = START
        self._continue()

    def _continue(self) -> None:
        try:
            text = self.path.read_bytes()
        except FileNotFoundError:
            return
        whole = text[: text.rfind(b"\n") + 1]
        if len(whole) < len(text):
            os.truncate(self.path, len(whole))
        for line in whole.splitlines():
            self.lines += 1
            self._hash = json.loads(line)["chained"]

    def append(self, body: Mapping[str, object], peer: Mapping[str, object] | None) -> bool:
        """Wrap and write one body; False when the disk refused it for now."""
        self._hash = chained(self._hash, body)
        self.lines += 1
        wrapped = {
            **body,
            "sequence": self.lines,
            "received_at": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "peer": peer,
            "chained": self._hash,
        }
        line = json.dumps(wrapped, separators=(",", ":"), ensure_ascii=True).encode() + b"\n"
        if len(self.pending) < KEPT_LINES:
            self.pending.append(line)
        return self.flush()

    def flush(self) -> bool:
        """Write what is pending, oldest first; True when nothing is left."""
        if not self.pending:
            return True
        try:
            self._write(b"".join(self.pending))
        except OSError as error:
            self._name(error)
            return False
        self.pending.clear()
        return True

    def _write(self, data: bytes) -> None:
        file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            length = os.fstat(file).st_size
            written = os.write(file, data)
            if written < len(data):
                os.ftruncate(file, length)
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        finally:
            os.close(file)

    def _name(self, error: OSError) -> None:
        kind = "disk full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else "not writable"
        fault = f"{kind}: {self.path}: {error.strerror}"
        if fault not in self.faults:
            self.faults.append(fault)
