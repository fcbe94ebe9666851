"""Batch plans on disk: JSON that a person can write by hand with three keys per run."""

import json
from pathlib import Path
from typing import Any

from lab.domain.plan import Plan, PlannedRun
from lab.errors import LabError
from lab.store.atomic import to_bytes, write_bytes, writing
from lab.store.schema import demand
from lab.store.yaml_text import read_text

VERSION = 1


def read_plan(path: Path) -> Plan:
    """Read a plan; LabError with all of its faults. A plan without a name has the file's."""
    where = path.name
    text = read_text(path, where)
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise LabError(f"{where}:{error.lineno}: not JSON: {error.msg}") from error
    _refuse_future(document, where)
    demand("plan", document, where)
    return Plan(
        name=document.get("name", path.stem),
        description=document.get("description", ""),
        runs=tuple(_run(run) for run in document["runs"]),
        seed=document.get("seed"),
    )


def write_plan(path: Path, plan: Plan) -> None:
    """Write a plan, replacing an older one in one step; LabError where that is not allowed."""
    try:
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
    except (NotADirectoryError, FileExistsError) as error:
        raise LabError(
            f"{path}: its parent is a file, not a folder: choose another place"
        ) from error
    write_bytes(path, to_bytes(document_of(plan), indent=2))


def document_of(plan: Plan) -> dict[str, Any]:
    """Turn a plan into its JSON document; keys without a value are left out."""
    document: dict[str, Any] = {
        "schema_version": VERSION,
        "name": plan.name,
        "description": plan.description,
    }
    if plan.seed is not None:
        document["seed"] = plan.seed
    document["runs"] = [_document_of_run(run) for run in plan.runs]
    return document


def _document_of_run(run: PlannedRun) -> dict[str, Any]:
    document: dict[str, Any] = {"kata": run.kata, "workflow": run.workflow, "model": run.model}
    optional = {"stack": run.stack, "block": run.block, "run_id": run.run_id}
    return document | {key: value for key, value in optional.items() if value is not None}


def _run(document: dict[str, Any]) -> PlannedRun:
    return PlannedRun(
        kata=document["kata"],
        workflow=document["workflow"],
        model=document["model"],
        stack=document.get("stack"),
        block=document.get("block"),
        run_id=document.get("run_id"),
    )


def _refuse_future(document: object, where: str) -> None:
    if isinstance(document, dict):
        version = document.get("schema_version", VERSION)
        if version != VERSION:
            raise LabError(f"{where}: schema_version {version}: this lab reads {VERSION}")
