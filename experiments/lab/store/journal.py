"""Append-only JSON lines that survive a crash: each line is whole or it is not there."""

import fcntl
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lab.errors import LabError
from lab.store.atomic import to_bytes, writing

Line = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Journal:
    """What a journal holds: whole lines in order, and one fault per line that is not JSON.

    A torn last line (no newline, not a whole object) is what a crash leaves: neither line nor
    fault, `is_torn` says that it was there.
    """

    lines: tuple[Line, ...]
    faults: tuple[str, ...] = ()
    is_torn: bool = False


def append_line(path: Path, document: Line, *, is_durable: bool = True) -> None:
    """Append one JSON object as one line and fsync; safe with several writing processes.

    Not durable: for what is made so right afterwards. What a crash left of an unfinished line is
    cut off first. NaN raises ValueError.
    """
    content = to_bytes(dict(document), indent=None)
    with writing(path):
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            _mend_tail(descriptor)
            _write_all(descriptor, content)
            if is_durable:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)


def read_lines(path: Path) -> tuple[Line, ...]:
    """Read all whole lines; an absent file has none. A garbled line inside raises LabError."""
    journal = read_journal(path)
    if journal.faults:
        raise LabError(journal.faults)
    return journal.lines


def read_journal(path: Path) -> Journal:
    """Read what can be read and name the lines that cannot; an absent file is empty."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return Journal(())
    *whole, tail = content.split(b"\n")
    lines: list[Line] = []
    faults: list[str] = []
    for number, text in enumerate(whole, 1):
        line = _object(text)
        if line is None:
            faults.append(f"{path}:{number}: not a JSON object; remove the line")
        else:
            lines.append(line)
    last = _object(tail)
    if last is not None:
        lines.append(last)
    return Journal(tuple(lines), tuple(faults), is_torn=bool(tail) and last is None)


def _object(text: bytes) -> Line | None:
    import orjson

    try:
        line = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return line if isinstance(line, dict) else None


def _mend_tail(descriptor: int) -> None:
    """End a whole last line that lacks its newline, cut off a torn one."""
    size = os.fstat(descriptor).st_size
    if size == 0 or os.pread(descriptor, 1, size - 1) == b"\n":
        return
    content = os.pread(descriptor, size, 0)
    start = content.rfind(b"\n") + 1
    if _object(content[start:]) is None:
        os.ftruncate(descriptor, start)
    else:
        _write_all(descriptor, b"\n")


def _write_all(descriptor: int, content: bytes) -> None:
    while content:
        content = content[os.write(descriptor, content) :]
