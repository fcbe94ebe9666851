"""tdd-report.md: a run's phase chain for people."""

from collections.abc import Iterator, Mapping, Sequence

from lab.chain.cycles import Cycle, split_cycles
from lab.chain.stream import EventStream
from lab.chain.vocabulary import HEALTHY, Chain, LabelledEvent
from lab.domain.event import PathClass, Result, Status, SuiteEvent, TestId
from lab.domain.metric import Measurement, Reason, Value

ARROW = " -> "
LISTED_TESTS = 3
LISTED_FAULTS = 20
LETTERS = (
    (PathClass.TEST, "test"),
    (PathClass.IMPLEMENTATION, "code"),
    (PathClass.CONFIGURATION, "configuration"),
)
RESULTS = {Result.DOES_NOT_COMPILE: "does not compile", Result.DIED: "died"}
WHY_ABSENT = {
    Reason.NO_SOURCE: "The reporter was never loaded: nothing is known about this run's tests.",
    Reason.NOT_APPLICABLE: "The reporter was in place, but the test suite was never run.",
    Reason.TOOL_FAILED: "The reporter failed, or a line was lost: the chain is not known.",
}


def chain_line(chain: Chain) -> str:
    """Return all labels in one line."""
    return ARROW.join(chain.labels)


def markdown(
    title: str, stream: EventStream, chain: Chain, measurements: Mapping[str, Measurement]
) -> str:
    """Return the readable report: chain, events, cycles, metrics, and what is not known."""
    parts = [f"# Phase chain of {_cell(title)}", ""]
    if stream.is_incomplete:
        parts += [WHY_ABSENT[Reason.TOOL_FAILED], ""]
    if chain.events:
        parts += [chain_line(chain), "", *_events(chain), "", *_cycles(chain), ""]
    elif not stream.is_incomplete:
        parts += [WHY_ABSENT[stream.absence], ""]
    parts += [*_metrics(measurements), "", *_remarks(stream, chain, measurements)]
    return "\n".join(parts).rstrip() + "\n"


def _events(chain: Chain) -> Iterator[str]:
    yield "## Suite runs"
    yield ""
    yield "| # | label | changed | result | new | fixed | arrived | remark |"
    yield "|---|---|---|---|---|---|---|---|"
    for number, row in enumerate(chain.events, start=1):
        cells = (
            str(number),
            row.label.value,
            _changes(row),
            _result(row.event),
            _tests(row.new),
            _tests(row.fixed),
            _tests(row.arrived),
            ", ".join(_row_remarks(row, is_cutoff=number - 1 == chain.cutoff)),
        )
        yield f"| {' | '.join(cells)} |"


def _changes(row: LabelledEvent) -> str:
    own = [word for kind, word in LETTERS if kind in row.event.changes]
    return ", ".join(own) or "-"


def _result(event: SuiteEvent) -> str:
    if not event.is_named:
        return RESULTS[event.result]
    failed = sum(test.status is Status.FAILED for test in event.tests)
    passed = sum(test.status is Status.PASSED for test in event.tests)
    skipped = len(event.tests) - failed - passed
    told = f"{passed} passed, {failed} failed"
    return f"{told}, {skipped} skipped" if skipped else told


def _row_remarks(row: LabelledEvent, *, is_cutoff: bool) -> Iterator[str]:
    if row.is_opening:
        yield "opens a cycle"
    if row.is_carried:
        yield "carries the red that named nothing"
    if row.event.is_partial:
        yield "partial"
    if row.judged_by and not row.event.changes - {PathClass.OTHER}:
        yield f"explained by unconfirmed changes ({_sorted(row.judged_by)})"
    if row.is_weakened:
        yield "weakened"
    if is_cutoff:
        yield "verification begins"
    if row.label not in HEALTHY:
        yield "deviation"


def _sorted(changes: frozenset[PathClass]) -> str:
    return ", ".join(word for kind, word in LETTERS if kind in changes)


def _tests(tests: frozenset[TestId]) -> str:
    """Name the first tests, and count the rest."""
    named = [_name(test) for test in sorted(tests)]
    if len(named) > LISTED_TESTS:
        named[LISTED_TESTS:] = [f"and {len(named) - LISTED_TESTS} more"]
    return ", ".join(named)


