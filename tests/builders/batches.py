"""Lab roots, plans and batches for tests of the runner: no template, no tools, no docker."""

import json
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from lab.domain.run import RunRecord
from lab.paths import LabPaths
from lab.runner.batch import run_batch
from lab.runner.live import Snapshot
from lab.runner.session import Ended, Options
from lab.store.run_files import read_record

KATA = "game-of-life-prose"
QUICK = {
    "LAB_STARTUP_SECONDS": "5",
    "LAB_STALL_SECONDS": "5",
    "LAB_GRACE_SECONDS": "0.5",
    "LAB_TIMEOUT_SECONDS": "20",
    "LAB_BACKOFF_SECONDS": "0.01",
    "LAB_BACKOFF_MAX_SECONDS": "0.02",
    "LAB_FREE_DISK_BYTES": "1",
    "LAB_FREE_MEMORY_BYTES": "1",
}


class Listener:
    """Keeps what a batch said."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.snapshots: list[Snapshot] = []

    def said(self, line: str) -> None:
        self.lines.append(line)

    def changed(self, snapshot: Snapshot) -> None:
        self.snapshots.append(snapshot)


def lab_root(folder: Path) -> LabPaths:
    """Make an empty lab root; its catalogue is the repository's."""
    paths = LabPaths(folder)
    paths.plans.mkdir(parents=True)
    paths.runs.mkdir(parents=True)
    return paths


def plan_of(paths: LabPaths, models: Sequence[str], name: str = "plan", **extra: str) -> Path:
    """Write a plan with one run per model; workflow by the model's family, stack none.

    Its seed tells the root: equal plans would be one batch to whoever looks at processes.
    """
    runs = [
        {
            "kata": KATA,
            "workflow": f"{model.split('-')[0]}-v1",
            "model": model,
            "stack": "none",
            **extra,
        }
        for model in models
    ]
    path = paths.plans / f"{name}.json"
    seed = zlib.crc32(str(paths.root).encode())
    document = {"schema_version": 1, "name": name, "seed": seed, "runs": runs}
    path.write_text(json.dumps(document))
    return path


def run_plan(
    paths: LabPaths,
    plan: Path,
    environ: Mapping[str, str] = QUICK,
    listener: Listener | None = None,
    **options: object,
) -> Ended:
    """Run a plan locally, two at a time unless told otherwise."""
    chosen = Options(**{"executor": "local", "shards": 2, **options})  # type: ignore[arg-type]
    return run_batch(paths, plan, chosen, listener or Listener(), environ)


def records(paths: LabPaths) -> tuple[RunRecord, ...]:
    """Read the record of every published run, sorted by run id."""
    folders = sorted(path for path in paths.runs.iterdir() if path.name[0] not in "._")
    return tuple(read_record(paths.run(folder.name)) for folder in folders)
