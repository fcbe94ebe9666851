"""lab batch: execute a plan."""

import json
import os
import subprocess
import sys
from pathlib import Path

import click

from lab.cli.batch_view import BatchView, ended_document, ended_lines, exit_code_of
from lab.cli.typed import as_typed, shown_plan
from lab.errors import LabError
from lab.paths import LabPaths
from lab.runner.batch_folder import batch_id, finished
from lab.runner.session import EXECUTORS, End, Ended, Options
from lab.store.plans import read_plan

EXECUTOR = click.option(
    "--executor",
    type=click.Choice(EXECUTORS),
    default="auto",
    show_default=True,
    help="auto: docker where engine and image are there, else local.",
)
SHARDS = click.option("--shards", type=click.IntRange(min=1), help="Runs at once [defaults.yaml].")
UNSANDBOXED = click.option(
    "--unsandboxed", is_flag=True, help="Let a model's output run on this machine, uncontained."
)
DETACH = click.option("--detach", is_flag=True, help="Go on in the background (see lab watch).")
JSON = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


@click.command()
@click.argument("plan", type=click.Path(path_type=Path))
@SHARDS
@DETACH
@EXECUTOR
@click.option("--again", is_flag=True, help="Run a finished plan once more.")
@UNSANDBOXED
@JSON
@click.pass_obj
def command(  # noqa: PLR0913  click hands over one argument per option
    paths: LabPaths,
    plan: Path,
    shards: int | None,
    detach: bool,
    executor: str,
    again: bool,
    unsandboxed: bool,
    as_json: bool,
) -> int:
    """Execute a plan: each of its runs once, several at a time.

    PLAN is a file, or the name of one in experiments/batch-plans. While a batch is live, a second
    `lab batch` on the same plan joins it. Ctrl-C ends the running attempts; `lab resume` goes on.
    """
    options = Options(executor, shards, again, unsandboxed)
    place = find_plan(paths, plan)
    if not read_plan(place).runs:
        return _nothing_to_do(paths, place, as_json=as_json)
    if detach:
        return start_detached(paths, place, options, as_json=as_json)
    return execute(paths, place, options, as_json=as_json)


def _nothing_to_do(paths: LabPaths, plan: Path, *, as_json: bool) -> int:
    """An empty plan is what a covered question gets; executing it is done at once."""
    if as_json:
        document = {"schema_version": 1, "end": End.COMPLETE.value, "total": 0, "runs": []}
        print(json.dumps(document, indent=1))
    else:
        print(f"{shown_plan(paths, plan)}: no runs are missing: nothing to do")
        print(as_typed("next: lab aggregate --all"))
    return 0


def find_plan(paths: LabPaths, plan: Path) -> Path:
    """Return the plan's file: as given, else by name among the lab root's plans."""
    for place in (plan, paths.plans / plan, paths.plans / f"{plan}.json"):
        if place.is_file():
            return place
    raise LabError(f"{plan}: no such plan (lab plans lists them)")


def execute(paths: LabPaths, plan: Path, options: Options, *, as_json: bool) -> int:
    """Run a batch in this process and say how it ended; returns the exit code."""
    done = finished(paths, plan)
    if done is not None and not options.is_again:
        ended = Ended(End.COMPLETE, done, done.state(), was_finished_before=True)
    else:
        ended = _run(paths, plan, options, is_quiet=as_json)
    if as_json:
        print(json.dumps(ended_document(ended), indent=1))
    else:
        print(as_typed("\n".join(ended_lines(ended, shown_plan(paths, plan)))))
    return exit_code_of(ended)


def _run(paths: LabPaths, plan: Path, options: Options, *, is_quiet: bool) -> Ended:
    from lab.runner.batch import run_batch

    with BatchView(plan, is_quiet=is_quiet) as view:
        return run_batch(paths, plan, options, view, os.environ)


def start_detached(paths: LabPaths, plan: Path, options: Options, *, as_json: bool) -> int:
    """Start the same command in a session of its own; its words go to the batch log."""
    if finished(paths, plan) and not options.is_again:
        return execute(paths, plan, options, as_json=as_json)
    flags = ["--executor", options.executor]
    flags += ["--shards", str(options.shards)] if options.shards else []
    flags += ["--again"] if options.is_again else []
    flags += ["--unsandboxed"] if options.is_unsandboxed else []
    program = "from lab.cli.main import main; main()"
    root = ["--root", str(paths.root)]
    errors = plan.with_suffix(".log").open("ab")
    with errors:
        process = subprocess.Popen(
            [sys.executable, "-c", program, *root, "batch", str(plan.resolve()), *flags],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])},
        )
    if as_json:
        document = {"schema_version": 1, "batch_id": batch_id(plan), "process": process.pid}
        print(json.dumps(document, indent=1))
    else:
        print(f"batch {batch_id(plan)} goes on in the background as process {process.pid}")
        print(as_typed(f"next: lab watch {shown_plan(paths, plan)}"))
    return 0
