"""What the original kept beside its runs: content hashes, and which harness a workflow is for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lab.errors import LabError
from lab.importing.carry import Beside
from lab.importing.columns import HARNESSES
from lab.store.foreign import read_document

HASHES = "content-hashes.json"
HARNESS_FILE = "workflow-harness.json"
ARCHIVE = "_archive/"
# In the order in which the original decided where a folder had several.
MARKERS = (".pi", ".opencode", ".cursor", ".claude")
SHAS = {"prompt": "prompt_sha", "workflow": "workflow_sha"}


@dataclass(frozen=True, slots=True)
class Workflows:
    """The harness of each workflow, and which of them lay in the archive; both sorted."""

    harnesses: tuple[tuple[str, str], ...]
    archived: tuple[str, ...]


def read_workflows(source: Path) -> Workflows:
    """Read workflow-harness.json, else look into experiments/workflows; LabError for new markers.

    A workflow's name has no folder in it: the original's runs name archived ones bare.
    """
    markers = _listed(source / HARNESS_FILE) or dict(_found(source / "experiments" / "workflows"))
    unknown = sorted({marker for marker in markers.values() if marker not in HARNESSES})
    if unknown:
        known = ", ".join(HARNESSES)
        raise LabError(f"{source / HARNESS_FILE}: unknown marker {unknown[0]}: known are {known}")
    named = {folder.rpartition("/")[2]: HARNESSES[marker] for folder, marker in markers.items()}
    archived = {folder.rpartition("/")[2] for folder in markers if folder.startswith(ARCHIVE)}
    return Workflows(tuple(sorted(named.items())), tuple(sorted(archived)))


def read_beside(source: Path, workflows: Workflows) -> Beside:
    """Read what belongs to runs but does not stand in their files."""
    path = source / HASHES
    hashes = read_document(path) if path.exists() else {}
    return Beside(
        dict(workflows.harnesses), {run: tuple(_shas(parts)) for run, parts in hashes.items()}
    )


def _listed(path: Path) -> Mapping[str, str]:
    return {str(k): str(v) for k, v in read_document(path).items()} if path.exists() else {}


def _found(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob(".*")):
        if path.is_dir() and path.name in MARKERS:
            name = path.parent.relative_to(folder).as_posix()
            yield name, next(m for m in MARKERS if (path.parent / m).is_dir())


def _shas(parts: object) -> Iterator[tuple[str, str]]:
    if isinstance(parts, dict):
        for name, sha in SHAS.items():
            if isinstance(parts.get(name), str):
                yield sha, parts[name]
