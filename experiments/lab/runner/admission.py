"""Whether the machine has room for one more run: free disk and memory, looked at before a start."""

import os
import threading
import time
from pathlib import Path

from lab.process import procfs
from lab.store.defaults import Defaults

_LOOK_AGAIN_SECONDS = 0.5
_MEGABYTE = 1 << 20


class Admission:
    """Answers from the last look when that is not half a second old."""

    def __init__(self, folder: Path, defaults: Defaults) -> None:
        self._folder, self._defaults = folder, defaults
        self._looked_at = float("-inf")
        self._answer: str | None = None
        self._turn = threading.Lock()

    def refusal(self) -> str | None:
        """Say what is short; None = there is room. Whoever asks during a look waits for it."""
        with self._turn:
            now = time.monotonic()
            if now - self._looked_at > _LOOK_AGAIN_SECONDS:
                self._answer = self._look()
                self._looked_at = now
            return self._answer

    def _look(self) -> str | None:
        state = os.statvfs(self._folder)
        free = state.f_bavail * state.f_frsize
        if free < self._defaults.free_disk_bytes:
            return _short("disk", free, self._defaults.free_disk_bytes)
        memory = procfs.available_memory()
        if memory < self._defaults.free_memory_bytes:
            return _short("memory", memory, self._defaults.free_memory_bytes)
        return None


def _short(what: str, free: int, wanted: int) -> str:
    name = f"LAB_FREE_{what.upper()}_BYTES"
    return (
        f"free {what} is {free // _MEGABYTE} MB, a start needs {wanted // _MEGABYTE} MB "
        f"(free some; limit: {name})"
    )
