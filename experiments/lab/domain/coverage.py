"""Which runs of the pool count for which cell: matched by key, never pair by pair."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from lab.domain.cell import Cell, matches
from lab.domain.outcome import is_replicate
from lab.domain.run import RunIdentity

Key = tuple[str, str, str, str | None]


@dataclass(frozen=True, slots=True)
class RunGroup:
    """Runs of one (kata, workflow, model, stack), sorted by run id; `usable` of them ended ok."""

    runs: tuple[RunIdentity, ...]
    usable: int


@dataclass(frozen=True, slots=True)
class RunGroups:
    """The whole pool by key; `stacks` lists the stacks seen for a (kata, workflow, model)."""

    by_key: Mapping[Key, RunGroup]
    stacks: Mapping[tuple[str, str, str], tuple[str | None, ...]]


@dataclass(frozen=True, slots=True)
class CellCoverage:
    """A cell with its runs, whatever their outcome, sorted by run id; `usable` ended ok."""

    cell: Cell
    runs: tuple[RunIdentity, ...]
    usable: int

    def missing(self, min_replicates: int) -> int:
        return max(0, min_replicates - self.usable)

    @property
    def failures(self) -> tuple[RunIdentity, ...]:
        return tuple(run for run in self.runs if not is_replicate(run.exit_reason))


def group_runs(runs: Iterable[RunIdentity]) -> RunGroups:
    """Group a pool once; the groups then serve any number of questions."""
    collected: dict[Key, list[RunIdentity]] = {}
    for run in runs:
        collected.setdefault((run.kata, run.workflow, run.model, run.stack), []).append(run)
    stacks: dict[tuple[str, str, str], tuple[str | None, ...]] = {}
    for kata, workflow, model, stack in collected:
        triple = (kata, workflow, model)
        stacks[triple] = (*stacks.get(triple, ()), stack)
    return RunGroups({key: _group(members) for key, members in collected.items()}, stacks)


def cover(cells: Sequence[Cell], groups: RunGroups) -> tuple[CellCoverage, ...]:
    """Assign runs to cells, in the cells' order; a run counts in the first cell that it matches."""
    earlier: dict[Key, list[Cell]] = {}
    return tuple(_cover_cell(cell, groups, earlier) for cell in cells)


def _cover_cell(cell: Cell, groups: RunGroups, earlier: dict[Key, list[Cell]]) -> CellCoverage:
    """`earlier` lists the cells before this one by key, and gets this one added."""
    shares = []
    for key in _keys(cell, groups):
        before = earlier.get(key)
        if before is None:
            earlier[key] = [cell]
        else:
            before.append(cell)
        group = groups.by_key.get(key)
        if group:
            shares.append(_share(cell, group, before[:-1] if before else ()))
    return _join(cell, shares)


def _group(runs: list[RunIdentity]) -> RunGroup:
    runs.sort(key=lambda run: run.run_id)
    return RunGroup(tuple(runs), sum(is_replicate(run.exit_reason) for run in runs))


def _keys(cell: Cell, groups: RunGroups) -> Iterable[Key]:
    kata = cell.kata
    if cell.stack is not None and len(cell.workflows) == 1 and len(cell.models) == 1:
        return ((kata, cell.workflows[0], cell.models[0], cell.stack),)
    return tuple(_several_keys(cell, kata, groups))


def _several_keys(cell: Cell, kata: str, groups: RunGroups) -> Iterator[Key]:
    for workflow in cell.workflows:
        for model in cell.models:
            if cell.stack is not None:
                yield kata, workflow, model, cell.stack
                continue
            for stack in groups.stacks.get((kata, workflow, model), ()):
                yield kata, workflow, model, stack


def _share(cell: Cell, group: RunGroup, earlier: Sequence[Cell]) -> RunGroup:
    """Return the runs of a group that are this cell's: all of them in the common case."""
    if not (earlier or cell.hashes or cell.harness_version):
        return group
    return _group(
        [
            run
            for run in group.runs
            if matches(cell, run) and not any(matches(other, run) for other in earlier)
        ]
    )


def _join(cell: Cell, shares: list[RunGroup]) -> CellCoverage:
    if not shares:
        return CellCoverage(cell, (), 0)
    if len(shares) == 1:
        return CellCoverage(cell, shares[0].runs, shares[0].usable)
    runs = sorted((run for share in shares for run in share.runs), key=lambda run: run.run_id)
    return CellCoverage(cell, tuple(runs), sum(share.usable for share in shares))
