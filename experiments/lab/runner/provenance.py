"""Where a run came from: the lab's version and git state, the machine and how busy it was."""

import os
import platform
import subprocess
import time
from dataclasses import asdict
from pathlib import Path

from lab import __version__
from lab.domain.attempt import Limits
from lab.process import procfs
from lab.runner.executor import Pairs

_LOOK_AGAIN_SECONDS = 1.0


def lab_state(repository: Path) -> Pairs:
    """Return version, commit and whether files differ from it; "unknown" without git."""
    commit = _git(repository, "rev-parse", "HEAD")
    changed = _git(repository, "status", "--porcelain", "--untracked-files=no")
    dirty = "unknown" if changed is None else "true" if changed else "false"
    return (
        ("version", __version__),
        ("commit", commit or "unknown"),
        ("is_dirty", dirty),
        ("python", platform.python_version()),
    )


def _git(repository: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(repository), *arguments], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


class Host:
    """The machine's cores, load and free memory, looked at again when a second has passed."""

    def __init__(self) -> None:
        self._looked_at = float("-inf")
        self._state: Pairs = ()

    def state(self) -> Pairs:
        """Return what was seen within the last second."""
        now = time.monotonic()
        if now - self._looked_at > _LOOK_AGAIN_SECONDS:
            # In this order: another slot may ask in between.
            self._state = _host_state()
            self._looked_at = now
        return self._state


def _host_state() -> Pairs:
    return (
        ("cores", str(os.cpu_count())),
        ("load_1min", f"{os.getloadavg()[0]:.2f}"),
        ("memory_available_bytes", str(procfs.available_memory())),
        ("kernel", platform.release().split("-")[0]),
    )


def limits_as_pairs(limits: Limits) -> Pairs:
    """Return the limits as they were asked for."""
    return tuple(
        (name, f"{value:g}" if isinstance(value, float) else str(value))
        for name, value in asdict(limits).items()
    )
