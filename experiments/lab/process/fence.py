"""Keep this process and all its children below a number of processes, where the kernel lets us.

A user's own limit (ulimit) does not bind root; a cgroup does. One per coordinator costs nothing per
run, and keeps a fork bomb from taking the machine down before the watch ends it.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from lab.process import procfs

_ROOT = Path("/sys/fs/cgroup")
_PREFIX = "lab-"


@contextmanager
def at_most(processes: int) -> Iterator[bool]:
    """Enter a cgroup that allows so many processes and threads; yields whether it holds."""
    parent = _parent()
    if parent is None or not _enter(parent / f"{_PREFIX}{os.getpid()}", processes):
        yield False
        return
    try:
        yield True
    finally:
        _leave(parent, parent / f"{_PREFIX}{os.getpid()}")


def remove_abandoned() -> None:
    """Remove the cgroups of ended processes; one that still holds a process stays."""
    parent = _parent()
    found = parent.rglob(f"{_PREFIX}*") if parent else ()
    for group in sorted(found, key=lambda group: len(group.parts), reverse=True):
        if not procfs.is_running(_pid_of(group)):
            with suppress(OSError):
                group.rmdir()


def _pid_of(group: Path) -> int:
    number = group.name.removeprefix(_PREFIX)
    return int(number) if number.isdigit() else 0


def _parent() -> Path | None:
    """Return our own cgroup's folder with the pids controller: version 1, else version 2."""
    lines = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    found = {names: place for _, names, place in (line.split(":", 2) for line in lines)}
    for names, place in found.items():
        if "pids" in names.split(","):
            return _ROOT / "pids" / place.lstrip("/")
    return _ROOT / found[""].lstrip("/") if "" in found else None


def _enter(folder: Path, processes: int) -> bool:
    try:
        folder.mkdir()
        (folder / "pids.max").write_text(str(processes), encoding="ascii")
        (folder / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")
    except OSError:
        with suppress(OSError):
            folder.rmdir()
        return False
    return True


def _leave(parent: Path, folder: Path) -> None:
    """Go back and remove the cgroup; one with a process left in it stays for `lab gc`."""
    (parent / "cgroup.procs").write_text(str(os.getpid()), encoding="ascii")
    with suppress(OSError):
        folder.rmdir()
