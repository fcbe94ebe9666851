"""The README's first question, line by line as printed there, in a fresh lab root."""

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from lab.paths import REPOSITORY

HEADING = "## A first question of your own"
FOLDER = "research/questions/1.1-my-question"
ACTIVATE = ". .venv/bin/activate"


def block_of(language: str) -> str:
    """Return the first code block of a language in the README's section."""
    section = (REPOSITORY / "README.md").read_text(encoding="utf-8").split(HEADING)[1]
    found = re.search(rf"```{language}\n(.*?)```", section, re.DOTALL)
    assert found
    return found.group(1)


def editor(folder: Path, text: str) -> Path:
    """Make an $EDITOR that replaces what it opens; it fails where nothing is to be edited."""
    content, program = folder / "typed.md", folder / "editor"
    content.write_text(text)
    program.write_text(f'#!/bin/sh\ntest -s "$1" && cp {content} "$1"\n')
    program.chmod(0o755)
    return program


def environment(folder: Path, root: Path) -> dict[str, str]:
    """Return what a shell with an activated .venv has, without a container engine."""
    kept = {name: os.environ[name] for name in ("HOME", "LAB_CACHE") if name in os.environ}
    question = block_of("yaml").replace("min_replicates: 3", "min_replicates: 1")
    return kept | {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "EDITOR": str(editor(folder, f"{question}\n# My question\n")),
        "DOCKER_HOST": f"unix://{folder}/no-engine",
        "LAB_ROOT": str(root),
    }


def typed(line: str, root: Path, variables: dict[str, str]) -> str:
    done = subprocess.run(
        ["sh", "-c", line], cwd=root, env=variables, capture_output=True, text=True, check=False
    )
    said = f"$ {line}\n{done.stdout}{done.stderr}"
    assert done.returncode == 0, said
    assert "error" not in done.stderr, said
    return done.stdout


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """Type every line once; returns the lab root, and what each command said."""
    folder = tmp_path_factory.mktemp("first")
    root = folder / "root"
    (root / "research").mkdir(parents=True)
    first, *lines = block_of("sh").splitlines()
    assert first == ACTIVATE
    variables = environment(folder, root)
    return root, {line.split("#")[0].strip(): typed(line, root, variables) for line in lines}


@pytest.mark.toolchain
def test_each_line_of_the_readme_says_what_it_did(walked: tuple[Path, dict[str, str]]) -> None:
    _, said = walked
    assert said["lab init my-question"].startswith(f"{FOLDER}/README.md\n")
    assert said["lab lint RQ-my-question"].startswith("0 errors, 0 warnings")
    assert said["lab plan RQ-my-question"].endswith("next: lab batch rq-my-question-fill\n")
    assert said["lab batch rq-my-question-fill"].count("] ok ") == 2
    assert re.search(r"^RQ-my-question +2/2 +2 +2 ", said["lab status"], re.MULTILINE)


@pytest.mark.toolchain
def test_the_first_table_tells_the_two_agents_apart(walked: tuple[Path, dict[str, str]]) -> None:
    folder = walked[0] / FOLDER
    with (folder / "runs.csv").open(newline="") as file:
        rows = {row["model"]: row for row in csv.DictReader(file)}
    assert set(rows) == {"calibration-strict-tdd", "calibration-test-after"}
    assert {row["verification_pct"] for row in rows.values()} == {"1.0"}
    names = ("calibration-strict-tdd", "calibration-test-after")
    strict, after = (float(rows[name]["tdd_discipline"]) for name in names)
    assert strict == 1.0 > after
    assert json.loads((folder / "summary.json").read_text())["schema_version"] == 1
