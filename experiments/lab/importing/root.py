"""A lab root of its own, made from a pool of the original lab, and brought up to date again."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lab.errors import LabError
from lab.importing.beside import Workflows, read_beside, read_workflows
from lab.importing.carry import Carried, carry
from lab.importing.columns import STACK, outcome_names
from lab.importing.original import FILE, read_original
from lab.paths import LabPaths, RunPaths
from lab.store import imported as marker
from lab.store.atomic import to_bytes, write_bytes, writing
from lab.store.foreign import Unreadable, read_regular
from lab.store.imported import read_imported
from lab.store.lock import pool_lock
from lab.store.metrics_text import metrics_document
from lab.store.record_text import record_document
from lab.store.registry import read_registry
from lab.store.schema import check

ORIGINAL = "original-metrics.json"
EXPECTED = "original-summary.md"
SUMMARY = "summary.md"
COPIED = ("README.md", "findings.md")
Progress = Callable[[int, int], None]
Files = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Change:
    """What an import did: run ids by what became of them, and names left out or kept.

    `unreadable` pairs a folder with why it is no run; `outside` are names that begin with _ or .;
    `kept` are files below research/ that someone changed since the last import.
    """

    added: tuple[str, ...]
    updated: tuple[str, ...]
    unchanged: tuple[str, ...]
    unreadable: tuple[tuple[str, str], ...]
    outside: tuple[str, ...]
    kept: tuple[str, ...]


def import_pool(source: Path, paths: LabPaths, progress: Progress) -> Change:
    """Make or bring up to date the lab root of `paths` from the original at `source`.

    Importing again changes nothing unless the source or this code changed. LabError where the
    source is no pool of the original, or the target is a lab root of another origin.
    """
    source = source.resolve()
    _check_source(source)
    _check_target(source, paths)
    workflows = read_workflows(source)
    _write(paths.experiments / marker.NAME, _marker(source, workflows))
    paths.staging.mkdir(parents=True, exist_ok=True)
    paths.plans.mkdir(exist_ok=True)
    with pool_lock(paths, exclusive=True):
        kept = tuple(_copy_research(source, paths))
        change = _import_runs(source, paths, workflows, kept, progress)
        os.sync()
    return change


def _check_source(source: Path) -> None:
    if not (source / "experiments" / "runs").is_dir():
        raise LabError(
            f"{source}: no experiments/runs in it: name the folder of the original lab that holds "
            "experiments/ and research/"
        )


def _check_target(source: Path, paths: LabPaths) -> None:
    root = paths.root
    if root == source:
        raise LabError(f"{root}: the source itself; name another folder with --into")
    if root.exists() and not root.is_dir():
        raise LabError(f"{root}: a file; name a folder with --into")
    known = read_imported(paths) if root.exists() else None
    if known is None and root.exists() and any(root.iterdir()):
        raise LabError(f"{root}: holds something else than an import; name a new folder (--into)")
    if known and known.source != str(source):
        raise LabError(
            f"{root}: was imported from {known.source}; name a new folder with --into "
            f"(or, if the source moved, change `source` in experiments/{marker.NAME})"
        )


def _marker(source: Path, workflows: Workflows) -> bytes:
    """Return imported.yaml; JSON strings are valid YAML, whatever a name holds."""
    lines = [
        "# Made by lab import: catalogue checks are off in this lab root.",
        "schema_version: 1",
        f"source: {json.dumps(str(source))}",
        f"stack: {STACK}",
        *_mapping("harnesses", dict(workflows.harnesses)),
        f"archived: [{', '.join(json.dumps(name) for name in workflows.archived)}]",
        "# How the questions here spell an outcome: how its values are called in this lab.",
        *_mapping("outcomes", outcome_names()),
    ]
    return ("\n".join(lines) + "\n").encode()


def _mapping(name: str, pairs: Mapping[str, str]) -> Iterator[str]:
    yield f"{name}:" if pairs else f"{name}: {{}}"
    yield from (f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in pairs.items())


def _copy_research(source: Path, paths: LabPaths) -> Iterator[str]:
    """Copy questions, findings and the original's own tables; yield what was changed since."""
    for path in sorted((source / "research").rglob("*.md")):
        name = path.relative_to(source / "research")
        target = paths.research / name
        if path.name in COPIED and not _write_new(target, path.read_bytes()):
            yield f"research/{name.as_posix()}"
    for folder, path in _tables(source).items():
        if not _write_new(paths.research / folder / EXPECTED, path.read_bytes()):
            yield f"research/{folder}/{EXPECTED}"


