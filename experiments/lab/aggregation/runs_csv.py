"""runs.csv: every matched run, whatever its outcome, one column per identity fact and metric."""

import csv
import io
from collections.abc import Iterator, Sequence
from operator import attrgetter

from lab.aggregation.gather import CellRuns
from lab.domain.metric import Registry

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
Row = list[str | int | float | None]
BEFORE = attrgetter("run_id", "kata", "kata_base", "prompt", "workflow")
AFTER = attrgetter(*IDENTITY[IDENTITY.index("stack") :])


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


def _rows(cells: Sequence[CellRuns], columns: Sequence[str]) -> Iterator[Row]:
    """Yield rows; booleans are spelled here, the csv module does floats (repr) and None (empty)."""
    for part in cells:
        workflow, model = part.cell.workflow, part.cell.model
        for run, measured in zip(part.runs, part.measured, strict=True):
            row: Row = [*BEFORE(run), workflow, run.model, model, *AFTER(run)]
            row += [
                "true" if value is True else "false" if value is False else value
                for value in map(measured.values.get, columns)
            ]
            yield row
