"""Git, asked about a folder: one call, its output as bytes, its failure in its own words."""

import os
from collections.abc import Sequence
from pathlib import Path

from lab.errors import ToolFailed
from lab.process.bounded import Bounds, Finished, run_bounded

BOUNDS = Bounds(timeout_seconds=120.0, output_bytes=1 << 28)


def git(root: Path, *arguments: str, stdin: bytes = b"") -> bytes:
    """Run git in a folder and return its stdout; ToolFailed where git says no or is absent."""
    finished = _run(root, arguments, stdin)
    if finished.exit_code != 0:
        raise ToolFailed(f"git {arguments[0]}", finished.text, finished.exit_code)
    return finished.stdout


def is_repository(root: Path) -> bool:
    """Tell whether a folder lies in a git working tree and git is installed."""
    try:
        return git(root, "rev-parse", "--is-inside-work-tree").strip() == b"true"
    except ToolFailed:
        return False


def _run(root: Path, arguments: Sequence[str], stdin: bytes) -> Finished:
    environment = {**os.environ, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"}
    command = ["git", "--literal-pathspecs", "-c", "core.quotepath=off", *arguments]
    return run_bounded(command, cwd=root, environment=environment, bounds=BOUNDS, stdin=stdin)
