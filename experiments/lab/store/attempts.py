"""attempts.jsonl: one line per attempt at a run, failed ones included."""

from dataclasses import asdict
from typing import Any

from lab.domain.attempt import AttemptRecord, Ending, Usage
from lab.errors import LabError
from lab.paths import RunPaths
from lab.store.foreign import SCHEMA_VERSION
from lab.store.journal import Line, append_line, read_lines
from lab.store.schema import check

FIELDS = tuple(AttemptRecord.__dataclass_fields__)


def append_attempt(run: RunPaths, attempt: AttemptRecord, *, is_durable: bool = True) -> None:
    """Append an attempt; ValueError where it breaks its schema.

    Not durable: for the last attempt of a run that is published right away.
    """
    document = _document(attempt)
    faults = check("attempt", document, str(run.attempts))
    if faults:
        raise ValueError("\n".join(faults))
    append_line(run.attempts, document, is_durable=is_durable)


def read_attempts(run: RunPaths) -> tuple[AttemptRecord, ...]:
    """Read all attempts in order; LabError names every line that cannot be trusted."""
    faults: list[str] = []
    attempts: list[AttemptRecord] = []
    for number, line in enumerate(read_lines(run.attempts), 1):
        wrong = check("attempt", dict(line), f"{run.attempts}:{number}")
        faults += wrong
        if not wrong:
            attempts.append(_attempt(line))
    if faults:
        raise LabError(faults)
    return tuple(attempts)


def _document(attempt: AttemptRecord) -> dict[str, Any]:
    """Lay an attempt out; asdict would copy every value, which shows at thousands of runs."""
    document: dict[str, Any] = {"schema_version": SCHEMA_VERSION}
    document |= {name: getattr(attempt, name) for name in FIELDS}
    document["usage"] = None if attempt.usage is None else asdict(attempt.usage)
    return document


def _attempt(line: Line) -> AttemptRecord:
    values: dict[str, Any] = {key: line[key] for key in line if key != "schema_version"}
    usage = values["usage"]
    values["usage"] = None if usage is None else Usage(**usage)
    values["ending"] = Ending(values["ending"])
    return AttemptRecord(**values)
