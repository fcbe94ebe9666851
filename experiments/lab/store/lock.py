"""Who may change the pool, and which batches are alive: advisory file locks (flock).

The kernel drops a lock when its holder dies, so nothing is ever stale.
"""

import contextlib
import fcntl
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from lab.errors import LabError
from lab.paths import LabPaths
from lab.store.atomic import writing

LIVE_LOCK = "live.lock"
PATIENCE_SECONDS = 10.0
POLL_SECONDS = 0.02


class _Held(threading.local):
    """Which pools this thread has locked, path to "is exclusive": a lock within a lock is free."""

    def __init__(self) -> None:
        self.pools: dict[Path, bool] = {}


_held = _Held()


@contextlib.contextmanager
def pool_lock(
    paths: LabPaths, *, exclusive: bool, patience_seconds: float = PATIENCE_SECONDS
) -> Iterator[None]:
    """Hold the pool's lock: exclusive to delete runs or replace metrics, shared to forbid that.

    Raises LabError, naming the holder, when the lock is not free within the patience. A shared
    lock on a read-only pool is granted at once: nobody can change such a pool. Within a lock of
    the same thread another one is granted, except an exclusive one within a shared one.
    """
    if paths.lock in _held.pools:
        if exclusive and not _held.pools[paths.lock]:
            raise ValueError("an exclusive lock within a shared one would wait for itself")
        yield
        return
    with _file_lock(paths.lock, exclusive, patience_seconds):
        _held.pools[paths.lock] = exclusive
        try:
            yield
        finally:
            del _held.pools[paths.lock]


@contextlib.contextmanager
def _file_lock(path: Path, exclusive: bool, patience_seconds: float) -> Iterator[None]:
    descriptor = _open(path, exclusive)
    if descriptor is None:
        yield
        return
    try:
        _acquire(descriptor, path, exclusive, patience_seconds)
        if exclusive:
            _sign(descriptor)
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def live_batch(
    paths: LabPaths, batch_id: str, *, patience_seconds: float = PATIENCE_SECONDS
) -> Iterator[None]:
    """Mark a batch as live while a coordinator works on it; several may hold it together.

    The pool's lock is held for the moment of marking, so that no batch starts during a clean.
    """
    folder = paths.batches / batch_id
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    with pool_lock(paths, exclusive=False, patience_seconds=patience_seconds):
        descriptor = _open(folder / LIVE_LOCK, True)
        assert descriptor is not None
        fcntl.flock(descriptor, fcntl.LOCK_SH)
    try:
        yield
    finally:
        os.close(descriptor)


def live_batches(paths: LabPaths) -> tuple[str, ...]:
    """Return the ids of the batches on which a coordinator is at work right now, sorted."""
    locks = sorted(paths.batches.glob(f"*/{LIVE_LOCK}"))
    return tuple(lock.parent.name for lock in locks if _is_held(lock))


def _is_held(lock: Path) -> bool:
    descriptor = os.open(lock, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _open(path: Path, exclusive: bool) -> int | None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError as error:
        if exclusive:
            with writing(path):
                raise
        return _open_read_only(path, error)


def _open_read_only(path: Path, error: OSError) -> int | None:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError:
        with writing(path):
            raise error from None


def _acquire(descriptor: int, path: Path, exclusive: bool, patience_seconds: float) -> None:
    kind = fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH
    deadline = time.monotonic() + patience_seconds
    while True:
        try:
            return fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise LabError(_busy(descriptor, path)) from None
        time.sleep(POLL_SECONDS)


def _sign(descriptor: int) -> None:
    """Leave the holder's process id for the message of those who wait."""
    with contextlib.suppress(OSError):  # the lock holds without it, on a full disk too
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)


def _busy(descriptor: int, path: Path) -> str:
    holder = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
    named = f" (last exclusive holder: process {holder})" if holder else ""
    return f"{path}: another command is using the pool{named}; wait for it and repeat"
