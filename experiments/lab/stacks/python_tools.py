"""What is measured on a Python project with its stack's own tools, step by step."""

import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lab.domain.event import PathClass, Result, Status
from lab.domain.metric import Reason, Value
from lab.errors import ToolFailed
from lab.stacks.project_copy import copy_project
from lab.stacks.protocol import StackMeasurements, Tools
from lab.stacks.python_lint import BUCKETS, lint
from lab.stacks.python_project import PythonProject, count_lines
from lab.stacks.python_sources import Source, todos, units
from lab.stacks.steps import CannotMeasure, Reading, Step, run_steps

HIGH_COMPLEXITY = 10
LISTED = 200
# One version per measuring code: raise it when its numbers can change, here and in the registry.
VERSIONS: Mapping[str, str] = {
    "python-suite": "2",
    "python-coverage": "2",
    "python-lint": "2",
    "python-units": "1",
    "python-lines": "1",
    "python-test-lines": "1",
    "python-todos": "2",
}


def measure(
    workspace: Path, tools: Tools, scratch: Path, path_class: Callable[[str], PathClass]
) -> StackMeasurements:
    """Measure a final workspace, which stays untouched; `scratch` is an empty folder of ours.

    Every metric of STEPS has a measurement, whatever failed; details say what was seen.
    """
    copy = scratch / "project"
    left_out = copy_project(workspace, copy)
    project = PythonProject(workspace, copy, scratch, tools, path_class)
    measured = run_steps(STEPS, project)
    details = {**measured.details, "python-copy": {"left_out": list(left_out)}}
    return StackMeasurements(measured.metrics, details)


def complexity_readings(prefix: str, values: Sequence[int]) -> dict[str, Value | Reason]:
    """Aggregate complexities: the largest, the mean, and how many are above 10."""
    has_values = bool(values)
    return {
        f"{prefix}_max": max(values) if has_values else Reason.NOT_APPLICABLE,
        f"{prefix}_avg": statistics.fmean(values) if has_values else Reason.NOT_APPLICABLE,
        f"{prefix}_high_count": sum(value > HIGH_COMPLEXITY for value in values),
    }


def complexity_metrics(prefix: str) -> tuple[str, ...]:
    return (f"{prefix}_max", f"{prefix}_avg", f"{prefix}_high_count")


def _suite(project: PythonProject) -> Reading:
    run = project.suite
    details = {
        "result": run.result.value,
        "command": " ".join(run.command),
        "tampered": list(run.tampered),
        "passed": sum(test.status is Status.PASSED for test in run.tests),
        "failed": ["::".join(test.id) for test in run.failed[:LISTED]],
        "skipped": sum(test.status is Status.SKIPPED for test in run.tests),
        "output": "" if run.is_green else run.output,
    }
    total = len(run.tests) if run.result is Result.NAMED else _no_names(run.result)
    return Reading({"tests_passing": run.is_green, "tests_total": total}, details)


def _no_names(result: Result) -> Reason:
    return Reason.UNPARSABLE if result is Result.DOES_NOT_COMPILE else Reason.TOOL_FAILED


def _coverage(project: PythonProject) -> Reading:
    """Read what the suite executed; a suite that did not run to its end says nothing about it."""
    production = project.production
    run = project.suite
    if run.result is not Result.NAMED:
        raise CannotMeasure(Reason.TESTS_RED, f"the suite ended as {run.result.value}")
    coverage = project.coverage
    files = {source.path: _file_coverage(coverage, source) for source in production}
    total = Counter[str]()
    for summary in files.values():
        total.update(summary)
    readings = {
        "coverage_statements_pct": _share(total["covered_lines"], total["num_statements"]),
        "coverage_branches_pct": _share(total["covered_branches"], total["num_branches"]),
    }
    return Reading(readings, {"files": files})


def _file_coverage(coverage: Mapping[str, Any], source: Source) -> dict[str, int]:
    if source.path not in coverage["files"]:
        raise ToolFailed("coverage", f"{source.path} is missing in its report")
    summary = coverage["files"][source.path]["summary"]
    names = ("covered_lines", "num_statements", "covered_branches", "num_branches")
    return {name: summary[name] for name in names}


def _share(part: int, whole: int) -> Value | Reason:
    return part / whole if whole else Reason.NOT_APPLICABLE


