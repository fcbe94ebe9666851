"""How much lies in some folders, looked at while a foreign program writes there."""

import os
import time
from contextlib import suppress
from pathlib import Path

_BLOCK_BYTES = 512
# A file system keeps at least this for every entry, an empty one too.
_ENTRY_BYTES = 512
_EVERY_SECONDS = 0.5
# Of a thread's time at most one part in so many goes into looking.
_SHARE = 20


class DiskUse:
    """Looks at the folders now and then: the more there is, the more rarely."""

    def __init__(self, folders: tuple[Path, ...], allowed_bytes: int) -> None:
        self._folders = folders
        self._allowed = allowed_bytes
        self._next = time.monotonic()

    def excess(self) -> str | None:
        """Say by how much it is too much; None = not, or it is not time to look again."""
        began = time.monotonic()
        if began < self._next:
            return None
        used = sum(allocated(folder) for folder in self._folders)
        ended = time.monotonic()
        self._next = ended + max(_EVERY_SECONDS, _SHARE * (ended - began))
        if used <= self._allowed:
            return None
        return f"{used} bytes in its folders, allowed {self._allowed}"


def allocated(folder: Path) -> int:
    """Return the bytes that a folder's contents take on disk; holes of sparse files take none.

    What may not be looked at, or vanishes meanwhile, counts nothing; no link is followed.
    """
    total, waiting = 0, [os.fspath(folder)]
    while waiting:
        with suppress(OSError), os.scandir(waiting.pop()) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):
                    state = entry.stat(follow_symlinks=False)
                    total += state.st_blocks * _BLOCK_BYTES + _ENTRY_BYTES
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
    return total