def _name(test: TestId) -> str:
    return _cell("::".join(test))


def _cell(text: str) -> str:
    """Make foreign text fit into one cell of a table."""
    shown = "".join(letter if letter.isprintable() else "?" for letter in text)
    return shown.replace("|", "\\|").replace("<", "&lt;")


def _cycles(chain: Chain) -> Iterator[str]:
    yield "## Cycles"
    yield ""
    cycles = split_cycles(chain.before_cutoff)
    if not cycles:
        yield "No cycle was opened."
        return
    yield "| cycle | suite runs | chain | closed |"
    yield "|---|---|---|---|"
    for number, cycle in enumerate(cycles, start=1):
        chained = ARROW.join(row.label for row in cycle.events)
        yield f"| {number} | {_span(cycle)} | {chained} | {'yes' if cycle.is_closed else 'no'} |"


def _span(cycle: Cycle) -> str:
    first, last = cycle.start + 1, cycle.start + len(cycle.events)
    return str(first) if first == last else f"{first}-{last}"


def _metrics(measurements: Mapping[str, Measurement]) -> Iterator[str]:
    yield "## Metrics"
    yield ""
    yield "| metric | value |"
    yield "|---|---|"
    for column, one in measurements.items():
        yield f"| {column} | {_value(one)} |"


def _value(one: Measurement) -> str:
    if one.reason is not None:
        return f"n/a ({one.reason})"
    return _number(one.value)


def _number(value: Value | None) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _remarks(
    stream: EventStream, chain: Chain, measurements: Mapping[str, Measurement]
) -> Iterator[str]:
    """Say what is odd and what cannot be known; each section only where there is something."""
    weakened = [
        f"Suite run {number}: {_tests(row.fixed)} passes after an edit of the test alone."
        for number, row in enumerate(chain.events, start=1)
        if row.is_weakened
    ]
    flaky = [f"{_name(test)} flipped though nothing had changed." for test in chain.flaky]
    yield from _section("Weakened tests", weakened)
    yield from _section("Flaky tests", flaky)
    yield from _section("Not measured, and why", tuple(_unmeasurable(chain, measurements)))
    yield from _section("Test runners", _runners(stream))
    yield from _section("Tampering", tuple(_cell(told) for told in stream.tampering))
    yield from _section("Faults in the event file", tuple(_cell(told) for told in stream.faults))


def _section(heading: str, lines: Sequence[str]) -> Iterator[str]:
    if not lines:
        return
    yield f"## {heading}"
    yield ""
    for line in lines[:LISTED_FAULTS]:
        yield f"- {line}"
    if len(lines) > LISTED_FAULTS:
        yield f"- and {len(lines) - LISTED_FAULTS} more"
    yield ""


def _unmeasurable(chain: Chain, measurements: Mapping[str, Measurement]) -> Iterator[str]:
    if not chain.events:
        return
    unsized = measurements["red_batch_unmeasurable"].value
    if unsized:
        yield (
            f"{unsized} of the reds did not compile and never named their tests: "
            "their batch size is unknown."
        )
    if chain.cutoff is not None:
        yield (
            f"Cycles and score read suite runs 1 to {chain.cutoff} only: "
            f"verification tests run from {chain.cutoff + 1} on."
        )
    why = {column: WHY_NULL[column] for column in measurements if column in WHY_NULL}
    for column, told in why.items():
        if measurements[column].value is None:
            yield f"{column}: {told}."


def _runners(stream: EventStream) -> Sequence[str]:
    if len(stream.runners) < 2:
        return ()
    return (f"More than one ran: {', '.join(map(_cell, stream.runners))}; their ids may differ.",)


WHY_NULL = {
    "test_first_rate": "no test arrived",
    "red_batch_size": "no red named its tests",
    "green_batch_size": "no implementation step turned a test green",
    "refactor_per_cycle": "no cycle closed",
    "green_attempts": "no cycle closed",
    "chain_opens_red": "no suite run executed anything",
    "tdd_discipline": "a part of it is not measurable",
}
