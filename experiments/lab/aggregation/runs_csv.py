"""runs.csv: every matched run, whatever its outcome, one column per identity fact and metric."""

import csv
import io
from collections.abc import Iterator, Sequence

from lab.aggregation.gather import CellRuns, RunMetrics
from lab.domain.cell import Cell
from lab.domain.metric import Registry, Value
from lab.domain.run import RunIdentity

IDENTITY = (
    "run_id",
    "kata",
    "kata_base",
    "prompt",
    "workflow",
    "cell_workflow",
    "model",
    "cell_model",
    "stack",
    "harness",
    "harness_version",
    "exit_reason",
    "completion",
    "attempts",
    "started_at",
    "plan",
)
Field = str | int | float | None


def render(cells: Sequence[CellRuns], registry: Registry) -> str:
    """Return the table, sorted by run id: empty = null, true/false, floats as repr, \\n ends.

    Metrics follow in the registry's order. Text is text: a workflow called None or NA keeps its
    name, so read the file with keep_default_na=False.
    """
    columns = tuple(row.id for row in registry.columns)
    rows = sorted(_rows(cells, columns), key=lambda row: str(row[0]))
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow((*IDENTITY, *columns))
    writer.writerows(rows)
    return target.getvalue()


def _rows(cells: Sequence[CellRuns], columns: Sequence[str]) -> Iterator[list[Field]]:
    for part in cells:
        for run, metrics in zip(part.runs, part.metrics, strict=True):
            yield [*_identity(run, part.cell), *_measured(metrics, columns)]


def _identity(run: RunIdentity, cell: Cell) -> Iterator[Field]:
    labels = {"cell_workflow": cell.workflow, "cell_model": cell.model}
    for name in IDENTITY:
        yield labels[name] if name in labels else getattr(run, name)


def _measured(metrics: RunMetrics, columns: Sequence[str]) -> Iterator[Field]:
    for column in columns:
        measurement = metrics.get(column)
        yield None if measurement is None else _field(measurement.value)


def _field(value: Value | None) -> Field:
    """Spell booleans; the csv module writes floats by repr and None as nothing."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value
