"""Signs of tampering with the event file, its copy and the reporter."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

from lab.gateway.event_file import EventFile
from lab.runner.attempt import put_first
from lab.runner.detections import (
    detect,
    read_events,
    reporter_signature,
    sink_troubles,
    strength_of,
    witness,
)
from lab.stacks import python_pytest

LOADED = {"schema_version": 1, "kind": "loaded", "pid": 7, "route": "interpreter"}
STARTED = {
    "schema_version": 1,
    "kind": "started",
    "session": "s",
    "runner": "pytest",
    "version": "9",
    "arguments": [],
    "route": "interpreter",
    "files": {},
}


def written(folder: Path, *bodies: Mapping[str, object]) -> Path:
    events = folder / "events.jsonl"
    file = EventFile(events)
    for body in bodies:
        file.append(body, {"pid": 1})
    return events


def found_in(events: Path, workspace: Path, preflight_lines: int = 0) -> tuple[str, ...]:
    witnessed = witness(events, python_pytest, preflight_lines, ())
    return detect(witnessed, workspace, is_reporter_changed=False)


def test_an_honest_run_has_none(tmp_path: Path) -> None:
    events = written(tmp_path, LOADED | {"preflight": False}, STARTED)
    assert found_in(events, tmp_path) == ()
    _, stream = read_events(events, python_pytest)
    assert strength_of(stream) == "strong"


def test_a_line_taken_out_breaks_the_chain(tmp_path: Path) -> None:
    events = written(tmp_path, LOADED, STARTED, STARTED | {"session": "t"})
    lines = events.read_text().splitlines(keepends=True)
    events.write_text(lines[0] + lines[2])
    assert "line 2 does not follow" in found_in(events, tmp_path)[0]


def test_a_copy_with_what_never_arrived_is_told(tmp_path: Path) -> None:
    events = written(tmp_path, LOADED)
    copy = tmp_path / "tdd-events.jsonl"
    copy.write_text(json.dumps(LOADED) + "\n")
    assert found_in(events, tmp_path) == ()
    copy.write_text(json.dumps(STARTED) + "\n")
    assert "copy" in found_in(events, tmp_path)[0]
    copy.write_text("not JSON\n")
    assert "copy" in found_in(events, tmp_path)[0]


def test_the_preflights_lines_come_first_and_are_chained_anew(tmp_path: Path) -> None:
    source = written(tmp_path, STARTED, LOADED | {"preflight": True})
    lines, _ = read_events(source, python_pytest)
    target = tmp_path / "run.jsonl"
    put_first(target, tuple(line for line in lines if isinstance(line, dict))[1:])
    EventFile(target).append(STARTED, None)
    assert found_in(target, tmp_path, preflight_lines=1) == ()
    kinds = [json.loads(line)["kind"] for line in target.read_text().splitlines()]
    assert kinds == ["loaded", "started"]


def test_a_reporter_edited_and_dated_back_still_shows(tmp_path: Path) -> None:
    file = tmp_path / "reporter.py"
    file.write_text("a = 1\n")
    before, state = reporter_signature(str(tmp_path)), file.stat()
    assert reporter_signature(str(tmp_path)) == before
    file.write_text("a = 2\n")
    os.utime(file, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert reporter_signature(str(tmp_path)) != before


def test_without_an_event_nothing_is_strong(tmp_path: Path) -> None:
    lines, stream = read_events(tmp_path / "absent", python_pytest)
    assert lines == () and strength_of(stream) is None


def test_what_the_disk_refused_is_told_apart_from_what_the_sink_did(tmp_path: Path) -> None:
    full, refused = "disk full: /x: No space left", "3 connections refused: too many at once"
    witnessed = witness(written(tmp_path, LOADED), python_pytest, 0, (full, refused))
    assert detect(witnessed, tmp_path, is_reporter_changed=False) == (f"events: {refused}",)
    assert sink_troubles(witnessed) == (f"events: {full}",)
    assert witnessed.loss == full
