"""lab plans: the batch plans of this lab root, and how far each is."""

import json
import shlex
from pathlib import Path

import click

from lab.cli.batch import JSON
from lab.cli.batch_view import printable
from lab.cli.counted import counted
from lab.cli.typed import as_typed
from lab.errors import LabError
from lab.paths import LabPaths
from lab.runner.batch_folder import generations
from lab.store.lock import live_batches
from lab.store.plans import read_plan


@click.command()
@JSON
@click.pass_obj
def command(paths: LabPaths, as_json: bool) -> None:
    """List batch plans: runs, the state of the latest batch, and what each is for."""
    rows = [_row(paths, plan) for plan in sorted(paths.plans.glob("*.json"))]
    if as_json:
        print(json.dumps({"schema_version": 1, "plans": rows}, indent=1))
        return
    for row in rows:
        about = f" - {printable(str(row['description']))}" if row.get("description") else ""
        print(f"{row['plan']}: {row['state']}{about}")
    if not rows:
        print(f"no plans in {paths.plans}")
    print(as_typed(f"next: {_next(rows)}"))


def _row(paths: LabPaths, plan: Path) -> dict[str, object]:
    try:
        found, known = read_plan(plan), generations(paths, plan)
    except LabError as error:
        fault = error.faults[0].removeprefix(f"{plan.name}: ")
        return {"plan": plan.name, "state": f"broken: {fault}"}
    about = {"plan": plan.name, "description": found.description, "total": len(found.runs)}
    if not known:
        return {**about, "state": _unstarted(len(found.runs)), "finished": 0, "is_live": False}
    state = known[-1].state()
    kind = "finished" if state.is_complete else "unfinished"
    if known[-1].id in live_batches(paths):
        kind = "running"
    return {
        **about,
        "state": f"{state.finished} of {state.total} runs done, {kind}",
        "batch_id": known[-1].id,
        "finished": state.finished,
        "is_live": kind == "running",
    }


def _unstarted(runs: int) -> str:
    return f"{counted(runs, 'run')}, {'not started' if runs else 'nothing to do'}"


def _next(rows: list[dict[str, object]]) -> str:
    for row in rows:
        if "not started" in str(row["state"]):
            return f"lab batch {_name(row)}"
        if "unfinished" in str(row["state"]):
            return f"lab resume {_name(row)}"
    return "lab plan --all"


def _name(row: dict[str, object]) -> str:
    return shlex.quote(str(row["plan"]).removesuffix(".json"))
