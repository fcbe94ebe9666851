"""From the reporter's raw lines to suite events: sessions paired, changes from content hashes."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

from lab.domain.event import PathClass, Result, Status, SuiteEvent, TestResult
from lab.domain.metric import Reason

SCHEMA_VERSION = 1
SHOWN = 60
PathClasses = Callable[[str], PathClass]
Files = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class EventStream:
    """One event per suite invocation, in the order of the starts, and what was odd about them.

    `is_reporter_present`: any process loaded the reporter, the preflight's included;
    `is_loaded_by_run`: one that was not the preflight's did. `routes` and `runners` are those seen
    in the run, in order of appearance. `faults` names lines that could not be used, `tampering`
    what the reporter found changed under it. `is_incomplete`: the reporter failed, or a line was
    too long to be kept, so a suite may be missing here or look as if it died.
    """

    events: tuple[SuiteEvent, ...]
    is_reporter_present: bool
    is_loaded_by_run: bool
    routes: tuple[str, ...] = ()
    runners: tuple[str, ...] = ()
    faults: tuple[str, ...] = ()
    tampering: tuple[str, ...] = ()
    is_incomplete: bool = False

    @property
    def absence(self) -> Reason:
        """Say why nothing is known of the chain: never tested, no reporter, or one that failed.

        The last one holds whatever events there are.
        """
        if self.is_incomplete:
            return Reason.TOOL_FAILED
        return Reason.NOT_APPLICABLE if self.is_reporter_present else Reason.NO_SOURCE


@dataclass(slots=True)
class _Session:
    """A started suite; `finish` stays None when it died. `files` None: no readable hashes."""

    line: int
    sequence: int
    at: str | None
    files: Files | None
    finish: Mapping[str, object] | None = None
    is_withdrawn: bool = False


@dataclass(slots=True)
class _Reader:
    """What was read so far; lives for one call of read_stream only."""

    path_class: PathClasses
    baseline: Files | None = None
    is_present: bool = False
    is_loaded_by_run: bool = False
    is_incomplete: bool = False
    last_sequence: int | None = None
    sessions: list[_Session] = field(default_factory=list)
    latest: dict[str, _Session] = field(default_factory=dict)
    routes: dict[str, None] = field(default_factory=dict)
    runners: dict[str, None] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    tampering: list[str] = field(default_factory=list)

    def fault(self, line: int, told: str) -> None:
        self.faults.append(f"line {line}: {told}")


def decode_lines(text: str) -> tuple[object, ...]:
    """Decode JSON lines; one that is no JSON stays text, for read_stream to name."""
    return tuple(_decode(line) for line in text.split("\n") if line.strip())


def read_stream(lines: Sequence[object], path_class: PathClasses) -> EventStream:
    """Read the lines of tdd-events.jsonl; what cannot be used becomes a named fault.

    `path_class` classes a path of the workspace. Overlapping suites keep the order of their
    starts; each is compared with the start before it, the first with the preflight's template.
    """
    reader = _Reader(path_class)
    for number, line in enumerate(lines, start=1):
        if isinstance(line, Mapping):
            _check_envelope(reader, number, line)
            kind = line.get("kind")
            take = KINDS.get(kind) if isinstance(kind, str) else None
            if take is None:
                reader.fault(number, f"unknown kind {_short(kind)}; known are {', '.join(KINDS)}")
            else:
                take(reader, number, line)
        else:
            reader.fault(number, f"not a JSON object: {_short(line)}")
    return EventStream(
        events=tuple(_events(reader)),
        is_reporter_present=reader.is_present,
        is_loaded_by_run=reader.is_loaded_by_run,
        routes=tuple(reader.routes),
        runners=tuple(reader.runners),
        faults=tuple(reader.faults),
        tampering=tuple(reader.tampering),
        is_incomplete=reader.is_incomplete,
    )


def _decode(line: str) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return line


def _check_envelope(reader: _Reader, number: int, line: Mapping[str, object]) -> None:
    """Name a foreign version, and a gap in the sink's numbering (lines removed or moved)."""
    version = line.get("schema_version", SCHEMA_VERSION)
    if version != SCHEMA_VERSION:
        reader.fault(number, f"schema_version {_short(version)}; this lab reads {SCHEMA_VERSION}")
    sequence = line.get("sequence")
    if not _is_count(sequence):
        return
    last = reader.last_sequence
    if last is not None and sequence != last + 1:
        reader.fault(number, f"sequence {sequence} follows {last}: lines are missing or moved")
    reader.last_sequence = sequence


