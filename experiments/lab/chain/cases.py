"""Worked cases as text: events in the notation of tests/cases/chain, labels and metrics beside."""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lab.chain.classify import label
from lab.chain.metrics import COLUMNS, measure
from lab.chain.vocabulary import Label
from lab.domain.event import PathClass, Result, Status, SuiteEvent, TestResult
from lab.domain.metric import Value
from lab.errors import LabError

CHANGES = {
    "T": PathClass.TEST,
    "I": PathClass.IMPLEMENTATION,
    "X": PathClass.CONFIGURATION,
}
WITHOUT_TESTS = {"c": Result.DOES_NOT_COMPILE, "x": Result.DIED, "0": Result.NAMED}
STATUSES = {"p": Status.PASSED, "f": Status.FAILED, "s": Status.SKIPPED}
WORDS: Mapping[str, bool | None] = {"true": True, "false": False, "null": None}
HEADER = re.compile(r"\[(?P<name>.+)\]")
PREFIX = re.compile(r"^(chain|tdd)_")
ARROW = " -> "
DIGITS = 3
METRICS_A_LINE = 8
HALF_A_DIGIT = 0.0005 + 1e-9


@dataclass(frozen=True, slots=True)
class Case:
    """One block: events, the label expected of each (None = a question), expected metrics.

    `told` holds each event as it was written, without its label.
    """

    name: str
    told: tuple[str, ...]
    events: tuple[SuiteEvent, ...]
    labels: tuple[Label | None, ...]
    metrics: tuple[tuple[str, Value | None], ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the rules say of a case, and how that differs from what it expects.

    `metrics` has the short names of the notation, fractions rounded to three decimals.
    """

    case: Case
    labels: tuple[Label, ...]
    metrics: tuple[tuple[str, Value | None], ...]
    differences: tuple[str, ...]


def short_name(column: str) -> str:
    """Return a column's name in the notation: without its prefix, `score` for the discipline."""
    return "score" if column == "tdd_discipline" else PREFIX.sub("", column)


NAMES = tuple(short_name(column) for column in COLUMNS)


def parse_cases(text: str, where: str) -> tuple[Case, ...]:
    """Parse a case file; raise LabError with every fault and its line."""
    faults: list[str] = []
    cases = tuple(_parse_block(block, where, faults) for block in _blocks(text))
    if not cases and not faults:
        faults.append(f"{where}: no case: a case starts with its [name] on a line of its own")
    if faults:
        raise LabError(faults)
    return cases


def solve(case: Case) -> Outcome:
    """Label a case, measure it and compare."""
    chain = label(case.events)
    metrics = tuple(
        (short_name(column), rounded(one.value)) for column, one in measure(chain).items()
    )
    differences = (*_label_differences(case, chain.labels), *_metric_differences(case, metrics))
    return Outcome(case, chain.labels, metrics, differences)


def rounded(value: Value | None) -> Value | None:
    """Round to three decimals; a whole number loses its point."""
    if not isinstance(value, float):
        return value
    return int(value) if value.is_integer() else round(value, DIGITS)


def written(value: Value | None) -> str:
    """Write a value as the notation does."""
    word = next((word for word, meant in WORDS.items() if value is meant), None)
    return word or f"{rounded(value)}"


def solved_text(outcome: Outcome) -> str:
    """Write a case with its labels and metrics, as a case; differences are comments in it."""
    events = zip(outcome.case.told, outcome.labels, strict=True)
    lines = [f"[{outcome.case.name}]", *(f"{told}{ARROW}{given}" for told, given in events)]
    told_metrics = [f"{name}:{written(value)}" for name, value in outcome.metrics]
    for start in range(0, len(told_metrics), METRICS_A_LINE):
        lines.append(f"= {' '.join(told_metrics[start : start + METRICS_A_LINE])}")
    return "\n".join([*lines, *(f"# differs: {difference}" for difference in outcome.differences)])


def _blocks(text: str) -> Iterator[list[tuple[int, str]]]:
    """Yield each case's numbered lines; an empty line or a new [name] ends a case."""
    block: list[tuple[int, str]] = []
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.strip()
        if line.startswith("#"):
            continue
        if block and (not line or HEADER.fullmatch(line)):
            yield block
            block = []
        if line:
            block.append((number, line))
    if block:
        yield block


def _parse_block(block: Sequence[tuple[int, str]], where: str, faults: list[str]) -> Case:
    first_number, first = block[0]
    header = HEADER.fullmatch(first)
    if header is None:
        faults.append(f"{where}:{first_number}: a case starts with [name], not with {first!r}")
    told: list[str] = []
    events: list[SuiteEvent] = []
    labels: list[Label | None] = []
    metrics: list[tuple[str, Value | None]] = []
    for number, line in block[1:] if header else block:
        at = f"{where}:{number}"
        try:
            if line.startswith("="):
                metrics += _parse_metrics(line[1:])
            else:
                text, wanted = _split_label(line)
                events.append(_parse_event(text, len(events) + 1))
                told.append(text)
                labels.append(wanted)
        except LabError as error:
            faults += [f"{at}: {fault}" for fault in error.faults]
    name = header["name"] if header else f"line {first_number}"
    return Case(name, tuple(told), tuple(events), tuple(labels), tuple(metrics))


def _split_label(line: str) -> tuple[str, Label | None]:
    if ARROW not in line:
        return line, None
    told, _, wanted = line.rpartition(ARROW)
    return told.rstrip(), _parse_label(wanted.strip())


def _parse_event(text: str, sequence: int) -> SuiteEvent:
    changes, bar, result = text.partition("|")
    if not bar:
        raise LabError(f"{text!r} is no event: write CHANGES | RESULT, such as T | a=f -> Red")
    return _parse_result(result.strip(), _parse_changes(changes.strip()), sequence)


def _parse_changes(text: str) -> frozenset[PathClass]:
    if text == "-":
        return frozenset()
    if not text or set(text) - set(CHANGES):
        raise LabError(f"changes {text!r}: use a combination of T, I and X, or - for none")
    return frozenset(CHANGES[letter] for letter in text)


def _parse_result(text: str, changes: frozenset[PathClass], sequence: int) -> SuiteEvent:
    is_partial = text.startswith("~")
    told = text.removeprefix("~").strip()
    if not told:
        raise LabError("the result is empty: use c, x, 0 or tests such as a=p b=f")
    if told in WITHOUT_TESTS:
        return SuiteEvent(changes, WITHOUT_TESTS[told], (), is_partial, sequence)
    tests = tuple(_parse_test(word) for word in told.split())
    return SuiteEvent(changes, Result.NAMED, tests, is_partial, sequence)


def _parse_test(word: str) -> TestResult:
    name, equals, letter = word.rpartition("=")
    if not equals or not name or letter not in STATUSES:
        raise LabError(f"test {word!r}: write id=p, id=f or id=s (alone: c, x or 0)")
    return TestResult(tuple(name.split("::")), STATUSES[letter])


def _parse_label(text: str) -> Label:
    if text not in list(Label):
        raise LabError(f"no label {text!r}{_nearest(text, [one.value for one in Label])}")
    return Label(text)


def _parse_metrics(text: str) -> list[tuple[str, Value | None]]:
    found: list[tuple[str, Value | None]] = []
    for word in text.split():
        given, _, told = word.partition(":")
        name = short_name(given) if given in COLUMNS else given
        if name not in NAMES:
            raise LabError(f"no metric {name!r}{_nearest(name, NAMES)}")
        found.append((name, _parse_value(name, told)))
    return found


def _parse_value(name: str, told: str) -> Value | None:
    if told in WORDS:
        return WORDS[told]
    try:
        return float(told) if "." in told else int(told)
    except ValueError:
        raise LabError(f"{name}: {told!r} is no number, true, false or null") from None


def _nearest(word: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(word, known, n=1)
    return f": did you mean {near[0]!r}?" if near else f": allowed are {', '.join(known)}"


def _label_differences(case: Case, found: Sequence[Label]) -> Iterator[str]:
    for number, (wanted, got) in enumerate(zip(case.labels, found, strict=True), start=1):
        if wanted is not None and wanted is not got:
            yield f"event {number}: expected {wanted}, found {got}"


def _metric_differences(case: Case, found: Sequence[tuple[str, Value | None]]) -> Iterator[str]:
    values = dict(found)
    for name, wanted in case.metrics:
        if not _is_same(wanted, values[name]):
            yield f"{name}: expected {written(wanted)}, found {written(values[name])}"


def _is_same(wanted: Value | None, found: Value | None) -> bool:
    """Compare to half of the third decimal; a boolean equals no number."""
    if wanted is None or found is None or isinstance(wanted, bool) or isinstance(found, bool):
        return wanted is found
    return abs(wanted - found) <= HALF_A_DIGIT
