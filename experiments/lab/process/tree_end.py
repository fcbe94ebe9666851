"""End a whole process tree for real, and name what had outlived its script."""

import os
import signal
import time
from contextlib import suppress

from lab.process import mark, procfs
from lab.process.isolation import Separation
from lab.process.spawn import Child

_PATIENCE_SECONDS = 2.0
# One that was started just now is still called like its parent until it has become its program.
_SETTLE_SECONDS = 0.02


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


def members(child: Child) -> tuple[int, ...]:
    """Return the running processes of the tree, as far as they can be found."""
    if child.separation is not Separation.GROUP:
        return procfs.tree(child.pid)
    return tuple(pid for pid, found in mark.marked() if str(found) == child.mark)


def kill_all(child: Child) -> None:
    """Kill the tree: with a namespace the kernel does it, else process by process."""
    if child.separation is Separation.GROUP:
        signal_group(child.pid, signal.SIGKILL)
        for pid in members(child):
            kill(pid)
    else:
        kill(_first(child))


def _first(child: Child) -> int:
    """Return the first process of the child's namespace, as we number it."""
    if child.separation is Separation.USER_NAMESPACE:
        return next(iter(procfs.children(child.pid)), child.pid)
    return child.pid


def names_beside(child: Child) -> tuple[str, ...]:
    """Name the running processes of a namespace but its first."""
    time.sleep(_SETTLE_SECONDS)
    first = _first(child)
    own = procfs.namespace(first)
    if own is None:
        return ("a process that may not be looked at",)
    found = (procfs.command(pid) for pid in procfs.members(own) if pid != first)
    return tuple(name for name in found if name)


def end_remains(child: Child) -> tuple[str, ...]:
    """After the first process ended: end what outlived it, and return the names.

    A namespace has taken all with it. Without one, what still carries the child's mark is killed,
    again and again until nothing does. A process that cleared its environment *and* left the group
    escapes: `lab doctor` says that this machine gives no namespace.
    """
    if child.separation is not Separation.GROUP:
        return ()
    names: dict[int, str] = {}
    until = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < until:
        alive = members(child)
        if not alive:
            break
        for pid in alive:
            names.setdefault(pid, procfs.command(pid))
            kill(pid)
            _collect(pid)
    return tuple(names.values())


def _collect(pid: int) -> None:
    """Take the exit of a process that we adopted; others belong to their own parent."""
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
