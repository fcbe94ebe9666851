"""A fault of the reporter itself is named in the run, and costs the chain its numbers."""

import pytest
from lab.chain.classify import label
from lab.chain.metrics import COLUMNS, measure
from lab.chain.report import markdown
from lab.chain.stream import EventStream, read_stream
from lab.domain.metric import Reason
from lab.stacks import STACKS

LOADED = {"kind": "loaded", "route": "interpreter"}
BASELINE: dict[str, object] = {"kind": "baseline", "files": {}}
STARTED = {"kind": "started", "session": "s", "files": {"tests/test_a.py": "1"}}
DIED = {"kind": "finished", "session": "s", "result": "died", "tests": []}
FAULT = {"kind": "reporter-fault", "where": "_finish", "error": "TypeError: x"}
OVERSIZE = {"kind": "oversize", "reason": "more than 4194304 bytes"}


def read(*lines: object) -> EventStream:
    return read_stream(lines, STACKS["python-pytest"].path_class)


def test_a_fault_of_the_reporter_is_a_named_fault_and_no_event() -> None:
    stream = read(FAULT)
    assert stream.events == ()
    assert stream.faults == ("line 1: the reporter failed in '_finish': 'TypeError: x'",)


@pytest.mark.parametrize(
    "lines",
    [
        (LOADED, FAULT),
        (BASELINE, STARTED, FAULT, DIED),
        (BASELINE, STARTED, OVERSIZE),
    ],
    ids=["no start", "a suite that seems to have died", "a lost end"],
)
def test_where_the_reporter_failed_the_chain_is_null_and_not_what_is_left_of_it(
    lines: tuple[object, ...],
) -> None:
    stream = read(*lines)
    chain = label(stream.events)
    found = measure(chain, stream.absence)
    assert {found[name].reason for name in COLUMNS} == {Reason.TOOL_FAILED}
    report = markdown("run", stream, chain, found)
    assert "The reporter failed, or a line was lost: the chain is not known." in report


def test_garbage_that_an_agent_sends_costs_nothing() -> None:
    stream = read(BASELINE, STARTED, {"kind": "garbage", "reason": "not JSON"}, DIED)
    assert not stream.is_incomplete
    assert measure(label(stream.events), stream.absence)["chain_suite_runs"].value == 1
