"""lab setup: install a stack's tools into the cache."""

import dataclasses
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from lab.cli.typed import as_typed
from lab.paths import LabPaths


@click.command()
@click.argument("stacks", nargs=-1, metavar="[STACK]...")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
@click.pass_obj
def command(paths: LabPaths, stacks: tuple[str, ...], as_json: bool) -> None:
    """Install the tools and template dependencies of stacks (default: all) into the cache.

    Resumable; a second call does nothing. A run itself installs nothing.
    """
    from lab.runner.setup import install, stacks_with_tools

    chosen = dict.fromkeys(stacks or stacks_with_tools())
    with _progress(as_json) as say:
        results = [install(paths, stack_id, say) for stack_id in chosen]
    if as_json:
        rows = [dataclasses.asdict(result) for result in results]
        click.echo(json.dumps({"schema_version": 1, "stacks": rows}, indent=2))
        return
    for result in results:
        did = f"done ({', '.join(result.steps)})" if result.steps else "nothing to do"
        click.echo(f"{result.stack}: {did}; tools in {result.folder}")
    click.echo(as_typed("next: lab doctor"))


@contextmanager
def _progress(is_silent: bool) -> Iterator[Callable[[str], None]]:
    """Give a place for progress: a spinner on a terminal, plain lines elsewhere, or nowhere."""
    if is_silent:
        yield lambda line: None
    elif not sys.stdout.isatty():
        yield click.echo
    else:
        from rich.console import Console

        with Console().status("checking") as status:
            yield status.update
