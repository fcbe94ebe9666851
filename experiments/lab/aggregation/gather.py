"""What a question is answered from: its cells, their runs, and what was measured on them."""

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lab.domain.cell import Cell, expand, matches
from lab.domain.coverage import cover, group_runs
from lab.domain.metric import MetricRow, Reason, Registry, Value
from lab.domain.outcome import ExitReason, is_replicate
from lab.domain.question import ResearchQuestion
from lab.domain.run import RunIdentity
from lab.errors import LabError
from lab.paths import LabPaths
from lab.stats.describe import Observed
from lab.store.catalogue import read_catalogue
from lab.store.metrics_text import RunMetrics
from lab.store.pool import AlikeRuns, Pool
from lab.store.registry import read_registry
from lab.store.schema import nearest

NO_VALUES: Mapping[str, Value] = {}
NO_TEXTS: Mapping[str, str] = {}
TIMEOUTS = (ExitReason.TIMEOUT, ExitReason.TIMEOUT_KILLED)


class Sources:
    """What aggregation reads, once for any number of questions; the pool as it was at the start."""

    def __init__(self, paths: LabPaths, pool: Pool | None = None) -> None:
        self.paths = paths
        self.pool = pool or Pool(paths)
        self.registry = read_registry(paths)
        self.catalogue = read_catalogue(paths)
        self.pool.refresh_with_metrics()
        self.alike = self.pool.alike()
        self.groups = group_runs(alike.first for alike in self.alike)
        self.members = {alike.first.run_id: alike.runs for alike in self.alike}


@dataclass(frozen=True, slots=True)
class Overlap:
    """Two cells that match the same runs, which were given to the first (lint refuses these)."""

    taken: Cell
    also: Cell
    runs: int


@dataclass(frozen=True, slots=True)
class CellIds:
    """A cell with the ids of its runs, sorted; all that is needed to see whether runs changed."""

    cell: Cell
    run_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which runs a question selects, before any of their files is read."""

    cells: tuple[CellIds, ...]
    overlaps: tuple[Overlap, ...]

    @property
    def run_ids(self) -> tuple[str, ...]:
        return tuple(run_id for cell in self.cells for run_id in cell.run_ids)


@dataclass(frozen=True, slots=True)
class Measured:
    """What was measured on one run: by metric id a value, or a reason; and by what code.

    The maps are the file's own and shared among runs where they are equal: 20,000 runs have two
    million values.
    """

    values: Mapping[str, Value]
    reasons: Mapping[str, str]
    codes: Mapping[str, str]

    def observed(self, metric: str) -> Observed:
        """Return the value, else why there is none; what nothing tried to measure has no source."""
        value = self.values.get(metric)
        return Reason(self.reasons.get(metric, Reason.NO_SOURCE)) if value is None else value


@dataclass(frozen=True, slots=True)
class CellRuns:
    """A cell with all its runs, sorted by run id, and what was measured, in the same order.

    `counted` are the runs that are replicates: only these enter tables.
    """

    cell: Cell
    runs: tuple[RunIdentity, ...]
    measured: tuple[Measured, ...]
    counted: tuple[RunIdentity, ...]
    counted_measured: tuple[Measured, ...]

    @property
    def timeouts(self) -> int:
        return sum(1 for run in self.runs if run.exit_reason in TIMEOUTS)

    def column(self, metric: str) -> Iterator[Observed]:
        """Yield what was observed of a metric on each counted run."""
        return (measured.observed(metric) for measured in self.counted_measured)


@dataclass(frozen=True, slots=True)
class Gathered:
    """Everything that the statistics of one question need. `outcomes` are its registry rows."""

    question: ResearchQuestion
    outcomes: tuple[MetricRow, ...]
    cells: tuple[CellRuns, ...]
    overlaps: tuple[Overlap, ...]


def choose(sources: Sources, question: ResearchQuestion) -> Chosen:
    """Select the runs of each cell through the index: one match per group of equal runs."""
    cells = expand(question, sources.catalogue.default_stack)
    found = []
    for part in cover(cells, sources.groups):
        run_ids = (run_id for first in part.runs for run_id, _ in sources.members[first.run_id])
        found.append(CellIds(part.cell, tuple(sorted(run_ids))))
    return Chosen(tuple(found), tuple(_overlaps(cells, sources.alike)))


def gather(sources: Sources, question: ResearchQuestion, chosen: Chosen) -> Gathered:
    """Read the metrics of the chosen runs."""
    outcomes = outcome_rows(question, sources.registry, sources.catalogue.is_imported)
    run_ids = chosen.run_ids
    runs = iter(sources.pool.index.identities(run_ids))
    measured = iter(_measured(sources.pool, run_ids))
    cells = tuple(
        cell_runs(
            part.cell,
            tuple(itertools.islice(runs, len(part.run_ids))),
            tuple(itertools.islice(measured, len(part.run_ids))),
        )
        for part in chosen.cells
    )
    return Gathered(question, outcomes, cells, chosen.overlaps)


def cell_runs(
    cell: Cell, runs: tuple[RunIdentity, ...], measured: tuple[Measured, ...]
) -> CellRuns:
    """Put a cell's runs and their metrics together, and single out those that count."""
    counting = [is_replicate(run.exit_reason) for run in runs]
    return CellRuns(
        cell,
        runs,
        measured,
        tuple(itertools.compress(runs, counting)),
        tuple(itertools.compress(measured, counting)),
    )


