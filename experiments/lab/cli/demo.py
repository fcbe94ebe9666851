"""lab demo: one research question end to end, without Docker, key or model."""

import os
import time
from pathlib import Path

import click

from lab.cli.batch_view import BatchView, ended_lines, exit_code_of
from lab.cli.counted import counted
from lab.cli.plan import make_planning
from lab.cli.truth import QUESTION, table
from lab.cli.typed import as_typed, as_typed_for, shown
from lab.domain.question import ResearchQuestion
from lab.paths import LabPaths
from lab.store.plans import write_plan
from lab.store.pool import Pool
from lab.store.questions import QuestionSource, find_source

DEMO = ".demo"
STACK = "python-pytest"
PLAN = "demo.json"


@click.command()
@click.pass_obj
def command(paths: LabPaths) -> None:
    """Plan, run and aggregate the calibration question in a lab root of its own (.demo/).

    Fifteen scripted agents solve a kata in known manners; every number is compared with the one
    that was worked out by hand. A second call finds everything done and says so.
    """
    from lab.runner.setup import install

    began = time.monotonic()
    install(paths, STACK, click.echo)
    demo = LabPaths(paths.root / DEMO, paths.repository)
    source = _question(paths, demo)
    runs = _fill(demo, source)
    done = f"{counted(runs, 'run')} in {time.monotonic() - began:.0f} s"
    click.echo(f"demo: {done if runs else f'nothing to do, all runs are there ({DEMO}/)'}")
    is_true = _conclude(demo, source.question)
    if not is_true:
        raise click.exceptions.Exit(1)


def _question(paths: LabPaths, demo: LabPaths) -> QuestionSource:
    """Copy the calibration question into the demo's lab root; its catalogue is the repository's."""
    place = find_source(LabPaths(paths.repository), QUESTION).question.folder
    original, copy = paths.repository / place / "README.md", demo.root / place / "README.md"
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_bytes(original.read_bytes())
    return find_source(demo, QUESTION)


def _fill(demo: LabPaths, source: QuestionSource) -> int:
    """Finish what an interrupted demo began, then run what the planner finds missing."""
    from lab.runner.batch_folder import finished

    plan, runs = demo.plans / PLAN, 0
    if plan.exists() and not finished(demo, plan):
        runs += _run(demo, plan)
    planning = make_planning(demo, (source,), Pool(demo).identities(), None)
    if not planning.plan.runs:
        return runs
    demo.plans.mkdir(parents=True, exist_ok=True)
    write_plan(plan, planning.plan)
    return runs + _run(demo, plan)


def _run(demo: LabPaths, plan: Path) -> int:
    """Execute a plan locally; an end before its last run ends the demo with what to type."""
    from lab.runner.batch import run_batch
    from lab.runner.session import Options

    with BatchView(plan, is_quiet=False) as view:
        ended = run_batch(demo, plan, Options(executor="local"), view, os.environ)
    if not ended.state.is_complete:
        for line in ended_lines(ended, shown(plan))[:-1]:
            click.echo(line)
        click.echo(as_typed("next: lab demo (goes on where it stopped)"))
        raise click.exceptions.Exit(exit_code_of(ended))
    return ended.state.finished


def _conclude(demo: LabPaths, question: ResearchQuestion) -> bool:
    """Aggregate, compare, and show where everything lies."""
    from lab.aggregation.aggregate import aggregate
    from lab.aggregation.gather import Sources
    from lab.aggregation.truth import compare, write_truth

    sources = Sources(demo)
    result = aggregate(demo, question, sources=sources)
    truth = compare(demo, question, sources=sources)
    write_truth(demo, truth)
    for line in table(truth):
        click.echo(line)
    click.echo(f"{question.id}: {result.cells} cells, {result.matched} runs, {result.ok} ok")
    for line in _places(demo, question):
        click.echo(line)
    return truth.is_true


def _places(demo: LabPaths, question: ResearchQuestion) -> tuple[str, ...]:
    folder = shown(demo.root / question.folder)
    first = next(iter(Pool(demo).run_ids()), "<run>")
    return (
        f"the tables:      {folder}/summary.md, summary.json, runs.csv",
        f"the comparison:  {folder}/truth.md, truth.json",
        f"the runs:        {shown(demo.runs)}/",
        as_typed_for(demo.root, f"next: lab tdd-report {first}"),
    )
