"""A real git repository in a test's own folder, with a committer and fixed dates."""

import os
import subprocess
from pathlib import Path

IDENTITY = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    "GIT_AUTHOR_NAME": "Test",
    "GIT_AUTHOR_EMAIL": "test@example.org",
    "GIT_COMMITTER_NAME": "Test",
    "GIT_COMMITTER_EMAIL": "test@example.org",
}


def git(root: Path, *arguments: str, at: str = "2026-06-01T12:00:00+00:00") -> str:
    """Run git and return what it printed; `at` dates a commit."""
    environment = {**os.environ, **IDENTITY, "GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
    command = ["git", *arguments]
    done = subprocess.run(
        command, cwd=root, env=environment, check=True, capture_output=True, text=True
    )
    return done.stdout


def repository(root: Path) -> Path:
    """Make the folder a repository with everything in it committed."""
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--allow-empty", "-m", "start")
    return root


def commit(root: Path, message: str, at: str = "2026-06-01T12:00:00+00:00") -> None:
    """Commit everything, dated `at`."""
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "-m", message, at=at)
