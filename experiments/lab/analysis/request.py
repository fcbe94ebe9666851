"""What goes to the worker and what comes back: one JSON document each, in one place."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from lab.domain.metric import Measurement, Reason
from lab.errors import ToolFailed
from lab.stacks.protocol import Tools

SCHEMA_VERSION = 1
# A run's analysis takes about 2 s; this is for suites that do not end (300 s, twice at most).
MEASURING_SECONDS = 900.0
MEMORY_BYTES = 4 << 30

Document = Mapping[str, object]
Launch = Callable[[Document], Document]


@dataclass(frozen=True, slots=True)
class Answered:
    """The worker's answer: measurements, details by measuring code, raw scenario answers."""

    metrics: Mapping[str, Measurement]
    details: Mapping[str, Any]
    answers: tuple[Mapping[str, Any], ...] | None


def request_document(
    stack: str, workspace: Path, tools: Tools, suite: Mapping[str, Any] | None
) -> dict[str, object]:
    """Lay a request out.

    A launch replaces `workspace` and `tools` when they are called otherwise where the worker
    runs, may set `scratch` (default: TMPDIR), and ends the worker after `time_limit_seconds`.
    """
    scenario_seconds = 2 * len(suite["scenarios"]) * suite["timeout_seconds"] if suite else 0.0
    return {
        "schema_version": SCHEMA_VERSION,
        "stack": stack,
        "workspace": str(workspace),
        "scratch": None,
        "tools": asdict(tools),
        "suite": suite,
        "memory_bytes": MEMORY_BYTES,
        "time_limit_seconds": MEASURING_SECONDS + scenario_seconds,
    }


def answer_document(
    metrics: Mapping[str, Measurement],
    details: Mapping[str, Any],
    answers: list[dict[str, Any]] | None,
) -> dict[str, object]:
    """Lay an answer out."""
    return {
        "schema_version": SCHEMA_VERSION,
        "metrics": {
            name: {"value": one.value, "reason": one.reason, "by": one.by}
            for name, one in metrics.items()
        },
        "details": details,
        "answers": answers,
    }


def read_answer(document: Mapping[str, Any]) -> Answered:
    """Read an answer; raises ToolFailed when it is none of this version."""
    if document.get("schema_version") != SCHEMA_VERSION:
        raise ToolFailed("analysis worker", f"not an answer of version {SCHEMA_VERSION}")
    answers = document["answers"]
    return Answered(
        {
            name: Measurement(
                one["value"], None if one["reason"] is None else Reason(one["reason"]), one["by"]
            )
            for name, one in document["metrics"].items()
        },
        document["details"],
        None if answers is None else tuple(answers),
    )
