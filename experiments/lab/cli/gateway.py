"""lab gateway: listen on one event socket by hand and show what arrives."""

import json
import time
from pathlib import Path

import click

from lab.cli.counted import counted
from lab.cli.typed import as_typed
from lab.errors import LabError
from lab.paths import LabPaths


@click.command()
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder for the socket (made when absent; its path must be short).",
)
@click.option(
    "--events",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    help="Event file to write or continue (default: FOLDER/tdd-events.jsonl).",
)
@click.option("--seconds", type=click.FloatRange(min=0), default=None, help="Stop after a while.")
@click.pass_obj
def command(paths: LabPaths, folder: Path, events: Path | None, seconds: float | None) -> None:
    """Listen on an event socket until Ctrl-C and print each line that a reporter sends.

    The runner starts a gateway of its own; this one is for trying a reporter by hand.
    """
    from lab.gateway.client import SPOOL_NAME, Gateway, reporter_variables

    target = (events or folder / "tdd-events.jsonl").resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LabError(f"{target.parent}: {error.strerror}: name a writable folder") from None
    with Gateway() as gateway:
        socket = gateway.open("by-hand", folder.resolve(), target)
        spool = str(socket.with_name(SPOOL_NAME))
        for name, value in reporter_variables(str(socket), spool, "").items():
            if value:
                click.echo(f"export {name}={value}")
        click.echo("listening; run a test suite in another terminal, Ctrl-C ends")
        try:
            _follow(target, seconds)
        except KeyboardInterrupt:
            click.echo("")
        received = gateway.close("by-hand")
    for fault in received.faults:
        click.echo(f"fault: {fault}")
    click.echo(f"{counted(received.lines, 'line')} in {target}")
    click.echo(as_typed("next: lab doctor"))


def _follow(events: Path, seconds: float | None) -> None:
    """Print the event file's new lines until the time is over (None = until Ctrl-C)."""
    end = None if seconds is None else time.monotonic() + seconds
    with events.open(encoding="utf-8") as file:
        while end is None or time.monotonic() < end:
            position = file.tell()
            line = file.readline()
            if line.endswith("\n"):
                click.echo(_shown(json.loads(line)))
            else:
                file.seek(position)
                time.sleep(0.1)


def _shown(line: dict[str, object]) -> str:
    """Return one short line for people: sequence, kind and what matters of the body."""
    keys = ("runner", "route", "result", "partial_reasons", "exit_code", "tampered", "reason")
    rest = " ".join(f"{key}={line[key]}" for key in keys if line.get(key) not in (None, []))
    return f"{line['sequence']:>4} {line['kind']} {rest}".rstrip()
