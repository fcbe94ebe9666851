"""Temporary folders that name their owner, so that a dead one's can be told and removed."""

import tempfile
import threading
from pathlib import Path

from lab.process import owner
from lab.runner import kept

PREFIX = "lab-s-"
UNNAMED = "lab-new-"
OWNER_FILE = "owner"


class Scratch:
    """One temporary folder with a short path, made when it is first asked for."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._folder: Path | None = None

    def folder(self) -> Path:
        """Return the folder; everybody may pass through it."""
        with self._turn:
            if self._folder is None:
                self._folder = _made()
            return self._folder

    def close(self) -> None:
        """Remove it."""
        with self._turn:
            if self._folder is not None:
                kept.remove(self._folder)
                self._folder = None


def _made() -> Path:
    """Make a folder that never bears its name without its owner: whoever looks would take it away.

    What a kill leaves in between is an empty folder of another name, which the system clears.
    """
    unnamed = Path(tempfile.mkdtemp(prefix=UNNAMED))
    unnamed.chmod(0o755)
    (unnamed / OWNER_FILE).write_text(str(owner.current()), encoding="ascii")
    return unnamed.rename(unnamed.with_name(PREFIX + unnamed.name.removeprefix(UNNAMED)))


def abandoned() -> tuple[Path, ...]:
    """Return the folders whose owner no longer runs."""
    found = sorted(Path(tempfile.gettempdir()).glob(f"{PREFIX}*"))
    return tuple(folder for folder in found if not owner.is_alive(_owner_of(folder)))


def remove_abandoned() -> tuple[str, ...]:
    """Remove them and return their names."""
    found = abandoned()
    for folder in found:
        kept.remove(folder)
    return tuple(map(str, found))


def _owner_of(folder: Path) -> str:
    """Return what a folder says of its owner; "" where it cannot be read."""
    try:
        return (folder / OWNER_FILE).read_text(encoding="ascii")
    except (OSError, ValueError):
        return ""
