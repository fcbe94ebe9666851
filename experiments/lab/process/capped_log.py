"""A file that takes bytes as they come, up to a number; the rest is counted and dropped."""

import os
from pathlib import Path


class CappedLog:
    """An output file with an upper bound; `total` counts all bytes offered."""

    def __init__(self, path: Path, limit_bytes: int) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        self._room = limit_bytes
        self.total = 0
        self.is_truncated = False

    def take(self, data: bytes) -> None:
        """Keep what fits; raises OSError when the disk is full."""
        self.total += len(data)
        kept = data[: self._room]
        self.is_truncated = self.is_truncated or len(kept) < len(data)
        self._room -= len(kept)
        while kept:
            kept = kept[os.write(self._file, kept) :]

    def close(self) -> None:
        os.close(self._file)
