"""A workflow's own words: the text files of its folder."""

import re
from pathlib import Path

from lab.domain.workflow_text import TextFile
from lab.paths import LabPaths

MAX_BYTES = 1024 * 1024
# A licence is the one file of a workflow that no agent is told to read.
LICENCE = re.compile(r"(licen[cs]e|notice|copying)", re.IGNORECASE)
UPSTREAM_LICENCE = "LICENSE.upstream"


def read_workflow_files(paths: LabPaths, workflow_folder: str) -> tuple[TextFile, ...] | None:
    """Return the texts of a workflow, sorted by path, links not followed; None without a folder."""
    folder = paths.workflows / workflow_folder
    if not folder.is_dir():
        return None
    return tuple(
        TextFile(path.relative_to(folder).as_posix(), _read(path))
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink() and not LICENCE.match(path.name)
    )


def is_external(paths: LabPaths, workflow_folder: str) -> bool:
    """Tell whether a workflow is someone else's work: it keeps the licence that came with it."""
    return (paths.workflows / workflow_folder / UPSTREAM_LICENCE).is_file()


def _read(path: Path) -> str:
    with path.open("rb") as file:
        return file.read(MAX_BYTES).decode("utf-8", "replace")
