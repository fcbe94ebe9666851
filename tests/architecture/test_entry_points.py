"""The scripts with the seed's names: three lines, from any folder, in the right Python."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from lab.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
PYTHON_SCRIPTS = sorted((ROOT / "experiments").glob("*.py"))
SHELL_SCRIPTS = [
    *sorted((ROOT / "experiments").glob("*.sh")),
    *(
        ROOT / "docker" / f"{name}.sh"
        for name in ("batch", "list-plans", "resume-plan", "watch-batch")
    ),
]
HEAVY = {"pandas", "numpy", "docker", "jinja2", "scipy", "statsmodels"}
SEED_NAMES = (
    "experiments/batch-plan-from-rq.py",
    "experiments/aggregate-by-query.py",
    "experiments/rq-status.py",
    "experiments/tdd-report.py",
    "experiments/clean-broken-runs.py",
    "experiments/record-run.sh",
    "experiments/analyze-run.sh",
    "docker/batch.sh",
    "docker/run-batch.sh",
    "docker/list-plans.sh",
    "docker/resume-plan.sh",
    "docker/watch-batch.sh",
)


@pytest.mark.parametrize("name", SEED_NAMES)
def test_a_script_of_the_seed_is_there_and_executable(name: str) -> None:
    assert os.access(ROOT / name, os.X_OK), name


@pytest.mark.parametrize("path", [*PYTHON_SCRIPTS, *SHELL_SCRIPTS], ids=lambda p: p.name)
def test_a_script_is_three_lines(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) == 3


@pytest.mark.parametrize("path", PYTHON_SCRIPTS, ids=lambda p: p.name)
def test_a_python_script_names_a_subcommand_that_exists(path: Path) -> None:
    named = re.findall(r'run\("([a-z-]+)"', path.read_text(encoding="utf-8"))
    assert all(name in COMMANDS for name in named)


@pytest.mark.parametrize("path", [*PYTHON_SCRIPTS, *SHELL_SCRIPTS], ids=lambda p: p.name)
def test_a_script_works_from_any_folder(path: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [path, "--help"], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Usage:" in done.stdout


def test_a_missing_package_gives_one_line_that_helps(tmp_path: Path) -> None:
    """A copy without a .venv beside it, run without any site-packages, cannot help itself."""
    package = tmp_path / "experiments" / "lab"
    (package / "cli").mkdir(parents=True)
    for name in ("__init__.py", "cli/__init__.py", "cli/entry.py", "cli/main.py"):
        (package / name).write_bytes((ROOT / "experiments" / "lab" / name).read_bytes())
    script = tmp_path / "experiments" / "rq-status.py"
    script.write_bytes((ROOT / "experiments" / "rq-status.py").read_bytes())
    done = subprocess.run(
        [sys.executable, "-S", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr == "error: the Python package click is missing (run: make setup)\n"


def test_a_python_with_only_some_packages_hands_over_to_the_project_s_own(tmp_path: Path) -> None:
    """A system Python often has click and lacks rich: found before anything is begun."""
    package = tmp_path / "experiments" / "lab"
    (package / "cli").mkdir(parents=True)
    for name in ("__init__.py", "cli/__init__.py", "cli/entry.py"):
        (package / name).write_bytes((ROOT / "experiments" / "lab" / name).read_bytes())
    (package / "cli" / "main.py").write_text("def main(words): raise SystemExit('too early')\n")
    script = tmp_path / "experiments" / "rq-status.py"
    script.write_bytes((ROOT / "experiments" / "rq-status.py").read_bytes())
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "handed over: $2"\n')
    python.chmod(0o755)
    some = tmp_path / "some" / "click"
    some.mkdir(parents=True)
    (some / "__init__.py").touch()
    done = subprocess.run(
        [sys.executable, "-S", script, "--open"],
        env={**os.environ, "PYTHONPATH": str(some.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "handed over: --open\n")


def test_what_a_script_looks_for_is_what_the_project_declares() -> None:
    import tomllib

    from lab.cli.entry import NEEDED

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {re.split("[<>=]", line)[0] for line in project["dependencies"]}
    assert {name.replace("yaml", "pyyaml") for name in NEEDED} == declared


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["status", "--help"]])
def test_a_light_command_imports_nothing_heavy(arguments: list[str]) -> None:
    program = (
        "import sys; from lab.cli.boundary import guarded; from lab.cli.main import lab\n"
        f"guarded(lab, {arguments!r})\n"
        f"heavy = {HEAVY!r} & set(sys.modules)\n"
        "sys.exit(', '.join(sorted(heavy)) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT / "experiments")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.returncode == 0
