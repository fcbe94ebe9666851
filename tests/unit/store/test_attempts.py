import json
from dataclasses import asdict

import pytest
from lab.domain.attempt import AttemptRecord, Ending, Usage
from lab.errors import LabError
from lab.paths import RunPaths
from lab.store.attempts import append_attempt, read_attempts
from lab.store.schema import check, schema

FAILED = AttemptRecord(
    number=1,
    exit_reason="rate-limited",
    ending=Ending.EXITED,
    exit_code=1,
    started_at="2026-05-01T10:00:00+00:00",
    ended_at="2026-05-01T10:00:09+00:00",
    active_seconds=9.25,
    backoff_seconds=0.0,
    stdout_bytes=1200,
    is_output_truncated=False,
    usage=Usage(10, 20, 0, 5, cost_usd=None),
    evidence="429",
    kept="attempts/1",
)
COUNTED = AttemptRecord(
    number=2,
    exit_reason="ok",
    ending=Ending.EXITED,
    exit_code=0,
    started_at="2026-05-01T10:01:00+00:00",
    ended_at="2026-05-01T10:02:00+00:00",
    active_seconds=60.0,
    backoff_seconds=51.0,
    stdout_bytes=0,
    is_output_truncated=True,
)


def test_attempts_come_back_in_order(tmp_path):
    run = RunPaths(tmp_path)
    append_attempt(run, FAILED)
    append_attempt(run, COUNTED)
    assert read_attempts(run) == (FAILED, COUNTED)


def test_a_run_without_attempts_has_none(tmp_path):
    assert read_attempts(RunPaths(tmp_path)) == ()


def test_unknown_usage_is_null_never_zero(tmp_path):
    append_attempt(RunPaths(tmp_path), COUNTED)
    line = json.loads((tmp_path / "attempts.jsonl").read_text())
    assert line["usage"] is None
    assert line["schema_version"] == 1


def test_an_attempt_that_breaks_its_schema_is_not_written(tmp_path):
    from dataclasses import replace

    with pytest.raises(ValueError, match="number"):
        append_attempt(RunPaths(tmp_path), replace(COUNTED, number=0))
    assert not (tmp_path / "attempts.jsonl").exists()


@pytest.mark.parametrize(
    "change",
    [{"schema_version": 2}, {"ending": "vanished"}, {"usage": 0}, {"number": "1"}],
    ids=str,
)
def test_a_foreign_line_is_named(tmp_path, change):
    append_attempt(RunPaths(tmp_path), FAILED)
    line = json.loads((tmp_path / "attempts.jsonl").read_text()) | change
    (tmp_path / "attempts.jsonl").write_text(json.dumps(line) + "\n")
    with pytest.raises(LabError, match=r"attempts\.jsonl:1"):
        read_attempts(RunPaths(tmp_path))


def test_the_schema_knows_every_field_and_every_ending():
    known = schema("attempt")
    assert set(known["properties"]) == {"schema_version", *asdict(COUNTED)}
    assert set(known["properties"]["ending"]["enum"]) == {ending.value for ending in Ending}


LINE = {"sequence": 1, "received_at": "2026-05-01T10:00:00Z", "peer": None, "chained": "0" * 64}
EVENTS = (
    {"schema_version": 1, "kind": "loaded", "pid": 7, "route": "path", "preflight": True},
    {"schema_version": 1, "kind": "baseline", "files": {"src/x.py": "ab"}},
    {
        "schema_version": 1,
        "kind": "started",
        "session": "s",
        "runner": "pytest",
        "version": "9.0",
        "arguments": ["-q"],
        "route": "interpreter",
        "files": {},
    },
    {"schema_version": 1, "kind": "heartbeat", "session": "s", "tests_done": 3},
    {
        "schema_version": 1,
        "kind": "finished",
        "session": "s",
        "result": "named",
        "tests": [[["tests/test_x.py", "test_a"], "passed"]],
        "partial": False,
        "partial_reasons": [],
        "exit_code": 0,
        "tampered": [],
    },
    {"schema_version": 1, "kind": "garbage", "reason": "not JSON", "excerpt": "x"},
)


@pytest.mark.parametrize("body", EVENTS, ids=[body["kind"] for body in EVENTS])
def test_an_event_line_conforms_to_its_schema(body):
    assert check("event", {**body, **LINE}, "e") == ()


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "unheard"},
        {"sequence": 0},
        {"chained": "x"},
        {"tests": [[["a"], "green"]]},
        {"tests": [["a", "passed"]]},
        {"result": "fine"},
        {"schema_version": 2},
    ],
    ids=str,
)
def test_an_event_line_that_is_wrong_is_refused(change):
    assert check("event", {**EVENTS[4], **LINE, **change}, "e") != ()
