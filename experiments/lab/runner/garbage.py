"""What dead coordinators left on this machine: processes, cgroups, socket folders, staging."""

from dataclasses import dataclass
from pathlib import Path

from lab.paths import LabPaths
from lab.process import fence, mark, procfs, tree_end
from lab.runner import kept, scratch
from lab.runner.batch_folder import BatchFolder, all_batches
from lab.runner.journal import Journal
from lab.runner.reconcile import DeadClaims, Reconciled, dead_slots
from lab.store.catalogue import read_catalogue
from lab.store.lock import live_batches
from lab.store.plans import read_plan


@dataclass(frozen=True, slots=True)
class Garbage:
    """What was (or would be) removed, by kind, in words; `runs` are staged runs of dead batches."""

    processes: tuple[str, ...]
    folders: tuple[str, ...]
    runs: tuple[str, ...]

    @property
    def is_empty(self) -> bool:
        return not (self.processes or self.folders or self.runs)


def find(paths: LabPaths) -> Garbage:
    """Look for garbage and touch nothing."""
    return Garbage(
        processes=tuple(f"{pid} {procfs.command(pid)}" for pid, _ in mark.orphaned()),
        folders=tuple(str(folder) for folder in _dead_folders(paths)),
        runs=tuple(
            claim.run_id
            for batch in all_batches(paths)
            for claim in batch.state().abandoned().values()
        ),
    )


def collect(paths: LabPaths) -> Garbage:
    """End and remove it; a run that had begun is published as `interrupted`, its cost kept."""
    found = find(paths)
    for pid, _ in mark.orphaned():
        tree_end.kill(pid)
    for folder in _dead_folders(paths):
        kept.remove(folder)
    for batch in all_batches(paths):
        if batch.state().abandoned():
            settle(paths, batch)
    fence.remove_abandoned()
    return found


def settle(paths: LabPaths, batch: BatchFolder) -> Reconciled:
    """Settle a batch's dead claims by the copy of its plan."""
    journal = Journal(batch.journal)
    try:
        plan, catalogue = read_plan(batch.plan), read_catalogue(paths)
        return DeadClaims(paths, batch, journal, plan, catalogue).settle()
    finally:
        journal.close()


def _dead_folders(paths: LabPaths) -> tuple[Path, ...]:
    """Return scratch folders of dead owners, and staged or working folders nobody accounts for."""
    dead = list(scratch.abandoned())
    if live_batches(paths):
        return tuple(dead)
    claimed = {
        claim.run_id for batch in all_batches(paths) for claim in batch.state().claimed.values()
    }
    if paths.staging.is_dir():
        dead += [folder for folder in paths.staging.iterdir() if folder.name not in claimed]
    for batch in all_batches(paths):
        dead += dead_slots(batch.work)
    return tuple(sorted(dead))
