"""lab aggregate: derive runs.csv, summary.md and summary.json from the pool."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from lab.cli.counted import counted
from lab.cli.typed import as_typed
from lab.errors import LabError
from lab.paths import LabPaths

if TYPE_CHECKING:
    from lab.aggregation.aggregate import Aggregated
    from lab.aggregation.gather import Sources
    from lab.domain.question import ResearchQuestion

SHOWN = 5
AFTER_FAULTS = "next: mend what stands below, then repeat the command (lab lint says more)"


@click.command()
@click.argument("references", nargs=-1, metavar="[RQ]...")
@click.option("--all", "is_all", is_flag=True, help="Every question below research/.")
@click.option("--check", "is_check", is_flag=True, help="Write nothing; exit 1 if a file is stale.")
@click.option("--json", "as_json", is_flag=True, help="Print what became of each question as JSON.")
@click.option("--allow-archived", is_flag=True, help="Accept questions on archived workflows.")
@click.pass_obj
def command(
    paths: LabPaths,
    references: tuple[str, ...],
    is_all: bool,
    is_check: bool,
    as_json: bool,
    allow_archived: bool,
) -> None:
    """Aggregate questions (id, folder or README); without any, give --all or --check for all.

    Files are rewritten only when their content changed; a second run changes nothing.
    """
    if not references and not (is_all or is_check):
        raise click.UsageError("name a question (id, folder or README), or --all")
    if references and is_all:
        raise click.UsageError("name questions or give --all, not both")
    from lab.store.lock import pool_lock

    questions, faults = _questions(paths, references)
    live = _live_batches(paths)
    results = []
    with pool_lock(paths, exclusive=False):
        sources = _sources(paths)
        torn = tuple(f"{fault.run_id} ({fault.reason})" for fault in sources.pool.faults())
        if not as_json:
            _echo(_pool_lines(live, torn))
        for question in questions:
            try:
                result = _aggregate(sources, question, is_check, allow_archived)
            except LabError as error:
                faults.extend(error.faults)
                continue
            results.append(result)
            if not as_json:
                click.echo(_line(result, is_check))
    if as_json:
        _echo(_json(results, live, torn))
    else:
        _echo(map(as_typed, [AFTER_FAULTS] if faults else _next(results, is_check)))
    if faults:
        raise LabError(faults)
    if is_check and any(result.changed for result in results):
        raise click.exceptions.Exit(1)


def _questions(
    paths: LabPaths, references: tuple[str, ...]
) -> tuple[Sequence["ResearchQuestion"], list[str]]:
    """Return the questions that are meant, each once, and the faults of those unreadable."""
    from lab.store.questions import find_question, survey

    if references:
        found = [find_question(paths, reference) for reference in references]
        return tuple({question.folder: question for question in found}.values()), []
    sources, faults = survey(paths)
    return [source.question for source in sources], list(faults)


def _sources(paths: LabPaths) -> "Sources":
    from lab.aggregation.gather import Sources

    return Sources(paths)


def _aggregate(
    sources: "Sources", question: "ResearchQuestion", is_check: bool, allow_archived: bool
) -> "Aggregated":
    from lab.aggregation.aggregate import aggregate

    return aggregate(
        sources.paths, question, sources=sources, allow_archived=allow_archived, is_check=is_check
    )


def _live_batches(paths: LabPaths) -> tuple[str, ...]:
    from lab.store.lock import live_batches

    return live_batches(paths)


def _echo(lines: Iterable[str]) -> None:
    for line in lines:
        click.echo(line)


def _json(
    results: list["Aggregated"], live: tuple[str, ...], torn: tuple[str, ...]
) -> Iterator[str]:
    document = {
        "schema_version": 1,
        "live_batches": list(live),
        "not_counted": list(torn),
        "questions": [
            {
                "id": result.question.id,
                "folder": result.question.folder,
                "changed": list(result.changed),
                "cells": result.cells,
                "matched": result.matched,
                "ok": result.ok,
                "warnings": result.warnings,
            }
            for result in results
        ],
    }
    yield json.dumps(document, indent=2, ensure_ascii=False)


def _pool_lines(live: tuple[str, ...], torn: tuple[str, ...]) -> Iterator[str]:
    if live:
        yield f"running: {', '.join(live)}; only published runs are counted, aggregate again later"
    if torn:
        verb = "is" if len(torn) == 1 else "are"
        more = f" and {len(torn) - SHOWN} more" if len(torn) > SHOWN else ""
        named = ", ".join(torn[:SHOWN])
        yield f"{counted(len(torn), 'folder')} in the pool {verb} not counted: {named}{more}"


def _line(result: "Aggregated", is_check: bool) -> str:
    verb = "stale" if is_check else "wrote"
    folder, files = result.question.folder, ", ".join(result.changed)
    what = f"{verb} {files} in {folder}" if files else "unchanged"
    counts = f"{counted(result.cells, 'cell')}, {counted(result.matched, 'run')}, {result.ok} ok"
    if result.warnings:
        counts += f", {counted(result.warnings, 'warning')} in summary.md"
    return f"{result.question.id}: {counts}: {what}"


def _next(results: list["Aggregated"], is_check: bool) -> Iterator[str]:
    stale = [result.question.id for result in results if result.changed]
    if not results:
        yield "no question"
        yield "next: lab init SLUG"
    elif is_check and stale:
        yield f"next: lab aggregate {' '.join(stale)}"
    else:
        ids = " ".join(result.question.id for result in results) if len(results) < 4 else ""
        yield f"next: lab status {ids}".rstrip()
