"""From raw lines to suite events: pairing, order, changes, faults."""

import json
from collections.abc import Sequence

import pytest
from builders.event_lines import Lines, class_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lab.chain.classify import label
from lab.chain.stream import EventStream, decode_lines, read_stream
from lab.domain.event import PathClass, Result, Status, TestResult
from lab.domain.metric import Reason

TEST, CODE, SETUP = PathClass.TEST, PathClass.IMPLEMENTATION, PathClass.CONFIGURATION
# No deadline: the machine may be busy with other tests.
BOUNDED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
PASSED = ("tests/test_a.py::one", "passed")
FAILED = ("tests/test_a.py::one", "failed")


def read(lines: Lines) -> EventStream:
    return read_stream(lines.lines, class_of)


def changes(stream: EventStream) -> list[set[PathClass]]:
    return [set(event.changes) for event in stream.events]


def labels(stream: EventStream) -> list[str]:
    return list(label(stream.events).labels)


def test_a_strict_run_reads_as_one_event_per_suite() -> None:
    lines = Lines().loaded(preflight=True).baseline(test="0", code="0").loaded()
    lines.started("s1", test="1", code="0").finished("s1", FAILED)
    lines.started("s2", test="1", code="1").finished("s2", PASSED)
    stream = read(lines)
    assert stream.faults == ()
    assert changes(stream) == [{TEST}, {CODE}]
    assert labels(stream) == ["Red", "Green"]
    assert stream.events[0].tests == (TestResult(("tests/test_a.py", "one"), Status.FAILED),)
    assert stream.events[1].at == "2026-11-30T10:00:06Z"
    assert stream.routes == ("interpreter",)
    assert stream.runners == ("pytest",)


def test_the_first_event_is_compared_with_the_template() -> None:
    lines = Lines().baseline(test="0", code="0").started("s", test="0", code="0")
    assert changes(read(lines.finished("s"))) == [set()]


def test_without_a_baseline_every_file_is_new_and_that_is_a_fault() -> None:
    stream = read(Lines().started("s", test="0", code="0").finished("s", PASSED))
    assert changes(stream) == [{TEST, CODE}]
    assert stream.faults == (
        "line 1: no baseline before the first start: compared with an empty project",
    )


def test_added_and_removed_files_are_changes() -> None:
    lines = Lines().baseline(code="0")
    lines.started("s1", code="0", test="1").finished("s1")
    lines.started("s2", code="0").finished("s2")
    assert changes(read(lines)) == [{TEST}, {TEST}]


def test_a_file_moved_with_the_same_content_is_a_change() -> None:
    lines = Lines().baseline(**{"src/a.py": "1"}).started("s", **{"src/b.py": "1"})
    assert changes(read(lines.finished("s"))) == [{CODE}]


def test_files_of_no_class_never_count() -> None:
    lines = Lines().baseline(**{"notes.md": "0"}).started("s", **{"notes.md": "1"})
    assert changes(read(lines.finished("s"))) == [set()]


def test_configuration_is_told_apart() -> None:
    lines = Lines().baseline(setup="0").started("s", setup="1").finished("s")
    assert changes(read(lines)) == [{SETUP}]


def test_a_start_without_an_end_died() -> None:
    stream = read(Lines().baseline().started("s", test="1"))
    assert [event.result for event in stream.events] == [Result.DIED]
    assert labels(stream) == ["Red(c)"]


def test_two_suites_at_once_keep_the_order_of_their_starts() -> None:
    lines = Lines().baseline(code="0")
    lines.started("slow", code="0", test="1").started("fast", code="1", test="1")
    lines.finished("fast", PASSED).finished("slow", FAILED)
    stream = read(lines)
    assert stream.faults == ()
    assert changes(stream) == [{TEST}, {CODE}]
    assert labels(stream) == ["Red", "Green"]


def test_the_agent_swaps_the_runner() -> None:
    lines = Lines().baseline().started("s1", test="1").finished("s1", FAILED)
    lines.started("s2", runner="unittest", test="1", code="1").finished("s2", PASSED)
    stream = read(lines)
    assert stream.runners == ("pytest", "unittest")
    assert labels(stream) == ["Red", "Green"]


def test_a_withdrawn_start_is_no_event_and_hides_no_change() -> None:
    lines = Lines().baseline(code="0").started("help", code="0", test="1")
    lines.add("withdrawn", session="help", reason="help")
    lines.started("s", code="0", test="1").finished("s", FAILED)
    stream = read(lines)
    assert stream.faults == ()
    assert changes(stream) == [{TEST}]


