"""Why a cell has what it has: which runs count, which do not, and which nearly do."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lab.domain.cell import Cell, matches, matches_version
from lab.domain.outcome import is_replicate
from lab.domain.run import RunIdentity
from lab.errors import LabError
from lab.planning.plan import CellPlan, QuestionPlan


@dataclass(frozen=True, slots=True)
class Verdict:
    run_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """`counted` and `not_counted` are the cell's own runs; `near` agree in kata, workflow and
    model only. `one_axis_off` pairs an axis with the number of ok runs that differ in it alone.
    """

    entry: CellPlan
    counted: tuple[Verdict, ...]
    not_counted: tuple[Verdict, ...]
    near: tuple[Verdict, ...]
    one_axis_off: tuple[tuple[str, int], ...]


def find_cell(part: QuestionPlan, reference: str) -> CellPlan:
    """Return the cell of this number (from 1), key, or words that only one key contains."""
    if reference.isdigit() and 1 <= int(reference) <= len(part.cells):
        return part.cells[int(reference) - 1]
    words = reference.split()
    exact = [entry for entry in part.cells if entry.cell.key == reference]
    found = exact or [
        entry for entry in part.cells if all(word in entry.cell.key for word in words)
    ]
    if len(found) == 1:
        return found[0]
    listed = [f"{entry.number}: {entry.cell.key}" for entry in found or part.cells]
    what = "fits several cells" if found else "fits no cell"
    raise LabError([f"{part.question.id}: {reference!r} {what}:", *listed])


def explain(part: QuestionPlan, entry: CellPlan, runs: Sequence[RunIdentity]) -> Explanation:
    """Explain a cell against the whole pool."""
    own = {run.run_id for run in entry.coverage.runs}
    counted = [run for run in entry.coverage.runs if is_replicate(run.exit_reason)]
    return Explanation(
        entry,
        tuple(Verdict(run.run_id, "ok") for run in counted),
        tuple(
            Verdict(run.run_id, f"ended {run.exit_reason or 'without an exit reason'}, not ok")
            for run in entry.coverage.failures
        ),
        tuple(_near(part, entry, [run for run in runs if run.run_id not in own])),
        _one_axis_off(entry.cell, runs),
    )


def _near(part: QuestionPlan, entry: CellPlan, others: Sequence[RunIdentity]) -> Iterator[Verdict]:
    cell = entry.cell
    for run in others:
        if _differing(cell, run):
            continue
        if matches(cell, run):
            owner = next(each for each in part.cells if matches(each.cell, run))
            yield Verdict(run.run_id, f"counts in cell {owner.number}")
        else:
            yield Verdict(run.run_id, "; ".join(_refusals(cell, run)))


def _refusals(cell: Cell, run: RunIdentity) -> Iterator[str]:
    if cell.stack is not None and run.stack != cell.stack:
        yield f"stack {run.stack or 'unrecorded'}, wanted {cell.stack}"
    if not matches_version(cell.harness_version, run.harness_version):
        recorded = run.harness_version or "unrecorded"
        yield f"harness_version {recorded}, wanted {cell.harness_version}"
    for name, value in cell.hashes:
        if run.hash_of(name) != value:
            yield f"{name} {run.hash_of(name) or 'unrecorded'}, wanted {value}"


def _differing(cell: Cell, run: RunIdentity) -> tuple[str, ...]:
    """Name the main axes in which a run differs from a cell."""
    agreement = {
        "kata": run.kata == cell.kata,
        "workflow": run.workflow in cell.workflows,
        "model": run.model in cell.models,
    }
    return tuple(axis for axis, agrees in agreement.items() if not agrees)


def _one_axis_off(cell: Cell, runs: Sequence[RunIdentity]) -> tuple[tuple[str, int], ...]:
    counts = {"kata": 0, "workflow": 0, "model": 0}
    for run in runs:
        differing = _differing(cell, run)
        if len(differing) == 1 and is_replicate(run.exit_reason):
            counts[differing[0]] += 1
    return tuple(item for item in counts.items() if item[1])
