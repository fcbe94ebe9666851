"""What set-up promises: clear lines where Python lacks something, documents that are current."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOO_OLD = "error: Python 3.11 or newer is needed (PYTHON=python3.12 make ...)\n"
NO_VENV = "error: this Python has no venv/ensurepip (Debian: apt install python3-venv)\n"


def make_setup(folder: Path, refused: str) -> subprocess.CompletedProcess[str]:
    """Run `make setup` in a folder without .venv, with a Python that refuses one program."""
    for name in ("Makefile", "pyproject.toml"):
        (folder / name).write_bytes((ROOT / name).read_bytes())
    python = folder / "python"
    python.write_text(f'#!/bin/sh\ncase "$2" in *"{refused}"*) exit 1 ;; esac\nexit 0\n')
    python.chmod(0o755)
    return subprocess.run(
        ["make", "-s", "setup", f"PYTHON={python}"],
        cwd=folder,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("refused", "line"),
    [("version_info", TOO_OLD), ("import venv", NO_VENV)],
    ids=["too old", "no venv"],
)
def test_what_a_python_lacks_is_one_clear_line(tmp_path: Path, refused: str, line: str) -> None:
    done = make_setup(tmp_path, refused)
    assert done.returncode != 0
    assert done.stderr.startswith(line)


def test_the_generated_blocks_of_the_documentation_are_current() -> None:
    """In a process of its own: click remembers how a command was first asked for help."""
    command = [ROOT / "experiments" / "entry.py", "docs", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_map_for_contributors_stays_short() -> None:
    assert len((ROOT / "CLAUDE.md").read_text(encoding="utf-8").splitlines()) <= 120


def test_no_text_of_the_repository_names_a_machine() -> None:
    """Paths of one machine and hosts of registries have no place in the repository."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\n")
    foreign = ("/wo" + "rk/main", "/wo" + "rk/shared", "/tmp/br" + "ief")
    found = [
        name
        for name in listed
        if name and (ROOT / name).is_file() and _mentions(ROOT / name, foreign)
    ]
    assert found == []


def _mentions(path: Path, words: tuple[str, ...]) -> bool:
    text = path.read_bytes()
    return any(word.encode() in text for word in words)
