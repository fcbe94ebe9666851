"""Which folders of the pool are broken runs, and which questions selected one."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lab.domain.catalogue import Catalogue
from lab.domain.cell import Cell, expand
from lab.domain.coverage import cover, group_runs
from lab.domain.outcome import is_replicate
from lab.domain.question import ResearchQuestion
from lab.domain.run import RunIdentity
from lab.errors import LabError
from lab.paths import LabPaths
from lab.process.git import git, is_repository
from lab.store.pool import Pool, PoolFault

LEFTOVER = "leftover"
STUB = "no exit reason"


@dataclass(frozen=True, slots=True)
class BrokenRun:
    """A folder to remove; `reason` is its exit reason, STUB or LEFTOVER.

    `is_tracked`: git can bring it back.
    """

    run_id: str
    reason: str
    is_tracked: bool


@dataclass(frozen=True, slots=True)
class Broken:
    """What a clean would do.

    `kept` are folders that cannot be read as runs but hold something: people decide about them.
    `questions` selected a broken run; `archived` did too, but name an archived workflow.
    """

    runs: tuple[BrokenRun, ...]
    kept: tuple[PoolFault, ...]
    questions: tuple[ResearchQuestion, ...]
    archived: tuple[ResearchQuestion, ...]


def find_broken(
    paths: LabPaths, questions: Iterable[ResearchQuestion], catalogue: Catalogue
) -> Broken:
    """List what a clean would remove; changes nothing. LabError outside a git repository."""
    _demand_repository(paths)
    pool = Pool(paths)
    runs = pool.identities()
    tracked = _tracked(paths)
    failed = [
        BrokenRun(run.run_id, run.exit_reason or STUB, run.run_id in tracked)
        for run in runs
        if not is_replicate(run.exit_reason)
    ]
    leftover = [fault for fault in pool.faults() if _is_leftover(paths, fault, tracked)]
    found = [*failed, *(BrokenRun(fault.run_id, LEFTOVER, False) for fault in leftover)]
    affected = _selecting(runs, {run.run_id for run in failed}, questions, catalogue)
    archived = tuple(one for one in affected if _is_archived(one, catalogue))
    return Broken(
        runs=tuple(sorted(found, key=lambda run: run.run_id)),
        kept=tuple(fault for fault in pool.faults() if fault not in leftover),
        questions=tuple(one for one in affected if one not in archived),
        archived=archived,
    )


def _demand_repository(paths: LabPaths) -> None:
    if not is_repository(paths.root):
        raise LabError(f"{paths.root}: not in a git repository; a clean commits what it removes")


def _tracked(paths: LabPaths) -> frozenset[str]:
    """Return the run ids of which git tracks a file."""
    if not paths.runs.is_dir():
        return frozenset()
    listed = git(paths.runs, "ls-files", "-z").split(b"\0")
    return frozenset(name.split(b"/")[0].decode("utf-8", "backslashreplace") for name in listed)


def _is_leftover(paths: LabPaths, fault: PoolFault, tracked: frozenset[str]) -> bool:
    run = paths.run(fault.run_id)
    is_link = run.folder.is_symlink() or not run.folder.is_dir()
    has_file = os.path.lexists(run.record) or os.path.lexists(run.metrics)
    return not (is_link or has_file or fault.run_id in tracked)


def _selecting(
    runs: Sequence[RunIdentity],
    broken: set[str],
    questions: Iterable[ResearchQuestion],
    catalogue: Catalogue,
) -> list[ResearchQuestion]:
    """Return the questions whose cells hold a broken run."""
    groups = group_runs(run for run in runs if run.run_id in broken)
    return [
        question
        for question in questions
        if any(covered.runs for covered in cover(_cells(question, catalogue), groups))
    ]


def _cells(question: ResearchQuestion, catalogue: Catalogue) -> tuple[Cell, ...]:
    return expand(question, catalogue.default_stack)


def _is_archived(question: ResearchQuestion, catalogue: Catalogue) -> bool:
    names = (cell.workflow for cell in _cells(question, catalogue))
    rows = (catalogue.workflow(name) for name in names)
    return any(row is not None and row.is_archived for row in rows)