def _lint(project: PythonProject) -> Reading:
    production = project.production
    _refuse_other_encodings(production)
    paths = [source.path for source in production]
    result = lint(f"{project.tools.analysis_bin}/ruff", project.workspace, paths)
    _demand_every_function(len(result.mccabe), production)
    counts = Counter(finding.bucket for finding in result.findings)
    readings: dict[str, Value | Reason] = {bucket: counts[bucket] for bucket in BUCKETS}
    readings["smell_total"] = counts.total()
    readings["functions"] = len(result.mccabe)
    readings |= complexity_readings("mccabe", [function.value for function in result.mccabe])
    details = {
        "smells": [asdict(finding) for finding in result.findings[:LISTED]],
        "mccabe": [asdict(function) for function in result.mccabe[:LISTED]],
    }
    return Reading(readings, details)


def _refuse_other_encodings(sources: Sequence[Source]) -> None:
    """Raise CannotMeasure for what ruff cannot read: it would skip the file and say nothing."""
    for source in sources:
        try:
            source.content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise CannotMeasure(Reason.UNPARSABLE, f"{source.path}: not UTF-8") from error


def _demand_every_function(seen: int, sources: Sequence[Source]) -> None:
    """Raise ToolFailed where ruff and the syntax tree count functions differently.

    The rule reports each function, so a difference means a file that it did not look at.
    """
    there = sum(len(units(source)) for source in sources)
    if seen != there:
        raise ToolFailed("ruff", f"it saw {seen} of {there} functions")


def _units(project: PythonProject) -> Reading:
    found = [unit for source in project.production for unit in units(source)]
    sizes = [unit.lines for unit in found]
    largest, mean, median = (
        (max(sizes), statistics.fmean(sizes), float(statistics.median(sizes)))
        if sizes
        else (Reason.NOT_APPLICABLE,) * 3
    )
    readings: dict[str, Value | Reason] = {"unit_count": len(sizes)}
    readings |= dict.fromkeys(("unit_size_max", "longest_function"), largest)
    readings |= dict.fromkeys(("unit_size_avg", "avg_loc_per_function"), mean)
    readings |= dict.fromkeys(("unit_size_median", "median_loc_per_function"), median)
    return Reading(readings, {"units": [asdict(unit) for unit in found[:LISTED]]})


def _lines(project: PythonProject) -> Reading:
    lines = project.loc_by_file
    return Reading({"production_loc": sum(lines.values())}, {"files": dict(lines)})


def _test_lines(project: PythonProject) -> Reading:
    lines = count_lines(project.tests)
    return Reading({"test_lines": sum(lines.values())}, {"files": dict(lines)})


def _todos(project: PythonProject) -> Reading:
    """Count marks in comments of all own files, and tests that are listed but not executed.

    Where no file holds code nothing is left to do and nothing is done: no source, never 0.
    """
    run = project.suite
    if run.result is not Result.NAMED:
        raise CannotMeasure(_no_names(run.result), f"the suite ended as {run.result.value}")
    sources = (*project.implementation, *project.tests)
    if not any(count_lines(sources).values()):
        raise CannotMeasure(Reason.NO_SOURCE)
    places = [f"{source.path}:{line}" for source in sources for line in todos(source)]
    pending = ["::".join(test.id) for test in run.tests if test.status is Status.SKIPPED]
    readings = {"todos_remaining": len(places) + len(pending)}
    return Reading(readings, {"marks": places[:LISTED], "pending": pending[:LISTED]})


SMELLS = ("smell_total", *BUCKETS)
SIZES = ("longest_function", "avg_loc_per_function", "median_loc_per_function")
UNITS = ("unit_count", "unit_size_max", "unit_size_avg", "unit_size_median", *SIZES)
COVERAGE = ("coverage_statements_pct", "coverage_branches_pct")


def _step(
    code: str, metrics: tuple[str, ...], run: Callable[[PythonProject], Reading]
) -> Step[PythonProject]:
    return Step(code, VERSIONS[code], metrics, run)


STEPS: tuple[Step[PythonProject], ...] = (
    _step("python-suite", ("tests_passing", "tests_total"), _suite),
    _step("python-coverage", COVERAGE, _coverage),
    _step("python-lint", (*SMELLS, "functions", *complexity_metrics("mccabe")), _lint),
    _step("python-units", UNITS, _units),
    _step("python-lines", ("production_loc",), _lines),
    _step("python-test-lines", ("test_lines",), _test_lines),
    _step("python-todos", ("todos_remaining",), _todos),
)
