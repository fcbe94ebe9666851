"""lab import: make a lab root from a pool of the original lab, and report on it."""

import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lab.cli.typed import as_typed_for
from lab.paths import LabPaths

if TYPE_CHECKING:
    from lab.importing.report import Report
    from lab.importing.root import Change, Progress

EVERY = 250


@click.command()
@click.argument("source", required=False, type=click.Path(path_type=Path), metavar="[PATH]")
@click.option("--into", type=click.Path(path_type=Path), help="The lab root to make or renew.")
@click.option(
    "--report",
    "reported",
    type=click.Path(path_type=Path),
    metavar="ROOT",
    help="Only report on a root that was imported; write nothing.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def command(source: Path | None, into: Path | None, reported: Path | None, as_json: bool) -> None:
    """Import a pool of the original lab (PATH holds experiments/ and research/) into a new root.

    Ends with a report, also kept there as import-report.md and import-report.json: odd files by
    name, the original's tables under its own rules and number by number, and the replicates that
    are missing under ours. Importing again changes only what differs.
    """
    from lab.importing.report import report
    from lab.importing.saved import save_report

    if reported and (source or into):
        raise click.UsageError("--report ROOT stands alone")
    if reported is None and (source is None or into is None):
        raise click.UsageError("lab import PATH --into NEW_ROOT, or lab import --report ROOT")
    root = reported or into
    assert root
    paths = LabPaths(root.resolve())
    if source:
        _import(source, paths)
    found = report(paths)
    if source:
        save_report(paths, found)
    _print(paths, found, as_json)


def _import(source: Path, paths: LabPaths) -> None:
    from lab.importing.root import import_pool

    with _progress() as progress:
        change = import_pool(source, paths, progress)
    for line in _told(change):
        click.echo(line, err=True)


def _print(paths: LabPaths, found: "Report", as_json: bool) -> None:
    from lab.importing.render import document, markdown

    if as_json:
        click.echo(json.dumps(document(found), indent=1, ensure_ascii=False))
        return
    click.echo(markdown(found), nl=False)
    click.echo(f"\n{_verdict(found)}")
    click.echo(as_typed_for(paths.root, "next: lab aggregate --all --allow-archived"))


def _verdict(found: "Report") -> str:
    if found.is_reproduced:
        return "every printed number is reproduced"
    if not found.compared:
        return "no summary.md of August came with the questions: nothing to reproduce"
    differing = sum(len(one.differences) for one in found.compared)
    return f"{differing} printed facts are not reproduced: see 'Numbers that differ'"


def _told(change: "Change") -> Iterator[str]:
    yield (
        f"runs: {len(change.added)} added, {len(change.updated)} updated, "
        f"{len(change.unchanged)} unchanged"
    )
    yield from (f"left out, outside the pool: {name}" for name in change.outside)
    yield from (f"not a run: {name}: {reason}" for name, reason in change.unreadable)
    for name in change.kept:
        yield f"kept as it is, it differs from the source: {name}"


@contextlib.contextmanager
def _progress() -> Iterator["Progress"]:
    """Show a bar on a terminal, and a line now and then elsewhere."""
    if not sys.stderr.isatty():
        yield _line
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True)) as bar:
        task = bar.add_task("importing runs", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _line(done: int, total: int) -> None:
    if done % EVERY == 0 or done == total:
        click.echo(f"imported {done} of {total} runs", err=True)
