"""The demo as a newcomer meets it, and measured = expected on both executors."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from lab.paths import REPOSITORY

QUESTION = Path("research/calibration/1.1-instrument-truth")


def lab(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from lab.cli.main import main; main()", "--root", root, *arguments],
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(REPOSITORY / "experiments"), **_home()},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )


def _home() -> dict[str, str]:
    kept = ("HOME", "LAB_CACHE", "XDG_CACHE_HOME", "DOCKER_HOST")
    return {name: os.environ[name] for name in kept if name in os.environ}


def content_of(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.*")}


@pytest.mark.slow
@pytest.mark.toolchain
def test_a_demo_measures_what_is_expected_and_a_second_one_does_nothing(tmp_path: Path) -> None:
    first = lab(tmp_path, "demo")
    assert (first.returncode, first.stderr) == (0, "")
    assert "facts of 15 runs compared, 0 differ" in first.stdout
    folder = tmp_path / ".demo" / QUESTION
    before = content_of(folder)
    assert {"summary.md", "summary.json", "runs.csv", "truth.md", "truth.json"} <= before.keys()

    second = lab(tmp_path, "demo")
    assert second.returncode == 0
    assert "nothing to do, all runs are there" in second.stdout
    assert "executor" not in second.stdout
    assert content_of(folder) == before
    assert json.loads((folder / "truth.json").read_text())["is_true"] is True


@pytest.mark.slow
@pytest.mark.docker
def test_containers_measure_what_is_expected(tmp_path: Path) -> None:
    readme = tmp_path / QUESTION / "README.md"
    readme.parent.mkdir(parents=True)
    readme.write_bytes((REPOSITORY / QUESTION / "README.md").read_bytes())
    plan = tmp_path / "plan.json"
    assert lab(tmp_path, "plan", "RQ-instrument-truth", "--out", str(plan)).returncode == 0
    batch = lab(tmp_path, "batch", str(plan), "--executor", "docker", "--shards", "2")
    assert batch.returncode == 0, batch.stdout + batch.stderr
    truth = lab(tmp_path, "truth")
    assert (truth.returncode, "15 runs compared, 0 differ" in truth.stdout) == (0, True), (
        truth.stdout
    )