def _take_loaded(reader: _Reader, number: int, line: Mapping[str, object]) -> None:
    reader.is_present = True
    if line.get("preflight") is True:
        return
    reader.is_loaded_by_run = True
    _note(reader.routes, line.get("route"))


def _take_baseline(reader: _Reader, number: int, line: Mapping[str, object]) -> None:
    if reader.baseline is not None or reader.sessions:
        reader.fault(number, "a baseline comes once, before the first start: ignored")
        return
    reader.baseline = _files(reader, number, line)


def _take_started(reader: _Reader, number: int, line: Mapping[str, object]) -> None:
    reader.is_present = reader.is_loaded_by_run = True
    _note(reader.routes, line.get("route"))
    _note(reader.runners, line.get("runner"))
    if not reader.sessions and reader.baseline is None:
        reader.fault(number, "no baseline before the first start: compared with an empty project")
    sequence, at = line.get("sequence"), line.get("received_at")
    session = _Session(
        line=number,
        sequence=sequence if _is_count(sequence) else number,
        at=at if isinstance(at, str) else None,
        files=_files(reader, number, line),
    )
    reader.sessions.append(session)
    _open(reader, number, line.get("session"), session)


def _open(reader: _Reader, number: int, name: object, session: _Session) -> None:
    if not isinstance(name, str):
        reader.fault(number, f"a start with session {_short(name)}: its end cannot be found")
        return
    if name in reader.latest:
        reader.fault(number, f"session {_short(name)} starts again")
    reader.latest[name] = session


def _take_finished(reader: _Reader, number: int, line: Mapping[str, object]) -> None:
    session = _running(reader, number, line, "finishes")
    if session is not None:
        session.finish, session.line = line, number


def _take_withdrawn(reader: _Reader, number: int, line: Mapping[str, object]) -> None:
    """No suite ran after all (help, a listing, a wrong flag): no event, whatever had changed."""
    session = _running(reader, number, line, "is withdrawn")
    if session is not None:
        session.is_withdrawn = True


def _running(
    reader: _Reader, number: int, line: Mapping[str, object], what: str
) -> _Session | None:
    """Return the session that a line ends; None, and a fault, where none is running."""
    name = line.get("session")
    session = reader.latest.get(name) if isinstance(name, str) else None
    if session is None:
        reader.fault(number, f"session {_short(name)} {what} without a start: ignored")
        return None
    if session.finish is not None or session.is_withdrawn:
        reader.fault(number, f"session {_short(name)} {what} after its end: ignored")
        return None
    return session


def _take_unread(reader: _Reader, number: int, line: Mapping[str, object]) -> None:
    reader.fault(number, f"the sink could not read what was sent: {_short(line.get('reason'))}")


def _take_oversize(reader: _Reader, number: int, line: Mapping[str, object]) -> None:
    reader.is_incomplete = True
    _take_unread(reader, number, line)


def _take_reporter_fault(reader: _Reader, number: int, line: Mapping[str, object]) -> None:
    reader.is_incomplete = True
    told = f"{_short(line.get('where'))}: {_short(line.get('error'))}"
    reader.fault(number, f"the reporter failed in {told}")


def _take_heartbeat(reader: _Reader, number: int, line: Mapping[str, object]) -> None:
    """A sign of life says nothing about the chain."""