def test_a_filtered_run_is_partial() -> None:
    lines = Lines().baseline().started("s", test="1")
    stream = read(lines.finished("s", FAILED, partial=True, partial_reasons=["k"]))
    assert [event.is_partial for event in stream.events] == [True]


def test_an_unnamed_finish_drops_its_statuses() -> None:
    lines = Lines().baseline().started("s", test="1")
    (event,) = read(lines.finished("s", PASSED, result="does-not-compile")).events
    assert event.result is Result.DOES_NOT_COMPILE
    assert event.tests == ()


def test_a_test_listed_twice_counts_with_its_worse_status() -> None:
    lines = Lines().baseline().started("s", test="1").finished("s", FAILED, PASSED)
    assert labels(read(lines)) == ["Red"]


def test_a_snapshot_written_during_a_run_changes_the_next_one() -> None:
    lines = Lines().baseline(code="0", test="0").started("s1", code="1", test="0")
    lines.finished("s1", PASSED).started("s2", code="1", test="1").finished("s2", PASSED)
    assert changes(read(lines)) == [{CODE}, {TEST}]


def test_tampering_is_kept() -> None:
    lines = Lines().baseline().started("s")
    stream = read(lines.finished("s", tampered=["exit code changed"]))
    assert stream.tampering == ("line 3: 'exit code changed'",)


def test_heartbeats_say_nothing() -> None:
    lines = Lines().baseline().started("s", test="1").add("heartbeat", session="s", tests_done=4)
    stream = read(lines.finished("s", FAILED))
    assert labels(stream) == ["Red"]
    assert stream.faults == ()


@pytest.mark.parametrize(
    ("lines", "is_present", "is_loaded", "absence"),
    [
        (Lines(), False, False, Reason.NO_SOURCE),
        (Lines().add("garbage", reason="not JSON"), False, False, Reason.NO_SOURCE),
        (Lines().loaded(preflight=True).baseline(), True, False, Reason.NOT_APPLICABLE),
        (Lines().loaded(preflight=True).loaded(), True, True, Reason.NOT_APPLICABLE),
    ],
    ids=["no line", "only garbage", "only the preflight", "loaded but never run"],
)
def test_a_stream_without_events_says_why(
    lines: Lines, is_present: bool, is_loaded: bool, absence: Reason
) -> None:
    stream = read(lines)
    assert stream.events == ()
    assert (stream.is_reporter_present, stream.is_loaded_by_run) == (is_present, is_loaded)
    assert stream.absence is absence


def test_routes_of_the_preflight_are_not_the_runs() -> None:
    lines = Lines().loaded(preflight=True, route="plugin").loaded(route="path")
    assert read(lines).routes == ("path",)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{torn", "not a JSON object: '{torn'"),
        ([1, 2], "not a JSON object: a JSON list of 2"),
        ({"kind": "dance"}, "unknown kind 'dance'"),
        ({"kind": ["started"]}, "unknown kind a JSON list of 1"),
        ({"kind": "finished", "session": "x"}, "session 'x' finishes without a start"),
        ({"kind": "withdrawn"}, "session None is withdrawn without a start"),
        ({"kind": "loaded", "schema_version": 9}, "schema_version 9; this lab reads 1"),
        ({"kind": "baseline", "files": []}, "files is no object of hashes"),
        ({"kind": "baseline", "files": {"a": 1}}, "files without a hash, left out: 1"),
        ({"kind": "garbage", "reason": "not JSON"}, "the sink could not read what was sent"),
    ],
    ids=lambda value: None if isinstance(value, str) else "line",
)
def test_a_line_that_cannot_be_used_is_a_named_fault(line: object, told: str) -> None:
    stream = read_stream([line], class_of)
    assert stream.events == ()
    assert len(stream.faults) == 1
    assert stream.faults[0].startswith(f"line 1: {told}")


@pytest.mark.parametrize(
    ("body", "result", "told"),
    [
        ({"result": "named", "tests": "many"}, Result.NAMED, "tests is no list: 'many'"),
        ({"result": "named", "tests": [[["a"], "gone"]]}, Result.NAMED, "no test with a status"),
        ({"result": "named", "tests": [[[], "passed"]]}, Result.NAMED, "no test with a status"),
        ({"result": "named", "tests": [7]}, Result.NAMED, "no test with a status: 7"),
        ({"result": "great"}, Result.DIED, "unknown result 'great': taken as died"),
        ({"result": None}, Result.DIED, "unknown result None: taken as died"),
    ],
)
def test_a_foreign_finish_still_gives_an_event(
    body: dict[str, object], result: Result, told: str
) -> None:
    lines = Lines().baseline().started("s", test="1").add("finished", session="s", **body)
    stream = read(lines)
    assert [event.result for event in stream.events] == [result]
    assert stream.events[0].tests == ()
    assert stream.faults[0].startswith(f"line 3: {told}")


