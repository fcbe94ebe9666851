"""A fault of the reporter itself is named in the run."""

from lab.chain.stream import read_stream
from lab.stacks import STACKS


def test_a_fault_of_the_reporter_is_a_named_fault_and_no_event() -> None:
    line = {"kind": "reporter-fault", "where": "_finish", "error": "TypeError: x"}
    stream = read_stream([line], STACKS["python-pytest"].path_class)
    assert stream.events == ()
    assert stream.faults == ("line 1: the reporter failed in '_finish': 'TypeError: x'",)
