"""One Python project while it is measured: its files are read and its suite is run once."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from lab.domain.event import PathClass
from lab.domain.metric import Reason
from lab.errors import ToolFailed
from lab.stacks.protocol import Tools
from lab.stacks.python_sources import Source, UnparsableSource, code_lines, find_sources, parse
from lab.stacks.python_suite import Suite, SuiteRun, coverage_report, run_suite
from lab.stacks.steps import CannotMeasure


@dataclass(frozen=True)
class PythonProject:
    """Where it lies (`workspace`: read only, `copy`: for the suite) and what measures it."""

    workspace: Path
    copy: Path
    scratch: Path
    tools: Tools
    path_class: Callable[[str], PathClass]

    @cached_property
    def tests(self) -> tuple[Source, ...]:
        return find_sources(self.workspace, self.path_class, PathClass.TEST)

    @cached_property
    def implementation(self) -> tuple[Source, ...]:
        return find_sources(self.workspace, self.path_class, PathClass.IMPLEMENTATION)

    @cached_property
    def loc_by_file(self) -> Mapping[str, int]:
        """Production lines by path; raises CannotMeasure where there are none or no Python."""
        lines = count_lines(self.implementation)
        if not any(lines.values()):
            raise CannotMeasure(Reason.NO_SOURCE)
        return lines

    @property
    def production(self) -> tuple[Source, ...]:
        """The production files that hold code; raises CannotMeasure like `loc_by_file`."""
        lines = self.loc_by_file
        return tuple(source for source in self.implementation if lines[source.path])

    @property
    def suite(self) -> SuiteRun:
        """The suite's one run; raises ToolFailed each time when it could not be started."""
        if isinstance(self._suite, ToolFailed):
            raise self._suite
        return self._suite

    @property
    def coverage(self) -> Mapping[str, Any]:
        """What the suite's run executed, as coverage.py's JSON says; raises ToolFailed."""
        return coverage_report(self._place, self.suite)

    @property
    def _place(self) -> Suite:
        return Suite(self.copy, self.scratch, self.tools)

    @cached_property
    def _suite(self) -> SuiteRun | ToolFailed:
        try:
            return run_suite(self._place)
        except ToolFailed as error:
            return error


def count_lines(sources: tuple[Source, ...]) -> Mapping[str, int]:
    """Count code lines by path; raises CannotMeasure naming the first file that is no Python."""
    try:
        for source in sources:
            parse(source)
        return {source.path: code_lines(source) for source in sources}
    except UnparsableSource as error:
        raise CannotMeasure(Reason.UNPARSABLE, str(error)) from error
