"""lab tdd-report: show the phase chain of a run, or solve worked cases."""

import json
from collections.abc import Mapping
from pathlib import Path

import click

from lab.chain.cases import Outcome, parse_cases, solve, solved_text
from lab.chain.classify import label
from lab.chain.metrics import measure
from lab.chain.report import chain_line, markdown
from lab.chain.stream import EventStream, decode_lines, read_stream
from lab.chain.vocabulary import Chain
from lab.cli.typed import as_typed, shown
from lab.domain.event import PathClass
from lab.errors import LabError
from lab.paths import LabPaths, RunPaths


@click.command()
@click.argument("run", required=False, metavar="[RUN_FOLDER|EVENTS_FILE|RUN_ID]")
@click.option("--chain", "as_chain", is_flag=True, help="Print the labels in one line.")
@click.option("--json", "as_json", is_flag=True, help="Print the metrics as JSON.")
@click.option(
    "--cases",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Solve the cases of a file; where it gives labels or metrics, compare (1 = differs).",
)
@click.option("--stack", help="Whose rules class the files; default: the one in run.json.")
@click.pass_obj
def command(
    paths: LabPaths,
    run: str | None,
    as_chain: bool,
    as_json: bool,
    cases: Path | None,
    stack: str | None,
) -> None:
    """Show the phase chain of a run, as Markdown.

    A run is a folder, an id in the pool, or a tdd-events.jsonl file.
    With --cases FILE, solve worked cases in the notation of tests/cases/chain instead.
    """
    if (run is None) == (cases is None):
        raise click.UsageError("give a run, or --cases FILE")
    if as_chain and as_json:
        raise click.UsageError("--chain and --json exclude each other")
    if cases is not None:
        _show_cases(cases, as_chain=as_chain, as_json=as_json)
    else:
        _show_run(_find(paths, run or ""), stack, as_chain=as_chain, as_json=as_json)


def _show_cases(path: Path, *, as_chain: bool, as_json: bool) -> None:
    outcomes = [solve(case) for case in parse_cases(_read_cases(path), str(path))]
    if as_json:
        cases = [_case_document(one) for one in outcomes]
        click.echo(json.dumps({"schema_version": 1, "cases": cases}, indent=2))
    elif as_chain:
        click.echo("\n".join(f"{one.case.name}: {' -> '.join(one.labels)}" for one in outcomes))
    else:
        click.echo("\n\n".join(solved_text(one) for one in outcomes))
    differing = [one for one in outcomes if one.differences]
    for one in differing:
        for difference in one.differences:
            click.echo(f"{path}: [{one.case.name}] {difference}", err=True)
    click.echo(f"cases: {len(outcomes)}, differing: {len(differing)}", err=True)
    if differing:
        raise click.exceptions.Exit(1)


def _case_document(outcome: Outcome) -> dict[str, object]:
    return {
        "name": outcome.case.name,
        "labels": list(outcome.labels),
        "metrics": dict(outcome.metrics),
    }


def _show_run(events: Path, stack: str | None, *, as_chain: bool, as_json: bool) -> None:
    stream = _stream(events, stack)
    chain = label(stream.events)
    if as_chain:
        click.echo(chain_line(chain))
    elif as_json:
        click.echo(json.dumps(_document(stream, chain), indent=2))
    else:
        title = events.resolve().parent.name
        click.echo(markdown(title, stream, chain, measure(chain, stream.absence)), nl=False)
        click.echo(as_typed(f"next: lab tdd-report {shown(events)} --json"), err=True)


def _document(stream: EventStream, chain: Chain) -> dict[str, object]:
    """Return the metrics under their names without chain_, and what else a reader needs."""
    measurements = {
        column.removeprefix("chain_"): one for column, one in measure(chain, stream.absence).items()
    }
    values = {name: one.value for name, one in measurements.items()}
    return {
        "schema_version": 1,
        **values,
        "missing": {name: one.reason for name, one in measurements.items() if one.reason},
        "labels": list(chain.labels),
        "flaky_tests": ["::".join(test) for test in chain.flaky],
        "tampering": list(stream.tampering),
        "faults": list(stream.faults),
    }


def _find(paths: LabPaths, run: str) -> Path:
    """Return the events file of a run folder, of a run in the pool, or the file itself."""
    given = Path(run)
    if given.is_file():
        return given
    folders = (given, paths.run(run).folder)
    for folder in (RunPaths(folder) for folder in folders):
        if folder.events.is_file() or folder.record.is_file():
            return folder.events
    raise LabError(
        f"{run}: no run here: name a folder with run.json or tdd-events.jsonl, such an events "
        f"file, or a run of {paths.runs}"
    )


def _stream(events: Path, stack: str | None) -> EventStream:
    """Read an events file; a run without one has no events."""
    lines = decode_lines(_read_events(events)) if events.is_file() else ()
    is_foreign = events.name != RunPaths(events.parent).events.name
    if is_foreign and not any(isinstance(line, Mapping) for line in lines):
        raise LabError(f"{events}: no events in it: each line of tdd-events.jsonl is a JSON object")
    folder = RunPaths(events.parent.resolve())
    if stack is None and folder.record.is_file():
        from lab.stacks import STACKS
        from lab.store.run_files import read_record

        # A run of the original lab may be of a stack that has no module here.
        recorded = read_record(folder).identity.stack
        stack = recorded if recorded in STACKS else None
    return read_stream(lines, _ClassOf(stack))


class _ClassOf:
    """Class paths by one stack's rules; without a stack, by the first that knows the path."""

    def __init__(self, stack: str | None) -> None:
        from lab.stacks import STACKS

        if stack is not None and stack not in STACKS:
            raise LabError(f"no stack {stack!r}: allowed are {', '.join(STACKS)}")
        self._stacks = tuple(STACKS.values()) if stack is None else (STACKS[stack],)

    def __call__(self, path: str) -> PathClass:
        classes = (stack.path_class(path) for stack in self._stacks)
        return next((one for one in classes if one is not PathClass.OTHER), PathClass.OTHER)


def _read_cases(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise LabError(f"{path}: no text in UTF-8: a case file is plain text") from None


def _read_events(path: Path) -> str:
    """Read whatever was written; what is no UTF-8 shows as replacement characters."""
    return path.read_text(encoding="utf-8", errors="replace")
