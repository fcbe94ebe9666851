"""A workspace's files: what is laid out before an attempt, and what differs after it."""

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

GIT = ".git"
_SMALL = 1 << 20


@dataclass(frozen=True, slots=True)
class File:
    """A file to lay out: relative path with forward slashes, content, and its mode."""

    path: str
    content: bytes
    mode: int = 0o644


@dataclass(frozen=True, slots=True)
class FileTree:
    """Files and folders, read once and laid out many times; `ignored` as in its .gitignore."""

    files: tuple[File, ...] = ()
    folders: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A file's size in bytes and SHA-256; the hash of a file that only its size tells is empty."""

    size: int
    sha: str


@dataclass(frozen=True, slots=True)
class Changes:
    """Changed, new and missing paths; `removed` were no ordinary files and are gone."""

    paths: tuple[str, ...]
    removed: tuple[str, ...] = ()


Start = Mapping[str, Fingerprint]


def read_tree(folder: Path) -> FileTree:
    """Read all files below a folder, links followed; an absent folder is empty.

    What its .gitignore names is left out: a tool that looked at the tree may have left a cache.
    """
    files, folders = [], []
    ignored = _ignored_patterns(folder / ".gitignore")
    for current, _, names in os.walk(folder, followlinks=True):
        place = Path(current)
        inside = place.relative_to(folder)
        if inside.parts and not is_ignored(inside.as_posix(), ignored):
            folders.append(inside.as_posix())
        for name in names:
            path = (inside / name).as_posix()
            if not is_ignored(path, ignored):
                mode = 0o755 if os.access(place / name, os.X_OK) else 0o644
                files.append(File(path, (place / name).read_bytes(), mode))
    return FileTree(
        tuple(sorted(files, key=lambda file: file.path)), tuple(sorted(folders)), ignored
    )


def _ignored_patterns(listed: Path) -> tuple[str, ...]:
    text = listed.read_text(encoding="utf-8") if listed.exists() else ""
    lines = (line.strip() for line in text.splitlines())
    return tuple(line for line in lines if line and not line.startswith("#"))


def lay_out(workspace: Path, trees: Iterable[FileTree]) -> Start:
    """Make the workspace and put the trees' files into it, a later one over an earlier."""
    root = str(workspace)
    os.mkdir(root)
    made, start = {""}, {}
    for tree in trees:
        for folder in tree.folders:
            _make(root, folder, made)
        for file in tree.files:
            _make(root, file.path.rpartition("/")[0], made)
            write_file(f"{root}/{file.path}", file.content, file.mode)
            if not file.path.startswith(f"{GIT}/"):
                start[file.path] = fingerprint(file.content)
    return start


def _make(root: str, folder: str, made: set[str]) -> None:
    if folder not in made:
        _make(root, folder.rpartition("/")[0], made)
        os.mkdir(f"{root}/{folder}")
        made.add(folder)


def write_file(path: str, content: bytes, mode: int = 0o644) -> None:
    """Write a whole file, without the buffers that Python's own file objects bring."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, mode)
    try:
        while content:
            content = content[os.write(descriptor, content) :]
    finally:
        os.close(descriptor)


def fingerprint(content: bytes) -> Fingerprint:
    return Fingerprint(len(content), hashlib.sha256(content).hexdigest())


def compare(workspace: Path, start: Start, ignored: tuple[str, ...]) -> Changes:
    """Compare a workspace with its start, and take out what is neither file, folder nor link.

    Links are compared by where they point and never followed; folders are made readable for us.
    """
    seen: set[str] = set()
    changed: list[str] = []
    removed: list[str] = []
    for path, state in _walk(str(workspace), "", ignored):
        if _is_special(state):
            os.unlink(f"{workspace}/{path}")
            removed.append(path)
            continue
        seen.add(path)
        before = start.get(path)
        if before is None or not _is_same(f"{workspace}/{path}", state, before):
            changed.append(path)
    changed += [path for path in start if path not in seen]
    return Changes(tuple(sorted(changed)), tuple(sorted(removed)))


def _walk(root: str, inside: str, ignored: tuple[str, ...]) -> Iterator[tuple[str, os.stat_result]]:
    folder = f"{root}/{inside}" if inside else root
    for entry in _entries(folder):
        path = f"{inside}/{entry.name}" if inside else entry.name
        state = entry.stat(follow_symlinks=False)
        if path == GIT or is_ignored(path, ignored):
            if stat.S_ISDIR(state.st_mode) and os.geteuid() != 0:
                _make_readable(entry.path)
            continue
        if stat.S_ISDIR(state.st_mode):
            yield from _walk(root, path, ignored)
        else:
            yield path, state


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except PermissionError:
        os.chmod(folder, 0o700)
        with os.scandir(folder) as entries:
            return list(entries)


def _make_readable(folder: str) -> None:
    """Give ourselves the rights on a folder and all below it, to keep and remove it."""
    os.chmod(folder, 0o700)
    for current, names, _ in os.walk(folder):
        for name in names:
            path = os.path.join(current, name)
            if not os.path.islink(path):
                os.chmod(path, 0o700)


def is_ignored(path: str, patterns: tuple[str, ...]) -> bool:
    """Tell whether one of the simple .gitignore patterns (a name, a suffix, a folder/) matches."""
    parts = path.split("/")
    for pattern in patterns:
        bare = pattern.strip("/")
        if "/" in bare:
            if fnmatchcase(path, bare) or path.startswith(f"{bare}/"):
                return True
        elif any(fnmatchcase(part, bare) for part in parts):
            return True
    return False


def _is_special(state: os.stat_result) -> bool:
    return not (stat.S_ISREG(state.st_mode) or stat.S_ISLNK(state.st_mode))


def _is_same(path: str, state: os.stat_result, before: Fingerprint) -> bool:
    if not stat.S_ISREG(state.st_mode) or state.st_size != before.size:
        return False
    if not state.st_mode & stat.S_IRUSR:
        os.chmod(path, 0o600)
    with open(path, "rb", buffering=0) as file:
        if before.size <= _SMALL:
            return hashlib.sha256(file.read()).hexdigest() == before.sha
        return hashlib.file_digest(file, "sha256").hexdigest() == before.sha
