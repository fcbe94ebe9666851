"""The label in every started process's environment, by which a dead owner's are found."""

from collections.abc import Iterator
from dataclasses import dataclass

from lab.process import owner, procfs

VARIABLE = "LAB_MARK"


@dataclass(frozen=True, slots=True)
class Mark:
    """Which batch and run a process belongs to, and who started it (an owner as text)."""

    batch_id: str
    run_id: str
    owner: str

    def __str__(self) -> str:
        return f"{self.batch_id} {self.run_id} {self.owner}"


def parse(text: str) -> Mark | None:
    """Read what str() wrote; None for anything else."""
    words = text.split(" ")
    return Mark(*words) if len(words) == 3 else None


def marked() -> Iterator[tuple[int, Mark]]:
    """Yield every running process that carries a mark; only those of users we may look at."""
    for pid, environment in procfs.with_variable(VARIABLE):
        mark = parse(environment[VARIABLE])
        if mark is not None:
            yield pid, mark


def orphaned() -> Iterator[tuple[int, Mark]]:
    """Yield marked processes whose owner no longer runs."""
    return ((pid, mark) for pid, mark in marked() if not owner.is_alive(mark.owner))
