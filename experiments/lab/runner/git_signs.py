"""What an agent did to its workspace's git history, read from the reflog; git itself never runs."""

from collections import Counter
from pathlib import Path

from lab.runner.file_tree import GIT

LOG = "logs/HEAD"
LOG_BYTES = 1 << 20
# What the reflog says of commands that replace or drop commits.
REWRITES = {
    "commit (amend)": "amend",
    "rebase": "rebase",
    "reset": "reset",
    "filter-branch": "filter-branch",
}


def history_signs(workspace: Path) -> tuple[str, ...]:
    """Say whether the history was removed or rewritten; empty = neither."""
    git = workspace / GIT
    if git.is_symlink() or not git.is_dir():
        return ("git history removed: the workspace is no repository any more",)
    counts = Counter(name for line in _reflog(git) if (name := _rewrite(line)))
    told = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
    return (f"git history rewritten: {told}",) if told else ()


def _reflog(git: Path) -> list[str]:
    path = git / LOG
    if any(part.is_symlink() for part in (path, path.parent)) or not path.is_file():
        return []
    with path.open("rb") as file:
        return file.read(LOG_BYTES).decode("utf-8", "replace").splitlines()


def _rewrite(line: str) -> str | None:
    """Return the short name of a rewriting command; its words come after the tab."""
    told = line.partition("\t")[2]
    return next((name for word, name in REWRITES.items() if told.startswith(word)), None)
