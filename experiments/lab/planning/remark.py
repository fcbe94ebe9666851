"""What lint has to say: a severity, a place and a sentence."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

PLACED = re.compile(r"(?P<file>[^:\n]+):(?P<line>[0-9]+): (?P<message>.*)", re.DOTALL)
NAMED = re.compile(r"(?P<file>[^:\s]+): (?P<message>.*)", re.DOTALL)


class Severity(StrEnum):
    """An error changes what a question selects; everything else is a warning."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Remark:
    """One line of lint; `rule` is a short stable name, `line` 0 means the whole file."""

    severity: Severity
    file: str
    line: int
    rule: str
    message: str

    @property
    def is_error(self) -> bool:
        return self.severity is Severity.ERROR

    def __str__(self) -> str:
        line = str(self.line) if self.line else ""
        place = ":".join(part for part in (self.file, line) if part)
        said = f"{self.severity}: {self.message} [{self.rule}]"
        return f"{place}: {said}" if place else said


def unreadable(faults: Iterable[str]) -> tuple[Remark, ...]:
    """Turn the faults of files that could not be read into remarks."""
    return tuple(_unreadable(fault) for fault in faults)


def _unreadable(fault: str) -> Remark:
    placed = PLACED.fullmatch(fault)
    if placed:
        return Remark(
            Severity.ERROR, placed["file"], int(placed["line"]), "unreadable", placed["message"]
        )
    named = NAMED.fullmatch(fault)
    file, message = (named["file"], named["message"]) if named else ("", fault)
    return Remark(Severity.ERROR, file, 0, "unreadable", message)
