"""A batch's own folder: one per plan content and generation, found again by the plan file."""

import hashlib
import shutil
from dataclasses import dataclass
from pathlib import Path

from lab.errors import LabError
from lab.paths import LabPaths
from lab.runner import control, journal
from lab.runner.progress import BatchState, fold
from lab.store.atomic import writing

ID_LENGTH = 16
PLAN = "plan.json"
ORIGIN = "plan-path"


@dataclass(frozen=True, slots=True)
class BatchFolder:
    """runs/.batches/<id>/: journal, control file, a copy of the plan, what attempts need."""

    folder: Path

    @property
    def id(self) -> str:
        return self.folder.name

    @property
    def journal(self) -> Path:
        return self.folder / journal.NAME

    @property
    def control(self) -> Path:
        return self.folder / control.NAME

    @property
    def plan(self) -> Path:
        return self.folder / PLAN

    @property
    def work(self) -> Path:
        return self.folder / "work"

    def state(self) -> BatchState:
        """Return what the journal tells now."""
        return fold(journal.read_journal(self.journal))

    def plan_path(self) -> Path:
        """Return where the plan lay when the batch was opened; the copy if that is unknown."""
        origin = self.folder / ORIGIN
        return Path(origin.read_text(encoding="utf-8")) if origin.exists() else self.plan


def batch_id(plan: Path) -> str:
    """Return the id of a plan's first batch: the start of its content's SHA-256."""
    try:
        content = plan.read_bytes()
    except FileNotFoundError:
        raise LabError(f"{plan}: no such plan (lab plans lists them)") from None
    except IsADirectoryError:
        raise LabError(f"{plan}: a folder, not a plan (lab plans lists plans)") from None
    return hashlib.sha256(content).hexdigest()[:ID_LENGTH]


def generations(paths: LabPaths, plan: Path) -> tuple[BatchFolder, ...]:
    """Return a plan's batches, the first one first; `--again` adds one."""
    first = batch_id(plan)
    found: list[BatchFolder] = []
    number = 1
    while True:
        folder = paths.batches / (first if number == 1 else f"{first}-{number}")
        if not (folder / journal.NAME).exists():
            return tuple(found)
        found.append(BatchFolder(folder))
        number += 1


def next_generation(paths: LabPaths, plan: Path) -> BatchFolder:
    """Return where a plan's next batch belongs."""
    first, number = batch_id(plan), len(generations(paths, plan)) + 1
    return BatchFolder(paths.batches / (first if number == 1 else f"{first}-{number}"))


def make(batch: BatchFolder, plan: Path) -> None:
    """Make a batch's folder and keep the plan's content in it."""
    with writing(batch.folder):
        batch.work.mkdir(parents=True, exist_ok=True)
        if not batch.plan.exists():
            shutil.copyfile(plan, batch.plan)
            (batch.folder / ORIGIN).write_text(str(plan.resolve()), encoding="utf-8")


def all_batches(paths: LabPaths) -> tuple[BatchFolder, ...]:
    """Return every batch of the lab root, by its journal's age, the oldest first."""
    journals = paths.batches.glob(f"*/{journal.NAME}")
    return tuple(
        BatchFolder(path.parent) for path in sorted(journals, key=lambda path: path.stat().st_mtime)
    )


def finished(paths: LabPaths, plan: Path) -> BatchFolder | None:
    """Return a plan's latest batch if it is complete; reads the journal only, not the plan."""
    known = generations(paths, plan)
    return known[-1] if known and known[-1].state().is_complete else None
