"""lab status: show what each question needs next."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

import click

from lab.cli.counted import counted
from lab.cli.typed import as_typed
from lab.domain.question import ResearchQuestion
from lab.errors import LabError
from lab.paths import LabPaths
from lab.status.question_status import QuestionStatus
from lab.status.status import Sources, read_status
from lab.store.catalogue import read_catalogue
from lab.store.pool import Pool, PoolFault
from lab.store.questions import find_question, survey
from lab.store.registry import read_registry

SHOWN_FAULTS = 10
HEADINGS = ("question", "cells", "runs", "ok", "findings", "newer", "stale", "next")


@click.command()
@click.argument("references", nargs=-1, metavar="[RQ]...")
@click.option("--open", "is_open", is_flag=True, help="Only questions that need attention.")
@click.option("--stale", "is_stale", is_flag=True, help="List ids of runs measured by older code.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
@click.pass_obj
def command(
    paths: LabPaths, references: tuple[str, ...], is_open: bool, is_stale: bool, as_json: bool
) -> None:
    """Show per question: cells at min_replicates, runs, findings, and what came after them.

    A question (id, folder or README; all without one) needs attention when a cell is short, there
    is no finding, or runs are newer than findings.md.
    """
    if is_stale and as_json:
        raise click.UsageError("--stale prints bare run ids; --json has them under `stale`")
    questions, faults = _questions(paths, references)
    pool = Pool(paths)
    sources = Sources(paths, pool, read_catalogue(paths), read_registry(paths))
    found = read_status(sources, questions)
    shown = tuple(status for status in found if status.is_open or not is_open)
    following = "mend what stands below, then lab lint" if faults else None
    if is_stale:
        lines: Iterable[str] = sorted({run_id for status in shown for run_id in status.stale})
    else:
        lines = _json(shown, pool) if as_json else _text(shown, found, pool, following)
    for line in lines:
        click.echo(line if as_json else as_typed(line))
    if is_stale:
        stale = len({run_id for status in shown for run_id in status.stale})
        click.echo(f"{counted(stale, 'run')} measured by older code", err=True)
    for warning in _warnings(shown, pool.faults()):
        click.echo(f"warning: {warning}", err=True)
    if faults:
        raise LabError(faults)


def _questions(
    paths: LabPaths, references: tuple[str, ...]
) -> tuple[Sequence[ResearchQuestion], Sequence[str]]:
    """Return the questions and the faults of those that cannot be read."""
    if references:
        return [find_question(paths, reference) for reference in references], ()
    if not (paths.research.is_dir() or paths.runs.is_dir()):
        raise LabError(f"{paths.root}: no lab root: it has no research/ and no experiments/runs/")
    sources, faults = survey(paths)
    return [source.question for source in sources], faults


def _json(shown: Sequence[QuestionStatus], pool: Pool) -> Iterator[str]:
    questions = [
        asdict(status) | {"is_open": status.is_open, "next": status.next_step} for status in shown
    ]
    document: dict[str, Any] = {
        "schema_version": 1,
        "runs": len(pool.run_ids()),
        "faults": [asdict(fault) for fault in pool.faults()],
        "questions": questions,
    }
    yield json.dumps(document, indent=1, ensure_ascii=False)


def _text(
    shown: Sequence[QuestionStatus],
    found: Sequence[QuestionStatus],
    pool: Pool,
    following: str | None,
) -> Iterator[str]:
    """`following` is what to do first, before any step of a question."""
    if shown:
        yield from _table([HEADINGS, *(_row(status) for status in shown)])
    is_open = sum(status.is_open for status in found)
    questions, runs = counted(len(found), "question"), counted(len(pool.run_ids()), "run")
    yield f"{questions}, {is_open} in need of attention; {runs} in the pool"
    steps = [status.next_step for status in found if status.is_open and status.next_step]
    first = following or next(iter(steps), "nothing to do (lab init SLUG starts a question)")
    yield f"next: {first}"


def _row(status: QuestionStatus) -> tuple[str, ...]:
    closed = f"closed: {status.closed}" if status.closed else ""
    return (
        status.id,
        f"{status.full}/{status.cells}",
        str(status.matched),
        str(status.usable),
        str(status.findings),
        "-" if status.newer is None else str(status.newer),
        str(len(status.stale)),
        closed or _short(status),
    )


def _short(status: QuestionStatus) -> str:
    """Say the next step in few words: the command alone, files without their folder."""
    step = status.next_step.replace(f"{status.folder}/", "")
    return step.split()[1] if step.startswith("lab ") else step


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lay rows out: text to the left, numbers to the right, the last column as it is."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        middle = (text.rjust(width) for text, width in zip(row[1:-1], widths[1:-1], strict=True))
        yield "  ".join((row[0].ljust(widths[0]), *middle, row[-1])).rstrip()


def _warnings(shown: Sequence[QuestionStatus], faults: Sequence[PoolFault]) -> Iterator[str]:
    for status in shown:
        yield from status.warnings
        if status.undated:
            undated = counted(status.undated, "run")
            yield f"{status.id}: {undated} without a readable start: newer or not?"
    for fault in faults[:SHOWN_FAULTS]:
        yield str(fault)
    if len(faults) > SHOWN_FAULTS:
        yield f"{len(faults) - SHOWN_FAULTS} more folders are not counted (--json lists them)"
