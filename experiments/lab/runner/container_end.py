"""What docker/run-batch.sh noted inside the container after the attempt's script had ended."""

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

NOTE = ".lab-end"
NOTE_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Told:
    """Names of processes that outlived the script, and how many the limit refused.

    Written as the agent's own user, so it names what an agent leaves and does not prove absence.
    """

    left: tuple[str, ...] = ()
    refused: int = 0


def read(state: Path) -> Told:
    """Read and remove the note; nothing where it is missing, or no plain file."""
    note = state / NOTE
    if not os.path.lexists(note) or not stat.S_ISREG(os.lstat(note).st_mode):
        return Told()
    with note.open("rb") as file:
        lines = file.read(NOTE_BYTES).decode("utf-8", "replace").splitlines()
    with suppress(OSError):
        note.unlink()
    pairs = [line.partition(" ")[::2] for line in lines]
    refused = [int(word) for kind, word in pairs if kind == "refused" and word.isdecimal()]
    return Told(tuple(word for kind, word in pairs if kind == "left"), max(refused, default=0))
