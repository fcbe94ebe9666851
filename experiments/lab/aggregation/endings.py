"""How runs ended, where that says something about an arm or about the question itself."""

from collections.abc import Iterator

from lab.aggregation.gather import CellRuns, Gathered
from lab.aggregation.numbers import counted_runs, share
from lab.aggregation.summary import SummaryWarning
from lab.domain.outcome import ExitReason

# Refusals and overfull contexts are properties of the arm, not accidents of the infrastructure.
PROPERTIES_OF_THE_ARM = (
    ExitReason.PROVIDER_REFUSAL,
    ExitReason.CONTEXT_EXCEEDED,
    ExitReason.OUTPUT_EXCEEDED,
)

# Only runs that ended ok are counted, and all of those stayed within their budget.
FOLLOWS_FROM_OK = "completed_within_budget"


def ending_warnings(gathered: Gathered) -> Iterator[SummaryWarning]:
    """Warn of what the choice of ok runs decides, of refused and overfull runs, and overlaps."""
    yield from _selected(gathered)
    for part in gathered.cells:
        yield from _arm(part)
        yield from _unrecorded(part)
    for overlap in gathered.overlaps:
        text = (
            f"{counted_runs(overlap.runs)} fit two cells, {overlap.taken.key} and "
            f"{overlap.also.key}, and count in the first only (lab lint names the overlap)"
        )
        yield SummaryWarning("overlapping-cells", text, (overlap.taken.key, overlap.also.key))


def unknown_outcome_warnings(unknown: tuple[str, ...]) -> Iterator[SummaryWarning]:
    """Warn of outcomes that no registry row describes, which imported questions may have."""
    if unknown:
        text = f"no metric of the registry, and so without a table: {', '.join(unknown)}"
        yield SummaryWarning("unknown-outcome", text)


def _selected(gathered: Gathered) -> Iterator[SummaryWarning]:
    """Warn of an outcome that is true of every counted run, whatever the arms did."""
    if any(row.id == FOLLOWS_FROM_OK for row in gathered.outcomes):
        text = (
            f"{FOLLOWS_FROM_OK} is true of every ok run, and only those are counted: "
            "compare the share of timeouts instead"
        )
        yield SummaryWarning("true-by-selection", text, outcome=FOLLOWS_FROM_OK)


def _arm(part: CellRuns) -> Iterator[SummaryWarning]:
    for reason in PROPERTIES_OF_THE_ARM:
        count = sum(1 for run in part.runs if run.exit_reason == reason)
        if count:
            total = len(part.runs)
            text = (
                f"{count} of {counted_runs(total)} ({share(count, total)}) of the cell "
                f"{part.cell.key} ended {reason}: a property of the arm that its means leave out"
            )
            yield SummaryWarning("ended-by-the-arm", text, (part.cell.key,))


def _unrecorded(part: CellRuns) -> Iterator[SummaryWarning]:
    count = sum(1 for run in part.runs if run.exit_reason is None)
    if count:
        text = (
            f"{counted_runs(count)} of the cell {part.cell.key} without an exit reason: not counted"
        )
        yield SummaryWarning("no-exit-reason", text, (part.cell.key,))