def test_a_second_end_is_ignored() -> None:
    lines = Lines().baseline().started("s", test="1").finished("s", FAILED).finished("s", PASSED)
    stream = read(lines)
    assert labels(stream) == ["Red"]
    assert stream.faults == ("line 4: session 's' finishes after its end: ignored",)


def test_a_session_that_starts_twice_gives_two_events() -> None:
    lines = Lines().baseline().started("s", test="1").started("s", test="1")
    stream = read(lines.finished("s", FAILED))
    assert [event.result for event in stream.events] == [Result.DIED, Result.NAMED]
    assert stream.faults == ("line 3: session 's' starts again",)


def test_a_late_or_second_baseline_is_ignored() -> None:
    lines = Lines().baseline(code="0").baseline(code="1").started("s", code="0").finished("s")
    stream = read(lines)
    assert changes(stream) == [set()]
    assert stream.faults == ("line 2: a baseline comes once, before the first start: ignored",)


def test_missing_lines_are_seen_by_their_numbers() -> None:
    lines = Lines().baseline().started("s", test="1").add("heartbeat", session="s")
    lines.finished("s", FAILED)
    del lines.lines[2]
    assert read(lines).faults == ("line 3: sequence 4 follows 2: lines are missing or moved",)


def test_unreadable_hashes_change_nothing_and_keep_the_reference() -> None:
    lines = Lines().baseline(code="0").add("started", session="s1", files=None).finished("s1")
    lines.started("s2", code="1").finished("s2", PASSED)
    stream = read(lines)
    assert changes(stream) == [set(), {CODE}]
    assert stream.faults == ("line 2: files is no object of hashes: None",)


def test_a_name_that_no_file_could_hold_is_made_writable() -> None:
    lines = Lines().baseline().started("s").finished("s", ("a::\ud800", "passed"))
    assert read(lines).events[0].tests[0].id == ("a", "?")


def test_text_that_is_no_json_stays_for_the_reader_to_name() -> None:
    assert decode_lines('{"kind": "loaded"}\n\n{torn\n') == ({"kind": "loaded"}, "{torn")


def test_a_line_separator_inside_a_string_ends_no_line() -> None:
    assert decode_lines('{"kind": "a\u2028b"}\n') == ({"kind": "a\u2028b"},)


def test_nesting_without_end_is_no_crash() -> None:
    stream = read_stream(decode_lines("[" * 100_000), class_of)
    assert len(stream.faults) == 1


def json_values() -> st.SearchStrategy[object]:
    scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    return st.recursive(
        scalars,
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
        ),
        max_leaves=6,
    )


def foreign_lines() -> st.SearchStrategy[object]:
    """Return lines that look like the reporter's, each field right or anything at all."""
    kinds = ["loaded", "baseline", "started", "heartbeat", "finished", "withdrawn", "garbage"]
    tests = st.lists(
        st.tuples(
            st.lists(st.sampled_from(["t.py", "one", "\ud800"]), max_size=2),
            st.sampled_from(["passed", "failed", "skipped", "odd"]),
        ).map(list),
        max_size=3,
    )
    fields = {
        "session": st.sampled_from(["s1", "s2"]) | json_values(),
        "files": st.dictionaries(
            st.sampled_from(["tests/a.py", "src/a.py", "x.toml", "n.md"]), st.sampled_from("01")
        )
        | json_values(),
        "result": st.sampled_from(["named", "does-not-compile", "died"]) | json_values(),
        "tests": tests | json_values(),
        "partial": st.booleans() | json_values(),
        "tampered": json_values(),
        "sequence": st.integers(0, 5) | json_values(),
        "preflight": json_values(),
        "route": json_values(),
        "runner": json_values(),
        "schema_version": st.just(1) | json_values(),
    }
    line = st.fixed_dictionaries({"kind": st.sampled_from(kinds) | json_values()}, optional=fields)
    return line | json_values()


@BOUNDED
@given(st.lists(foreign_lines(), max_size=10))
def test_no_line_whatsoever_crashes_the_reader(lines: Sequence[object]) -> None:
    stream = read_stream(lines, class_of)
    chain = label(stream.events)
    assert len(chain.labels) == len(stream.events)
    json.dumps([list(stream.faults), list(stream.routes)]).encode()
    for event in stream.events:
        "".join(part for test in event.tests for part in test.id).encode()
