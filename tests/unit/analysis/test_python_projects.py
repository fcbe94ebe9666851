"""Projects in tests/projects/python-pytest: every number was worked out by hand (expected.md)."""

import hashlib
import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pytest
from builders.local_launch import launch_local
from lab.analysis.one_run import codes
from lab.analysis.request import read_answer, request_document
from lab.analysis.stack_measures import STACK_MEASURES
from lab.domain.metric import Measurement
from lab.paths import REPOSITORY, LabPaths
from lab.runner.toolcache import tools_for

STACK = "python-pytest"
PROJECTS = sorted(path.parent for path in (REPOSITORY / "tests/projects" / STACK).glob("*/project"))
pytestmark = pytest.mark.toolchain


def measure(workspace: Path) -> Mapping[str, Measurement]:
    tools = tools_for(LabPaths(REPOSITORY), STACK)
    request = request_document(STACK, workspace, tools, None)
    return read_answer(launch_local(tools)(request)).metrics


def read_value(value: object) -> object:
    """Read a hand-written value; "5/13" is a fraction."""
    return float(Fraction(value)) if isinstance(value, str) else value


def fingerprint(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(str(path).encode())
        if path.is_file():
            digest.update(path.read_bytes())
    return digest.hexdigest()


@pytest.mark.parametrize("project", PROJECTS, ids=[path.name for path in PROJECTS])
def test_the_numbers_are_those_worked_out_by_hand(project: Path) -> None:
    expected = json.loads((project / "expected.json").read_text())
    before = fingerprint(project)
    found = measure(project / "project")
    values = {name: one.value for name, one in found.items() if one.reason is None}
    reasons = {name: str(one.reason) for name, one in found.items() if one.reason is not None}
    assert values == {name: read_value(value) for name, value in expected["metrics"].items()}
    assert reasons == expected["missing"]
    assert fingerprint(project) == before


@pytest.mark.parametrize("project", PROJECTS, ids=[path.name for path in PROJECTS])
def test_every_project_expects_every_metric_and_shows_the_working(project: Path) -> None:
    expected = json.loads((project / "expected.json").read_text())
    declared = {name for step in STACK_MEASURES[STACK].steps for name in step.metrics}
    assert {*expected["metrics"], *expected["missing"]} == declared
    assert declared < set(codes(STACK))
    assert (project / "expected.md").stat().st_size > 200
