"""What the last aggregation saw and wrote, so that "nothing changed" costs no file of any run.

One small JSON file per question below runs/.cache/aggregation; deleting it costs one recomputation.
"""

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import lab
from lab.aggregation.gather import Chosen, Sources
from lab.domain.question import ResearchQuestion
from lab.paths import LabPaths
from lab.store.atomic import CannotWrite, write_json, writing

SCHEMA_VERSION = 1
SHAPE = {"schema_version": int, "fingerprint": str, "files": dict, "ok": int, "warnings": int}
ROOMS = ("aggregation", "domain", "stats", "store")


@dataclass(frozen=True, slots=True)
class Remembered:
    """`fingerprint` of everything that was read, and each written file's name with its hash."""

    fingerprint: str
    files: tuple[tuple[str, str], ...]
    ok: int
    warnings: int


def fingerprint(sources: Sources, question: ResearchQuestion, chosen: Chosen) -> str:
    """Return a token that is equal as long as nothing that the summary depends on changed.

    That is the question, its cells and their runs' files, the registry, the compared workflows'
    files, the manifest, and the lab's own code.
    """
    workflows = {name for part in chosen.cells for name in part.cell.workflows}
    facts = (
        SCHEMA_VERSION,
        question,
        tuple((part.cell, len(part.run_ids)) for part in chosen.cells),
        chosen.overlaps,
        sources.pool.fingerprint(chosen.run_ids),
        _stats([sources.paths.registry, sources.paths.lineage, *_code()]),
        tuple(_workflow(sources, name) for name in sorted(workflows)),
    )
    return hashlib.sha256(repr(facts).encode("utf-8", "backslashreplace")).hexdigest()


def recall(paths: LabPaths, question: ResearchQuestion) -> Remembered | None:
    """Return what was remembered of a question; None where there is nothing, or nothing sound."""
    try:
        found = json.loads(_place(paths, question).read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    if not isinstance(found, dict) or {name: type(value) for name, value in found.items()} != SHAPE:
        return None
    if found["schema_version"] != SCHEMA_VERSION:
        return None
    files = tuple((name, str(sha)) for name, sha in found["files"].items())
    return Remembered(found["fingerprint"], files, found["ok"], found["warnings"])


def remember(paths: LabPaths, question: ResearchQuestion, seen: Remembered) -> None:
    """Keep it; on a full or read-only disk the next aggregation just computes again."""
    place = _place(paths, question)
    document = {
        "schema_version": SCHEMA_VERSION,
        "fingerprint": seen.fingerprint,
        "files": dict(seen.files),
        "ok": seen.ok,
        "warnings": seen.warnings,
    }
    try:
        with writing(place):
            place.parent.mkdir(parents=True, exist_ok=True)
        write_json(place, document)
    except CannotWrite:
        return


def file_hash(path: Path) -> str | None:
    """Return a file's SHA-256, None where it is missing."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return None


def _place(paths: LabPaths, question: ResearchQuestion) -> Path:
    return paths.runs / ".cache" / "aggregation" / f"{question.id}.json"


def _code() -> list[Path]:
    package = Path(lab.__file__).parent
    return [path for room in ROOMS for path in sorted((package / room).glob("*.py"))]


def _workflow(sources: Sources, name: str) -> object:
    row = sources.catalogue.workflow(name)
    if row is None:
        return name
    folder = sources.paths.workflows / row.folder
    files = (Path(place) / file for place, _, found in os.walk(folder) for file in found)
    return row, _stats(sorted(files))


def _stats(files: Iterable[Path]) -> tuple[tuple[str, int, int], ...]:
    found = ((path, os.stat(path)) for path in files if path.exists())
    return tuple((str(path), state.st_mtime_ns, state.st_size) for path, state in found)
