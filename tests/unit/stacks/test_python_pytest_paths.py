"""Which class a path of a python-pytest workspace has, and what an agent's shell is given."""

from pathlib import Path

import pytest
from lab.domain.event import PathClass
from lab.stacks import STACKS
from lab.stacks.protocol import Tools

PYTHON = STACKS["python-pytest"]
LOCAL = Tools("/t/agent/bin", "/t/analysis/bin", "/t/analysis/bin/python", "/t/reporter", False)
IMAGE = Tools("/usr/local/bin", "/opt/bin", "/opt/bin/python", "/opt/reporter", True)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("tests/test_life.py", PathClass.TEST),
        ("tests/data/board.txt", PathClass.TEST),
        ("test_life.py", PathClass.TEST),
        ("src/life_test.py", PathClass.TEST),
        ("src/conftest.py", PathClass.TEST),
        ("src/life.py", PathClass.IMPLEMENTATION),
        ("life.py", PathClass.IMPLEMENTATION),
        ("src/tests.py", PathClass.IMPLEMENTATION),
        ("src/data.json", PathClass.OTHER),
        ("pyproject.toml", PathClass.CONFIGURATION),
        ("pytest.ini", PathClass.CONFIGURATION),
        ("tests/pytest.ini", PathClass.CONFIGURATION),
        ("setup.cfg", PathClass.CONFIGURATION),
        ("tox.ini", PathClass.CONFIGURATION),
        ("requirements-dev.txt", PathClass.CONFIGURATION),
        ("README.md", PathClass.OTHER),
        ("lab/test_x.py", PathClass.OTHER),
        ("src/lab/x.py", PathClass.OTHER),
        ("src/lab.py", PathClass.IMPLEMENTATION),
    ],
)
def test_a_path_has_one_class(path: str, expected: PathClass) -> None:
    assert PYTHON.path_class(path) is expected


def test_a_local_shell_gets_the_tools_and_the_reporter_by_path() -> None:
    variables = PYTHON.environment(LOCAL)
    assert variables["PATH"].split(":")[0] == "/t/agent/bin"
    assert variables["PYTHONPATH"] == "/t/reporter"


def test_an_image_needs_no_variable() -> None:
    assert PYTHON.environment(IMAGE) == {}


def test_the_entry_point_is_started_by_the_agents_interpreter() -> None:
    command = PYTHON.start_command(Path("/w"), LOCAL)
    assert list(command) == ["/t/agent/bin/python", "/w/src/cli.py"]


def test_the_stack_none_counts_no_file_and_measures_nothing() -> None:
    none = STACKS["none"]
    assert none.path_class("test_x.py") is PathClass.OTHER
    assert none.measure(Path("/w"), IMAGE, Path("/s")).metrics == {}


def test_every_row_is_named_by_its_module() -> None:
    assert {stack_id: stack.ID for stack_id, stack in STACKS.items()} == {
        "python-pytest": "python-pytest",
        "none": "none",
    }
