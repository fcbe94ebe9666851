"""A batch plan: the runs that are missing, in the order in which they should start."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One run to execute. Only the first three are needed in a plan written by hand.

    `block` is the randomised complete block the run belongs to, `run_id` is allocated by the
    coordinator unless the plan already names one.
    """

    kata: str
    workflow: str
    model: str
    stack: str | None = None
    block: int | None = None
    run_id: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    name: str
    description: str
    runs: tuple[PlannedRun, ...]
    seed: int | None = None
