"""What a stack answers: how its projects look, are tested, started and measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from lab.domain.event import PathClass
from lab.domain.metric import Measurement


@dataclass(frozen=True, slots=True)
class Tools:
    """Where a stack's tools lie: folders first on PATH for the agent, and for the analysis.

    `agent_bin` holds the test runner that an agent uses; `analysis_python` is the interpreter of
    the analysis environment; `reporter` is the folder of the reporter's files; `is_image` tells
    that all of this is inside an image, where the reporter needs no variable.
    """

    agent_bin: str
    analysis_bin: str
    analysis_python: str
    reporter: str
    is_image: bool


class Stack(Protocol):
    """One language toolchain; modules satisfy this. Standard library only.

    `EMPTY_EXIT_CODES`: how TEST_COMMAND ends on the untouched template (the preflight).
    """

    ID: str
    TEST_COMMAND: str
    ENTRY_POINT: str
    IS_ANALYSED: bool
    EMPTY_EXIT_CODES: tuple[int, ...]

    def path_class(self, path: str) -> PathClass:
        """Class a path relative to the workspace, with forward slashes."""
        ...

    def environment(self, tools: Tools) -> Mapping[str, str]:
        """Return the variables that an agent's shell needs for this stack (PATH, reporter)."""
        ...

    def start_command(self, workspace: Path, tools: Tools) -> Sequence[str]:
        """Return the command that starts the solution's command-line entry point."""
        ...

    def measure(self, workspace: Path, tools: Tools, scratch: Path) -> "StackMeasurements": ...


@dataclass(frozen=True, slots=True)
class StackMeasurements:
    """Metric id to measurement, and what a person wants to read about them (report sections)."""

    metrics: Mapping[str, Measurement]
    details: Mapping[str, Any]
