"""The control file of a batch: what people ask of its running coordinators."""

import json
import os
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path

from lab.errors import LabError
from lab.store.run_files import write_checked
from lab.store.schema import demand

NAME = "control.json"
SCHEMA_VERSION = 1


class Command(StrEnum):
    """RUN starts runs, PAUSE starts none, DRAIN lets the running ones end and then leaves."""

    RUN = "run"
    PAUSE = "pause"
    DRAIN = "drain"


@dataclass(frozen=True, slots=True)
class Control:
    """What is asked for; `shards` None = as the coordinator was started."""

    command: Command = Command.RUN
    shards: int | None = None


def read_control(path: Path) -> Control:
    """Read a control file; an absent one asks for nothing. LabError when it is garbled."""
    try:
        text = path.read_bytes()
    except FileNotFoundError:
        return Control()
    try:
        document = json.loads(text)
    except ValueError:
        raise LabError(f"{path}: not JSON; remove it or use lab watch") from None
    demand("control", document, str(path))
    return Control(Command(document["command"]), document["shards"])


def write_control(path: Path, *, command: Command | None, shards: int | None) -> Control:
    """Change what is given, keep the rest, and return what now stands there."""
    control = read_control(path)
    if command is not None:
        control = replace(control, command=command)
    if shards is not None:
        control = replace(control, shards=shards)
    document = {"schema_version": SCHEMA_VERSION, **asdict(control)}
    write_checked("control", path, document)
    return control


class ControlWatch:
    """Reads the control file again only when it changed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[int, int] | None = None
        self.current = Control()

    def look(self) -> Control:
        """Return what is asked for now; a garbled file changes nothing until it is mended."""
        try:
            state = os.stat(self._path)
        except FileNotFoundError:
            return self.current
        signature = (state.st_mtime_ns, state.st_ino)
        if signature != self._seen:
            self._seen = signature
            self.current = self._read()
        return self.current

    def _read(self) -> Control:
        try:
            return read_control(self._path)
        except LabError:
            return self.current
