"""tdd-report.md, as a person reads it."""

from collections.abc import Callable

from builders.event_lines import Lines, class_of
from lab.chain.classify import label
from lab.chain.metrics import measure
from lab.chain.report import chain_line, markdown
from lab.chain.stream import EventStream, read_stream

ONE = "tests/test_a.py::TestA::one"
TWO = "tests/test_a.py::TestA::two"
THREE = "tests/test_a.py::three[<1|2>]"
VERIFICATION = "tests/test_verification.py::sums"


def report(stream: EventStream) -> str:
    chain = label(stream.events)
    return markdown("a-run", stream, chain, measure(chain, stream.absence))


def eventful() -> Lines:
    """A run with one of everything that the report has a word for."""
    lines = Lines().loaded(preflight=True).baseline(test="0", code="0").loaded()
    lines.started("1", test="1", code="0").finished("1", result="does-not-compile")
    lines.started("2", test="1", code="1").finished("2", (ONE, "failed"))
    lines.started("3", test="1", code="2").finished("3", (ONE, "passed"))
    lines.started("4", test="2", code="2").finished("4", (TWO, "failed"), partial=True)
    lines.started("5", test="2", code="3")
    lines.finished("5", (TWO, "passed"), partial=True, tampered=["exit code changed"])
    lines.started("6", test="2", code="3")
    lines.finished("6", (ONE, "failed"), (TWO, "passed"), (THREE, "skipped"))
    lines.started("7", test="3", code="3").finished("7", (ONE, "passed"), (TWO, "passed"))
    lines.started("8", runner="unittest", test="3", code="3")
    lines.finished("8", (ONE, "failed"), (TWO, "passed"))
    lines.started("9", test="3", code="4").add("dance")
    lines.started("10", test="4", code="4").finished("10", result="does-not-compile")
    lines.started("11", test="5", code="5")
    return lines.finished("11", *((name, "passed") for name in (ONE, TWO, THREE, VERIFICATION)))


def test_a_report_tells_the_whole_chain(golden: Callable[[str, str], None]) -> None:
    golden("chain/tdd-report.md", report(read_stream(eventful().lines, class_of)))


def test_the_chain_is_one_line_of_labels() -> None:
    chain = label(read_stream(eventful().lines, class_of).events)
    assert chain_line(chain) == (
        "Red(c) -> Red -> Green -> Red -> Green -> Both -> Skip -> Verify -> Break(c) -> "
        "Red(c) -> Both"
    )


def test_a_run_that_never_tested_says_so() -> None:
    told = report(read_stream(Lines().loaded(preflight=True).baseline().lines, class_of))
    assert "The reporter was in place, but the test suite was never run." in told
    assert "| cycles_total | n/a (not-applicable) |" in told


def test_a_run_without_a_reporter_says_so() -> None:
    told = report(read_stream((), class_of))
    assert "The reporter was never loaded: nothing is known about this run's tests." in told
    assert "| cycles_total | n/a (no-source) |" in told


def test_foreign_names_cannot_break_the_table() -> None:
    lines = Lines().baseline().started("1", test="1").finished("1", ("a|b\nc <script>", "failed"))
    (row,) = [
        line for line in report(read_stream(lines.lines, class_of)).splitlines() if "a\\|" in line
    ]
    assert "| a\\|b?c &lt;script> |" in row


def test_many_tests_are_named_in_part_and_counted() -> None:
    tests = [(f"t::{number}", "failed") for number in range(5)]
    lines = Lines().baseline().started("1", test="1").finished("1", *tests)
    assert "t::0, t::1, t::2, and 2 more" in report(read_stream(lines.lines, class_of))


def test_many_faults_are_shown_in_part_and_counted() -> None:
    told = report(read_stream(["{torn"] * 30, class_of))
    assert told.count("not a JSON object") == 20
    assert "- and 10 more" in told
