"""lab record: choose kata, workflow and model, and run once."""

import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import click

from lab.cli.batch import EXECUTOR, JSON, UNSANDBOXED, execute
from lab.domain.catalogue import Catalogue
from lab.domain.plan import Plan, PlannedRun
from lab.errors import LabError
from lab.paths import LabPaths
from lab.runner.batch_folder import generations
from lab.runner.session import Options
from lab.store.catalogue import read_catalogue
from lab.store.plans import write_plan
from lab.store.schema import nearest


@click.command()
@click.option("--kata", help="<base>-<prompt style>.")
@click.option("--workflow", help="A workflow that permits the kata's prompt style.")
@click.option("--model", help="A model variant that the workflow's harness can run.")
@click.option("--stack", help="Default: the kata's first stack.")
@EXECUTOR
@UNSANDBOXED
@JSON
@click.pass_obj
def command(  # noqa: PLR0913  click hands over one argument per option
    paths: LabPaths,
    kata: str | None,
    workflow: str | None,
    model: str | None,
    stack: str | None,
    executor: str,
    unsandboxed: bool,
    as_json: bool,
) -> int:
    """Execute one run; what is not given as an option is asked for.

    \b
    lab record --kata mars-rover-prose --workflow calibration-v1 --model calibration-strict-tdd
    """
    catalogue = read_catalogue(paths)
    _refuse_unknown(catalogue, {"kata": kata, "workflow": workflow, "model": model}, stack)
    kata = kata or _choose("kata", katas(catalogue))
    workflow = workflow or _choose("workflow", workflows(catalogue, kata))
    model = model or _choose("model", models(catalogue, workflow))
    plan = _write(paths, PlannedRun(kata, workflow, model, stack))
    options = Options(executor, shards=1, is_unsandboxed=unsandboxed)
    try:
        return execute(paths, plan, options, as_json=as_json)
    except LabError:
        if not generations(paths, plan):
            plan.unlink()
            plan.with_suffix(".log").unlink(missing_ok=True)
        raise


def _refuse_unknown(
    catalogue: Catalogue, given: Mapping[str, str | None], stack: str | None
) -> None:
    """Raise LabError with every name that does not exist, before anything is asked or written."""
    from lab.stacks import STACKS

    known = {
        "kata": katas(catalogue),
        "workflow": tuple(row.id for row in catalogue.workflows),
        "model": tuple(row.id for row in catalogue.models),
        "stack": tuple(STACKS),
    }
    faults = [
        f"unknown {what} {name}{nearest(name, known[what])}"
        for what, name in {**given, "stack": stack}.items()
        if name is not None and name not in known[what]
    ]
    if faults:
        raise LabError(faults)


def katas(catalogue: Catalogue) -> tuple[str, ...]:
    """Return every kata with each of its prompt styles."""
    return tuple(f"{row.base}-{prompt}" for row in catalogue.katas for prompt in row.prompts)


def workflows(catalogue: Catalogue, kata: str) -> tuple[str, ...]:
    """Return the workflows that permit the kata's prompt style."""
    style = catalogue.split_kata(kata)[1]
    rows = (row for row in catalogue.workflows if not row.is_archived)
    return tuple(row.id for row in rows if style is None or style in row.prompts)


def models(catalogue: Catalogue, workflow: str) -> tuple[str, ...]:
    """Return the models that the workflow's harness can run."""
    row = catalogue.workflow(workflow)
    rows = (model for model in catalogue.models if not model.is_archived)
    return tuple(model.id for model in rows if row is None or row.harness in model.harnesses)


def _choose(what: str, names: tuple[str, ...]) -> str:
    """Ask for one of the names, by number or by name."""
    if not names:
        raise LabError(f"no {what} fits what was chosen before")
    if not sys.stdin.isatty():
        raise LabError(f"no --{what} given, and nobody to ask; allowed are {', '.join(names)}")
    for number, name in enumerate(names, 1):
        click.echo(f"{number:4}  {name}")
    while True:
        said = str(click.prompt(what)).strip()
        if said in names:
            return said
        if said.isdigit() and 1 <= int(said) <= len(names):
            return names[int(said) - 1]
        click.echo(f"1 to {len(names)}, or a name")


def _write(paths: LabPaths, run: PlannedRun) -> Path:
    now = datetime.now(UTC)
    name = f"record-{now:%Y%m%dT%H%M%S%f}"[:-3]
    path = paths.plans / f"{name}.json"
    write_plan(path, Plan(name, "one run, recorded by hand", (run,)))
    return path
