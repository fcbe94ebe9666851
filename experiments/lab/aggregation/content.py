"""Is it the same thing under the same name? Warnings on content that changed between runs.

In the original's pool 24 of 281 cells mixed versions of a prompt, and nine questions compared
cells across them; 80 runs carried values of an older parser.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter

from lab.aggregation.gather import CellRuns, Gathered
from lab.aggregation.numbers import counted_runs
from lab.aggregation.summary import UNRECORDED, MeasuringCodes, SummaryWarning
from lab.domain.run import RunIdentity

SHOWN = 12
CONTENT = attrgetter("kata", "workflow", "stack", "harness", "harness_version", "hashes")
KindsPerCell = Sequence[tuple[str, Sequence[tuple[RunIdentity, int]]]]
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
    kinds = [(part.cell.key, _kinds(part)) for part in gathered.cells]
    for fact in FACTS:
        if gathered.question.declares(fact.axis):
            continue
        for subject, cells in sorted(_by_subject(kinds, fact).items()):
            yield from _mixed_inside(fact, subject, cells)
            yield from _differs_between(fact, subject, cells)


def version_warnings(
    gathered: Gathered, codes: Iterable[MeasuringCodes]
) -> Iterator[SummaryWarning]:
    """Warn where different code measured the values of one outcome on the runs of one stack."""
    for row, counts in zip(gathered.outcomes, codes, strict=True):
        for stack in sorted({stack for stack, _ in counts}):
            found = sorted((code, n) for (place, code), n in counts.items() if place == stack)
            if len(found) > 1:
                listed = ", ".join(f"{code} ({counted_runs(n)})" for code, n in found)
                text = f"{row.id} on {stack} was measured by different code: {listed}"
                yield SummaryWarning("mixed-measuring-code", text, outcome=row.id)


def _by_subject(kinds: KindsPerCell, fact: Fact) -> dict[str, dict[str, Counter[str]]]:
    """Count values per subject and cell; a fact that no run of a subject records is left out."""
    found: dict[str, dict[str, Counter[str]]] = defaultdict(dict)
    for key, alike in kinds:
        for run, count in alike:
            counts = found[fact.subject(run) or UNRECORDED].setdefault(key, Counter())
            counts[fact.value(run) or UNRECORDED] += count
    return {
        subject: per_cell
        for subject, per_cell in found.items()
        if any(set(counts) != {UNRECORDED} for counts in per_cell.values())
    }


def _kinds(part: CellRuns) -> list[tuple[RunIdentity, int]]:
    """Return one counted run per kind of recorded content, and how many are like it."""
    counts = Counter(map(CONTENT, part.counted))
    first = dict(zip(map(CONTENT, reversed(part.counted)), reversed(part.counted), strict=True))
    return [(first[content], count) for content, count in counts.items()]


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
