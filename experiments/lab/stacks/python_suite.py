"""A Python project's own tests: run once under coverage.py, read from the lab's own report."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.domain.event import Result, Status, TestResult
from lab.errors import ToolFailed
from lab.process.bounded import Bounds, Finished, run_bounded
from lab.stacks.protocol import Tools

SUITE_SECONDS = 300.0
REPORT_SECONDS = 60.0
# No coverage comment of the measured project counts, just as no `noqa` does; what is excluded is
# excluded by its form: a placeholder body and imports for type checkers.
COVERAGE_SETTINGS = r"""[run]
branch = True
source = {project}
[report]
include_namespace_packages = True
ignore_errors = True
partial_branches = a^
exclude_lines =
    ^\s*(((async )?def .*?)?\)(\s*->.*?)?:\s*)?\.\.\.\s*(#|$)
    if (typing\.)?TYPE_CHECKING:
"""
PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:cov", "-p", "no:xdist")
WITHOUT_OWN_OPTIONS = ("-o", "addopts=")
WITHDRAWN = "withdrawn"
STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Suite:
    """Where to run: a copy of the project, and a scratch folder outside it."""

    project: Path
    scratch: Path
    tools: Tools

    @property
    def settings(self) -> Path:
        return self.scratch / "coverage.ini"

    @property
    def report(self) -> Path:
        return self.scratch / "suite-report.json"


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """What the reporter said about the whole suite.

    `exit_code` is pytest's own, before anything could change it; `tampered` names what the reporter
    found changed under it; `data` is coverage.py's file, if it is there.
    """

    result: Result
    tests: tuple[TestResult, ...]
    is_partial: bool
    command: tuple[str, ...]
    output: str
    data: Path
    tampered: tuple[str, ...] = ()
    exit_code: int | None = None

    @property
    def executed(self) -> tuple[TestResult, ...]:
        return tuple(test for test in self.tests if test.status is not Status.SKIPPED)

    @property
    def failed(self) -> tuple[TestResult, ...]:
        return tuple(test for test in self.tests if test.status is Status.FAILED)

    @property
    def is_green(self) -> bool:
        """Every executed test passed, at least one was executed, and pytest says the same."""
        is_passed = bool(self.executed) and not self.failed
        return self.result is Result.NAMED and is_passed and self.exit_code == 0


def run_suite(suite: Suite) -> SuiteRun:
    """Run the suite as the project configures it; once more without its own options if needed.

    Options in the project's own configuration that pytest does not know here, or that leave tests
    out, are dropped in the second run. Raises ToolFailed when pytest could not be started.
    """
    suite.settings.write_text(COVERAGE_SETTINGS.format(project=suite.project), encoding="utf-8")
    run = _run_once(suite, "first", ())
    if run is not None and not run.is_partial:
        return run
    second = _run_once(suite, "second", WITHOUT_OWN_OPTIONS)
    found = second if run is None or (second and second.result is Result.NAMED) else run
    if found is None:
        raise ToolFailed("pytest", "it did not start, with and without the project's own options")
    return found


def environment(suite: Suite, reporter: Mapping[str, str]) -> dict[str, str]:
    """Return all that a measured project's process sees."""
    variables = {
        "PATH": f"{suite.tools.analysis_bin}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(suite.scratch),
        "TMPDIR": str(suite.scratch),
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        **reporter,
    }
    return variables if suite.tools.is_image else variables | {"PYTHONPATH": suite.tools.reporter}


def _reporting(suite: Suite) -> dict[str, str]:
    """Have the reporter write a file and tell no event, wherever this project lies."""
    return {
        "LAB_REPORTER_REPORT": str(suite.report),
        "LAB_REPORTER_WORKSPACE": str(suite.project),
        "LAB_REPORTER_SPOOL": str(suite.scratch / "reporter-faults.jsonl"),
    }


def _run_once(suite: Suite, name: str, options: Sequence[str]) -> SuiteRun | None:
    """Run once; None when pytest refused to start (a flag it does not know, only a listing)."""
    suite.report.unlink(missing_ok=True)
    data = suite.scratch / f"coverage-{name}.data"
    command = (*_coverage(suite, "run", data), *PYTEST, *options)
    finished = run_bounded(
        command,
        cwd=suite.project,
        environment=environment(suite, _reporting(suite)),
        bounds=Bounds(SUITE_SECONDS),
    )
    report = _read_report(suite, finished)
    if report["result"] == WITHDRAWN:
        return None
    return SuiteRun(
        _result(report),
        tuple(TestResult(tuple(identity), Status(status)) for identity, status in report["tests"]),
        bool(report.get("partial")),
        tuple(command[1:]),
        finished.text,
        data,
        tuple(map(str, report.get("tampered", ()))),
        report.get("exit_code"),
    )


def _result(report: Mapping[str, Any]) -> Result:
    """Return how the suite ended; one that stopped before its last test did not end."""
    is_stopped = STOPPED in report.get("partial_reasons", ())
    return Result.DIED if is_stopped else Result(report["result"])


def _coverage(suite: Suite, verb: str, data: Path) -> tuple[str, ...]:
    python = suite.tools.analysis_python
    files = (f"--rcfile={suite.settings}", f"--data-file={data}")
    return (python, "-m", "coverage", verb, *files)


def _read_report(suite: Suite, finished: Finished) -> Mapping[str, Any]:
    """Read the reporter's file: it says "died" from the start on, until the suite has ended."""
    if not suite.report.is_file():
        raise ToolFailed("pytest", finished.text, finished.exit_code)
    report: Mapping[str, Any] = json.loads(suite.report.read_bytes())
    return report


def coverage_report(suite: Suite, run: SuiteRun) -> Mapping[str, Any]:
    """Return coverage.py's JSON about a run; raises ToolFailed where it wrote none."""
    if not run.data.is_file():
        raise ToolFailed("coverage", f"the suite left no data\n{run.output}")
    target = suite.scratch / "coverage.json"
    finished = run_bounded(
        (*_coverage(suite, "json", run.data), "-o", str(target)),
        cwd=suite.project,
        environment=environment(suite, {"LAB_REPORTER_OFF": "1"}),
        bounds=Bounds(REPORT_SECONDS),
    )
    if not target.is_file():
        raise ToolFailed("coverage", finished.text, finished.exit_code)
    report: Mapping[str, Any] = json.loads(target.read_bytes())
    return report
