"""A batch's append-only journal: every coordinator reads it, claims in it, and trusts only it.

One write per line under the file's lock; what a crash left torn is cut off by the next writer.
"""

import fcntl
import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from lab.runner.clock import now
from lab.store.atomic import writing

NAME = "journal.jsonl"
SCHEMA_VERSION = 1
Line = Mapping[str, object]


class Journal:
    """One coordinator's hold on the journal; safe to use from several threads."""

    def __init__(self, path: Path) -> None:
        with writing(path):
            flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
            self._file = os.open(path, flags, 0o644)
        self._path = path
        self._read_to = 0
        self._turn = threading.Lock()

    def close(self) -> None:
        os.close(self._file)

    @contextmanager
    def exclusive(self) -> Iterator[tuple[Line, ...]]:
        """Hold the journal alone; yields the lines that were added since the last time."""
        with self._turn:
            fcntl.flock(self._file, fcntl.LOCK_EX)
            try:
                yield self._news()
            finally:
                fcntl.flock(self._file, fcntl.LOCK_UN)

    def append(self, event: str, **values: object) -> Line:
        """Write a line, while held alone. Not forced to disk: a published run proves itself."""
        line = {"schema_version": SCHEMA_VERSION, "event": event, "at": now(), **values}
        content = json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        with writing(self._path):
            written = os.write(self._file, content)
            if written < len(content):
                os.ftruncate(self._file, self._read_to)
                raise OSError(28, "no space left on device")
        self._read_to += len(content)
        return line

    def _news(self) -> tuple[Line, ...]:
        size = os.fstat(self._file).st_size
        if size == self._read_to:
            return ()
        content = os.pread(self._file, size - self._read_to, self._read_to)
        whole = content[: content.rfind(b"\n") + 1]
        if len(whole) < len(content):
            os.ftruncate(self._file, self._read_to + len(whole))
        self._read_to += len(whole)
        return parse(whole)


def read_journal(path: Path) -> tuple[Line, ...]:
    """Read a journal without touching it; an absent one is empty, a garbled line is passed by."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return ()
    return parse(content[: content.rfind(b"\n") + 1])


def parse(content: bytes) -> tuple[Line, ...]:
    """Return the objects among the lines; what else stands there was not written by us."""
    found = []
    for text in content.splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if isinstance(line, dict) and isinstance(line.get("event"), str):
            found.append(line)
    return tuple(found)
