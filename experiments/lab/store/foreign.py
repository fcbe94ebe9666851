"""Reading JSON that may be anything: torn, foreign, newer, a pipe; saying which it is."""

import errno
import os
import stat
from pathlib import Path
from typing import Any

from lab.errors import LabError

SCHEMA_VERSION = 1
MAX_BYTES = 16 * 1024 * 1024
Document = dict[str, Any]
READ_FAULTS = {
    errno.ENOENT: "does not exist",
    errno.ENOTDIR: "does not exist",
    errno.ELOOP: "a symbolic link, not a file",
    errno.EACCES: "permission denied",
    errno.EISDIR: "a folder, not a file",
    errno.ENXIO: "not a regular file",
}


class Absent(ValueError):
    """There is no file at all."""


class Unreadable(LabError):
    """A run's file that cannot be trusted; `reason` says why in a few words."""

    def __init__(self, path: Path | str, reason: str) -> None:
        self.path = path
        self.reason = reason
        super().__init__(f"{path}: {reason}")


def read_document(path: Path | str) -> Document:
    """Read a JSON object from a regular file; Unreadable says what else was there."""
    try:
        return parse(read_regular(os.fspath(path)))
    except ValueError as error:
        raise Unreadable(path, str(error)) from None


def read_regular(path: str) -> bytes:
    """Read a file that is no link, pipe or device, and not huge; ValueError says what it is."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise Absent(READ_FAULTS[errno.ENOENT]) from None
    except OSError as error:
        if error.errno in READ_FAULTS:
            raise ValueError(READ_FAULTS[error.errno]) from None
        raise
    try:
        return _read_all(descriptor)
    finally:
        os.close(descriptor)


def _read_all(descriptor: int) -> bytes:
    state = os.fstat(descriptor)
    if not stat.S_ISREG(state.st_mode):
        raise ValueError("not a regular file")
    if state.st_size > MAX_BYTES:
        raise ValueError(f"larger than {MAX_BYTES // 2**20} MB: not written by the lab")
    content = os.read(descriptor, state.st_size + 1)
    while len(content) < state.st_size and (chunk := os.read(descriptor, state.st_size)):
        content += chunk
    return content


def parse(content: bytes) -> Document:
    """Parse a JSON object; ValueError says that it is empty, torn or something else."""
    import orjson

    if not content.strip():
        raise ValueError("empty file")
    try:
        document = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise ValueError(f"not JSON, perhaps cut off ({error.msg})") from None
    if not isinstance(document, dict):
        raise ValueError("not a JSON object")
    return document


def header_fault(document: Document, run_id: str) -> str | None:
    """Say why a document is of another format, a newer one or another run's, or None."""
    return _version_fault(document) or _name_fault(document, run_id)


def _version_fault(document: Document) -> str | None:
    version = document.get("schema_version")
    if type(version) is not int or version < 1:
        return "no `schema_version`: not written by the lab"
    if version > SCHEMA_VERSION:
        return f"schema_version {version} is newer than this lab ({SCHEMA_VERSION}): update it"
    return None


def _name_fault(document: Document, run_id: str) -> str | None:
    name = document.get("run_id")
    if name != run_id:
        return f"belongs to run {shown(name)}: a copied or renamed file"
    return None


def shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
