"""When each findings.md last changed: its commit, or its mtime while it is not committed."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from lab.errors import ToolFailed
from lab.process.git import git

COMMIT = b"commit:"


def last_changes(root: Path, files: Iterable[Path]) -> dict[Path, float]:
    """Return seconds since the epoch for each file that exists; git is asked once for all.

    A file counts as committed when its content is that of its newest commit. Without git, or
    outside a repository, the mtime counts.
    """
    present = [file for file in files if file.is_file()]
    commits = _newest_commits(root, present) if present else {}
    return {file: _changed(file, commits.get(file)) for file in present}


def _changed(file: Path, commit: tuple[float, str] | None) -> float:
    if commit and _blob_id(file.read_bytes(), len(commit[1])) == commit[1]:
        return commit[0]
    return file.stat().st_mtime


def _newest_commits(root: Path, files: list[Path]) -> Mapping[Path, tuple[float, str]]:
    """Return time and content id of the newest commit of each file that has one."""
    names = [str(file.relative_to(root)) for file in files]
    arguments = ("log", "-z", "--raw", "--relative", "--no-abbrev", "--no-renames", "-m")
    try:
        output = git(root, *arguments, f"--format={COMMIT.decode()}%ct", "--", *names)
    except ToolFailed:
        return {}
    return _read_log(root, output)


def _read_log(root: Path, output: bytes) -> dict[Path, tuple[float, str]]:
    newest: dict[Path, tuple[float, str]] = {}
    seconds = 0.0
    fields = iter(output.replace(b"\n", b"\0").split(b"\0"))
    for text in fields:
        if text.startswith(COMMIT):
            seconds = float(text.removeprefix(COMMIT))
        elif text.startswith(b":"):
            name = next(fields).decode("utf-8", "surrogateescape")
            newest.setdefault(root / name, (seconds, text.split()[3].decode()))
    return newest


def _blob_id(content: bytes, length: int) -> str:
    """Compute what git names a file's content by: SHA-1, or SHA-256 in newer repositories."""
    whole = b"blob %d\0" % len(content) + content
    if length == hashlib.sha256().digest_size * 2:
        return hashlib.sha256(whole).hexdigest()
    return hashlib.sha1(whole, usedforsecurity=False).hexdigest()
