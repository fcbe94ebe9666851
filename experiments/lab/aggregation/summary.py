"""The summary of a question: counts and statistics per cell, before anything is rendered."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lab.aggregation.gather import CellRuns, Gathered
from lab.domain.cell import Cell
from lab.domain.metric import MetricRow
from lab.domain.question import ResearchQuestion
from lab.domain.run import RunIdentity
from lab.stats.describe import OutcomeStatistics, describe
from lab.stats.interval import Interval, wilson

UNRECORDED = "unrecorded"
Counts = tuple[tuple[str, int], ...]
MeasuringCodes = Counter[tuple[str, str]]


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


def summarise(
    gathered: Gathered, codes: Iterable[MeasuringCodes], warnings: Iterable[SummaryWarning]
) -> Summary:
    """Compute every number of a question's summary; `codes` follow the outcomes."""
    return Summary(
        question=gathered.question,
        outcomes=gathered.outcomes,
        cells=tuple(_cell(gathered, cell) for cell in gathered.cells),
        measured_by=tuple(map(_by_code, codes)),
        warnings=tuple(warnings),
    )


def measuring_codes(gathered: Gathered, row: MetricRow) -> MeasuringCodes:
    """Count the counted runs by their stack and the code that made their value of an outcome.

    A run whose value is null, or whose code is not recorded, does not count; a run whose
    numerator and denominator come from different code counts for both.
    """
    parts = tuple(part for part in (row.numerator, row.denominator) if part) or (row.id,)
    return Counter(
        (run.stack or UNRECORDED, code)
        for cell in gathered.cells
        for run, measured in zip(cell.counted, cell.counted_measured, strict=True)
        for code in {measured.codes.get(part) for part in parts if part in measured.values}
        if code
    )


def _by_code(codes: MeasuringCodes) -> Counts:
    counts: Counter[str] = Counter()
    for (_, code), count in codes.items():
        counts[code] += count
    return _sorted(counts)


def _cell(gathered: Gathered, part: CellRuns) -> CellSummary:
    return CellSummary(
        cell=part.cell,
        runs=part.runs,
        declared=gathered.question.min_replicates,
        ok=len(part.counted),
        timeouts=part.timeouts,
        timeout_interval=wilson(part.timeouts, len(part.runs)) if part.runs else None,
        by_exit_reason=_sorted(Counter(run.exit_reason or UNRECORDED for run in part.runs)),
        by_completion=_sorted(Counter(run.completion or UNRECORDED for run in part.runs)),
        statistics=tuple(describe(row, part.column) for row in gathered.outcomes),
    )


def _sorted(counts: Mapping[str, int]) -> Counts:
    return tuple(sorted(counts.items()))
