"""An empty git repository as a file tree: made by git once, laid out for every workspace."""

import shutil
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path

from lab.errors import LabError, ToolFailed
from lab.runner.file_tree import GIT, FileTree, read_tree

_COMMAND = ("git", "init", "--quiet", "--template=", "--initial-branch=main", ".")


def git_skeleton(scratch: Path) -> FileTree:
    """Return what `git init` makes without any template; LabError where git is missing.

    The empty folders inside objects/ and refs/ are left to git, which makes them when needed: each
    would cost every run a folder to write and to force to disk.
    """
    if shutil.which("git") is None:
        raise LabError("git is missing: a workspace is a repository of its own (apt install git)")
    with tempfile.TemporaryDirectory(prefix="git-", dir=scratch) as folder:
        done = subprocess.run(_COMMAND, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ToolFailed("git init", done.stderr, done.returncode)
        found = read_tree(Path(folder) / GIT)
    return FileTree(
        tuple(replace(file, path=f"{GIT}/{file.path}") for file in found.files),
        tuple(f"{GIT}/{folder}" for folder in found.folders if "/" not in folder),
    )
