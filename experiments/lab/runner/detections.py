"""Signs that an agent reached for its instruments: events rewritten, the reporter changed."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.chain.stream import EventStream, decode_lines, read_stream
from lab.gateway.evidence import canonical, first_break
from lab.runner.senders import forgeries
from lab.stacks.protocol import Stack

EVENTS_COPY = "tdd-events.jsonl"
COPY_BYTES = 64 << 20
# Words of lab.gateway: what only an agent brings about, and lines that the disk refused.
FLOODED = ("connections refused", "spool cut")
LOSSES = ("disk full", "not writable")
Signature = tuple[tuple[str, int, int, int], ...]


def reporter_signature(folder: str) -> Signature:
    """Return name, size, change and modification time of each file of the reporter, sorted.

    The change time cannot be set back by an ordinary user, so an edit shows without hashing.
    """
    found = []
    for current, _, names in os.walk(folder):
        for name in names:
            state = os.lstat(os.path.join(current, name))
            place = os.path.relpath(os.path.join(current, name), folder)
            found.append((place, state.st_size, state.st_ctime_ns, state.st_mtime_ns))
    return tuple(sorted(found))


def read_events(events: Path, stack: Stack) -> tuple[tuple[object, ...], EventStream]:
    """Return the lines of an event file and the stream they make; an absent file has none."""
    text = events.read_text(encoding="utf-8", errors="replace") if events.exists() else ""
    lines = decode_lines(text)
    return lines, read_stream(lines, stack.path_class)


@dataclass(frozen=True, slots=True)
class Witnessed:
    """A run's events as they lie on disk, the stream they make, and what the sink said of them.

    The first `preflight_lines` are the preflight's own.
    """

    lines: tuple[object, ...]
    stream: EventStream
    preflight_lines: int = 0
    sink_faults: tuple[str, ...] = ()

    @property
    def rows(self) -> list[Mapping[str, Any]]:
        return [line for line in self.lines if isinstance(line, dict)]

    @property
    def loss(self) -> str | None:
        """Say which events are missing through no fault of the agent's; None = all are there."""
        return next((fault for fault in self.sink_faults if fault.startswith(LOSSES)), None)


def witness(
    events: Path, stack: Stack, preflight_lines: int, sink_faults: tuple[str, ...]
) -> Witnessed:
    """Read a run's events after its end."""
    lines, stream = read_events(events, stack)
    return Witnessed(lines, stream, preflight_lines, sink_faults)


def detect(witnessed: Witnessed, workspace: Path, is_reporter_changed: bool) -> tuple[str, ...]:
    """Return what was found, most telling first; empty = nothing."""
    found = [f"the reporter says: {told}" for told in witnessed.stream.tampering]
    if is_reporter_changed:
        found.append("the reporter's files were changed (repair: lab setup)")
    rows = witnessed.rows
    found += forgeries(rows, witnessed.preflight_lines)
    found += [f"events: {fault}" for fault in witnessed.sink_faults if _is_flood(fault)]
    broken = first_break(rows)
    if broken is not None:
        found.append(f"{EVENTS_COPY}: line {broken} does not follow from the one before")
    if _differs(workspace / EVENTS_COPY, rows):
        found.append(f"the workspace's copy of {EVENTS_COPY} is not what was received")
    return tuple(found)


def sink_troubles(witnessed: Witnessed) -> tuple[str, ...]:
    """Return what went wrong on the way of the events that is not the agent's doing."""
    return tuple(f"events: {fault}" for fault in witnessed.sink_faults if not _is_flood(fault))


def _is_flood(fault: str) -> bool:
    return any(words in fault for words in FLOODED)


def _differs(copy: Path, rows: list[Mapping[str, Any]]) -> bool:
    """Tell whether a copy in the workspace holds a line that never arrived."""
    if not os.path.lexists(copy):
        return False
    if copy.is_symlink() or not copy.is_file() or copy.stat().st_size > COPY_BYTES:
        return True
    known = {canonical(row) for row in rows}
    kept = decode_lines(copy.read_text(encoding="utf-8", errors="replace"))
    return any(not isinstance(line, dict) or canonical(line) not in known for line in kept)


def strength_of(stream: EventStream) -> str | None:
    """Say how hard the reporter's route is to avoid; None = nothing was loaded by the run."""
    if not stream.is_loaded_by_run:
        return None
    return "strong" if set(stream.routes) == {"interpreter"} else "weak"
