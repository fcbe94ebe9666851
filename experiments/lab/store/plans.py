"""Batch plans on disk: JSON that a person can write by hand with three keys per run."""

import json
from pathlib import Path
from typing import Any

from lab.domain.plan import Plan, PlannedRun
from lab.errors import LabError
from lab.store.atomic import to_bytes, write_bytes, writing
from lab.store.schema import demand, schema
from lab.store.yaml_text import read_text

VERSION = 1
RUN_KEYS = frozenset({"kata", "workflow", "model", "stack", "block", "run_id"})


def read_plan(path: Path) -> Plan:
    """Read a plan; LabError with all of its faults. A plan without a name has the file's."""
    where = path.name
    text = read_text(path, where)
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise LabError(f"{where}:{error.lineno}: not JSON: {error.msg}") from error
    _refuse_future(document, where)
    if not _is_sound(document):
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


def _is_sound(document: Any) -> bool:
    """Tell quickly whether a plan has only runs of names, blocks and known keys.

    What is not sound at a glance goes to the schema, which says why, or that it is fine after all:
    checking 10,000 runs by schema takes a second (measured 2026-11).
    """
    return (
        isinstance(document, dict)
        and document.keys() <= schema("plan")["properties"].keys()
        and isinstance(document.get("name", "a"), str)
        and isinstance(document.get("description", ""), str)
        and type(document.get("seed")) in (int, type(None))
        and isinstance(document.get("runs"), list)
        and all(map(_is_sound_run, document["runs"]))
    )


def _is_sound_run(run: Any) -> bool:
    if not isinstance(run, dict) or not run.keys() <= RUN_KEYS:
        return False
    names = [run.get("kata"), run.get("workflow"), run.get("model"), run.get("stack", "a")]
    names.append(run.get("run_id", "a"))
    block = run.get("block", 1)
    return all(isinstance(name, str) and name for name in names) and (
        type(block) is int and block >= 1
    )


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
