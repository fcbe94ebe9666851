"""findings.md: which findings a question has; the headers are read, the prose is people's own."""

import re
from dataclasses import dataclass
from pathlib import Path

NAME = "findings.md"
HEADER = re.compile(r"##\s+(F-[A-Za-z0-9][A-Za-z0-9.-]*\.([0-9]+))\s+\u2014\s+(\S.*)")
ATTEMPT = re.compile(r"##\s+F-")
STATUS_SEPARATOR = " \u00b7 "
SHOWN = 60


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding; `id` is unique within its question only, `number` is the id's last part."""

    id: str
    number: int
    title: str
    line: int


@dataclass(frozen=True, slots=True)
class Findings:
    """All findings by number; `warnings` name the headers that look like one and are none."""

    is_present: bool
    findings: tuple[Finding, ...] = ()
    warnings: tuple[str, ...] = ()


def read_findings(folder: Path) -> Findings:
    """Read the findings of a question's folder; a question may have none yet.

    A header is `## F-<name>.<number> — <title>` with an em dash; ` · status` after it is dropped.
    """
    path = folder / NAME
    try:
        text = path.read_bytes().decode("utf-8-sig", "replace")
    except FileNotFoundError:
        return Findings(is_present=False)
    found: list[Finding] = []
    warnings: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        header = HEADER.fullmatch(line.rstrip())
        if header:
            title = header[3].split(STATUS_SEPARATOR)[0].strip()
            found.append(Finding(header[1], int(header[2]), title, number))
        elif ATTEMPT.match(line):
            warnings.append(_no_header(path, number, line))
    warnings += _repeated(path, found)
    return Findings(True, tuple(sorted(found, key=lambda one: one.number)), tuple(warnings))


def _no_header(path: Path, number: int, line: str) -> str:
    shown = line.strip() if len(line.strip()) <= SHOWN else line.strip()[:SHOWN] + "..."
    return (
        f"{path}:{number}: not read as a finding: {shown!r}; "
        "write `## F-<name>.<number> \u2014 <title>` (em dash)"
    )


def _repeated(path: Path, found: list[Finding]) -> list[str]:
    lines: dict[str, int] = {}
    warnings = []
    for one in found:
        if one.id in lines:
            warnings.append(f"{path}:{one.line}: {one.id} stands on line {lines[one.id]} as well")
        lines.setdefault(one.id, one.line)
    return warnings