KINDS: Mapping[str, Callable[[_Reader, int, Mapping[str, object]], None]] = {
    "loaded": _take_loaded,
    "baseline": _take_baseline,
    "started": _take_started,
    "heartbeat": _take_heartbeat,
    "finished": _take_finished,
    "withdrawn": _take_withdrawn,
    "garbage": _take_unread,
    "oversize": _take_oversize,
    "reporter-fault": _take_reporter_fault,
}


def _events(reader: _Reader) -> Iterator[SuiteEvent]:
    """Yield one event per suite; its changes are what differs from the suite started before.

    A suite without readable hashes changes nothing, and the next one is compared with the one
    before it.
    """
    before = reader.baseline or {}
    for session in reader.sessions:
        if session.is_withdrawn:
            continue
        files = before if session.files is None else session.files
        yield _event(reader, session, _changes(reader.path_class, before, files))
        before = files


def _changes(path_class: PathClasses, before: Files, after: Files) -> frozenset[PathClass]:
    paths = before.keys() | after.keys()
    changed = (path for path in paths if before.get(path) != after.get(path))
    return frozenset(path_class(path) for path in changed) - {PathClass.OTHER}


def _event(reader: _Reader, session: _Session, changes: frozenset[PathClass]) -> SuiteEvent:
    finish = session.finish or {}
    result = _result(reader, session)
    tests = _tests(reader, session.line, finish) if result is Result.NAMED else ()
    tampered = finish.get("tampered")
    if isinstance(tampered, list):
        reader.tampering += [f"line {session.line}: {_short(what)}" for what in tampered]
    return SuiteEvent(
        changes=changes,
        result=result,
        tests=tests,
        is_partial=finish.get("partial") is True,
        sequence=session.sequence,
        at=session.at,
    )


def _result(reader: _Reader, session: _Session) -> Result:
    """Return how the suite ended; one that never finished, or says nothing we know, died."""
    if session.finish is None:
        return Result.DIED
    told = session.finish.get("result")
    known = next((result for result in Result if result == told), None)
    if known is None:
        reader.fault(session.line, f"unknown result {_short(told)}: taken as died")
    return known or Result.DIED


def _tests(reader: _Reader, number: int, finish: Mapping[str, object]) -> tuple[TestResult, ...]:
    listed = finish.get("tests", [])
    if not isinstance(listed, list):
        reader.fault(number, f"tests is no list: {_short(listed)}")
        return ()
    tests = [_test(entry) for entry in listed]
    for entry, test in zip(listed, tests, strict=True):
        if test is None:
            reader.fault(number, f"no test with a status: {_short(entry)}")
    return tuple(test for test in tests if test is not None)


def _test(entry: object) -> TestResult | None:
    """Read [[part, ...], status]; None for anything else."""
    if not isinstance(entry, list) or len(entry) != 2:
        return None
    parts, told = entry
    status = next((status for status in Status if status == told), None)
    if status is None or not isinstance(parts, list) or not parts:
        return None
    if not all(isinstance(part, str) for part in parts):
        return None
    return TestResult(tuple(_text(part) for part in parts), status)


def _files(reader: _Reader, number: int, line: Mapping[str, object]) -> Files | None:
    files = line.get("files")
    if not isinstance(files, Mapping):
        reader.fault(number, f"files is no object of hashes: {_short(files)}")
        return None
    good = {path: sha for path, sha in files.items() if isinstance(sha, str)}
    if len(good) < len(files):
        reader.fault(number, f"files without a hash, left out: {len(files) - len(good)}")
    return good


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _note(seen: dict[str, None], value: object) -> None:
    if isinstance(value, str):
        seen.setdefault(_text(value))


def _text(value: str) -> str:
    """Replace what no file could hold (lone surrogates)."""
    return value.encode("utf-8", "replace").decode("utf-8")


def _short(value: object) -> str:
    """Show a foreign value in one line of at most 60 characters."""
    if isinstance(value, Mapping | list):
        return f"a JSON {'list' if isinstance(value, list) else 'object'} of {len(value)}"
    told = ascii(value)
    return told if len(told) <= SHOWN else f"{told[: SHOWN - 3]}..."
