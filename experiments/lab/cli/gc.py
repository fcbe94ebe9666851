"""lab gc: remove what dead batches left behind."""

import json
from dataclasses import asdict

import click

from lab.cli.batch import JSON
from lab.cli.typed import as_typed
from lab.paths import LabPaths
from lab.runner import garbage


@click.command()
@click.option("--dry-run", is_flag=True, help="Name it, touch nothing.")
@JSON
@click.pass_obj
def command(paths: LabPaths, dry_run: bool, as_json: bool) -> None:
    """End processes and remove folders whose coordinator is dead.

    A run that had begun is published as `interrupted`, so that its cost is not lost.
    """
    found = garbage.find(paths) if dry_run else garbage.collect(paths)
    if as_json:
        print(json.dumps({"schema_version": 1, "dry_run": dry_run, **asdict(found)}, indent=1))
        return
    done = "would be" if dry_run else "was"
    for process in found.processes:
        print(f"process {process}: {done} ended")
    for folder in found.folders:
        print(f"folder {folder}: {done} removed")
    for run_id in found.runs:
        print(f"run {run_id}: {done} settled")
    if found.is_empty:
        print("nothing left behind")
    following = "lab gc" if dry_run and not found.is_empty else "lab plans"
    print(as_typed(f"next: {following}"))
