"""lab plan: write the plan of the runs that are missing."""

import json
from pathlib import Path

import click

from lab.cli.lint import known
from lab.cli.typed import as_typed, shown, shown_plan
from lab.domain.coverage import group_runs
from lab.domain.question import ResearchQuestion
from lab.domain.run import RunIdentity
from lab.errors import LabError
from lab.paths import LabPaths
from lab.planning.estimate import Estimate, estimate
from lab.planning.explain import explain, find_cell
from lab.planning.fill import Rules
from lab.planning.fresh import stamper
from lab.planning.lint import refuse_errors
from lab.planning.plan import Planning, plan_questions
from lab.planning.report import (
    explanation_document,
    explanation_lines,
    planning_document,
    planning_lines,
)
from lab.store.catalogue import read_catalogue
from lab.store.index import paused_collection
from lab.store.plans import document_of, write_plan
from lab.store.pool import Pool
from lab.store.questions import QuestionSource, find_source, read_sources
from lab.store.registry import read_registry

MANY = 4


@click.command()
@click.argument("references", nargs=-1, metavar="[RQ]...")
@click.option("--all", "for_all", is_flag=True, help="Plan every question that is not closed.")
@click.option("--seed", type=click.IntRange(min=0), help="Order of the runs [from the question].")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Where to write.")
@click.option("--dry-run", is_flag=True, help="Report only, write nothing.")
@click.option("--explain", "cell", metavar="CELL", help="Say which runs count (number or words).")
@click.option("--json", "as_json", is_flag=True, help="Print plan and report as JSON.")
@click.pass_obj
def command(  # noqa: PLR0913  click hands over one argument per option
    paths: LabPaths,
    references: tuple[str, ...],
    for_all: bool,
    seed: int | None,
    out: Path | None,
    dry_run: bool,
    cell: str | None,
    as_json: bool,
) -> None:
    """Plan the runs that bring each cell to min_replicates ok runs.

    A question is named by id, folder or README. A run that several questions take is planned once.

    \b
    lab plan RQ-my-question --explain 2
    lab plan RQ-my-question --explain "mars-rover calibration-v1"
    """
    if out is not None and not out.name:
        raise click.UsageError("--out needs a file name")
    pool = Pool(paths)
    with paused_collection():
        sources = _sources(paths, references, for_all)
        runs = pool.identities()
        planning = make_planning(paths, sources, runs, seed)
    if cell is not None:
        _explain(planning, runs, cell, as_json)
        return
    with paused_collection():
        expected = estimate(planning, pool.metrics)
    path = out or _path(paths, references, [source.question for source in sources])
    if not dry_run:
        write_plan(path, planning.plan)
    for fault in pool.faults():
        click.echo(f"warning: {fault}", err=True)
    for line in planning_lines(planning, expected):
        click.echo(line, err=True)
    click.echo(
        _json(planning, expected, path, dry_run)
        if as_json
        else as_typed(_next(paths, planning, path if not dry_run else None, sources))
    )


def _sources(
    paths: LabPaths, references: tuple[str, ...], for_all: bool
) -> tuple[QuestionSource, ...]:
    if for_all == bool(references):
        raise click.UsageError("name questions (lab status lists them), or use --all")
    if not for_all:
        found = {source.file: source for source in (find_source(paths, r) for r in references)}
        return tuple(found.values())
    sources = tuple(source for source in read_sources(paths) if not source.question.closed)
    if not sources:
        raise LabError("there is no open research question: lab init SLUG writes one")
    return sources


def make_planning(
    paths: LabPaths,
    sources: tuple[QuestionSource, ...],
    runs: tuple[RunIdentity, ...],
    seed: int | None,
) -> Planning:
    """Plan what these questions lack; LabError with lint's errors, as cells cannot be trusted."""
    from lab.harnesses import HARNESSES
    from lab.stacks import STACKS

    catalogue = read_catalogue(paths)
    refuse_errors(sources, catalogue, read_registry(paths), known())
    stamp = stamper(paths, lambda harness: HARNESSES[harness].version())
    free = tuple(name for name, stack in STACKS.items() if not stack.IS_ANALYSED)
    questions = [source.question for source in sources]
    return plan_questions(questions, group_runs(runs), Rules(catalogue, stamp, free), seed)


def _path(paths: LabPaths, references: tuple[str, ...], questions: list[ResearchQuestion]) -> Path:
    if not references:
        return paths.plans / "all-fill.json"
    more = f"-and-{len(questions) - 1}-more" if len(questions) > 1 else ""
    return paths.plans / f"{questions[0].id.lower()}{more}-fill.json"


def _explain(planning: Planning, runs: tuple[RunIdentity, ...], cell: str, as_json: bool) -> None:
    if len(planning.questions) > 1:
        raise click.UsageError("--explain needs one question")
    part = planning.questions[0]
    explanation = explain(part, find_cell(part, cell), runs)
    if as_json:
        click.echo(json.dumps(explanation_document(explanation), indent=2, ensure_ascii=False))
        return
    for line in explanation_lines(explanation):
        click.echo(line)
    click.echo(as_typed(f"next: lab plan {part.question.id}"))


def _json(planning: Planning, expected: Estimate, path: Path, dry_run: bool) -> str:
    document = {
        "schema_version": 1,
        "path": None if dry_run else str(path),
        "plan": document_of(planning.plan),
        **planning_document(planning, expected),
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)


def _next(
    paths: LabPaths, planning: Planning, path: Path | None, sources: tuple[QuestionSource, ...]
) -> str:
    """Say where the plan went (None: nowhere) and what to type; many questions are `--all`."""
    names = " ".join(source.question.id for source in sources) if len(sources) < MANY else "--all"
    if path is None:
        return f"nothing written (--dry-run)\nnext: lab plan {names}"
    if not planning.plan.runs:
        return f"{shown(path)}: empty\nnext: lab aggregate {names}"
    return f"{shown(path)}\nnext: lab batch {shown_plan(paths, path)}"
