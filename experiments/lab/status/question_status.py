"""What is known about a question's progress, and what follows from it."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class QuestionStatus:
    """One question: how full its cells are, and what happened since its findings.

    `usable` counts ok runs; `short` the replicates that cells lack; `newer` the matched runs that
    started after findings.md last changed, None where there is no findings.md; `undated` those
    without a readable start; `stale` the matched runs with an outcome that was measured by another
    version than the registry's. `folder` is relative to the lab root.
    """

    id: str
    folder: str
    question: str
    cells: int
    full: int
    short: int
    matched: int
    usable: int
    findings: int
    newer: int | None
    undated: int
    stale: tuple[str, ...]
    is_summarised: bool
    closed: str | None
    warnings: tuple[str, ...] = ()

    @property
    def is_open(self) -> bool:
        """Tell whether it needs attention: a short cell, no finding, or runs after the findings."""
        return self.closed is None and bool(self.short or not self.findings or self.newer)

    @property
    def next_step(self) -> str:
        """Say what to type next; empty when there is nothing to do."""
        return next((told for is_due, told in _steps(self) if is_due), "")


def _steps(status: QuestionStatus) -> Sequence[tuple[bool, str]]:
    findings = f"{status.folder}/findings.md"
    return (
        (status.closed is not None, ""),
        (status.short > 0, f"lab plan {status.id}"),
        (bool(status.stale), f"lab analyze $(lab status --stale {status.id})"),
        (not status.is_summarised, f"lab aggregate {status.id}"),
        (not status.findings, f"write {findings}"),
        (bool(status.newer), f"lab aggregate {status.id} and review {findings}"),
    )