def _measured(pool: Pool, run_ids: tuple[str, ...]) -> Iterator[Measured]:
    codes: dict[str, Mapping[str, str]] = {}
    for by_code, members in pool.by_code(run_ids):
        codes |= dict.fromkeys(
            members, {name: code for code, names in by_code.items() for name in names}
        )
    for run_id, metrics in pool.metrics(run_ids).items():
        if isinstance(metrics, RunMetrics):
            yield Measured(metrics.values_by_id, metrics.reasons, codes[run_id])
        else:
            yield Measured(NO_VALUES, NO_TEXTS, NO_TEXTS)


def outcome_rows(
    question: ResearchQuestion, registry: Registry, is_imported: bool
) -> tuple[MetricRow, ...]:
    """Return the registry rows of a question's outcomes, in its order.

    LabError, with the nearest name, for an outcome without a row. Imported questions name columns
    that never existed; there they are left out here, and listed among the warnings.
    """
    unknown = unknown_outcomes(question, registry)
    if unknown and not is_imported:
        raise LabError(
            f"{question.folder}/README.md: unknown outcome {name}{nearest(name, registry.ids)}"
            for name in unknown
        )
    rows = (registry.get(name) for name in question.outcomes)
    return tuple(row for row in rows if row)


def unknown_outcomes(question: ResearchQuestion, registry: Registry) -> tuple[str, ...]:
    """Return the declared outcomes that have no registry row."""
    return tuple(name for name in question.outcomes if registry.get(name) is None)


def _overlaps(cells: Sequence[Cell], groups: Sequence[AlikeRuns]) -> Iterator[Overlap]:
    """Yield the pairs of cells that match the same runs, with the number of those runs."""
    by_key: dict[tuple[str, str, str], list[Cell]] = defaultdict(list)
    for cell in cells:
        for workflow in cell.workflows:
            for model in cell.models:
                by_key[cell.kata, workflow, model].append(cell)
    shared: dict[tuple[Cell, Cell], int] = defaultdict(int)
    for group in groups:
        run = group.first
        candidates = by_key.get((run.kata, run.workflow, run.model), ())
        fitting = [cell for cell in candidates if matches(cell, run)]
        for other in fitting[1:]:
            shared[fitting[0], other] += len(group.runs)
    for (taken, also), runs in shared.items():
        yield Overlap(taken, also, runs)
