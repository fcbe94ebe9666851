"""What the planner needs from the world, and the runs that come of a plan."""

from collections.abc import Iterable

from builders.declared import SMALL
from builders.pools import identity
from lab.domain.catalogue import Catalogue, Workflow
from lab.domain.cell import Cell
from lab.domain.plan import PlannedRun
from lab.domain.run import RunIdentity
from lab.planning.fill import Rules
from lab.planning.fresh import FreshRun

VERSION = "2.1.267"
SHA = "a" * 64
FRESH = FreshRun(VERSION, (("prompt_sha", SHA), ("suite_sha", None)))


def rules(catalogue: Catalogue = SMALL, fresh: FreshRun = FRESH) -> Rules:
    """Every fresh run records the same version and hashes."""

    def stamp(cell: Cell, workflow: Workflow) -> FreshRun:
        return fresh

    return Rules(catalogue, stamp, ("none",))


def results_of(runs: Iterable[PlannedRun], exit_reason: str = "ok") -> tuple[RunIdentity, ...]:
    """Return what the pool holds once a plan has been executed."""
    return tuple(
        identity(
            f"new-{number:04d}",
            kata=run.kata,
            kata_base=run.kata.split("-")[0],
            prompt=run.kata.split("-", 1)[1],
            workflow=run.workflow,
            model=run.model,
            stack=run.stack,
            exit_reason=exit_reason,
            harness_version=f"{VERSION} (Claude Code)",
            hashes=(("prompt_sha", SHA),),
        )
        for number, run in enumerate(runs)
    )
