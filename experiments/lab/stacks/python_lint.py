"""Smells and McCabe complexity of Python code: one call of ruff, read by a table of rules."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.errors import ToolFailed
from lab.process.bounded import Bounds, run_bounded

LINT_SECONDS = 60.0
MCCABE = "C901"
# Which rule fills which counter; a letter alone stands for all stable rules of that linter.
BUCKETS: Mapping[str, tuple[str, ...]] = {
    "smell_complexity": ("PLR0912", "PLR0913", "PLR0915", "PLR1702"),
    "smell_duplication": ("F811", "PIE794", "SIM114"),
    "smell_magic_numbers": ("PLR2004",),
    "smell_code_quality": (
        "B",
        "E722",
        "F401",
        "F841",
        "PIE790",
        "RET504",
        "RET505",
        "SIM101",
        "SIM102",
        "SIM103",
        "SIM108",
    ),
}
THRESHOLDS: Mapping[str, str] = {
    "lint.mccabe.max-complexity": "0",
    "lint.pylint.max-branches": "12",
    "lint.pylint.max-statements": "30",
    "lint.pylint.max-args": "4",
    "lint.pylint.max-nested-blocks": "3",
    "lint.explicit-preview-rules": "true",
}
# Of all rules above only PLR1702 is in preview (ruff 0.17.6); the newest grammar is read whatever
# interpreter measures, so that an older one does not turn new syntax into findings.
OPTIONS = (
    "check",
    "--isolated",
    "--no-cache",
    "--ignore-noqa",
    "--exit-zero",
    "--preview",
    "--target-version=py313",
    "--output-format=json",
)
_BY_RULE = {rule: bucket for bucket, rules in BUCKETS.items() for rule in rules}
_MCCABE = re.compile(r"`(?P<name>.*)` is too complex \((?P<value>\d+) > 0\)")


@dataclass(frozen=True, slots=True)
class Finding:
    """One smell and its place."""

    bucket: str
    rule: str
    path: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Complexity:
    """One function and its complexity by one tool."""

    path: str
    name: str
    line: int
    value: int


@dataclass(frozen=True, slots=True)
class Lint:
    findings: tuple[Finding, ...]
    mccabe: tuple[Complexity, ...]


def command(ruff: str, paths: Sequence[str]) -> tuple[str, ...]:
    """Build the one ruff call; paths are relative to the project."""
    rules = ",".join((MCCABE, *sorted(_BY_RULE)))
    settings = [
        part for name, value in THRESHOLDS.items() for part in ("--config", f"{name}={value}")
    ]
    return (ruff, *OPTIONS, f"--select={rules}", *settings, "--", *paths)


def lint(ruff: str, project: Path, paths: Sequence[str]) -> Lint:
    """Run ruff over the given files; raises ToolFailed when it gives no JSON or an odd finding."""
    finished = run_bounded(
        command(ruff, paths),
        cwd=project,
        environment={"PATH": "/usr/bin:/bin", "NO_COLOR": "1"},
        bounds=Bounds(LINT_SECONDS, output_bytes=64 << 20),
    )
    if finished.exit_code != 0 or finished.is_overflow:
        raise ToolFailed("ruff", finished.text, finished.exit_code)
    return parse(finished.stdout, project)


def parse(output: bytes, project: Path) -> Lint:
    """Read ruff's JSON; a rule that stands in no bucket is an error."""
    rows: list[dict[str, Any]] = json.loads(output)
    smells = [row for row in rows if row["code"] != MCCABE]
    return Lint(
        tuple(_finding(row, project) for row in smells),
        tuple(_complexity(row, project) for row in rows if row["code"] == MCCABE),
    )


def bucket_of(rule: str) -> str:
    """Return the counter that a rule fills."""
    bucket = _BY_RULE.get(rule) or _BY_RULE.get(rule.rstrip("0123456789"))
    if bucket is None:
        raise ToolFailed("ruff", f"the rule {rule} stands in no bucket of smells")
    return bucket


def _finding(row: dict[str, Any], project: Path) -> Finding:
    rule = row["code"]
    return Finding(
        bucket_of(rule), rule, _path(row, project), row["location"]["row"], row["message"]
    )


def _complexity(row: dict[str, Any], project: Path) -> Complexity:
    match = _MCCABE.fullmatch(row["message"])
    if match is None:
        raise ToolFailed("ruff", f"no McCabe value in: {row['message']}")
    line = row["location"]["row"]
    return Complexity(_path(row, project), match["name"], line, int(match["value"]))


def _path(row: dict[str, Any], project: Path) -> str:
    return Path(row["filename"]).relative_to(project).as_posix()
