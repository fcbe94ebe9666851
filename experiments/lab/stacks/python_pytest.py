"""The stack python-pytest: Python projects with src/, tests/ and pytest."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from lab.domain.event import PathClass
from lab.stacks.protocol import StackMeasurements, Tools

ID = "python-pytest"
TEST_COMMAND = "python -m pytest -q"
ENTRY_POINT = "src/cli.py"
IS_ANALYSED = True
EMPTY_EXIT_CODES = (0, 5)
LAB_FOLDER = "lab"
RULES: tuple[tuple[PathClass, tuple[str, ...], tuple[str, ...]], ...] = (
    (
        PathClass.CONFIGURATION,
        ("pyproject.toml", "pytest.ini", ".pytest.ini", "setup.cfg", "tox.ini"),
        ("requirements*.txt",),
    ),
    (PathClass.TEST, ("conftest.py",), ("test_*.py", "*_test.py")),
)


def path_class(path: str) -> PathClass:
    """Class a path: name first, then folder; a path through a folder `lab` never counts."""
    *folders, name = path.split("/")
    if LAB_FOLDER in folders:
        return PathClass.OTHER
    for kind, names, patterns in RULES:
        if name in names or any(fnmatchcase(name, pattern) for pattern in patterns):
            return kind
    if folders and folders[0] == "tests":
        return PathClass.TEST
    return PathClass.IMPLEMENTATION if name.endswith(".py") else PathClass.OTHER


def environment(tools: Tools) -> Mapping[str, str]:
    """Return what an agent's shell needs: in an image nothing, else the tools' PATH and route.

    The interpreter of `lab setup` loads the reporter by itself; PYTHONPATH is for any other one.
    """
    if tools.is_image:
        return {}
    return {
        "PATH": f"{tools.agent_bin}:/usr/local/bin:/usr/bin:/bin",
        "PYTHONPATH": tools.reporter,
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def start_command(workspace: Path, tools: Tools) -> Sequence[str]:
    """Return the command that starts the solution; its input comes on stdin."""
    return (f"{tools.agent_bin}/python", str(workspace / ENTRY_POINT))


def measure(workspace: Path, tools: Tools, scratch: Path) -> StackMeasurements:
    """Measure a final workspace; see lab.stacks.python_tools."""
    from lab.stacks import python_tools

    return python_tools.measure(workspace, tools, scratch, path_class)
