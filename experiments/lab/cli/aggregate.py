"""lab aggregate: derive runs.csv, summary.md and summary.json from the pool."""

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from lab.errors import LabError
from lab.paths import LabPaths

if TYPE_CHECKING:
    from lab.aggregation.aggregate import Aggregated
    from lab.domain.question import ResearchQuestion


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
    results, faults = _aggregate(
        paths, references, is_check=is_check, allow_archived=allow_archived
    )
    live = _live_batches(paths)
    lines = _json(results, live) if as_json else _text(results, live, is_check)
    for line in lines:
        click.echo(line)
    if faults:
        raise LabError(faults)
    if is_check and any(result.changed for result in results):
        raise click.exceptions.Exit(1)


def _aggregate(
    paths: LabPaths, references: tuple[str, ...], *, is_check: bool, allow_archived: bool
) -> tuple[list["Aggregated"], list[str]]:
    """Aggregate one question after the other; the faults of one do not stop the others."""
    from lab.aggregation.aggregate import aggregate
    from lab.aggregation.gather import Sources

    questions, faults = _questions(paths, references)
    results = []
    sources = Sources(paths)
    for question in questions:
        try:
            result = aggregate(
                paths, question, sources=sources, allow_archived=allow_archived, is_check=is_check
            )
        except LabError as error:
            faults.extend(error.faults)
            continue
        results.append(result)
    return results, faults


def _questions(
    paths: LabPaths, references: tuple[str, ...]
) -> tuple[Sequence["ResearchQuestion"], list[str]]:
    from lab.store.questions import find_question, survey

    if references:
        return [find_question(paths, reference) for reference in references], []
    sources, faults = survey(paths)
    return [source.question for source in sources], list(faults)


def _live_batches(paths: LabPaths) -> tuple[str, ...]:
    from lab.store.lock import live_batches

    return live_batches(paths)


def _json(results: list["Aggregated"], live: tuple[str, ...]) -> Iterator[str]:
    document = {
        "schema_version": 1,
        "live_batches": list(live),
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


def _text(results: list["Aggregated"], live: tuple[str, ...], is_check: bool) -> Iterator[str]:
    if live:
        yield f"running: {', '.join(live)}; only published runs are counted, aggregate again later"
    for result in results:
        yield _line(result, is_check)
    if not results:
        yield "no question"
        yield "next: lab init SLUG"
    elif is_check and any(result.changed for result in results):
        stale = [result.question.id for result in results if result.changed]
        yield f"next: lab aggregate {' '.join(stale)}"
    else:
        ids = " ".join(result.question.id for result in results) if len(results) < 4 else ""
        yield f"next: lab status {ids}".rstrip()


def _line(result: "Aggregated", is_check: bool) -> str:
    verb = "stale" if is_check else "wrote"
    files = [f"{result.question.folder}/{name}" for name in result.changed]
    what = f"{verb} {', '.join(files)}" if files else "unchanged"
    counts = f"{result.cells} cells, {result.matched} runs, {result.ok} ok"
    warnings = f", {result.warnings} warnings in summary.md" if result.warnings else ""
    return f"{result.question.id}: {counts}{warnings}: {what}"
