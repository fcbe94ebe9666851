"""Which measuring codes answer for a stack's metrics; a stack with an analysis is one row here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.analysis import python_code
from lab.stacks import python_tools
from lab.stacks.protocol import Stack, StackMeasurements, Tools
from lab.stacks.python_project import PythonProject
from lab.stacks.steps import Step, run_steps


@dataclass(frozen=True, slots=True)
class StackMeasures:
    """All steps of a stack, and what its libraries of the analysis environment measure."""

    steps: tuple[Step[Any], ...]
    libraries: Callable[[Path, Tools, Path, Stack], StackMeasurements]


def _python(workspace: Path, tools: Tools, scratch: Path, stack: Stack) -> StackMeasurements:
    project = PythonProject(workspace, workspace, scratch, tools, stack.path_class)
    return run_steps(python_code.STEPS, project)


STACK_MEASURES: Mapping[str, StackMeasures] = {
    "python-pytest": StackMeasures((*python_tools.STEPS, *python_code.STEPS), _python),
}
