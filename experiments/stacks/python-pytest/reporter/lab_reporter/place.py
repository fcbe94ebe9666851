"""Where a process belongs: the run's socket, spool and workspace, and the suite around it."""

import os

IMAGE_SOCKET = "/run/lab/s"
VARIABLES = ("LAB_REPORTER_SOCKET", "LAB_REPORTER_SPOOL", "LAB_REPORTER_WORKSPACE")
SUITE_VARIABLE = "LAB_REPORTER_SUITE"
ANCESTORS = 32


def find():
    """Return (socket, spool, workspace); each may be None.

    From the environment; where that was cleared, from the nearest ancestor's.
    """
    found = _from(os.environ)
    if found is None:
        for pid in ancestors():
            found = _from(_environment_of(pid))
            if found is not None:
                break
    if found is not None:
        return found
    return (IMAGE_SOCKET if os.path.exists(IMAGE_SOCKET) else None, None, None)


def _from(variables):
    if VARIABLES[0] not in variables and VARIABLES[1] not in variables:
        return None
    return tuple(variables.get(name) for name in VARIABLES)


def _environment_of(pid):
    """Return a process's initial environment; empty when it is not ours to read."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            entries = os.fsdecode(file.read()).split("\0")
    except OSError:
        return {}
    return dict(entry.split("=", 1) for entry in entries if "=" in entry)


def ancestors():
    """Yield the pids of the parent, its parent and so on (Linux)."""
    pid = os.getppid()
    for _ in range(ANCESTORS):
        if pid <= 0:
            return
        yield pid
        pid = _parent_of(pid)


def _parent_of(pid):
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rsplit(b")", 1)[1].split()[1])
    except (OSError, IndexError, ValueError):
        return 0


def is_inside_a_suite():
    """Tell whether a suite that is already reported started this process.

    The variable alone is not believed: the process that it names must be an ancestor.
    """
    named = os.environ.get(SUITE_VARIABLE, "")
    return named.isdigit() and int(named) in ancestors()


def workspace_of(configured):
    """Return the workspace: as configured, else the nearest folder above with a .git, else cwd."""
    if configured and os.path.isdir(configured):
        return os.path.realpath(configured)
    here = folder = os.path.realpath(os.getcwd())
    while True:
        if os.path.exists(os.path.join(folder, ".git")):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return here
        folder = parent
