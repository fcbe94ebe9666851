"""lab resume: finish what was interrupted or stopped."""

from pathlib import Path

import click

from lab.cli.batch import (
    DETACH,
    EXECUTOR,
    JSON,
    SHARDS,
    UNSANDBOXED,
    execute,
    find_plan,
    start_detached,
)
from lab.cli.typed import shown, shown_plan
from lab.errors import LabError
from lab.paths import LabPaths
from lab.runner.batch_folder import all_batches, generations
from lab.runner.session import EXECUTORS, Options


@click.command()
@click.argument("plan", type=click.Path(path_type=Path), required=False)
@SHARDS
@DETACH
@EXECUTOR
@UNSANDBOXED
@JSON
@click.pass_obj
def command(  # noqa: PLR0913  click hands over one argument per option
    paths: LabPaths,
    plan: Path | None,
    shards: int | None,
    detach: bool,
    executor: str,
    unsandboxed: bool,
    as_json: bool,
) -> int:
    """Go on with PLAN's batch; without PLAN, with the latest one that is not finished.

    Runs that finished stay; runs that were cut off are kept as `interrupted` and done again.
    """
    place = _started(paths, plan) if plan else _latest(paths)
    options = Options(_same(paths, place, executor), shards, is_unsandboxed=unsandboxed)
    if detach:
        return start_detached(paths, place, options, as_json=as_json)
    return execute(paths, place, options, as_json=as_json)


def _started(paths: LabPaths, plan: Path) -> Path:
    place = find_plan(paths, plan)
    if not generations(paths, place):
        name = shown_plan(paths, place)
        raise LabError(f"{shown(place)}: never started, or changed since (run: lab batch {name})")
    return place


def _same(paths: LabPaths, plan: Path, executor: str) -> str:
    """Stay with the executor the batch was begun with, unless another one is named."""
    began_with = generations(paths, plan)[-1].state().executor
    return began_with if executor == "auto" and began_with in EXECUTORS else executor


def _latest(paths: LabPaths) -> Path:
    for batch in reversed(all_batches(paths)):
        if not batch.state().is_complete:
            origin = batch.plan_path()
            return origin if origin.is_file() else batch.plan
    raise LabError("no batch is unfinished; lab plans lists what could be run")