def _tables(source: Path) -> dict[str, Path]:
    """Return the summary.md of each question's folder: those below expected/ before others."""
    return {
        path.parent.relative_to(base).as_posix(): path
        for base in (source / "research", source / "expected" / "research")
        for path in sorted(base.rglob(SUMMARY))
    }


def _write_new(path: Path, content: bytes) -> bool:
    """Write a file that is not there yet; tell whether it now is as given."""
    if path.exists():
        return path.read_bytes() == content
    _write(path, content)
    return True


def _write(path: Path, content: bytes) -> None:
    """Write a file where it differs."""
    if not _stands(path, content):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, content)


def _stands(path: Path, content: bytes) -> bool:
    try:
        return read_regular(str(path)) == content
    except ValueError:
        return False


def _import_runs(
    source: Path, paths: LabPaths, workflows: Workflows, kept: tuple[str, ...], progress: Progress
) -> Change:
    beside = read_beside(source, workflows)
    registry = read_registry(paths)
    folders = sorted(os.scandir(source / "experiments" / "runs"), key=lambda entry: entry.name)
    outside = tuple(entry.name for entry in folders if entry.name[0] in "_.")
    inside = [entry for entry in folders if entry.name[0] not in "_." and entry.is_dir()]
    became: dict[str, list[str]] = {"added": [], "updated": [], "unchanged": []}
    unreadable: list[tuple[str, str]] = []
    for number, entry in enumerate(inside, 1):
        path = Path(entry.path) / FILE
        try:
            original = read_original(path, entry.name)
        except Unreadable as error:
            unreadable.append((entry.name, error.reason))
            _keep_unreadable(paths.run(entry.name), path)
        else:
            carried = carry(original, beside, registry)
            became[_store(paths, carried, original.content)].append(entry.name)
        progress(number, len(inside))
    runs = {name: tuple(members) for name, members in became.items()}
    return Change(**runs, unreadable=tuple(unreadable), outside=outside, kept=kept)


def _store(paths: LabPaths, carried: Carried, content: bytes) -> str:
    """Publish a new run, or replace what differs in one that is there; say which."""
    run_id = carried.record.identity.run_id
    documents = {
        "run": record_document(carried.record),
        "metrics": metrics_document(run_id, carried.metrics),
    }
    files = {f"{name}.json": to_bytes(document) for name, document in documents.items()}
    files[ORIGINAL] = content
    folder = paths.run(run_id).folder
    differing = [name for name, wanted in files.items() if not _stands(folder / name, wanted)]
    if not differing:
        return "unchanged"
    faults = [fault for name in documents for fault in check(name, documents[name], run_id)]
    if faults:
        raise ValueError("\n".join(faults))
    if (folder / "run.json").exists():
        for name in differing:
            write_bytes(folder / name, files[name])
        return "updated"
    _publish(paths, run_id, files)
    return "added"


def _publish(paths: LabPaths, run_id: str, files: Files) -> None:
    """Move a whole run into the pool by one rename, without an fsync for each file.

    The source still has everything, a torn run would be named by the pool, and importing again
    mends it: 8,000 fsyncs would take most of a minute (2026-11-30).
    """
    staged, folder = paths.staged(run_id).folder, paths.run(run_id).folder
    staged.mkdir(exist_ok=True)
    with writing(staged):
        for name, content in files.items():
            (staged / name).write_bytes(content)
    if folder.exists():
        _forget_unreadable(folder)
    with writing(folder):
        os.rename(staged, folder)


def _keep_unreadable(run: RunPaths, path: Path) -> None:
    """Carry over a file that is no run, so that the pool names it for ever and counts it never.

    A link or a pipe is not followed: its folder alone says that something was there.
    """
    if run.record.exists():
        return
    run.folder.mkdir(exist_ok=True)
    try:
        content = read_regular(str(path))
    except ValueError:
        return
    _write(run.folder / ORIGINAL, content)


def _forget_unreadable(folder: Path) -> None:
    (folder / ORIGINAL).unlink(missing_ok=True)
    folder.rmdir()
