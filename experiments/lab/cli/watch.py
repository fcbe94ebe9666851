"""lab watch: how a batch is doing; pause, resume, drain and shards through its control file."""

import json
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from lab.cli.batch import JSON, find_plan
from lab.cli.batch_view import duration, fitted, printable, progress_line
from lab.cli.typed import as_typed, shown, shown_plan
from lab.errors import LabError
from lab.paths import LabPaths
from lab.runner.batch_folder import BatchFolder, all_batches, generations
from lab.runner.control import Command, read_control, write_control
from lab.runner.live import CellProgress, Snapshot, cells, snapshot, utc_now
from lab.store.lock import live_batches
from lab.store.plans import read_plan

REFRESH_SECONDS = 2.0
SCREENFUL = 20


@click.command()
@click.argument("plan", type=click.Path(path_type=Path), required=False)
@click.option("--once", is_flag=True, help="Print the state once and leave.")
@click.option("--pause", "asked", flag_value="pause", help="Start no more runs for now.")
@click.option("--resume", "asked", flag_value="run", help="Start runs again.")
@click.option("--drain", "asked", flag_value="drain", help="Let running runs end, then leave.")
@click.option("--shards", type=click.IntRange(min=1), help="Change how many run at once.")
@JSON
@click.pass_obj
def command(  # noqa: PLR0913  click hands over one argument per option
    paths: LabPaths,
    plan: Path | None,
    once: bool,
    asked: str | None,
    shards: int | None,
    as_json: bool,
) -> None:
    """Show PLAN's batch, or the latest one, until it is done or nobody works on it."""
    batch = _batch(paths, plan)
    if asked or shards:
        _ask(batch, Command(asked) if asked else None, shards)
        if not as_json:
            print("\n".join(_asked_lines(paths, batch, asked, shards)))
            return
    if as_json:
        print(json.dumps(_document(paths, batch), indent=1))
        return
    _follow(paths, batch, once=once or not sys.stdout.isatty())


def _batch(paths: LabPaths, plan: Path | None) -> BatchFolder:
    known = generations(paths, find_plan(paths, plan)) if plan else all_batches(paths)
    if not known:
        raise LabError(f"{plan or 'no batch'}: never started (lab plans lists plans)")
    return known[-1]


def _is_live(paths: LabPaths, batch: BatchFolder) -> bool:
    return batch.id in live_batches(paths)


def _ask(batch: BatchFolder, asked: Command | None, shards: int | None) -> None:
    if batch.state().is_complete:
        raise LabError(f"batch {batch.id} is done: nothing to change (lab plans lists the others)")
    write_control(batch.control, command=asked, shards=shards)


def _asked_lines(
    paths: LabPaths, batch: BatchFolder, asked: str | None, shards: int | None
) -> Iterator[str]:
    number = f"shards {shards}" if shards else None
    yield f"batch {batch.id}: asked for {', '.join(filter(None, (asked, number)))}"
    plan = _named(paths, batch)
    if _is_live(paths, batch):
        yield as_typed(f"next: lab watch {plan}")
    else:
        yield "nobody works on it now: it counts from the next start"
        yield as_typed(f"next: lab resume {plan}")


def _snapshot(batch: BatchFolder) -> Snapshot:
    control = read_control(batch.control)
    paused = "asked for" if control.command is Command.PAUSE else None
    state = batch.state()
    return snapshot(batch.id, state, control.shards or state.shards, utc_now(), paused)


def _document(paths: LabPaths, batch: BatchFolder) -> dict[str, object]:
    found = asdict(_snapshot(batch))
    rows = [asdict(cell) for cell in cells(read_plan(batch.plan), batch.state())]
    return {"schema_version": 1, "is_live": _is_live(paths, batch), **found, "cells": rows}


def _follow(paths: LabPaths, batch: BatchFolder, *, once: bool) -> None:
    plan = read_plan(batch.plan)
    while True:
        seen, is_live = _snapshot(batch), _is_live(paths, batch)
        if not once:
            click.clear()
        lines = (*_about(batch, seen), *_cell_lines(cells(plan, batch.state())))
        print("\n".join(map(_fitted, lines)))
        print(as_typed(_following(_named(paths, batch), seen, is_live)))
        if once or not is_live:
            return
        time.sleep(REFRESH_SECONDS)


def _cell_lines(found: tuple[CellProgress, ...]) -> list[str]:
    """Lay the unfinished cells out, at most a screenful of them."""
    open_cells = [cell for cell in found if cell.done < cell.planned]
    lines = [
        f"{cell.done:4}/{cell.planned} done, {cell.replicates} ok  {printable(cell.cell)}"
        for cell in open_cells[:SCREENFUL]
    ]
    more = len(open_cells) - SCREENFUL
    lines += [f"      and {more} more cells"] if more > 0 else []
    return [f"{len(found) - len(open_cells)} of {len(found)} cells done", *lines]


def _fitted(line: str) -> str:
    return fitted(line, shutil.get_terminal_size().columns) if sys.stdout.isatty() else line


def _about(batch: BatchFolder, seen: Snapshot) -> list[str]:
    lines = [f"batch {batch.id} ({printable(shown(batch.plan_path()))})", progress_line(seen)]
    lines += [f"  {count:5} {reason}" for reason, count in sorted(seen.ended.items())]
    lines += [f"  running {duration(one.seconds)}: {printable(one.run_id)}" for one in seen.active]
    lines += [f"  stopped: {printable(why)}" for why in seen.stopped]
    return lines


def _named(paths: LabPaths, batch: BatchFolder) -> str:
    origin = batch.plan_path()
    return shown_plan(paths, origin if origin.is_file() else batch.plan)


def _following(plan: str, seen: Snapshot, is_live: bool) -> str:
    if is_live:
        return f"next: lab watch {plan} --pause | --resume | --drain | --shards N"
    if seen.finished < seen.total:
        return f"nobody works on it (the log beside the plan says why)\nnext: lab resume {plan}"
    return "done\nnext: lab aggregate --all"
