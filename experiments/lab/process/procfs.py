"""What /proc tells about processes; one that ended while being read is simply not there."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")
_GONE = (FileNotFoundError, ProcessLookupError, PermissionError)


@dataclass(frozen=True, slots=True)
class Use:
    """What a process tree uses: resident bytes (shared pages once per process), processes."""

    memory_bytes: int
    processes: int


def _read(pid: int, name: str) -> bytes:
    try:
        with open(f"/proc/{pid}/{name}", "rb", buffering=0) as file:
            return file.read()
    except _GONE:
        return b""


def _fields(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat after the command, which may hold anything."""
    text = _read(pid, "stat").decode("ascii", "replace")
    return text.rpartition(")")[2].split()


def start_ticks(pid: int) -> int | None:
    """Return when a process started, in clock ticks since boot; None = there is none."""
    fields = _fields(pid)
    return int(fields[19]) if len(fields) > 19 and fields[0] not in "ZX" else None


def is_running(pid: int) -> bool:
    """Tell whether a process exists and is not a zombie."""
    fields = _fields(pid)
    return bool(fields) and fields[0] not in "ZX"


def parent(pid: int) -> int | None:
    """Return the parent's number; None = there is no such process."""
    fields = _fields(pid)
    return int(fields[1]) if len(fields) > 1 else None


def processes() -> Iterator[int]:
    """Yield the numbers of all processes that can be seen."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            yield int(name)


def children(pid: int) -> tuple[int, ...]:
    """Return the direct children of all threads of a process."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except _GONE:
        return ()
    found: list[int] = []
    for thread in threads:
        found += [int(word) for word in _read(pid, f"task/{thread}/children").split()]
    return tuple(found)


def tree(root: int) -> tuple[int, ...]:
    """Return a process and all its descendants, parents first."""
    found, index = [root], 0
    while index < len(found):
        found += children(found[index])
        index += 1
    return tuple(found)


def use_of(pids: tuple[int, ...]) -> Use:
    """Add up what these processes use."""
    resident = 0
    for pid in pids:
        words = _read(pid, "statm").split()
        resident += int(words[1]) * _PAGE if len(words) > 1 else 0
    return Use(resident, len(pids))


def environment(pid: int) -> Mapping[str, str]:
    """Return the environment a process was started with; empty where it may not be read."""
    pairs = _read(pid, "environ").decode("utf-8", "replace").split("\0")
    return dict(pair.split("=", 1) for pair in pairs if "=" in pair)


def command(pid: int) -> str:
    """Return a process's command line, at most 120 characters, for people."""
    words = _read(pid, "cmdline").replace(b"\0", b" ").decode("utf-8", "replace").strip()
    return words[:120] or _read(pid, "comm").decode("utf-8", "replace").strip()


def namespace(pid: int) -> str | None:
    """Return the name of a process's process-id namespace; None = may not be read."""
    try:
        return os.readlink(f"/proc/{pid}/ns/pid")
    except _GONE:
        return None


def members(namespace_name: str) -> tuple[int, ...]:
    """Return the running processes of a process-id namespace."""
    return tuple(pid for pid in processes() if namespace(pid) == namespace_name and is_running(pid))


def with_variable(name: str) -> Iterator[tuple[int, Mapping[str, str]]]:
    """Yield each running process that was started with this variable, and its environment."""
    for pid in processes():
        found = environment(pid)
        if name in found and is_running(pid):
            yield pid, found


def available_memory() -> int:
    """Return the bytes that new processes can use without swapping."""
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    raise OSError("/proc/meminfo has no MemAvailable line")
