"""The original's rules of August: kinds guessed from values, all matched runs, its own names.

Kept only to reproduce its tables from its own numbers; nothing else counts by them. A table's
cells are what the original printed: texts of labels and numbers before printing.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lab.domain.coverage import CellCoverage
from lab.domain.metric import Value
from lab.importing.carry import NOT_WITHIN_BUDGET
from lab.importing.columns import BY_NAME
from lab.importing.original import Original
from lab.stats.sample import deviation, mean

Labels = tuple[str, str, str]
Column = tuple[Value | None, ...]
POOLED = "_correct_rate"
NAN = math.nan
STATUS_OK = "✅"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table: kata, workflow, model and the numbers; `status` in coverage only."""

    labels: Labels
    numbers: tuple[float, ...]
    status: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """One table under its heading; without rows where the original printed a sentence instead."""

    heading: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """All that one summary.md says in numbers: cells, matched runs, min_replicates; tables."""

    counts: tuple[int, int, int]
    tables: tuple[Table, ...]


def tabulate(
    coverage: Sequence[CellCoverage],
    originals: Mapping[str, Original],
    outcomes: Sequence[str],
    min_replicates: int,
) -> Page:
    """Derive what the original's aggregator printed; `outcomes` are spelled as in August."""
    matched = sum(len(part.runs) for part in coverage)
    tables = [_coverage(coverage, originals, min_replicates)]
    if matched:
        groups = _groups(coverage, originals)
        tables += [_outcome(name, groups) for name in outcomes]
    return Page((len(coverage), matched, min_replicates), tuple(tables))


def _labels(part: CellCoverage) -> Labels:
    return part.cell.kata, part.cell.workflow, part.cell.model


def _groups(
    coverage: Sequence[CellCoverage], originals: Mapping[str, Original]
) -> dict[Labels, list[Original]]:
    """Group the runs by the labels of their cell, sorted; cells of one label are one group."""
    groups: dict[Labels, list[Original]] = {}
    for part in coverage:
        for run in part.runs:
            groups.setdefault(_labels(part), []).append(originals[run.run_id])
    return dict(sorted(groups.items()))


def _coverage(
    coverage: Sequence[CellCoverage], originals: Mapping[str, Original], least: int
) -> Table:
    rows = []
    for part in coverage:
        within = [_within_budget(originals[run.run_id]) for run in part.runs]
        n, ok = len(within), sum(within)
        rows.append(Row(_labels(part), (n, ok), _status(n, ok, least)))
    return Table("Zell-Coverage", tuple(rows))


def _status(n: int, ok: int, least: int) -> str:
    """Choose the original's words."""
    if n == 0:
        return "❌ keine Runs"
    if n < least:
        return f"⚠️ unter min_replicates ({n}/{least})"
    if ok == 0:
        return f"⚠️ alle {n} Runs Timeout/rate-limited"
    return f"⚠️ nur {ok}/{least} ohne Timeout" if ok < least else STATUS_OK


def _within_budget(run: Original) -> bool:
    return run.text("run_status.exit_reason") not in NOT_WITHIN_BUDGET


def _column(name: str, runs: Sequence[Original]) -> Column | None:
    """Return a column of runs.csv; None where the original had none of this name."""
    if name == "completed_within_budget":
        return tuple(_within_budget(run) for run in runs)
    column = BY_NAME.get(name)
    return None if column is None else tuple(run.number(column.place) for run in runs)


def _outcome(name: str, groups: Mapping[Labels, Sequence[Original]]) -> Table:
    if name.endswith(POOLED):
        return Table(f"{name} (pooled %)", tuple(_pooled(name, groups)))
    columns = {labels: _column(name, runs) for labels, runs in groups.items()}
    known = {labels: column for labels, column in columns.items() if column is not None}
    values = [value for column in known.values() for value in column if value is not None]
    if not values:
        return Table(name, ())
    if all(value in (0, 1) for value in values):
        rows = (_rate(labels, column) for labels, column in known.items())
        return Table(f"{name} (rate %)", tuple(rows))
    return Table(name, tuple(_numbers(known)))


def _pooled(name: str, groups: Mapping[Labels, Sequence[Original]]) -> Iterator[Row]:
    stem = name.removesuffix("_rate")
    for labels, runs in groups.items():
        hits = _column(stem, runs) or ()
        tries = _column(f"{stem.removesuffix('_correct')}_total", runs) or ()
        pairs = [
            (hit or 0, count) for hit, count in zip(hits, tries, strict=True) if (count or 0) > 0
        ]
        if pairs:
            correct, total = sum(hit for hit, _ in pairs), sum(count or 0 for _, count in pairs)
            yield Row(labels, (len(pairs), correct, total, _rounded(100 * correct / total, 1)))


def _rate(labels: Labels, column: Column) -> Row:
    """A null counts as false here, and in n."""
    n, hits = len(column), sum(1 for value in column if value)
    return Row(labels, (n, hits, _rounded(100 * hits / n, 0)))


def _numbers(columns: Mapping[Labels, Column]) -> Iterator[Row]:
    """Nulls do not count, and a group of nothing but nulls has no row."""
    for labels, column in columns.items():
        values = [value for value in column if value is not None]
        if values:
            spread = deviation(values)
            numbers = (mean(values), min(values), max(values), NAN if spread is None else spread)
            yield Row(labels, (len(values), *(_rounded(number, 2) for number in numbers)))


def _rounded(value: float, digits: int) -> float:
    """Round as numpy does: scale, round half to even, scale back."""
    if math.isnan(value):
        return value
    scale = 10.0**digits
    return round(value * scale) / scale
