"""A workspace's files: what is laid out before an attempt, and what differs after it."""

import hashlib
import os
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from lab.runner.kept import remove_tree

GIT = ".git"
# No project nests like that, and a path must stay below the 4,096 bytes that the system allows.
DEPTH = 100
PATH_BYTES = 2000
FOLDER_RIGHTS, FILE_RIGHTS = 0o700, 0o400
# Where the lab runs as root, the analysis reads a workspace as another user.
SHARED_FOLDER_RIGHTS, SHARED_FILE_RIGHTS = 0o755, 0o444
OTHERS_OWNER = stat.S_ISUID | stat.S_ISGID
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
    """Changed, new and missing paths, and what was found and mended on the way.

    `removed` were no ordinary files, `too_deep` were folders beyond DEPTH: both are gone.
    `links_out` pairs new links that lead out of the workspace with their targets. `mended` counts
    the files and folders that were closed to their owner, or opened to others as their owner.
    """

    paths: tuple[str, ...]
    removed: tuple[str, ...] = ()
    too_deep: tuple[str, ...] = ()
    links_out: tuple[tuple[str, str], ...] = ()
    mended: int = 0


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
    """Compare a workspace with its start, and leave plain files, folders and links in it.

    Taken out: devices, pipes and sockets, and folders nested beyond DEPTH. Rights are mended so
    that the lab and its user can read and delete everything. Links are never followed.
    """
    found = _Found(os.fspath(workspace), start, ignored)
    _mend(found, found.root, os.lstat(found.root))
    _visit(found, "", 0, is_counted=True)
    found.changed += [path for path in start if path not in found.seen]
    return Changes(
        tuple(sorted(found.changed)),
        tuple(sorted(found.removed)),
        tuple(sorted(found.too_deep)),
        tuple(sorted(found.links_out)),
        found.mended,
    )


@dataclass(slots=True)
class _Found:
    """What was seen so far; lives for one call of compare only."""

    root: str
    start: Start
    ignored: tuple[str, ...]
    seen: set[str] = field(default_factory=set)
    changed: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    too_deep: list[str] = field(default_factory=list)
    links_out: list[tuple[str, str]] = field(default_factory=list)
    mended: int = 0


def _visit(found: _Found, inside: str, depth: int, *, is_counted: bool) -> None:
    """Look at a folder; below .git and in what is ignored nothing counts as a change."""
    with os.scandir(f"{found.root}/{inside}") as entries:
        listed = list(entries)
    for entry in listed:
        path = f"{inside}/{entry.name}" if inside else entry.name
        state = entry.stat(follow_symlinks=False)
        counts = is_counted and not (path == GIT or is_ignored(path, found.ignored))
        if stat.S_ISDIR(state.st_mode):
            if depth == DEPTH or len(os.fsencode(path)) > PATH_BYTES:
                remove_tree(Path(entry.path))
                found.too_deep.append(path)
                continue
            _mend(found, entry.path, state)
            _visit(found, path, depth + 1, is_counted=counts)
        elif not (stat.S_ISREG(state.st_mode) or stat.S_ISLNK(state.st_mode)):
            os.unlink(entry.path)
            found.removed.append(path)
        else:
            _look(found, path, state, is_counted=counts)


def _look(found: _Found, path: str, state: os.stat_result, *, is_counted: bool) -> None:
    """Look at a file or a link."""
    place = f"{found.root}/{path}"
    if stat.S_ISREG(state.st_mode):
        _mend(found, place, state)
    if not is_counted:
        return
    found.seen.add(path)
    before = found.start.get(path)
    if before is None or not _is_same(place, state, before):
        found.changed.append(path)
        target = os.readlink(place) if stat.S_ISLNK(state.st_mode) else ""
        if _leads_out(path, target):
            found.links_out.append((path, target))


def _leads_out(path: str, target: str) -> bool:
    reached = os.path.normpath(os.path.join(os.path.dirname(path), target))
    return reached.startswith(("/", "../")) or reached == ".."


def _mend(found: _Found, place: str, state: os.stat_result) -> None:
    """Let its owner read and delete it; let nobody become its owner by it."""
    is_folder = stat.S_ISDIR(state.st_mode)
    own = FOLDER_RIGHTS if is_folder else FILE_RIGHTS
    shared = SHARED_FOLDER_RIGHTS if is_folder else SHARED_FILE_RIGHTS
    mode = stat.S_IMODE(state.st_mode)
    wanted = (mode | (own if os.geteuid() else shared)) & ~OTHERS_OWNER
    if wanted != mode:
        os.chmod(place, wanted)
        found.mended += mode & own != own or mode & OTHERS_OWNER != 0


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


def _is_same(path: str, state: os.stat_result, before: Fingerprint) -> bool:
    if not stat.S_ISREG(state.st_mode) or state.st_size != before.size:
        return False
    if not state.st_mode & stat.S_IRUSR:
        os.chmod(path, 0o600)
    with open(path, "rb", buffering=0) as file:
        if before.size <= _SMALL:
            return hashlib.sha256(file.read()).hexdigest() == before.sha
        return hashlib.file_digest(file, "sha256").hexdigest() == before.sha
