"""What a plan will take, judged by earlier ok runs of the same cells; unknown stays unknown."""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lab.domain.metric import Measurement
from lab.domain.outcome import is_replicate
from lab.planning.plan import CellPlan, Planning

SECONDS = ("wall_seconds", "duration_seconds")
COST = ("cost_usd",)
LOOKED_AT_PER_CELL = 5
LOOKED_AT_IN_ALL = 1000

Metrics = Mapping[str, Mapping[str, Measurement]]
Measure = Callable[[Sequence[str]], Metrics]


@dataclass(frozen=True, slots=True)
class Sum:
    """A total over `known` runs; None where nothing is known."""

    total: float | None
    known: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """Seconds of running time, one run after the other, and US dollars, for `runs` runs."""

    runs: int
    seconds: Sum
    cost_usd: Sum


def estimate(planning: Planning, measure: Measure) -> Estimate:
    """Estimate a plan; `measure` maps run ids to their metrics (asked for once)."""
    wanted = [entry for part in planning.questions for entry in part.cells if entry.planned]
    per_cell = max(1, min(LOOKED_AT_PER_CELL, LOOKED_AT_IN_ALL // max(1, len(wanted))))
    basis = [_basis(entry, per_cell) for entry in wanted]
    metrics = measure([run_id for ids in basis for run_id in ids])
    return Estimate(
        len(planning.plan.runs),
        _sum(wanted, basis, metrics, SECONDS),
        _sum(wanted, basis, metrics, COST),
    )


def _basis(entry: CellPlan, count: int) -> tuple[str, ...]:
    """The ids of the newest ok runs of a cell."""
    usable = (run.run_id for run in reversed(entry.coverage.runs) if is_replicate(run.exit_reason))
    return tuple(itertools.islice(usable, count))


def _sum(
    wanted: Sequence[CellPlan],
    basis: Sequence[tuple[str, ...]],
    metrics: Metrics,
    names: tuple[str, ...],
) -> Sum:
    parts: list[float] = []
    known = 0
    for entry, ids in zip(wanted, basis, strict=True):
        found = [_value(metrics.get(run_id), names) for run_id in ids]
        values = [value for value in found if value is not None]
        if values:
            parts.append(entry.planned * math.fsum(values) / len(values))
            known += entry.planned
    return Sum(math.fsum(parts) if known else None, known)


def _value(metrics: Mapping[str, Measurement] | None, names: tuple[str, ...]) -> float | None:
    """The first of these metrics that has a value."""
    for name in names:
        found = (metrics or {}).get(name)
        if found and found.value is not None:
            return float(found.value)
    return None
