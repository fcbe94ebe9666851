"""The few Linux calls that the standard library lacks."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

_NEW_PID_NAMESPACE = 0x20000000
_SET_CHILD_SUBREAPER = 36
_library = ctypes.CDLL(None, use_errno=True)


def _call(name: str, *arguments: int) -> None:
    if getattr(_library, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


@contextmanager
def children_in_new_namespace() -> Iterator[None]:
    """Put the calling thread's next child into a process-id namespace of its own.

    Raises OSError where the kernel refuses (needs CAP_SYS_ADMIN). No thread may be started inside.
    """
    own = _own_namespace()
    _call("unshare", _NEW_PID_NAMESPACE)
    try:
        yield
    finally:
        _call("setns", own, _NEW_PID_NAMESPACE)


@cache
def _own_namespace() -> int:
    """Open this process's own namespace once; every thread is in the same one."""
    return os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)


def sync_file_system(folder: str) -> bool:
    """Make everything on a folder's file system durable; False where the system has no such call.

    Raises OSError when something could not be written.
    """
    if not hasattr(_library, "syncfs"):
        return False
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _call("syncfs", descriptor)
    finally:
        os.close(descriptor)
    return True


def adopt_orphans() -> None:
    """Make this process the parent of descendants whose own parent ended."""
    _call("prctl", _SET_CHILD_SUBREAPER, 1, 0, 0, 0)
