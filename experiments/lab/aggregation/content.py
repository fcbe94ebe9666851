"""Is it the same thing under the same name? Warnings on content that changed between runs.

In the original's pool 24 of 281 cells mixed versions of a prompt, and nine questions compared
cells across them; 80 runs carried values of an older parser.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from lab.aggregation.gather import CellRuns, Gathered
from lab.aggregation.numbers import counted_runs
from lab.aggregation.summary import UNRECORDED, SummaryWarning, measuring_codes
from lab.domain.metric import MetricRow
from lab.domain.run import RunIdentity

SHOWN = 12
PerCell = Mapping[str, Counter[str]]


@dataclass(frozen=True, slots=True)
class Fact:
    """A recorded fact that must be equal wherever its subject is the same."""

    axis: str
    subject: Callable[[RunIdentity], str | None]
    value: Callable[[RunIdentity], str | None]


def _hashed(axis: str, subject: Callable[[RunIdentity], str | None]) -> Fact:
    return Fact(axis, subject, lambda run: run.hash_of(axis))


FACTS = (
    _hashed("prompt_sha", lambda run: run.kata),
    _hashed("workflow_sha", lambda run: run.workflow),
    _hashed("template_sha", lambda run: run.stack),
    _hashed("suite_sha", lambda run: run.kata_base),
    _hashed("image_digest", lambda run: run.stack),
    Fact("harness_version", lambda run: run.harness, lambda run: run.harness_version),
)


def content_warnings(gathered: Gathered) -> Iterator[SummaryWarning]:
    """Warn where a prompt, workflow, template, suite, image or CLI differs among counted runs.

    An axis that the question itself declares may differ: that is what it asks about.
    """
    for fact in FACTS:
        if gathered.question.declares(fact.axis):
            continue
        for subject, cells in sorted(_by_subject(gathered.cells, fact).items()):
            yield from _mixed_inside(fact, subject, cells)
            yield from _differs_between(fact, subject, cells)


def version_warnings(gathered: Gathered) -> Iterator[SummaryWarning]:
    """Warn where different code measured the values of one outcome on the runs of one stack."""
    stacks = sorted({run.stack or UNRECORDED for part in gathered.cells for run in part.counted})
    for row in gathered.outcomes:
        for stack in stacks:
            codes = _codes(gathered, row, stack)
            if len(codes) > 1:
                listed = ", ".join(
                    f"{code} ({counted_runs(n)})" for code, n in sorted(codes.items())
                )
                text = f"{row.id} on {stack} was measured by different code: {listed}"
                yield SummaryWarning("mixed-measuring-code", text, outcome=row.id)


def _codes(gathered: Gathered, row: MetricRow, stack: str) -> Counter[str]:
    """Count a stack's counted runs by the code that made this outcome's value."""
    found: Counter[str] = Counter()
    for part in gathered.cells:
        for run, metrics in zip(part.counted, part.counted_metrics, strict=True):
            if (run.stack or UNRECORDED) == stack:
                found.update(measuring_codes(row, metrics))
    return found


def _by_subject(cells: tuple[CellRuns, ...], fact: Fact) -> dict[str, dict[str, Counter[str]]]:
    """Count values per subject and cell; a fact that no run of a subject records is left out."""
    found: dict[str, dict[str, Counter[str]]] = defaultdict(dict)
    for part in cells:
        for run in part.counted:
            counts = found[fact.subject(run) or UNRECORDED].setdefault(part.cell.key, Counter())
            counts[fact.value(run) or UNRECORDED] += 1
    return {
        subject: per_cell
        for subject, per_cell in found.items()
        if any(set(counts) != {UNRECORDED} for counts in per_cell.values())
    }


def _mixed_inside(fact: Fact, subject: str, cells: PerCell) -> Iterator[SummaryWarning]:
    for key, counts in cells.items():
        if len(counts) > 1:
            listed = ", ".join(
                f"{_short(value)} ({counted_runs(n)})" for value, n in sorted(counts.items())
            )
            text = f"{fact.axis} of {subject} is mixed inside the cell {key}: {listed}"
            yield SummaryWarning("mixed-content", text, (key,))


def _differs_between(fact: Fact, subject: str, cells: PerCell) -> Iterator[SummaryWarning]:
    if len({frozenset(counts) for counts in cells.values()}) < 2:
        return
    holders = Counter(value for counts in cells.values() for value in counts)
    listed = ", ".join(f"{_short(value)} in {holders[value]}" for value in sorted(holders))
    text = (
        f"{fact.axis} of {subject} differs between the {len(cells)} cells that share it: {listed}"
    )
    yield SummaryWarning("differing-content", text, tuple(cells))


def _short(value: str) -> str:
    """Cut a hash to what can be told apart; a version or a word stays whole."""
    bare = value.removeprefix("sha256:")
    is_hash = len(bare) >= 40 and all(letter in "0123456789abcdef" for letter in bare)
    return bare[:SHOWN] if is_hash else value
