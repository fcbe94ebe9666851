"""Content hashes of what a run is made from: prompt, workflow, template and suite (SHA-256)."""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from lab.errors import LabError
from lab.paths import LabPaths

PROMPT = "prompt.md"
SUITE = "verification"
IGNORED_FOLDERS = frozenset(
    {"__pycache__", ".git", "node_modules", ".pytest_cache", ".ruff_cache", ".mypy_cache"}
)
IGNORED_ENDS = (".pyc", ".pyo")


def text_sha(text: str) -> str:
    """Hash text with line ends normalised, so that a checkout's line ends do not matter."""
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    return hashlib.sha256(unified.encode("utf-8", "surrogatepass")).hexdigest()


def prompt_sha(paths: LabPaths, kata: str) -> str:
    """Hash the prompt template of "<base>-<prompt>"; LabError where there is none."""
    path = paths.katas / kata / PROMPT
    if not path.is_file():
        raise LabError(f"experiments/katas/{kata}/{PROMPT}: no such file")
    return hashlib.sha256(_unified(path.read_bytes())).hexdigest()


def workflow_sha(paths: LabPaths, folder: str) -> str:
    """Hash a workflow's folder, given relative to the workflows folder."""
    return _required(paths.workflows / folder, f"experiments/workflows/{folder}")


def template_sha(paths: LabPaths, stack: str) -> str | None:
    """Hash a stack's project template; None for a stack that has none."""
    return tree_sha(paths.stacks / stack / "template")


def suite_sha(paths: LabPaths, kata_base: str) -> str | None:
    """Hash a kata's acceptance suite, symlinks followed; None for a kata that has none."""
    return tree_sha(paths.katas / f"{kata_base}-{SUITE}")


def tree_sha(folder: Path) -> str | None:
    """Hash all files below a folder: sorted relative paths and contents; None if it is missing.

    Follows symlinks, each folder once. Caches and compiled files do not count.
    """
    if not folder.is_dir():
        return None
    total = hashlib.sha256()
    named = {path.relative_to(folder).as_posix(): path for path in _files(folder)}
    for name, path in sorted(named.items()):
        content = hashlib.sha256(_unified(path.read_bytes())).digest()
        total.update(name.encode("utf-8", "surrogateescape") + b"\0" + content)
    return total.hexdigest()


def _required(folder: Path, where: str) -> str:
    found = tree_sha(folder)
    if found is None:
        raise LabError(f"{where}: no such folder")
    return found


def _unified(content: bytes) -> bytes:
    return content.replace(b"\r\n", b"\n")


def _files(folder: Path) -> Iterator[Path]:
    seen: set[str] = set()
    for current, folders, files in os.walk(folder, followlinks=True):
        real = os.path.realpath(current)
        if real in seen:
            folders[:] = []
            continue
        seen.add(real)
        folders[:] = sorted(name for name in folders if name not in IGNORED_FOLDERS)
        yield from (Path(current) / name for name in files if not name.endswith(IGNORED_ENDS))
