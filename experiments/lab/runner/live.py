"""A batch's state at one moment, as people see it: counts, what runs, how long it may take."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from lab.domain.outcome import is_replicate
from lab.domain.plan import Plan
from lab.runner.progress import BatchState


@dataclass(frozen=True, slots=True)
class Active:
    """A run at work and since when, in seconds."""

    run_id: str
    seconds: float


@dataclass(frozen=True, slots=True)
class CellProgress:
    """One combination of a plan: runs planned, done, and those of them that are replicates."""

    cell: str
    planned: int
    done: int
    replicates: int


def cells(plan: Plan, state: BatchState) -> tuple[CellProgress, ...]:
    """Count a batch's runs by combination, in the order of the plan."""
    planned: Counter[str] = Counter()
    done: Counter[str] = Counter()
    replicates: Counter[str] = Counter()
    for entry, run in enumerate(plan.runs):
        name = " / ".join(part for part in (run.kata, run.workflow, run.model, run.stack) if part)
        planned[name] += 1
        done[name] += state.is_finished(entry)
        replicates[name] += entry in state.done and is_replicate(state.done[entry].exit_reason)
    return tuple(
        CellProgress(name, count, done[name], replicates[name]) for name, count in planned.items()
    )


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`eta_seconds` None = no run has finished yet. `paused` says why nothing starts."""

    batch_id: str
    total: int
    finished: int
    replicates: int
    ended: Mapping[str, int]
    active: tuple[Active, ...]
    slots: int
    eta_seconds: float | None
    stopped: tuple[str, ...] = ()
    paused: str | None = None


class Listener(Protocol):
    """Who wants to know: a line for every happening, a snapshot now and then."""

    def said(self, line: str) -> None: ...

    def changed(self, snapshot: Snapshot) -> None: ...


def snapshot(
    batch_id: str, state: BatchState, slots: int, now: datetime, paused: str | None = None
) -> Snapshot:
    """Draw a batch's state; the rest is expected to take as long as the mean finished run."""
    active = tuple(
        Active(claim.run_id, max(0.0, (now - datetime.fromisoformat(claim.at)).total_seconds()))
        for claim in state.claimed.values()
    )
    return Snapshot(
        batch_id=batch_id,
        total=state.total,
        finished=state.finished,
        replicates=state.replicates,
        ended=dict(state.ended),
        active=active,
        slots=slots,
        eta_seconds=_eta(state, slots),
        stopped=tuple(f"{' '.join(lane)}: {why}" for lane, why in state.stopped.items()),
        paused=paused,
    )


def _eta(state: BatchState, slots: int) -> float | None:
    """Mean seconds of the latest finished runs, times the runs that are left, over the slots."""
    if not state.recent_seconds:
        return None
    mean = sum(state.recent_seconds) / len(state.recent_seconds)
    return mean * (state.total - state.finished) / max(1, slots)


def utc_now() -> datetime:
    return datetime.now(UTC)
