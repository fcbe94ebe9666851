"""lab clean: remove broken runs from the pool."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import click

from lab.cli.counted import counted
from lab.cli.typed import as_typed
from lab.domain.question import ResearchQuestion
from lab.paths import LabPaths
from lab.runner.broken import Broken, find_broken
from lab.runner.clean import Cleaned, clean
from lab.store.catalogue import read_catalogue
from lab.store.questions import read_questions


@click.command()
@click.option("--apply", "is_applied", is_flag=True, help="Remove and commit; without it, list.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.pass_obj
def command(paths: LabPaths, is_applied: bool, as_json: bool) -> None:
    """Remove every run that did not end ok, stubs, and folders that git tracks nothing in.

    Re-aggregates the questions that selected one, and makes one commit of exactly these paths. The
    next plan refills the cells. Names that start with _ or . are never touched.
    """
    questions, catalogue = read_questions(paths), read_catalogue(paths)
    if is_applied:
        cleaned = clean(paths, questions, catalogue, lambda one: _aggregate(paths, one))
        lines = _cleaned_json(paths, cleaned) if as_json else _cleaned_text(cleaned)
    else:
        broken = find_broken(paths, questions, catalogue)
        lines = _broken_json(broken) if as_json else _broken_text(broken)
    for line in lines:
        click.echo(line if as_json else as_typed(line))


def _aggregate(paths: LabPaths, question: ResearchQuestion) -> Iterable[Path]:
    from lab.aggregation.aggregate import aggregate

    folder = paths.root / question.folder
    return [folder / name for name in aggregate(paths, question).changed]


def _listing(broken: Broken) -> Iterator[str]:
    for run in broken.runs:
        yield f"  {run.run_id}: {run.reason}{'' if run.is_tracked else ' (not in git)'}"
    for fault in broken.kept:
        yield f"  kept, look at it yourself: {fault}"


def _broken_text(broken: Broken) -> Iterator[str]:
    if not broken.runs:
        yield from _listing(broken)
        yield "nothing to remove"
        yield "next: lab status"
        return
    yield f"{_runs(broken)} would be removed ({_counts(broken)}):"
    yield from _listing(broken)
    for question in broken.questions:
        yield f"  then aggregated: {question.id}"
    for question in broken.archived:
        yield f"  not aggregated, it names an archived workflow: {question.id}"
    lost = sum(not run.is_tracked for run in broken.runs)
    if lost:
        yield f"not in git, and cannot be brought back: {lost} of them"
    yield "next: lab clean --apply"


def _cleaned_text(cleaned: Cleaned) -> Iterator[str]:
    if not cleaned.broken.runs:
        yield from _broken_text(cleaned.broken)
        return
    yield f"removed {_runs(cleaned.broken)} ({_counts(cleaned.broken)})"
    yield from (f"rewrote {file}" for file in cleaned.files)
    yield from (f"note: {note}" for note in cleaned.notes)
    yield f"committed {cleaned.commit[:12]}" if cleaned.commit else "git tracked nothing of it"
    yield "next: lab plan --all"


def _runs(broken: Broken) -> str:
    return counted(len(broken.runs), "run")


def _counts(broken: Broken) -> str:
    counts = Counter(run.reason for run in broken.runs)
    return ", ".join(f"{count} {reason}" for reason, count in sorted(counts.items()))


def _broken_json(broken: Broken) -> Iterator[str]:
    yield json.dumps(_document(broken), indent=1, ensure_ascii=False)


def _cleaned_json(paths: LabPaths, cleaned: Cleaned) -> Iterator[str]:
    document = _document(cleaned.broken) | {
        "files": [str(file.relative_to(paths.root)) for file in cleaned.files],
        "commit": cleaned.commit,
        "notes": list(cleaned.notes),
    }
    yield json.dumps(document, indent=1, ensure_ascii=False)


def _document(broken: Broken) -> dict[str, object]:
    return {
        "schema_version": 1,
        "runs": [
            {"run_id": run.run_id, "reason": run.reason, "is_tracked": run.is_tracked}
            for run in broken.runs
        ],
        "kept": [{"run_id": fault.run_id, "reason": fault.reason} for fault in broken.kept],
        "questions": [question.id for question in broken.questions],
        "archived": [question.id for question in broken.archived],
    }
