"""lab record: choose kata, workflow and model, and run once."""

import sys
from datetime import UTC, datetime
from pathlib import Path

import click

from lab.cli.batch import EXECUTOR, JSON, UNSANDBOXED, execute
from lab.domain.catalogue import Catalogue
from lab.domain.plan import Plan, PlannedRun
from lab.errors import LabError
from lab.paths import LabPaths
from lab.runner.session import Options
from lab.store.catalogue import read_catalogue
from lab.store.plans import write_plan


@click.command()
@click.option("--kata", help="<base>-<prompt style>.")
@click.option("--workflow")
@click.option("--model")
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
    """Execute one run; what is not given as an option is asked for."""
    catalogue = read_catalogue(paths)
    kata = kata or _choose("kata", katas(catalogue))
    workflow = workflow or _choose("workflow", workflows(catalogue, kata))
    model = model or _choose("model", models(catalogue, workflow))
    plan = _write(paths, PlannedRun(kata, workflow, model, stack))
    options = Options(executor, shards=1, is_unsandboxed=unsandboxed)
    return execute(paths, plan, options, as_json=as_json)


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
