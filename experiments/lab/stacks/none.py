"""The stack without a toolchain: no template, no reporter, no analysis."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from lab.domain.event import PathClass
from lab.stacks.protocol import StackMeasurements, Tools

ID = "none"
TEST_COMMAND = "true"
ENTRY_POINT = "solution.txt"
IS_ANALYSED = False
EMPTY_EXIT_CODES = (0,)


def path_class(path: str) -> PathClass:
    """Return OTHER: no file of this stack counts."""
    return PathClass.OTHER


def environment(tools: Tools) -> Mapping[str, str]:
    """Return nothing: an agent of this stack needs no variable."""
    return {}


def start_command(workspace: Path, tools: Tools) -> Sequence[str]:
    """Return the command that does nothing."""
    return ("true",)


def measure(workspace: Path, tools: Tools, scratch: Path) -> StackMeasurements:
    """Return no measurement."""
    return StackMeasurements({}, {})
