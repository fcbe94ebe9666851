"""End a whole process tree for real, and name what had outlived its script."""

import os
import signal
import time

from lab.process import procfs
from lab.process.isolation import Separation
from lab.process.spawn import Child

RUN_VARIABLE = "LAB_RUN"
_PATIENCE_SECONDS = 2.0


def signal_group(pid: int, number: signal.Signals) -> None:
    """Signal every process of a session leader's group; fine if none is left."""
    try:
        os.killpg(pid, number)
    except ProcessLookupError:
        return


def kill(pid: int) -> None:
    """Kill one process; fine if it is gone."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def kill_all(child: Child) -> None:
    """Kill the tree: with a namespace the kernel does it, else process by process."""
    if child.separation is Separation.NAMESPACE:
        kill(child.pid)
        return
    for pid in reversed(procfs.tree(child.pid)):
        kill(pid)
    signal_group(child.pid, signal.SIGKILL)


def names_beside(child: Child) -> tuple[str, ...]:
    """Name the running processes of a namespace but its first."""
    first = child.pid
    if child.separation is Separation.USER_NAMESPACE:
        first = next(iter(procfs.children(child.pid)), child.pid)
    own = procfs.namespace(first)
    if own is None:
        return ("a process that may not be looked at",)
    found = tuple(procfs.command(pid) for pid in procfs.members(own) if pid != first)
    return tuple(name for name in found if name)
