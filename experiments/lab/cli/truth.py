"""lab truth: compare measured with expected on the calibration question."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from lab.cli.typed import as_typed
from lab.paths import LabPaths

if TYPE_CHECKING:
    from lab.aggregation.truth import Truth, TruthRow

QUESTION = "RQ-instrument-truth"


@click.command()
@click.argument("reference", default=QUESTION, metavar="[RQ]")
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
@click.pass_obj
def command(paths: LabPaths, reference: str, as_json: bool) -> None:
    """Compare every run of a calibration question with what its manner must measure.

    Writes truth.md and truth.json beside the question's summary. Exit 1 on any difference, and
    where a manner has no run.
    """
    from lab.aggregation.truth import compare, document_of, write_truth
    from lab.store.questions import find_question

    truth = compare(paths, find_question(paths, reference))
    changed = write_truth(paths, truth)
    if as_json:
        click.echo(json.dumps(document_of(truth), indent=2))
    else:
        for line in (*table(truth), *_ending(truth, changed)):
            click.echo(as_typed(line))
    if not truth.is_true:
        raise click.exceptions.Exit(1)


def table(truth: "Truth") -> Iterator[str]:
    """Return the comparison as lines for a terminal: one per run, differences below theirs."""
    from lab.aggregation.truth import verdict

    width = max((len(row.manner) for row in truth.rows), default=0)
    for row in truth.rows:
        yield f"{_mark(row)}  {row.manner:{width}}  {_shown(row)}"
        for one in row.differences:
            yield f"{'':{width + 8}}{one.what}: measured {one.measured}, expected {one.expected}"
    yield f"{truth.question.id}: {verdict(truth)}"


def _mark(row: "TruthRow") -> str:
    if not row.is_compared:
        return "  --"
    return "DIFF" if row.differences else "  ok"


def _shown(row: "TruthRow") -> str:
    from lab.aggregation.truth import spoken_chain

    chain = spoken_chain(row)
    return chain if row.run_id is None else f"{row.executor or '?'}: {chain}"


def _ending(truth: "Truth", changed: tuple[str, ...]) -> Iterator[str]:
    folder = truth.question.folder
    yield f"wrote {', '.join(f'{folder}/{name}' for name in changed)}" if changed else "unchanged"
    if truth.absent:
        yield f"next: lab plan {truth.question.id}"
    elif truth.is_true:
        yield f"next: lab status {truth.question.id}"
    else:
        first = next(row.run_id for row in truth.rows if row.differences)
        yield f"next: lab tdd-report {first}"
