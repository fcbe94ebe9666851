"""The summary of a question: counts and statistics per cell, before anything is rendered."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lab.aggregation.gather import CellRuns, Gathered, RunMetrics
from lab.domain.cell import Cell
from lab.domain.metric import MetricRow
from lab.domain.question import ResearchQuestion
from lab.domain.run import RunIdentity
from lab.stats.describe import OutcomeStatistics, describe
from lab.stats.interval import Interval, wilson

UNRECORDED = "unrecorded"
Counts = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class SummaryWarning:
    """Something that a reader must know before trusting a comparison.

    `cells` are keys of the cells concerned, `outcome` the metric; empty or None means all.
    """

    code: str
    text: str
    cells: tuple[str, ...] = ()
    outcome: str | None = None


@dataclass(frozen=True, slots=True)
class CellSummary:
    """One cell. `statistics` follow the order of the outcomes; counts are sorted by name."""

    cell: Cell
    runs: tuple[RunIdentity, ...]
    declared: int
    ok: int
    timeouts: int
    timeout_interval: Interval | None
    by_exit_reason: Counts
    by_completion: Counts
    statistics: tuple[OutcomeStatistics, ...]

    @property
    def matched(self) -> int:
        return len(self.runs)

    @property
    def lacking(self) -> int:
        return max(0, self.declared - self.ok)


@dataclass(frozen=True, slots=True)
class Summary:
    """One question. `measured_by` follows the outcomes: each code
    version with the number of runs it measured."""

    question: ResearchQuestion
    outcomes: tuple[MetricRow, ...]
    cells: tuple[CellSummary, ...]
    measured_by: tuple[Counts, ...]
    warnings: tuple[SummaryWarning, ...]

    @property
    def matched(self) -> int:
        return sum(cell.matched for cell in self.cells)

    @property
    def ok(self) -> int:
        return sum(cell.ok for cell in self.cells)


def summarise(gathered: Gathered, warnings: Iterable[SummaryWarning]) -> Summary:
    """Compute every number of a question's summary."""
    return Summary(
        question=gathered.question,
        outcomes=gathered.outcomes,
        cells=tuple(_cell(gathered, cell) for cell in gathered.cells),
        measured_by=tuple(_measured_by(gathered, row) for row in gathered.outcomes),
        warnings=tuple(warnings),
    )


def measuring_codes(row: MetricRow, metrics: RunMetrics) -> frozenset[str]:
    """Return which code versions made a run's value of an outcome; none where it is null."""
    parts = [part for part in (row.numerator, row.denominator) if part] or [row.id]
    found = (metrics[part] for part in parts if part in metrics)
    return frozenset(part.by for part in found if part.by and part.value is not None)


def _measured_by(gathered: Gathered, row: MetricRow) -> Counts:
    counts: Counter[str] = Counter()
    for part in gathered.cells:
        for metrics in part.counted_metrics:
            counts.update(measuring_codes(row, metrics))
    return _sorted(counts)


def _cell(gathered: Gathered, part: CellRuns) -> CellSummary:
    metrics = part.counted_metrics
    return CellSummary(
        cell=part.cell,
        runs=part.runs,
        declared=gathered.question.min_replicates,
        ok=len(metrics),
        timeouts=part.timeouts,
        timeout_interval=wilson(part.timeouts, len(part.runs)) if part.runs else None,
        by_exit_reason=_sorted(Counter(run.exit_reason or UNRECORDED for run in part.runs)),
        by_completion=_sorted(Counter(run.completion or UNRECORDED for run in part.runs)),
        statistics=tuple(describe(row, metrics) for row in gathered.outcomes),
    )


def _sorted(counts: Mapping[str, int]) -> Counts:
    return tuple(sorted(counts.items()))
